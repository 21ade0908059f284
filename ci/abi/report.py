# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a comparison says to a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .compare import Comparison, Finding
from .facts import NOT_COVERED, section

_WIDTH = 120


def lines(release: str, found: Comparison) -> Iterator[str]:
    counts = (
        (len(found.broken), "broken"),
        (len(found.excused), "excused"),
        (len(found.grown), "grown"),
        (len(found.added), "added"),
    )
    yield f"against {release}: {', '.join(f'{count} {what}' for count, what in counts)}"
    for title, findings in (("BROKEN", found.broken), ("excused", found.excused), ("grown", found.grown)):
        for finding in findings:
            yield from _finding(title, finding)
    yield from _added(found.added)


def not_covered() -> Iterator[str]:
    yield "The ledger says nothing of"
    yield from (f"  - {text}" for text in NOT_COVERED)


def _finding(title: str, finding: Finding) -> Iterator[str]:
    why = f" ({finding.why})" if finding.why else ""
    yield f"  {title}  {finding.key}{why}"
    yield f"    was {finding.old if finding.old is not None else 'not there'}"
    yield f"    is  {finding.new if finding.new is not None else 'not there'}"


def _added(keys: Sequence[str]) -> Iterator[str]:
    sections: dict[str, list[str]] = {}
    for key in keys:
        where = section(key)
        sections.setdefault(where, []).append(key[len(where) + 1 :])
    for where, names in sections.items():
        yield f"  added   {where}: {len(names)}"
        yield from (f"    {line}" for line in _wrapped(names))


def _wrapped(names: Sequence[str]) -> Iterator[str]:
    line = ""
    for name in names:
        if line and len(line) + len(name) > _WIDTH:
            yield line
            line = ""
        line = f"{line} {name}".strip()
    yield line
