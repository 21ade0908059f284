# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How C headers write the API, and since when: for what has to compile beside a `<cuda.h>` of any release.

`fold` says what a type is; a compiler also asks how it is spelled. To C, `CUctx_st *` is another type than `void *`,
`uint64_t` another than `unsigned long long`, and a struct that the included header defines must not be defined again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal

from . import registry as store
from .api import Api, Callback, CType, Enum, Handle, Parameter, Record, Release
from .fold import fold, fold_registry, parameters_as_written
from .names import KEYWORDS, STANDARD, Scope
from .registry import Fact, Key, Registry

Space = Literal["tag", "type", "enumerator", "macro"]  # what a C name can be


@dataclass(frozen=True)
class Span:
    """Releases whose headers have a name: from the first to the one before `gone`."""

    first: Release
    gone: Release | None


@dataclass(frozen=True)
class Era:
    """The tag that an enum or record had in some releases."""

    keyword: str  # "struct", "union", "enum"
    tag: str


@dataclass(frozen=True)
class Spelling:
    positions: Mapping[str, int]  # Function.name -> its number in the C function table
    oldest: Release  # the oldest release whose headers were read; what is older is unknown
    unknown: tuple[tuple[Release, Release], ...]  # between these two, releases of one major may lie that were not read
    handles: Mapping[str, CType]  # what the typedef of a handle stands for: CUcontext -> CUctx_st *
    opaque: Mapping[str, str]  # types that can only be pointed to, with the header they come from
    parameters: Mapping[str, tuple[Parameter, ...]]  # of functions and callbacks
    fields: Mapping[tuple[str, str], CType]  # (Record.name, Field.name)
    eras: Mapping[str, tuple[Era, ...]]  # Enum.name, Record.name or alias -> its tags, oldest first; none: untagged
    spans: Mapping[tuple[Space, str], tuple[Span, ...]]  # in headers as a user sees them, without the internal part
    typedefs: frozenset[str]  # names that are typedefs in some header
    redirected: frozenset[str]  # names that some header turns into another function for per-thread default streams

    def of(self, space: Space, name: str) -> tuple[Span, ...]:
        return self.spans.get((space, name), ())


def spell(
    library: str = "driver", as_of: Release | None = None, registry: Path | None = None, major: int | None = None
) -> tuple[Api, Spelling]:
    """`major` is needed of a library whose majors are APIs of their own."""
    recorded = store.load(store.folder_of(library, major, registry or store.ROOT))
    api = fold(library, as_of, registry, major)
    return api, _Speller(_until(recorded, api.release), api).spelling()


def spell_registry(recorded: Registry, library: str, as_of: Release | None = None) -> tuple[Api, Spelling]:
    api = fold_registry(recorded, library, as_of)
    return api, _Speller(_until(recorded, api.release), api).spelling()


def _until(recorded: Registry, release: Release) -> Registry:
    return dataclasses.replace(
        recorded,
        facts=tuple(fact for fact in recorded.facts if fact.at <= release),
        releases=tuple(row for row in recorded.releases if row.release <= release),
    )


class _Speller:
    def __init__(self, recorded: Registry, api: Api) -> None:
        self.recorded = recorded
        self.api = api
        self.permanent = {row.type: row.name for row in recorded.types}
        kinds: Iterable[Iterable[Enum | Record | Handle | Callback]]
        kinds = (api.enums, api.records, api.handles, api.callbacks)
        self.fixed = frozenset({x.name for kind in kinds for x in kind} | set(api.aliases))
        self.scope = cache(self._scope)

    def _scope(self, release: Release) -> Scope:
        return Scope(self.recorded.state(release), self.permanent)

    def spelling(self) -> Spelling:
        known = self.recorded.known
        functions = {f.name for f in self.api.functions}
        positions = {row.name: row.position for row in self.recorded.table if row.name in functions}
        numbers = [row.position for row in self.recorded.table]
        if twice := {number for number in numbers if numbers.count(number) > 1}:
            raise ValueError(f"table.toml gives {', '.join(map(str, sorted(twice)))} to several functions")
        if missing := functions - set(positions):
            raise ValueError(f"no position in table.toml: {', '.join(sorted(missing))}; ingesting a release gives them")
        return Spelling(
            positions=positions,
            oldest=known[0],
            unknown=tuple(
                (one, two) for one, two in pairwise(known) if one.major == two.major and two.minor > one.minor + 1
            ),
            handles={h.name: self._handle(h.name) for h in self.api.handles},
            opaque=dict(self._opaque()),
            parameters={**dict(self._functions()), **dict(self._callbacks())},
            fields=dict(self._fields()),
            eras={name: tuple(eras) for name, eras in self._eras().items()},
            spans=dict(self._spans()),
            typedefs=frozenset(key[1] for key in self._keys("typedef", "callback")),
            redirected=frozenset(
                key[1]
                for key in self._keys("default")
                for fact in self.recorded.timelines[key]
                if self._text(fact, "per_thread") not in ("", key[1])
            ),
        )

    # What the headers hold

    def _keys(self, *kinds: str) -> Iterator[Key]:
        return (key for key in self.recorded.timelines if key[0] in kinds)

    def _last(self, key: Key) -> tuple[Release, Fact]:
        """The last release that has a key, and what it says of it."""
        gone = None
        for fact in reversed(self.recorded.timelines[key]):
            if fact.value is not None:
                return max(r for r in self.recorded.known if gone is None or r < gone), fact
            gone = fact.at
        raise ValueError(f"{key} never was")

    def _text(self, fact: Fact, name: str) -> str:
        return str((fact.value or {}).get(name, ""))

    # Types as they are written

    def _type(self, raw: CType, scope: Scope) -> CType:
        """Under the name that is permanent, or an integer type's own; else as the header has it."""
        name = raw.base
        if name in KEYWORDS or name in STANDARD or scope.is_void(name):
            return raw
        head, dot, rest = name.partition(".")
        if dot:
            return CType(name if ("callback", name) in scope.held else f"{scope.name(head)}.{rest}", raw.const)
        if raw.depth and (handle := scope.handle(raw)):
            return CType(handle, raw.const[1:])
        while name not in self.fixed:
            target = scope.typedef(name)
            if target is None or target.depth:
                name = scope.name(raw.base)
                break
            name = target.base
        return CType(name, raw.const)

    def _parameters(self, key: Key) -> tuple[Parameter, ...]:
        release, fact = self._last(key)
        scope = self.scope(release)
        return tuple(
            Parameter(p.name, self._type(p.type, scope)) for p in parameters_as_written(self._text(fact, "parameters"))
        )

    def _functions(self) -> Iterator[tuple[str, tuple[Parameter, ...]]]:
        for function in self.api.functions:
            # The header declares a function of its own where each release of the library has another symbol for it.
            declared = function.base if function.symbols else function.symbol
            yield function.name, self._parameters(("declared", declared))

    def _callbacks(self) -> Iterator[tuple[str, tuple[Parameter, ...]]]:
        for callback in self.api.callbacks:
            yield callback.name, self._parameters(("callback", callback.name))

    def _handle(self, name: str) -> CType:
        """As of a release that has only `CUdeviceptr` yet, that says what `CUdeviceptr_v2` is."""
        known = [key for key in self._keys("typedef") if self.scope(self._last(key)[0]).name(key[1]) == name]
        release, fact = self._last(("typedef", name) if ("typedef", name) in known else min(known))
        raw = CType.parse(self._text(fact, "type"))
        return raw if raw.depth else self._type(raw, self.scope(release))

    def _opaque(self) -> Iterator[tuple[str, str]]:
        for key in self._keys("typedef"):
            release, fact = self._last(key)
            if self.scope(release).is_void(key[1]):
                yield key[1], self._text(fact, "header")

    def _fields(self) -> Iterator[tuple[tuple[str, str], CType]]:
        """As the newest of a record's tags has them."""
        found: dict[tuple[str, str], tuple[Release, CType]] = {}
        for key in self._keys("field"):
            release, fact = self._last(key)
            scope = self.scope(release)
            name = (scope.name(key[1]), key[2])
            if name not in found or found[name][0] <= release:
                found[name] = (release, self._type(CType.parse(self._text(fact, "type")), scope))
        return ((name, type_) for name, (_, type_) in found.items())

    # Names and when they were there

    def _eras(self) -> Mapping[str, list[Era]]:
        tags: dict[str, list[tuple[Release, Era]]] = {}
        for key in self._keys("enum", "record"):
            if "." in key[1]:
                continue
            release, fact = self._last(key)
            value = fact.value or {}
            keyword = "enum" if key[0] == "enum" else "union" if value.get("union") else "struct"
            owners = tags.setdefault(self.scope(release).name(key[1]), [])
            if not value.get("untagged"):
                owners.append((release, Era(keyword, key[1])))
                for alias in self._aliases_of(key[1], release):
                    tags.setdefault(alias, []).append((release, Era(keyword, key[1])))
        return {name: [era for _, era in sorted(found, key=lambda e: e[0])] for name, found in tags.items()}

    def _aliases_of(self, tag: str, release: Release) -> Iterator[str]:
        """What stands for another type today was one of its own while this tag was there."""
        scope = self.scope(release)
        for alias, target in self.api.aliases.items():
            if scope.typedef(alias) and scope.entity(alias) == tag and scope.name(tag) not in (alias, target):
                yield alias

    def _spans(self) -> Iterator[tuple[tuple[Space, str], tuple[Span, ...]]]:
        spaces: Mapping[str, Space] = {
            "enum": "tag",
            "record": "tag",
            "typedef": "type",
            "callback": "type",
            "enumerator": "enumerator",
            "constant": "macro",
        }
        having: dict[tuple[Space, str], set[Release]] = {}
        for release in self.recorded.known:
            for key, fact in self.scope(release).held.items():
                value = fact.value or {}
                if key[0] in spaces and "." not in key[1] and not value.get("internal"):
                    having.setdefault((spaces[key[0]], key[-1]), set()).add(release)
        for name, releases in having.items():
            yield name, tuple(self._ranges(releases))

    def _ranges(self, releases: set[Release]) -> Iterator[Span]:
        first = None
        for release in self.recorded.known:
            if release in releases and first is None:
                first = release
            elif release not in releases and first is not None:
                yield Span(first, release)
                first = None
        if first is not None:
            yield Span(first, None)
