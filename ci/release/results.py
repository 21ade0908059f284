# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What each file was tried on, kept from step to step, and the table of it all."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from .build import Built


@dataclass(frozen=True)
class Outcome:
    """One suite of one wheel on one Python."""

    file: str
    python: str
    machine: str
    suite: str
    passed: int
    skipped: int
    failed: int

    @property
    def good(self) -> bool:
        return self.passed > 0 and self.failed == 0


def read_junit(path: Path) -> tuple[int, int, int]:
    """(passed, skipped, failed) of a run of pytest."""
    suites = ElementTree.parse(path).getroot().iter("testsuite")
    passed = skipped = failed = 0
    for suite in suites:
        bad = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
        left = int(suite.get("skipped", 0))
        passed += int(suite.get("tests", 0)) - bad - left
        skipped, failed = skipped + left, failed + bad
    return passed, skipped, failed


def keep(path: Path, outcomes: Iterable[Outcome]) -> None:
    """Add to what was kept; a suite that ran again counts as it went the last time."""
    kept = {_key(outcome): outcome for outcome in load(path)} | {_key(outcome): outcome for outcome in outcomes}
    path.write_text(json.dumps([asdict(outcome) for outcome in kept.values()], indent=1) + "\n")


def load(path: Path) -> list[Outcome]:
    return [Outcome(**row) for row in json.loads(path.read_text())] if path.is_file() else []


def _key(outcome: Outcome) -> tuple[str, str, str, str]:
    return outcome.file, outcome.python, outcome.machine, outcome.suite


HEAD = ("file", "bytes", "platform tag", "passed on", "tests passed", "skipped", "failed")


def table(files: Sequence[Built], outcomes: Sequence[Outcome]) -> str:
    rows = [HEAD, *(_row(built, [o for o in outcomes if o.file == built.name]) for built in files)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def _row(built: Built, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    size = f"{built.path.stat().st_size:,}"
    if built.target is None:
        return built.name, size, "source", *_counts(outcomes)
    # The tags are in the name, and long: the name is told by the distribution.
    return built.distribution.stem, size, built.path.stem.rpartition("-")[2].partition(".")[0], *_counts(outcomes)


def _counts(outcomes: Sequence[Outcome]) -> tuple[str, str, str, str]:
    good: dict[str, list[str]] = {}
    for outcome in outcomes:
        if outcome.good:
            good.setdefault(f"{outcome.machine} {outcome.suite}", []).append(outcome.python)
    where = ", ".join(f"{what}: {' '.join(pythons)}" for what, pythons in good.items())
    sums = (sum(getattr(o, what) for o in outcomes) for what in ("passed", "skipped", "failed"))
    passed, skipped, failed = map(str, sums)
    return where or "-", passed, skipped, failed
