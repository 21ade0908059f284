# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Facts in, the API as of a release out.

`fold()` is the API as of the newest release in the registry, `fold(as_of=Release(12, 9))` what a project of that day
would have had: the same permanent names, only fewer.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import registry as store
from .api import (
    Api,
    Callback,
    Constant,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Parameter,
    Platform,
    Record,
    Release,
    View,
    split_symbol,
)
from .names import KEYWORDS, STANDARD, Scope, family
from .registry import Fact, Key, LibraryRow, Registry, Value

# Headers that are there on one platform only; the others are on both.
_PLATFORM: Mapping[str, Platform] = {
    "cudaEGL.h": "linux",
    "cudaVDPAU.h": "linux",
    "cuda_egl_interop.h": "linux",
    "cuda_vdpau_interop.h": "linux",
    "cudaD3D9.h": "windows",
    "cudaD3D10.h": "windows",
    "cudaD3D11.h": "windows",
}


def fold(
    library: str = "driver",
    as_of: Release | None = None,
    registry: Path | None = None,
    major: int | None = None,
) -> Api:
    """The API of a library as of a release. `registry` is the folder that holds one folder a library.

    Of `runtime`, `nvrtc`, `nvjitlink` and `nvvm` each major is an API of its own: `fold("runtime", major=13)`.
    """
    root = registry or store.ROOT
    majors = store.majors(library, root)
    if major is None and majors and as_of is not None:
        major = as_of.major
    if major is None and majors:
        raise ValueError(f"each major of {library} is an API of its own: give one of {', '.join(map(str, majors))}")
    folder = store.folder_of(library, major, root)
    older = tuple(store.load(store.folder_of(library, m, root)) for m in majors if m < (major or 0))
    return fold_registry(store.load(folder), library, as_of, older)


def fold_registry(
    registry: Registry, library: str = "driver", as_of: Release | None = None, older: tuple[Registry, ...] = ()
) -> Api:
    """`older` are the registries of the library's earlier majors: they tell when a symbol was first seen."""
    known = [release for release in registry.known if as_of is None or release <= as_of]
    if not known:
        raise ValueError(f"the registry of {library} knows no release up to {as_of}")
    history = _History(registry, tuple(known), older)
    return Api(
        library=library,
        release=known[-1],
        functions=tuple(_functions(history)),
        enums=tuple(_enums(history)),
        records=tuple(_by_value(list(_records(history)))),
        handles=tuple(_handles(history)),
        callbacks=tuple(_callbacks(history)),
        constants=tuple(_constants(history)),
        views=tuple(_view(history, release) for release in history.last_of_majors),
        aliases=_aliases(history),
        undeclared=tuple(_undeclared(history)),
    )


@dataclass(frozen=True)
class _History:
    """The facts of the releases up to one."""

    registry: Registry
    releases: tuple[Release, ...]
    older: tuple[Registry, ...] = ()

    @property
    def now(self) -> Release:
        return self.releases[-1]

    @property
    def last_of_majors(self) -> tuple[Release, ...]:
        return tuple({release.major: release for release in self.releases}.values())

    @cached_property
    def permanent(self) -> Mapping[str, str]:
        return {row.type: row.name for row in self.registry.types}

    @cached_property
    def timelines(self) -> Mapping[Key, tuple[Fact, ...]]:
        found = {}
        for key, timeline in self.registry.timelines.items():
            if past := tuple(fact for fact in timeline if fact.at <= self.now):
                found[key] = past
        return found

    @cached_property
    def _scopes(self) -> dict[Release, Scope]:
        return {}

    def scope(self, release: Release) -> Scope:
        if release not in self._scopes:
            self._scopes[release] = Scope(self.registry.state(release), self.permanent)
        return self._scopes[release]

    def keys(self, kind: str) -> Iterator[tuple[Key, Fact, Release]]:
        """Each key of a kind that was ever there, what was last said of it, and since when it is there."""
        for key, timeline in self.timelines.items():
            if key[0] == kind:
                said = [fact for fact in timeline if fact.value is not None]
                if said:
                    yield key, said[-1], said[0].at

    def last_release(self, key: Key) -> Release:
        """The last release in which a key holds."""
        gone = None
        for fact in reversed(self.timelines[key]):
            if fact.value is not None:
                break
            gone = fact.at
        return max(release for release in self.releases if gone is None or release < gone)

    def since(self, key: Key) -> Release:
        return next(fact.at for fact in self.timelines[key] if fact.value is not None)


def _text(value: Value | None, name: str) -> str:
    return str((value or {}).get(name, ""))


def _number(value: Value | None, name: str) -> int:
    number = (value or {})[name]
    assert isinstance(number, int)
    return number


_PARAMETER = re.compile(r"(?P<type>.*[ *])(?P<name>\w+)$")


def _parameters(text: str, scope: Scope) -> tuple[Parameter, ...]:
    return tuple(Parameter(p.name, scope.type(p.type)) for p in parameters_as_written(text))


def parameters_as_written(text: str) -> Iterator[Parameter]:
    """Parameters with the types as the header writes them."""
    for index, part in enumerate(text.split(", ") if text else ()):
        match = _PARAMETER.match(part)
        if match is None or part in KEYWORDS or match["type"].strip() == "const":
            yield Parameter(f"arg{index}", CType.parse(part))  # a parameter without a name is all type
        else:
            yield Parameter(match["name"], CType.parse(match["type"]))


# -- functions


def _functions(history: _History) -> Iterator[Function]:
    names = {row.symbol: row for row in history.registry.functions}
    introduced = _introduced(history)
    exported = _exported(history.registry.libraries)
    found = []
    for key, fact, since in history.keys("declared"):
        symbol = key[1]
        base, version, stream = split_symbol(symbol)
        header = _text(fact.value, "header")
        named = names.get(symbol)
        if named is None:
            raise ValueError(f"{symbol} has no permanent name yet")
        platform = _text(fact.value, "platform") or _PLATFORM.get(header, "any")
        scope = history.scope(history.last_release(key))
        symbols = tuple(_symbols(history, symbol))
        found.append(
            Function(
                name=named.name,
                plain=named.plain,
                symbol=symbols[0][1] if symbols else symbol,
                base=base,
                version=version,
                stream=stream,
                parameters=_parameters(_text(fact.value, "parameters"), scope),
                introduced=introduced.get(symbol, since),
                declared=since,
                header=header,
                platform=platform,  # type: ignore[arg-type]
                result=str(scope.type(CType.parse(_text(fact.value, "result") or "CUresult"))),
                exported=min((exported[s] for s in (symbol, *(s for _, s in symbols)) if s in exported), default=None),
                symbols=symbols,
            )
        )
    yield from sorted(found, key=lambda f: (f.base, f.version, f.stream))


_NUMBERED = re.compile(r"__(?P<name>\w+?)_(?P<major>\d+)_(?P<minor>\d+)$")


def _symbols(history: _History, name: str) -> Iterator[tuple[Release, str]]:
    """The symbols that the header's own function of this name calls, each release another; newest first.

    Libraries export some that no header calls: of a release that has no header here, or before the header names them.
    """
    called = history.timelines.get(("wraps", name))
    if not called:
        return
    symbols = {_text(fact.value, "symbol") for fact in called if fact.value}
    for symbol, since in _exported(history.registry.libraries).items():
        if since <= history.now and (match := _NUMBERED.match(symbol)) and match["name"] == name:
            symbols.add(symbol)
    for symbol in sorted(symbols, key=_number_of, reverse=True):
        yield _number_of(symbol), symbol


def _number_of(symbol: str) -> Release:
    match = _NUMBERED.match(symbol)
    if match is None:
        raise ValueError(f"{symbol} does not tell its release")
    return Release(int(match["major"]), int(match["minor"]))


def _exported(libraries: Iterable[LibraryRow]) -> Mapping[str, Release]:
    """The release of the first library that exports a symbol."""
    first: dict[str, Release] = {}
    for library in libraries:
        for symbol in library.exports:
            first[symbol] = min(library.cuda, first.get(symbol, library.cuda))
    return first


def _undeclared(history: _History) -> Iterator[Function]:
    """Symbols that libraries export and no header declares."""
    declared = {key[1] for key in history.registry.timelines if key[0] == "declared"}
    names = {row.symbol: row for row in history.registry.functions}
    introduced = _introduced(history)
    for symbol, since in sorted(_exported(history.registry.libraries).items()):
        if symbol not in declared and symbol in names and since <= history.now:
            base, version, stream = split_symbol(symbol)
            named = names[symbol]
            yield Function(
                name=named.name,
                plain=named.plain,
                symbol=symbol,
                base=base,
                version=version,
                stream=stream,
                parameters=(),
                introduced=introduced.get(symbol, since),
                declared=None,
                header="",
                platform="linux",
                exported=since,
            )


def _introduced(history: _History) -> Mapping[str, Release]:
    """What introduced each symbol: the version that typedefs tell, else the first release, of any major, to show it."""
    found = dict(_introduced_by_typedefs(history.registry))
    for registry in (*history.older, history.registry):
        first = dict(_exported(registry.libraries))
        for key, timeline in registry.timelines.items():
            if key[0] == "declared":
                first[key[1]] = min(first.get(key[1], timeline[0].at), timeline[0].at)
        found = {**first, **found}
    return found


def _introduced_by_typedefs(registry: Registry) -> Mapping[str, Release]:
    """`PFN_cuX_vNNNNN` tells the versions of a base, and not which symbol each is.

    Per base and kind of stream, symbols by their `_vN` and versions ascending belong together, from the newest down: a
    header may not name the oldest ones.
    All the registry knows is used, whatever the release asked for: when a symbol came is no matter of opinion.
    """
    symbols: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for key in registry.timelines:
        if key[0] == "declared":
            base, version, stream = split_symbol(key[1])
            symbols.setdefault((base, stream), []).append((version, key[1]))
    # The newest header that names any corrects those before it; a base that is declared no more keeps the last word.
    named: dict[tuple[str, str], dict[int, Release]] = {}
    for key, timeline in registry.timelines.items():
        if key[0] == "introduced":
            until = timeline[-1].at if timeline[-1].value is None else Release(sys.maxsize, 0)
            named.setdefault((key[1], key[2]), {})[int(key[3])] = until
    found: dict[str, Release] = {}
    for group, listed in symbols.items():
        ends = named.get(group, {})
        numbers = sorted(number for number, until in ends.items() if until == max(ends.values()))
        if len(numbers) == len(listed):
            for (_, symbol), number in zip(sorted(listed), numbers, strict=True):
                found[symbol] = Release.from_number(number)
    return found


# -- types


def _aliases(history: _History) -> Mapping[str, str]:
    """Type names of today that stand for a type of another name: `CUstreamAttrID` is `CUlaunchAttributeID`."""
    scope = history.scope(history.now)
    found = {}
    for key in scope.held:
        if key[0] == "typedef" and not scope.is_void(key[1]):
            name = scope.name(key[1])
            newest = scope.typedef(key[1])
            through = newest is not None and newest.base != name and family(newest.base) == family(key[1])
            if family(name) != family(key[1]) and not through and not _moved(history, key, name):
                found[key[1]] = name
    return dict(sorted(found.items()))


def _moved(history: _History, key: Key, name: str) -> bool:
    """Whether a typedef stood for an earlier version of its type once, as a name without a version does."""
    targets = {CType.parse(_text(fact.value, "type")).base for fact in history.timelines[key] if fact.value}
    return len({target for target in targets if family(target) == family(name)}) > 1


def _enums(history: _History) -> Iterator[Enum]:
    aliases = _aliases(history)
    members: dict[str, dict[str, tuple[Release, Fact, Release]]] = {}
    tags: dict[str, list[str]] = {}
    seen: dict[str, tuple[Release, str]] = {}
    for key, fact, since in history.keys("enum"):
        name = history.scope(history.last_release(key)).name(key[1])
        if not (fact.value or {}).get("untagged"):
            tags.setdefault(name, []).append(key[1])
        first = min(since, seen[name][0]) if name in seen else since
        seen[name] = (first, _text(fact.value, "header"))
    for key, fact, since in history.keys("enumerator"):
        name = history.scope(history.last_release(("enum", key[1]))).name(key[1])
        known = members.setdefault(name, {})
        before = known.get(key[2])
        if before is None or before[0] < fact.at:
            since = min(since, before[2]) if before else since
            known[key[2]] = (fact.at, fact, since)
    for name in sorted(set(seen) - set(aliases)):
        enumerators = [Enumerator(n, _number(f.value, "value"), since) for n, (_, f, since) in members[name].items()]
        yield Enum(
            name=name,
            enumerators=tuple(sorted(enumerators, key=lambda e: (e.value, e.name))),
            since=seen[name][0],
            tags=tuple(tags.get(name, ())),
            header=seen[name][1],
        )


def _records(history: _History) -> Iterator[Record]:
    aliases = _aliases(history)
    tags: dict[str, list[Key]] = {}
    for key, _, _ in history.keys("record"):
        tags.setdefault(history.scope(history.last_release(key)).name(key[1]), []).append(key)
    fields: dict[str, list[Key]] = {}
    for key, _, _ in history.keys("field"):
        fields.setdefault(key[1], []).append(key)
    for name in sorted(set(tags)):
        if name.split(".")[0] in aliases:
            continue
        newest = max(tags[name], key=lambda key: (history.last_release(key), history.since(key)))
        release = history.last_release(newest)
        scope = history.scope(release)
        value = scope.held[newest].value
        yield Record(
            name=name,
            union=bool((value or {}).get("union")),
            size=_number(value, "size"),
            align=_number(value, "align"),
            fields=tuple(_fields(history, scope, newest[1], fields.get(newest[1], []))),
            since=min(map(history.since, tags[name])),
            tags=() if "." in name else tuple(k[1] for k in tags[name] if not _untagged(history, k)),
            sizes=tuple(_sizes(history, tags[name])),
            header=_text(value, "header"),
        )


def _untagged(history: _History, key: Key) -> bool:
    return any((fact.value or {}).get("untagged") for fact in history.timelines[key])


def _fields(history: _History, scope: Scope, record: str, keys: list[Key]) -> Iterator[Field]:
    found = []
    for key in keys:
        fact = scope.held.get(key)
        if fact is None or fact.value is None:
            continue
        count = fact.value.get("count")
        found.append(
            Field(
                name=key[2],
                type=scope.type(CType.parse(_text(fact.value, "type"))),
                offset=_number(fact.value, "offset"),
                size=_number(fact.value, "size"),
                count=count if isinstance(count, int) else None,
                since=history.since(key),
            )
        )
    return iter(sorted(found, key=lambda f: (f.offset, -f.size, f.name)))


def _sizes(history: _History, keys: list[Key]) -> Iterator[tuple[Release, int]]:
    """Every change of size, the first size included."""
    changes = sorted(
        (fact.at, _number(fact.value, "size")) for k in keys for fact in history.timelines[k] if fact.value
    )
    last = None
    for at, size in changes:
        if size != last:
            yield at, size
        last = size


def _by_value(records: list[Record]) -> Iterator[Record]:
    """A record after the records it holds."""
    by_name = {record.name: record for record in records}
    done: set[str] = set()

    def visit(record: Record) -> Iterator[Record]:
        if record.name in done:
            return
        done.add(record.name)
        for field in record.fields:
            if not field.type.depth and field.type.base in by_name:
                yield from visit(by_name[field.type.base])
        yield record

    for record in records:
        yield from visit(record)


def _handles(history: _History) -> Iterator[Handle]:
    found: dict[str, Handle] = {}
    for key, fact, since in history.keys("typedef"):
        scope = history.scope(history.last_release(key))
        if not fact.path.startswith("handles/") or scope.is_void(key[1]):
            continue
        name = scope.name(key[1])
        if name in KEYWORDS:
            continue
        first = min(since, found[name].since) if name in found else since
        found[name] = Handle(
            name=name,
            underlying=_underlying(scope, key[1]),
            size=_number(fact.value, "size"),
            since=first,
            header=_text(fact.value, "header"),
        )
    yield from sorted(found.values(), key=lambda handle: handle.name)


def _underlying(scope: Scope, name: str) -> str:
    while True:
        target = scope.typedef(name)
        if target is None:
            return STANDARD.get(name, name)
        if target.depth:
            return "void *"
        name = target.base


def _callbacks(history: _History) -> Iterator[Callback]:
    for key, fact, since in sorted(history.keys("callback")):
        scope = history.scope(history.last_release(key))
        result = str(scope.type(CType.parse(_text(fact.value, "result"))))
        parameters = _parameters(_text(fact.value, "parameters"), scope)
        yield Callback(key[1], result, parameters, since, _text(fact.value, "header"))


def _constant(key: Key, fact: Fact, since: Release, scope: Scope) -> Constant:
    value = (fact.value or {})["value"]
    type_ = CType.parse(_text(fact.value, "type"))
    return Constant(
        name=key[1],
        value=value.encode("latin-1") if isinstance(value, str) else value,
        type=str(scope.type(type_)),
        since=since,
        alias=_text(fact.value, "alias") or None,
    )


def _constants(history: _History) -> Iterator[Constant]:
    for key, fact, since in sorted(history.keys("constant")):
        yield _constant(key, fact, since, history.scope(history.last_release(key)))


# -- views


def _view(history: _History, release: Release) -> View:
    scope = history.scope(release)
    held = scope.held
    names = {row.symbol: row.name for row in history.registry.functions}
    functions: dict[str, str] = {}
    per_thread: dict[str, str] = {}
    types: dict[str, str] = {}
    enumerators: dict[str, tuple[str, int]] = {}
    constants: dict[str, Constant] = {}
    spelled: dict[str, tuple[CType, ...]] = {}
    for key, fact in sorted(held.items()):
        value = fact.value or {}
        if value.get("internal"):
            continue
        match key[0]:
            case "declared":
                spelled[names[key[1]]] = tuple(p.type for p in parameters_as_written(_text(value, "parameters")))
            case "default":
                if symbol := _text(value, "legacy"):
                    functions[key[1]] = names[symbol]
                if symbol := _text(value, "per_thread"):
                    per_thread[key[1]] = names[symbol]
            case "typedef" if not scope.is_void(key[1]):
                types[key[1]] = scope.name(key[1])
            case "record" | "enum" if "." not in key[1]:
                types[key[1]] = scope.name(key[1])
            case "callback" if "." not in key[1]:
                types[key[1]] = scope.name(key[1])
            case "enumerator":
                enumerators[key[2]] = (scope.name(key[1]), _number(value, "value"))
            case "constant":
                constants[key[1]] = _constant(key, fact, history.since(key), scope)
    tags = frozenset(
        key[1] for key in held if key[0] in ("record", "enum") and key[1] in types and ("typedef", key[1]) not in held
    )
    return View(release.major, release, functions, per_thread, types, enumerators, constants, spelled, tags)
