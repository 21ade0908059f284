# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a release brought, for the person who reads it in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..model.api import CType, Release, split_symbol
from ..model.fold import parameters_as_written
from ..model.names import Scope
from ..model.registry import Fact, Key, Registry, Value

RETYPED = "PROTOTYPES THAT TAKE OTHER TYPES"


def text(before: Registry, after: Registry, release: Release, facts: list[Fact], library: str = "driver") -> str:
    """Compares the release with the one before it."""
    lines = [f"{library} of CUDA {release}: {len(facts)} facts added"]
    earlier = [known for known in after.known if known < release]
    if facts and earlier:
        lines[0] += f", compared with {earlier[-1]}:"
        old = {key: fact.value or {} for key, fact in after.state(earlier[-1]).items()}
        new = {key: fact.value or {} for key, fact in after.state(release).items()}
        was, now = (
            Scope(after.state(at), {row.type: row.name for row in after.types}) for at in (earlier[-1], release)
        )
        sections = _sections(old, new, {key for key in after.timelines if key in old})
        for title, found in ((RETYPED, _retyped(was, now)), *sections):
            found = list(found)
            if found:
                lines.append(f"  {title} ({len(found)})")
                lines += [f"    {entry}" for entry in found]
    elif facts:
        lines[0] += "; it is the oldest that is known"
    if earlier:
        rows = {row.release: row.headers for row in after.releases}
        if missing := sorted(set(rows[earlier[-1]]) - set(rows[release])):
            lines.append(f"  NOT READ, though {earlier[-1]} has them: {', '.join(missing)}")
    elsewhere = sorted({str(fact.at) for fact in facts if fact.at != release})
    if elsewhere:
        lines.append(f"  said again, so that they stay as they were: {', '.join(elsewhere)}")
    named = {row.symbol for row in after.functions} - {row.symbol for row in before.functions}
    if named:
        lines.append(f"  permanent names given to {len(named)} symbols")
    types = {row.type for row in after.types} - {row.type for row in before.types}
    if types:
        lines.append(f"  permanent names given to {len(types)} types")
    return "\n".join(lines) + "\n"


def _retyped(old: Scope, new: Scope) -> Iterator[str]:
    """Prototypes whose types have other permanent names, though they be spelled as before."""
    for key in sorted(key for key in new.held.keys() & old.held.keys() if key[0] in ("declared", "callback")):
        was, now = (_types(scope, scope.held[key].value or {}) for scope in (old, new))
        if was != now:
            yield f"{key[1]}: {was} -> {now}"


def _types(scope: Scope, value: Value) -> str:
    taken = [str(scope.type(p.type)) for p in parameters_as_written(str(value.get("parameters", "")))]
    result = f"{scope.type(CType.parse(str(value['result'])))} " if "result" in value else ""
    return f"{result}({', '.join(taken)})"


def _sections(old: dict[Key, Value], new: dict[Key, Value], known: set[Key]) -> Iterator[tuple[str, Iterable[str]]]:
    def added(kind: str) -> list[Key]:
        return sorted(key for key in new if key[0] == kind and key not in old)

    def gone(kind: str) -> list[Key]:
        return sorted(key for key in old if key[0] == kind and key not in new)

    def changed(kind: str, *fields: str) -> list[tuple[Key, str]]:
        found = []
        for key in sorted(key for key in new if key[0] == kind and key in old):
            differences = [
                f"{name} {old[key].get(name, '-')} -> {new[key].get(name, '-')}"
                for name in fields
                if old[key].get(name) != new[key].get(name)
            ]
            if differences:
                found.append((key, ", ".join(differences)))
        return found

    bases = {split_symbol(key[1])[0] for key in old if key[0] == "declared"}
    fresh = added("declared")
    yield "new bases", sorted({split_symbol(key[1])[0] for key in fresh} - bases)
    yield "new symbols of known bases", [key[1] for key in fresh if split_symbol(key[1])[0] in bases]
    defaults = changed("default", "legacy", "per_thread")
    yield "names that mean another symbol", [f"{key[1]}: {text}" for key, text in defaults]
    wrapped = changed("wraps", "symbol")
    yield "names that call another symbol", [f"{key[1]}: {text}" for key, text in wrapped]
    yield "symbols no longer declared", [key[1] for key in gone("declared")]
    yield "names no longer declared", [key[1] for key in gone("default")]
    yield "prototypes spelled otherwise", [f"{key[1]}: {text}" for key, text in changed("declared", "parameters")]
    yield "new types", [key[1] for kind in ("record", "enum", "callback", "typedef") for key in added(kind)]
    yield "types no longer declared", [key[1] for kind in ("record", "enum", "callback") for key in gone(kind)]
    yield (
        "changes of layout",
        [f"{key[1]}: {text}" for key, text in changed("record", "size", "align")]
        + [f"{'.'.join(key[1:])}: {text}" for key, text in changed("field", "offset", "size", "type", "count")]
        + [f"{'.'.join(key[1:])}: no longer there" for key in gone("field")],
    )
    yield "names of types that mean another type", [f"{key[1]}: {text}" for key, text in changed("typedef", "type")]
    yield "new enumerators", [f"{key[2]} = {new[key]['value']}" for key in added("enumerator")]
    yield "enumerators with another value", [f"{key[2]}: {text}" for key, text in changed("enumerator", "value")]
    yield "enumerators no longer declared", [key[2] for key in gone("enumerator")]
    yield "new constants", [f"{key[1]} = {new[key]['value']!r}" for key in added("constant")]
    yield "constants with another value", [f"{key[1]}: {text}" for key, text in changed("constant", "value")]
    yield "constants no longer declared", [key[1] for key in gone("constant")]


def library(before: Registry, after: Registry, version: str, name: str = "driver") -> str:
    """What a library has that no older one has."""
    row = next(row for row in after.libraries if row.version == version)
    if row in before.libraries:
        return f"library {name} {version}: nothing new\n"
    lines = [
        f"library {name} {version} of CUDA {row.cuda}: {row.count} symbols, {len(row.exports)} that no older one has"
    ]
    declared = {key[1] for key in after.timelines if key[0] == "declared"}
    declared |= {
        str(fact.value["symbol"])
        for key, timeline in after.timelines.items()
        if key[0] == "wraps"
        for fact in timeline
        if fact.value
    }
    for title, symbols in (
        ("in no header", sorted(set(row.exports) - declared) if declared else []),
        ("that an older library has and this one does not", row.lacks),
    ):
        if symbols:
            lines.append(f"  {title} ({len(symbols)})")
            lines += [f"    {symbol}" for symbol in symbols]
    return "\n".join(lines) + "\n"
