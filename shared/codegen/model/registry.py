# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The registry's files: facts, how they are written, and what they say as of a release.

A fact says that at a release the value of a key became something, or that the key went away. All facts of one
key are its timeline. Facts are inserted and never changed, so files are written in an order that depends on each
fact alone: adding a release can only insert lines.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from .api import Release, split_symbol

Scalar = str | int | bool | float
Value = Mapping[str, Scalar]
Key = tuple[str, ...]  # kind, then the values of the kind's key fields

ROOT = Path(__file__).resolve().parent.parent / "registry"


def folder_of(library: str, major: int | None = None, root: Path = ROOT) -> Path:
    """`registry/driver`; `registry/runtime/13` of a library whose majors are APIs of their own."""
    return root / library if major is None else root / library / str(major)


def majors(library: str, root: Path = ROOT) -> tuple[int, ...]:
    """The majors that are APIs of their own; none of a library that is one for all."""
    return tuple(sorted(int(folder.name) for folder in (root / library).glob("[0-9]*")))


BANNER = (
    # REUSE-IgnoreStart
    "# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors\n"
    "# SPDX-License-Identifier: Apache-2.0\n"
    # REUSE-IgnoreEnd
    "# Facts, appended by `python -m codegen.ingest`. Never change or remove a line: retract it with a new one.\n"
)


@dataclass(frozen=True)
class Kind:
    """What a kind of fact is about (`key`) and what it may say of it (`value`), in the order they are written."""

    name: str
    folders: tuple[str, ...]
    key: tuple[str, ...]
    value: tuple[str, ...]


KINDS = {
    kind.name: kind
    for kind in (
        Kind("declared", ("functions",), ("symbol",), ("header", "platform", "result", "parameters")),
        Kind("default", ("functions",), ("name",), ("legacy", "per_thread")),
        Kind("wraps", ("functions",), ("name",), ("symbol",)),
        Kind("introduced", ("functions",), ("base", "stream", "version"), ("header", "platform")),
        Kind("enum", ("enums",), ("enum",), ("header", "platform", "internal", "untagged")),
        Kind("enumerator", ("enums",), ("enum", "name"), ("value", "internal")),
        Kind(
            "record",
            ("records",),
            ("record",),
            ("union", "size", "align", "header", "platform", "internal", "untagged"),
        ),
        Kind("field", ("records",), ("record", "name"), ("offset", "size", "type", "count")),
        Kind("typedef", ("records", "enums", "handles"), ("name",), ("type", "size", "header", "platform", "internal")),
        Kind("callback", ("callbacks",), ("name",), ("result", "parameters", "header", "platform", "internal")),
        Kind("constant", ("constants",), ("name",), ("value", "type", "alias", "header")),
    )
}
TABLES = (*KINDS, "retracted")


@dataclass(frozen=True)
class Fact:
    """`value` is None where the key went away at that release."""

    path: str  # "functions/cuCtxCreate"
    kind: str
    key: tuple[str, ...]
    at: Release
    value: Value | None

    @property
    def id(self) -> Key:
        return (self.kind, *self.key)

    def line(self) -> str:
        kind = KINDS[self.kind]
        row: dict[str, Scalar] = dict(zip(kind.key, self.key, strict=True))
        row["at"] = str(self.at)
        if self.value is None:
            row["removed"] = True
        else:
            row.update((name, self.value[name]) for name in kind.value if name in self.value)
        return _inline(row)


def _inline(row: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{name} = {_toml(value)}" for name, value in row.items()) + " }"


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in escaped) + '"'
    if isinstance(value, Mapping):
        return _inline(value)
    raise TypeError(f"a fact holds {value!r}")


def _order(fact: Fact) -> tuple[object, ...]:
    """Where a fact stands in its table. It must not depend on other facts."""
    value = fact.value or {}
    last = fact.value is None
    match fact.kind:
        case "declared":
            base, version, stream = split_symbol(fact.key[0])
            return (base, stream, version, fact.at)
        case "introduced":
            return (*fact.key[:2], int(fact.key[2]), fact.at)
        case "enumerator":
            return (fact.key[0], last, value.get("value", 0), fact.key[1], fact.at)
        case "field":
            return (fact.key[0], last, value.get("offset", 0), value.get("size", 0), fact.key[1], fact.at)
    return (*fact.key, fact.at)


@dataclass(frozen=True)
class Retraction:
    """Takes back the fact of a key at a release; `was` names values it had, so that a corrected fact may follow."""

    path: str
    kind: str
    key: tuple[str, ...]
    at: Release
    was: Value
    reason: str

    def hits(self, fact: Fact) -> bool:
        if (fact.kind, fact.key, fact.at) != (self.kind, self.key, self.at):
            return False
        if fact.value is None:
            return bool(self.was.get("removed"))
        return bool(self.was) and all(fact.value.get(name) == value for name, value in self.was.items())


@dataclass(frozen=True)
class ReleaseRow:
    """A release whose headers were read, and from what."""

    release: Release
    headers: tuple[str, ...]
    sources: tuple[str, ...]


@dataclass(frozen=True)
class LibraryRow:
    """A real library. `exports` are the symbols it has that no library of a lower version has."""

    version: str  # "470.256.02"
    cuda: Release
    count: int  # how many symbols of the API it exports
    exports: tuple[str, ...]
    lacks: tuple[str, ...]  # symbols an older one has and this one does not


@dataclass(frozen=True)
class FunctionName:
    """The permanent names of a symbol, assigned once."""

    symbol: str
    name: str
    plain: str | None


@dataclass(frozen=True)
class TablePosition:
    """A function's number in the C function table, assigned once: compiled consumers hold it."""

    position: int
    name: str  # FunctionName.name


@dataclass(frozen=True)
class TypeName:
    """The permanent name of a type, by its tag (where it has none, by its typedef)."""

    type: str
    name: str


@dataclass(frozen=True)
class Registry:
    """Everything recorded of one library."""

    facts: tuple[Fact, ...] = ()
    retractions: tuple[Retraction, ...] = ()
    releases: tuple[ReleaseRow, ...] = ()
    libraries: tuple[LibraryRow, ...] = ()
    functions: tuple[FunctionName, ...] = ()
    types: tuple[TypeName, ...] = ()
    table: tuple[TablePosition, ...] = ()

    @cached_property
    def timelines(self) -> Mapping[Key, tuple[Fact, ...]]:
        """What stands of the facts, by key, oldest first."""
        taken_back = {(r.kind, r.key, r.at) for r in self.retractions}
        found: dict[Key, list[Fact]] = {}
        for fact in self.facts:
            if (fact.kind, fact.key, fact.at) in taken_back and any(r.hits(fact) for r in self.retractions):
                continue
            found.setdefault(fact.id, []).append(fact)
        for timeline in found.values():
            timeline.sort(key=lambda fact: fact.at)
        for key, timeline in found.items():
            for one, two in pairwise(timeline):
                if one.at == two.at:
                    raise ValueError(f"two facts at {one.at} for {' '.join(key)} in {one.path} and {two.path}")
        return {key: tuple(timeline) for key, timeline in found.items()}

    def state(self, at: Release) -> dict[Key, Fact]:
        """What held at a release: the last fact of each key that is not a removal."""
        held: dict[Key, Fact] = {}
        for key, timeline in self.timelines.items():
            past = [fact for fact in timeline if fact.at <= at]
            if past and past[-1].value is not None:
                held[key] = past[-1]
        return held

    @cached_property
    def known(self) -> tuple[Release, ...]:
        return tuple(sorted(row.release for row in self.releases))


def load(folder: Path) -> Registry:
    """Read one registry, `registry/driver` or `registry/runtime/13`."""
    facts: list[Fact] = []
    retractions: list[Retraction] = []
    for path in sorted(folder.glob("*/*.toml")):
        name = f"{path.parent.name}/{path.stem}"
        document = parse(path.read_text("utf-8"), name)
        facts.extend(document[0])
        retractions.extend(document[1])
    names = _read(folder / "names.toml")
    return Registry(
        facts=tuple(facts),
        retractions=tuple(retractions),
        releases=tuple(
            ReleaseRow(Release.parse(r["at"]), tuple(r["headers"]), tuple(r["sources"]))
            for r in _read(folder / "releases.toml").get("release", ())
        ),
        libraries=tuple(
            LibraryRow(r["version"], Release.parse(r["cuda"]), r["count"], tuple(r["exports"]), tuple(r["lacks"]))
            for r in _read(folder / "libraries.toml").get("library", ())
        ),
        functions=tuple(FunctionName(r["symbol"], r["name"], r.get("plain")) for r in names.get("function", ())),
        types=tuple(TypeName(r["type"], r["name"]) for r in names.get("type", ())),
        table=tuple(TablePosition(r["position"], r["name"]) for r in _read(folder / "table.toml").get("function", ())),
    )


def _read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8")) if path.exists() else {}


def parse(text: str, path: str) -> tuple[list[Fact], list[Retraction]]:
    """The facts of one file."""
    document = tomllib.loads(text)
    facts: list[Fact] = []
    retractions: list[Retraction] = []
    for table, rows in document.items():
        if table not in TABLES:
            raise ValueError(f"{path}.toml: no facts are called {table!r}")
        for row in rows:
            at = Release.parse(row.pop("at"))
            kind = KINDS[row.pop("kind") if table == "retracted" else table]
            try:
                key = tuple(str(row.pop(name)) for name in kind.key)
            except KeyError as missing:
                raise ValueError(f"{path}.toml: a fact of {table} at {at} lacks {missing}") from None
            if table == "retracted":
                retractions.append(Retraction(path, kind.name, key, at, row["was"], row["reason"]))
                continue
            removed = row.pop("removed", False)
            if unknown := set(row) - set(kind.value):
                raise ValueError(f"{path}.toml: {table} at {at} of {key} says {sorted(unknown)}")
            facts.append(Fact(path, kind.name, key, at, None if removed else row))
    return facts, retractions


def _tables(facts: Iterable[Fact], retractions: Iterable[Retraction]) -> Iterator[str]:
    by_kind: dict[str, list[Fact]] = {}
    for fact in facts:
        by_kind.setdefault(fact.kind, []).append(fact)
    for kind in KINDS:
        if kind in by_kind:
            yield _table(kind, (fact.line() for fact in sorted(by_kind[kind], key=_order)))
    lines = [
        _inline(
            {"kind": r.kind}
            | dict(zip(KINDS[r.kind].key, r.key, strict=True))
            | {"at": str(r.at), "was": r.was, "reason": r.reason}
        )
        for r in retractions
    ]
    if lines:
        yield _table("retracted", sorted(lines))


def _table(name: str, lines: Iterable[str]) -> str:
    return f"{name} = [\n" + "".join(f"  {line},\n" for line in lines) + "]\n"


def save(folder: Path, registry: Registry, paths: Iterable[str]) -> None:
    """Write the named files of facts."""
    wanted = set(paths)
    facts: dict[str, list[Fact]] = {path: [] for path in wanted}
    retractions: dict[str, list[Retraction]] = {path: [] for path in wanted}
    for fact in registry.facts:
        if fact.path in wanted:
            facts[fact.path].append(fact)
    for retraction in registry.retractions:
        if retraction.path in wanted:
            retractions[retraction.path].append(retraction)
    for path in sorted(wanted):
        _write(folder / f"{path}.toml", _tables(facts[path], retractions[path]))


def save_index(folder: Path, registry: Registry) -> None:
    """Write releases.toml, libraries.toml, names.toml and table.toml."""
    releases = sorted(registry.releases, key=lambda row: row.release)
    libraries = sorted(registry.libraries, key=lambda row: library_order(row.version))
    _write(
        folder / "releases.toml",
        [_table("release", (_row(at=str(r.release), headers=r.headers, sources=r.sources) for r in releases))],
    )
    _write(
        folder / "libraries.toml",
        [
            _array(
                "library",
                {"version": r.version, "cuda": str(r.cuda), "count": r.count, "exports": r.exports, "lacks": r.lacks},
            )
            for r in libraries
        ],
    )
    functions = sorted(registry.functions, key=lambda f: (split_symbol(f.symbol)[0], f.symbol))
    types = sorted(registry.types, key=lambda t: (t.name, t.type))
    plain = [{"symbol": f.symbol, "name": f.name} | ({"plain": f.plain} if f.plain else {}) for f in functions]
    _write(
        folder / "names.toml",
        [
            _table("function", map(_inline, plain)),
            _table("type", (_inline({"type": t.type, "name": t.name}) for t in types)),
        ],
    )
    table = sorted(registry.table, key=lambda t: t.position)
    _write(
        folder / "table.toml",
        [_table("function", (_inline({"position": t.position, "name": t.name}) for t in table))],
    )


def _row(**row: object) -> str:
    parts = []
    for name, value in row.items():
        text = "[" + ", ".join(map(_toml, value)) + "]" if isinstance(value, tuple) else _toml(value)
        parts.append(f"{name} = {text}")
    return "{ " + ", ".join(parts) + " }"


def _array(name: str, row: Mapping[str, object]) -> str:
    lines = [f"[[{name}]]\n"]
    for field, value in row.items():
        if isinstance(value, tuple):
            lines.append(f"{field} = [" + "".join(f"\n  {_toml(v)}," for v in value) + ("\n]\n" if value else "]\n"))
        else:
            lines.append(f"{field} = {_toml(value)}\n")
    return "".join(lines)


def _write(path: Path, tables: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(BANNER + "".join("\n" + table for table in tables), "utf-8")


def library_order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))
