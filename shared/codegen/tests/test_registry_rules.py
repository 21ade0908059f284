# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Rules that the registry of every library, and of every major of one, has to keep at every release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from codegen.ingest import assign, libraries
from codegen.ingest.specs import SPECS, Spec
from codegen.model import registry as store
from codegen.model.api import Api, Callback, Enum, Handle, Record, split_symbol
from codegen.model.fold import fold, fold_registry
from codegen.model.names import KEYWORDS, family
from codegen.model.registry import Registry


@dataclass(frozen=True)
class Case:
    spec: Spec
    major: int | None

    def __str__(self) -> str:
        return f"{self.spec.name}{self.major or ''}"

    @property
    def folder(self) -> Path:
        return store.folder_of(self.spec.name, self.major)

    @cached_property
    def registry(self) -> Registry:
        return store.load(self.folder)

    @cached_property
    def api(self) -> Api:
        return fold(self.spec.name, major=self.major)


CASES = [Case(spec, major) for spec in SPECS.values() for major in (store.majors(spec.name) or (None,))]
NAMED = [case for case in CASES if case.major is None or case.spec.names_since(case.major)]

# What a library no longer exports that an older one did: of the header too it was gone a release after it came.
LACKING = {"nvml": {"535.261.03": {"nvmlDeviceCcuGetStreamState", "nvmlDeviceCcuSetStreamState"}}}

every = pytest.mark.parametrize("case", CASES, ids=str)
every_named = pytest.mark.parametrize("case", NAMED, ids=str)


def type_names(api: Api) -> set[str]:
    named: tuple[Record | Enum | Handle | Callback, ...] = (*api.records, *api.enums, *api.handles, *api.callbacks)
    return {type_.name for type_ in named}


def test_there_is_a_registry_for_each_library() -> None:
    assert {case.spec.name for case in CASES} == {"driver", "runtime", "nvrtc", "nvjitlink", "nvml", "nvvm"}
    assert [str(case) for case in CASES if case not in NAMED] == ["runtime11", "nvrtc11"]


@every_named
def test_plain_names_are_of_bases_with_one_version(case: Case) -> None:
    first = case.spec.names_since(case.major)
    for base, functions in fold(case.spec.name, first, major=case.major).bases.items():
        versions = {function.version for function in functions}
        if len(versions) > 1:
            assert not any(function.plain for function in functions), base
        else:
            assert all(f.plain == base + (f"_{f.stream}" if f.stream else "") for f in functions), base


@every_named
def test_every_type_that_is_used_is_known(case: Case) -> None:
    known = type_names(case.api) | KEYWORDS
    used = {p.type.base: function.name for function in case.api.functions for p in function.parameters}
    used |= {base_of(function.result): function.name for function in case.api.functions}
    used |= {p.type.base: callback.name for callback in case.api.callbacks for p in callback.parameters}
    used |= {field.type.base: record.name for record in case.api.records for field in record.fields}
    assert {name: where for name, where in used.items() if name not in known} == {}


def base_of(text: str) -> str:
    return text.removeprefix("const ").partition(" *")[0]


@every_named
def test_a_record_comes_after_those_it_holds(case: Case) -> None:
    seen: set[str] = set()
    names = {record.name for record in case.api.records}
    for record in case.api.records:
        held = {field.type.base for field in record.fields if not field.type.depth} & names
        assert held <= seen, record.name
        seen.add(record.name)


@every_named
def test_fields_lie_within_their_record(case: Case) -> None:
    for record in case.api.records:
        for field in record.fields:
            assert field.offset + field.size <= record.size, f"{record.name}.{field.name}"
            if field.type.depth:
                assert field.size == 8 * (field.count or 1), f"{record.name}.{field.name}"


@every_named
def test_names_and_signatures_hold_from_release_to_release(case: Case) -> None:
    """As of any release: names that today has too, and no signature but today's."""
    today = fold_registry(case.registry)
    functions = {f.name: f for f in today.functions}
    types = type_names(today) | set(today.aliases)
    for release in case.registry.known:
        then = fold_registry(case.registry, as_of=release)
        for function in then.functions:
            now = functions[function.name]
            assert (function.plain, function.base, function.introduced) == (now.plain, now.base, now.introduced)
            assert function.result == now.result
            if function.symbols:
                assert now.symbols[-len(function.symbols) :] == function.symbols
                assert function.symbol == function.symbols[0][1]
            else:
                assert function.symbol == now.symbol
            told = [
                same(p.type.base, n.type.base, today) for p, n in zip(function.parameters, now.parameters, strict=True)
            ]
            assert told == [p.type.base for p in now.parameters], f"{function.name} as of {release}"
            assert [p.type.const for p in function.parameters] == [p.type.const for p in now.parameters]
        assert type_names(then) <= types


def same(then: str, now: str, today: Api) -> str:
    """The type of a parameter as it is called today.

    NVML's structs begin with their version, by which one function serves several: the header names the newest of them.
    """
    versioned = {then, now} <= {r.name for r in today.records if any(f.name == "version" for f in r.fields)}
    if versioned and family(then) == family(now):
        return now
    return today.aliases.get(then, then)


@every
def test_no_library_lacks_what_an_older_one_has(case: Case) -> None:
    assert {row.version: set(row.lacks) for row in case.registry.libraries if row.lacks} == LACKING.get(str(case), {})
    assert case.registry.libraries
    for row in case.registry.libraries:
        assert row.count == len(libraries.exported(case.registry, row.version))


@pytest.mark.parametrize("case", [case for case in CASES if case.major], ids=str)
def test_each_release_has_its_library_and_what_its_header_declares(case: Case) -> None:
    """The two sources have no part in each other."""
    assert [row.cuda for row in case.registry.libraries] == list(case.registry.known)
    for row in case.registry.libraries:
        exports = libraries.exported(case.registry, row.version)
        held = case.registry.state(row.cuda)
        declared = {key[1] for key in held if key[0] == "declared"}
        wrapped = {key[1]: str(dict(fact.value or {})["symbol"]) for key, fact in held.items() if key[0] == "wraps"}
        assert {name: wrapped.get(name, name) for name in declared if wrapped.get(name, name) not in exports} == {}


@every_named
def test_names_are_those_that_would_be_given_today(case: Case) -> None:
    """The names were given by the rule, and by nobody's hand."""
    first = case.spec.names_since(case.major)
    if case.registry.known[-1] != first:
        pytest.skip("names given to later releases depend on when they came")
    registry = case.registry
    unnamed = Registry(registry.facts, registry.retractions, registry.releases, registry.libraries)
    anew = assign.assign(unnamed, first)
    assert set(anew.functions) == set(registry.functions)
    assert set(anew.types) == set(registry.types)


@every
def test_every_fact_is_in_the_file_of_its_family(case: Case) -> None:
    for fact in case.registry.facts:
        folder, _, name = fact.path.partition("/")
        assert folder in store.KINDS[fact.kind].folders
        if folder == "functions" and fact.kind != "introduced":
            assert split_symbol(fact.key[0])[0] == name


@every
def test_files_are_as_the_tool_writes_them(case: Case, tmp_path: Path) -> None:
    registry = case.registry
    store.save(tmp_path, registry, {fact.path for fact in registry.facts})
    store.save_index(tmp_path, registry)
    written = {path.relative_to(tmp_path): path.read_text() for path in tmp_path.rglob("*.toml")}
    there = {path.relative_to(case.folder): path for path in case.folder.rglob("*.toml")}
    assert set(written) == set(there)
    assert [str(name) for name, text in written.items() if there[name].read_text() != text] == []
