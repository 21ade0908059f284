# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Permanent names, and numbers in the C function table: given once, written into the registry, never computed again."""

from __future__ import annotations

import dataclasses
import re

from ..model.api import Release, split_symbol
from ..model.names import Scope, family
from ..model.registry import FunctionName, Registry, TablePosition, TypeName

# Names are assigned from this release on: only then is it known which bases have several versions.
FIRST = Release(13, 5)


def assign(registry: Registry, first: Release | None = FIRST) -> Registry:
    """The registry with names and positions for the symbols and types that have none yet.

    `first` is the release from which on names are given: None for what is only read as history.
    """
    if not registry.known or first is None or registry.known[-1] < first:
        return registry
    named = dataclasses.replace(
        registry,
        functions=(*registry.functions, *_functions(registry)),
        types=(*registry.types, *_types(registry)),
    )
    return dataclasses.replace(named, table=(*named.table, *_positions(named)))


def _functions(registry: Registry) -> list[FunctionName]:
    symbols = {key[1] for key in registry.timelines if key[0] == "declared"}
    # An underscore in front: of no use to a program but through the header's own wrapper.
    symbols |= {s for library in registry.libraries for s in library.exports if not s.startswith("_")}
    named = {function.symbol for function in registry.functions}
    versions: dict[str, set[int]] = {}
    for symbol in symbols:
        base, version, _ = split_symbol(symbol)
        versions.setdefault(base, set()).add(version)
    # The version that a base's plain name stands for; None where it has no plain name.
    plain: dict[str, int | None] = {}
    for function in registry.functions:
        base, version, _ = split_symbol(function.symbol)
        plain[base] = version if function.plain else plain.get(base)
    beginning = not registry.functions
    added = []
    for symbol in sorted(symbols - named):
        base, version, stream = split_symbol(symbol)
        if base not in plain:
            only_one = len(versions[base]) == 1
            plain[base] = min(versions[base]) if only_one or not beginning else None
        suffix = f"_{stream}" if stream else ""
        added.append(
            FunctionName(
                symbol,
                f"{base}_v{version}{suffix}",
                f"{base}{suffix}" if plain[base] == version else None,
            )
        )
    return added


def _positions(registry: Registry) -> list[TablePosition]:
    """Functions that a header declares, oldest first: what an older release has is then the table's beginning."""
    placed = {row.name for row in registry.table}
    since = {
        key[1]: min(fact.at for fact in timeline)
        for key, timeline in registry.timelines.items()
        if key[0] == "declared"
    }
    new = [row for row in registry.functions if row.symbol in since and row.name not in placed]
    new.sort(key=lambda row: (since[row.symbol], *split_symbol(row.symbol)))
    first = max((row.position for row in registry.table), default=-1) + 1
    return [TablePosition(first + i, row.name) for i, row in enumerate(new)]


def _types(registry: Registry) -> list[TypeName]:
    """Newest release first, so that the spelling a type has today decides."""
    given = {row.type: row.name for row in registry.types}
    added: list[TypeName] = []
    later: Scope | None = None

    def give(type_: str, name: str) -> None:
        if type_ not in given:
            given[type_] = name
            added.append(TypeName(type_, name))

    for release in reversed(registry.known):
        scope = Scope(registry.state(release), given)
        typedefs: dict[str, list[str]] = {}
        for key in scope.held:
            if key[0] == "typedef" and not scope.is_void(key[1]):
                entity = scope.entity(key[1])
                if scope.defines(entity) or family(entity) == family(key[1]):
                    typedefs.setdefault(entity, []).append(key[1])
        entities = {k[1] for k in scope.held if k[0] in ("record", "enum") and "." not in k[1]} | set(typedefs)
        for entity in sorted(entities - set(given)):
            names = typedefs.get(entity, [])
            renamed = _renamed(entity, names, scope, later) if later else None
            name = renamed or _permanent(entity, names, scope)
            give(entity, name)
            if not scope.defines(entity):
                # A handle has no tag to know it by: its unversioned name means the same wherever it is no alias.
                for other in names:
                    give(other, name)
        later = scope
    return added


def _renamed(tag: str, typedefs: list[str], scope: Scope, later: Scope) -> str | None:
    """The name of the type that a tag's typedef stands for one release later, where only the tag is another there."""
    for name in typedefs:
        if later.typedef(name) is None:
            continue
        successor = later.entity(name)
        if family(successor) == family(tag) and scope.size(tag) == later.size(successor):
            return later.permanent.get(successor)
    return None


def _permanent(entity: str, typedefs: list[str], scope: Scope) -> str:
    """`X_v2` for a struct or handle with versioned typedefs, else the plain typedef, else the tag."""
    if (bare := entity.removesuffix("_t")) in typedefs:
        return bare  # `typedef enum cudaDataType_t {…} cudaDataType`
    own = [name for name in typedefs if family(name) == family(entity)] or typedefs
    if ("enum", entity) not in scope.held:
        versioned = [name for name in own if re.search(r"_[vV]\d+(_t)?$", name)]
        own = versioned or own
    direct = [name for name in own if name == entity or scope.target(name) == entity]
    return min(direct or own or [entity], key=lambda name: (len(name), name))
