# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The history of names, as the commands `show`, `resolve`, `list` and `diff` tell it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any

from .._api import CudaVersion
from .library import Library, Meaning, libraries
from .prototypes import compared, fields, parameters, same


class UnknownNameError(ValueError):
    """A name that nothing has, with those that may have been meant."""

    def __init__(self, library: Library, name: str) -> None:
        self.near = [near for each in dict.fromkeys((library, *libraries())) for near in each.near(name)]
        hint = f"; did you mean {', '.join(self.near)}?" if self.near else ""
        super().__init__(f"{library.module} knows no name {name!r}{hint}")


# -- show


@dataclass(frozen=True)
class ShownVersion:
    name: str
    symbol: str | None
    introduced: str
    signature: str
    default_in: tuple[int, ...]
    per_thread: bool  # a variant for per-thread default streams; `default_in` is then of the per-thread views
    platform: str
    header: str | None
    available: bool | None  # in the driver here; None where there is none


@dataclass(frozen=True)
class Shown:
    name: str
    kind: str
    versions: tuple[ShownVersion, ...] = ()
    values: dict[str, Any] = field(default_factory=dict)  # of an enumerator or constant, by scope


def show(library: Library, name: str) -> Shown:
    if name not in library.names and name not in library.bases:
        raise UnknownNameError(library, name)
    scopes = ("", *(library.scope(major) for major in library.majors))
    meanings = {scope: meaning for scope in scopes if (meaning := library.meaning(scope, name))}
    kinds = {meaning.kind for meaning in meanings.values()}
    if kinds == {"value"}:
        values = {scope or "permanent": _plain(meaning.object) for scope, meaning in meanings.items()}
        return Shown(name, "value", values=values)
    loaded = library.core.library()["loaded"]
    module = import_module(library.module)
    found = []
    for version in module.versions(name):
        row = library.rows.get(version.name)
        found.append(
            ShownVersion(
                name=version.name,
                symbol=version.symbol,
                introduced=str(version.introduced),
                signature=version.signature,
                default_in=version.default_in,
                per_thread=bool(row and row["stream"]),
                platform=row["platform"] if row else "any",
                header=row["header"] or None if row else None,
                available=module.is_available(version.name) if loaded else None,
            )
        )
    return Shown(name, "function" if found[0].symbol else "type", tuple(found))


def describe_shown(library: Library, shown: Shown) -> Iterator[str]:
    if shown.kind == "value":
        yield f"{shown.name}, a value"
        for scope, value in shown.values.items():
            yield f"  {scope:10} {value!r}"
        return
    count = sum(not version.per_thread for version in shown.versions)
    yield f"{shown.name}, a {shown.kind} with {count} version{'s' if count != 1 else ''}"
    previous: ShownVersion | None = None
    for version in shown.versions:
        yield ""
        yield f"{version.name}  {'; '.join(_facts(version, library.noun))}"
        here, before = _parts(library, version), _parts(library, previous) if previous else None
        if previous and before and (here == before or _same(library, previous, version)):
            yield f"    {'parameters' if version.symbol else 'fields'} as {previous.name}"
        elif before and not version.per_thread:
            yield from (f"    {line}" for line in compared(before, here))
        else:
            yield from (f"      {line}" for line in here or ["(no parameters)"])
        previous = version


def _parts(library: Library, version: ShownVersion) -> tuple[str, ...]:
    return parameters(library, version.name) if version.symbol else fields(version.signature)


def _same(library: Library, one: ShownVersion, other: ShownVersion) -> bool:
    return bool(one.symbol and other.symbol) and same(library, one.name, other.name)


def _facts(version: ShownVersion, library: str) -> Iterator[str]:
    yield f"since CUDA {version.introduced}" if version.symbol else f"seen since CUDA {version.introduced}"
    if version.default_in:
        majors = ", ".join(map(str, version.default_in))
        yield f"what CUDA {majors} means{' with per-thread default streams' if version.per_thread else ''}"
    elif not version.per_thread:
        yield "default in no CUDA known here"
    if version.symbol and version.symbol != version.name:
        yield f"symbol {version.symbol}"
    if version.platform != "any":
        yield f"{version.platform} only"
    if version.available is not None:
        yield f"the {library} here {'has' if version.available else 'lacks'} it"


def _plain(value: Any) -> Any:
    """For JSON: enumerators are ints with a name."""
    if isinstance(value, bytes):
        return value.decode("latin-1")
    return int(value) if isinstance(value, int) else value


# -- resolve


def resolve(library: Library, name: str, major: int, per_thread: bool) -> str:
    if name not in library.names and name not in library.bases:
        raise UnknownNameError(library, name)
    return str(import_module(library.module).resolve(name, cuda=major, per_thread=per_thread))


# -- list


@dataclass(frozen=True)
class Listed:
    name: str
    introduced: str
    signature: str
    available: bool | None


def listed(
    library: Library, *, pattern: str, since: CudaVersion | None, not_in_driver: bool, per_thread: bool
) -> list[Listed]:
    """Functions of this platform, oldest first."""
    here = "windows" if sys.platform == "win32" else "linux"
    loaded = library.core.library()["loaded"]
    found = []
    rows = [row for row in library.core.functions() if row["platform"] in ("any", here)]
    for row in sorted(rows, key=lambda row: (row["introduced"], row["plain"] or row["name"])):
        name = row["plain"] or row["name"]
        if (row["stream"] and not per_thread) or not fnmatchcase(name, pattern):
            continue
        introduced = CudaVersion.from_number(row["introduced"])
        available = bool(library.core.address(name)) if loaded else None
        if (since and introduced < since) or (not_in_driver and available):
            continue
        found.append(Listed(name, str(introduced), row["signature"], available))
    return found


def describe_listed(library: Library, rows: Sequence[Listed]) -> Iterator[str]:
    width = max((len(row.name) for row in rows), default=0)
    for row in rows:
        where = f"in the {library.noun} here"
        mark = {True: where, False: f"not {where}", None: ""}[row.available]
        yield f"{row.introduced:5} {row.name:{width}}  {mark}".rstrip()
    yield f"{len(rows)} function{'s' if len(rows) != 1 else ''}"


# -- diff


@dataclass(frozen=True)
class Changed:
    name: str
    kind: str
    old: str
    new: str
    old_signature: str | None = None
    new_signature: str | None = None
    same_parameters: bool | None = None


@dataclass(frozen=True)
class Difference:
    """What a move from one major to another changes."""

    old: int
    new: int
    changed: tuple[Changed, ...]  # names that change their meaning
    added: tuple[str, ...]
    removed: tuple[str, ...]


def difference(library: Library, old: int, new: int) -> Difference:
    for major in (old, new):
        if major not in library.majors:
            raise ValueError(f"no view of CUDA {major}; there are views of {', '.join(map(str, library.majors))}")
    scopes = library.scope(old), library.scope(new)
    before, after = (set(library.core.names(scope)) for scope in scopes)
    changed = []
    for name in sorted(before & after):
        one, other = (library.meaning(scope, name) for scope in scopes)
        assert one is not None
        assert other is not None
        if one.identity != other.identity:
            changed.append(_changed(library, name, one, other))
    return Difference(old, new, tuple(changed), tuple(sorted(after - before)), tuple(sorted(before - after)))


def _changed(library: Library, name: str, one: Meaning, other: Meaning) -> Changed:
    if one.kind != "function" or other.kind != "function":
        return Changed(name, other.kind, _told(one), _told(other))
    assert one.permanent is not None
    assert other.permanent is not None
    return Changed(
        name,
        "function",
        one.permanent,
        other.permanent,
        library.signature(one.permanent),
        library.signature(other.permanent),
        same(library, one.permanent, other.permanent),
    )


def _told(meaning: Meaning) -> str:
    return str(_plain(meaning.object)) if meaning.kind == "value" else str(meaning.permanent)


def describe_difference(library: Library, found: Difference) -> Iterator[str]:
    functions = [change for change in found.changed if change.kind == "function"]
    yield f"CUDA {found.old} to {found.new}: {len(functions)} functions change their meaning"
    for change in functions:
        yield ""
        yield f"{change.name}  {change.old} -> {change.new}"
        if change.same_parameters:
            yield "    the same parameters, another behaviour"
        else:
            before, after = parameters(library, change.old), parameters(library, change.new)
            yield from (f"    {line}" for line in compared(before, after))
    others = [change for change in found.changed if change.kind != "function"]
    if others:
        yield ""
        yield f"{len(others)} types and values differ"
        yield from (f"    {change.name}: {change.old} -> {change.new}" for change in others)
    for title, names in (("has no longer", found.removed), ("has in addition", found.added)):
        yield ""
        yield f"CUDA {found.new} {title} {len(names)} names{':' if names else ''}"
        yield from (f"    {name}" for name in names)
