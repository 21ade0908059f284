# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The made-up CUDA 14.0: headers written backwards, and everything that a major does to the facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen.ingest import append, parse
from codegen.model import registry as store
from codegen.model.api import Api, Release
from codegen.model.bind import bind
from codegen.model.fold import fold
from codegen.rehearse import changes, headers
from codegen.rehearse.release import Rehearsal, rehearse


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Rehearsal:
    return rehearse(tmp_path_factory.mktemp("rehearsal"))


@pytest.fixture(scope="module")
def before() -> Api:
    return fold("driver")


@pytest.fixture(scope="module")
def after(made: Rehearsal) -> Api:
    return fold("driver", registry=made.registry)


def test_headers_say_what_they_were_made_of(tmp_path: Path) -> None:
    """Read as those of the release that follows, they add nothing to what is recorded."""
    registry = store.load(store.ROOT / "driver")
    newest = registry.known[-1]
    row = next(row for row in registry.releases if row.release == newest)
    names = [name for name in row.headers if not name.startswith("windows/")]
    state = {key: fact.value or {} for key, fact in registry.state(newest).items()}
    folder = headers.write(state, names, tmp_path)
    snapshot = parse.parse_headers(folder)
    assert len(snapshot.values) > 4000
    assert append.new_facts(registry, Release(newest.major, newest.minor + 1), snapshot) == []
    (folder / "cuda.h").write_text((folder / "cuda.h").read_text().replace("CU_LIMIT_STACK_SIZE = 0", "CU_X = 0"))
    changed = append.new_facts(registry, Release(newest.major, newest.minor + 1), parse.parse_headers(folder))
    assert {fact.key[-1] for fact in changed} == {"CU_LIMIT_STACK_SIZE", "CU_X"}


def test_the_registry_only_grew(made: Rehearsal) -> None:
    old, new = store.load(store.ROOT / "driver"), store.load(made.registry / "driver")
    added = [fact for fact in new.facts if fact not in old.facts]
    assert len(added) == len(new.facts) - len(old.facts) > 0
    assert set(old.functions) < set(new.functions)
    assert set(old.types) < set(new.types)
    assert new.table[: len(old.table)] == old.table
    assert {fact.at for fact in added} == {changes.RELEASE}
    assert changes.RELEASE not in old.known


def test_earlier_views_and_names_are_as_they_were(before: Api, after: Api) -> None:
    assert after.views[:-1] == before.views
    assert after.views[-1].major == changes.RELEASE.major
    assert before.by_name.keys() < after.by_name.keys()
    for name, function in before.by_name.items():
        assert after.by_name[name] == function, name


def test_a_default_is_a_new_version(before: Api, after: Api) -> None:
    old, new = before.views[-1], after.views[-1]
    for base in changes.SUPERSEDED:
        was, now = (
            before.by_name[old.functions[base]],
            after.by_name[new.functions[base]],
        )
        assert now.version == was.version + 1
        assert now.parameters != was.parameters
        assert now.introduced == changes.RELEASE
    assert new.per_thread["cuStreamGetPriority"] == "cuStreamGetPriority_v2_ptsz"
    assert after.by_name["cuDeviceGetName"].version == 1  # a plain name stays with what it was given for


def test_a_symbol_is_undeclared_and_stays(before: Api, after: Api) -> None:
    for symbol in changes.UNDECLARED:
        assert symbol in before.views[-1].functions
        assert symbol not in after.views[-1].functions
        assert symbol not in after.views[-1].per_thread
        assert after.by_name[symbol] == before.by_name[symbol]  # since when it is there too, which typedefs had said


def test_a_base_is_mapped_to_the_symbol_of_another(after: Api) -> None:
    view = after.views[-1]
    assert view.functions["cuEventRecord"] == view.functions["cuEventRecordWithFlags"]
    assert view.per_thread["cuEventRecord"] == "cuEventRecordWithFlags_v1_ptsz"


def test_new_bases_have_plain_names(after: Api) -> None:
    for base in changes.PROTOTYPES:
        assert after.by_name[base].name == f"{base}_v1"
    assert after.by_name["cuStreamMeter_ptsz"].stream == "ptsz"


def test_an_alias_stands_for_another_record(before: Api, after: Api) -> None:
    alias, old, new = changes.RETARGETED
    assert before.views[-1].types[alias] == after.views[-2].types[alias] == old
    assert after.views[-1].types[alias] == new
    for base in changes.RETARGETED_USERS:
        assert {p.type.base for p in after.by_name[f"{base}_v1"].parameters if "BATCH" in p.type.base} == {old}
        assert {p.type.base for p in after.by_name[f"{base}_v2"].parameters if "BATCH" in p.type.base} == {new}


def test_enumerators_come_and_a_name_is_reused(before: Api, after: Api) -> None:
    view = after.views[-1]
    for _, name, end in changes.ADDED:
        enum, value = before.views[-1].enumerators[end]
        assert view.enumerators[name] == (enum, value)
        assert view.enumerators[end][1] > value
    _, name, former = changes.REUSED
    old = before.views[-1].enumerators[name]
    assert after.views[-2].enumerators[name] == view.enumerators[former] == old
    assert view.enumerators[name][1] > old[1]


def test_records_grow(before: Api, after: Api) -> None:
    old, new = ({record.name: record for record in api.records} for api in (before, after))
    grown, filled = (changes.GROWN[0].removesuffix("_st"), changes.FILLED[0].replace("_st", "_v1"))
    assert new[grown].size == old[grown].size + 4
    assert new[filled].size == old[filled].size
    for owner, field in ((grown, changes.GROWN[1]), (filled, changes.FILLED[1])):
        assert field in {f.name for f in new[owner].fields} - {f.name for f in old[owner].fields}
    for name, record in old.items():
        fields = {f.name: f.offset for f in new[name].fields}
        assert all(fields[f.name] == f.offset for f in record.fields if f.name != "reserved"), name


def test_it_binds_with_what_a_person_would_add(made: Rehearsal, after: Api) -> None:
    bound = bind(after, made.overrides / "driver.toml")
    assert {f.function.name for f in bound.functions} >= {f"{base}_v1" for base in changes.PROTOTYPES}
