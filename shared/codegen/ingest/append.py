# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A snapshot of one release against the registry: which facts have to be added so that the registry says the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable

from ..model.api import Release
from ..model.registry import Fact, Key, Registry, ReleaseRow
from .cursors import HeaderError
from .parse import Snapshot


def new_facts(registry: Registry, release: Release, snapshot: Snapshot) -> list[Fact]:
    """What the release says otherwise than the registry, and what keeps later releases as they were."""
    held = registry.state(release)
    added = [
        Fact(held[key].path if key in held else snapshot.paths[key], key[0], key[1:], release, value)
        for key, value in snapshot.values.items()
        if key not in held or held[key].value != value
    ]
    known = _covers(held, snapshot.headers)
    added += [
        Fact(fact.path, fact.kind, fact.key, release, None)
        for key, fact in held.items()
        if key not in snapshot.values and known(key)
    ]
    return added + _restored(registry, release, added)


def _restored(registry: Registry, release: Release, added: Iterable[Fact]) -> list[Fact]:
    """An older release was added: say again at the next known one what the new facts would change there."""
    later = [known for known in registry.known if known > release]
    if not later:
        return []
    before = registry.state(later[0])
    restored = []
    for fact in added:
        if any(release < other.at <= later[0] for other in registry.timelines.get(fact.id, ())):
            continue
        was = before.get(fact.id)
        if (was.value if was else None) == fact.value:
            continue
        if was is None and fact.value is not None and not _could_show(fact, registry, later[0]):
            continue
        restored.append(Fact(fact.path, fact.kind, fact.key, later[0], was.value if was else None))
    return restored


def _could_show(fact: Fact, registry: Registry, release: Release) -> bool:
    """Whether the headers read of a release could have shown the fact. Members of a type go with their type."""
    headers = next(row.headers for row in registry.releases if row.release == release)
    value = fact.value or {}
    if "header" not in value:
        return True
    name = str(value["header"])
    return (f"windows/{name}" if value.get("platform") == "windows" else name) in headers


def _covers(held: dict[Key, Fact], headers: set[str]) -> Callable[[Key], bool]:
    """Whether the headers that were read could have shown a key, so that its absence is a fact."""

    def header_of(key: Key) -> str | None:
        value = held[key].value or {}
        if "header" in value:
            prefix = "windows/" if value.get("platform") == "windows" else ""
            return prefix + str(value["header"])
        match key[0]:
            case "enumerator":
                owner: Key = ("enum", key[1])
            case "field":
                owner = ("record", key[1])
            case "wraps":
                owner = ("declared", key[1])
            case "default":
                owner = ("declared", str(value.get("legacy") or value.get("per_thread")))
            case _:
                return None
        return header_of(owner) if owner in held else None

    return lambda key: header_of(key) in headers


def append(
    registry: Registry, release: Release, snapshot: Snapshot, sources: tuple[str, ...]
) -> tuple[Registry, list[Fact]]:
    facts = new_facts(registry, release, snapshot)
    recorded = {fact.id for timeline in registry.timelines.values() for fact in timeline if fact.at == release}
    if again := sorted(" ".join(fact.id) for fact in facts if fact.at == release and fact.id in recorded):
        raise HeaderError(
            f"these headers of {release} say otherwise than those that were read before "
            f"({', '.join(s for row in registry.releases if row.release == release for s in row.sources)}): "
            f"{'; '.join(again)}. Retract what was wrong (registry/README.md), and read them again"
        )
    before = next((row for row in registry.releases if row.release == release), ReleaseRow(release, (), ()))
    row = ReleaseRow(
        release,
        tuple(sorted(snapshot.headers | set(before.headers))),
        (*before.sources, *(source for source in sources if source not in before.sources)),
    )
    rows = (row, *(other for other in registry.releases if other.release != release))
    after = dataclasses.replace(
        registry,
        facts=(*registry.facts, *facts),
        releases=tuple(sorted(rows, key=lambda row: row.release)),
    )
    return after, facts
