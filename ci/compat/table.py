# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What came of the rows: for a terminal, for machines, and for docs/compat.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from .matrix import Matrix, Row
from .outcome import Outcome


def line(outcome: Outcome) -> str:
    what = "left out" if outcome.left_out else "FAILED" if outcome.failed else "passed"
    counts = f"{outcome.passed:5} passed  {len(outcome.failed):3} failed  {outcome.skipped:3} skipped"
    note = outcome.why if outcome.left_out else ", ".join(outcome.failed)
    return f"{what:<8}  {outcome.row.name:<46}  {counts}  {outcome.seconds:6.1f} s  {note}".rstrip()


def text(outcomes: Sequence[Outcome], seconds: float) -> str:
    return "\n".join([*map(line, outcomes), total(outcomes, seconds)])


def total(outcomes: Sequence[Outcome], seconds: float) -> str:
    failed = [outcome for outcome in outcomes if outcome.failed]
    left_out = [outcome for outcome in outcomes if outcome.left_out]
    checks = sum(outcome.passed for outcome in outcomes)
    return (
        f"{len(outcomes)} rows: {len(outcomes) - len(failed) - len(left_out)} passed, {len(failed)} failed, "
        f"{len(left_out)} left out; {checks} checks passed; {seconds:.0f} s"
    )


def as_json(outcomes: Sequence[Outcome]) -> str:
    rows = [
        {
            "row": outcome.row.name,
            "passed": outcome.passed,
            "failed": list(outcome.failed),
            "skipped": outcome.skipped,
            "left_out": outcome.why if outcome.left_out else None,
            "seconds": outcome.seconds,
        }
        for outcome in outcomes
    ]
    return json.dumps(rows, indent=1)


def plan(rows: Sequence[Row]) -> str:
    """For a CI that makes a job of each group."""
    listed = [
        {"row": row.name, "group": row.group, "python": row.python, "library": row.library, "always": row.always}
        for row in rows
    ]
    return json.dumps({"group": list(dict.fromkeys(row.group for row in rows)), "rows": listed})


def markdown(matrix: Matrix, outcomes: Sequence[Outcome], seconds: float) -> Iterator[str]:
    """The product as a grid of drivers and wheels, then the rows that no product has."""
    product = {outcome.row.name: outcome for outcome in outcomes if outcome.row.group.startswith("driver-")}
    columns = [(wheel, major) for wheel in matrix.axes["wheel"] for major in matrix.axes["toolkit"]]
    libraries = list(dict.fromkeys(o.row.library for o in product.values()))
    yield f"{total(outcomes, seconds)}."
    yield ""
    yield "| driver | " + " | ".join(f"wheel {wheel}, toolkit {major}" for wheel, major in columns) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for library in sorted(libraries, key=lambda name: (name.partition("-")[0] == "real", _number(name))):
        cells = []
        for wheel, major in columns:
            there = [o for o in product.values() if o.row.name.startswith(f"{wheel}-cu{major}-{library}-")]
            cells.append(_cell(there))
        yield f"| {library.replace('-', ' ')} | " + " | ".join(cells) + " |"
    yield ""
    yield "| row | passed | failed | skipped | |"
    yield "|---|---|---|---|---|"
    for outcome in outcomes:
        if outcome.row.name not in product:
            note = outcome.why if outcome.left_out else ", ".join(outcome.failed)
            name, row = outcome.row.name, outcome
            yield f"| {name} | {row.passed} | {len(row.failed)} | {row.skipped} | {note} |"


def _cell(outcomes: Sequence[Outcome]) -> str:
    """`600 on 3.11 3.12`: checks that passed, and the Pythons."""
    ran = sorted((o for o in outcomes if not o.left_out), key=lambda o: _number(f"-{o.row.python}"))
    if not ran:
        return "–" if not outcomes else "left out"
    pythons = " ".join(outcome.row.python for outcome in ran)
    failed = sum(len(outcome.failed) for outcome in ran)
    passed = sum(outcome.passed for outcome in ran)
    return f"{f'**{failed} failed**, ' if failed else ''}{passed} on {pythons}"


def _number(name: str) -> tuple[int, ...]:
    return tuple(int(part) for part in name.partition("-")[2].split("."))
