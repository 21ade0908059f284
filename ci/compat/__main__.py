# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the rows of ci/matrix.toml: wheels, toolkits, driver libraries and Pythons of several releases together."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from . import matrix as data


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    matrix = data.load()
    try:
        rows = matrix.chosen(full=options.full, names=options.row, groups=options.group, suites=not options.pairs)
    except data.MatrixError as error:
        parser.error(str(error))
    if options.list:
        print(_plan(rows, as_json=options.json))
        return 0
    return _run(matrix, rows, options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nox -s compat --", description=__doc__)
    parser.add_argument("--full", action="store_true", help="every value of each axis with every value of the others")
    parser.add_argument("--row", action="append", default=[], metavar="NAME", help="only this one; may be given again")
    parser.add_argument("--group", action="append", default=[], metavar="NAME", help="only rows of this group")
    parser.add_argument("--pairs", action="store_true", help="only rows that have an environment of their own")
    parser.add_argument("--list", action="store_true", help="show the rows and run none")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--write", action="store_true", help="put the table into docs/compat.md")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="N", help="rows side by side")
    return parser


def _plan(rows: Sequence[data.Row], *, as_json: bool) -> str:
    if as_json:
        from . import table

        return table.plan(rows)
    return "\n".join(f"{row.name:<46}  {' '.join(row.install) or ' '.join(row.tests)}" for row in rows)


def _run(matrix: data.Matrix, rows: Sequence[data.Row], options: argparse.Namespace) -> int:
    from . import document, table, wheelhouse
    from .outcome import Outcome
    from .run import Runner

    start = time.monotonic()
    out = sys.stderr if options.json else sys.stdout

    def tell(outcome: Outcome) -> None:
        print(table.line(outcome), file=out, flush=True)
        if outcome.failed:
            print(outcome.why, file=out, flush=True)

    with tempfile.TemporaryDirectory(prefix="compat-") as folder:
        try:
            wheels = wheelhouse.make(Path(folder, "wheelhouse"), matrix)
        except wheelhouse.WheelhouseError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        outcomes = Runner(matrix, wheels, Path(folder)).all(rows, options.jobs, tell)
    seconds = time.monotonic() - start
    if options.json:
        print(table.as_json(outcomes))
    print(table.text(outcomes, seconds), file=out)
    if options.write:
        document.write(matrix, outcomes, seconds)
    return 1 if any(outcome.failed for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
