# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks.instructions`: the rows again, counted in instructions and not in time.

Under valgrind's callgrind a call takes the same number of instructions whatever else the machine does, so a change of
the engine shows to the last one. What an instruction takes is another matter: that is what the times are for.
`--keep FOLDER` leaves callgrind's files, one a row and contestant, for callgrind_annotate.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from . import floor
from .__main__ import ROOT, library_of, on_the_stub, unrecorded
from .rows import HERE, World, empty_loop, loop, names, read

RUNS = 200
CONTESTANTS = ("ours", "official", "floor")


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.instructions", description=__doc__)
    parser.add_argument("--suite", default="driver", choices=names(), help="the file in rows/ (default: driver)")
    parser.add_argument("--rows", nargs="*", help="short names of rows (default: all)")
    parser.add_argument("--keep", type=Path, help="folder for callgrind's files")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.inside:
        inside(options.suite, options.rows)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        print(table(count(options.suite, options.rows, folder)))


def inside(suite_name: str, wanted: list[str] | None) -> None:
    """Runs under callgrind: every loop through a function at whose end callgrind writes down what it has counted."""
    suite = read(HERE / "rows" / f"{suite_name}.toml")
    path = library_of(suite)
    by_hand = floor.load(ROOT / ".cache" / "bench")
    world = World(suite, path, by_hand, time.perf_counter, gpu=False)
    done = []
    with unrecorded(path):
        for row in suite.rows:
            if wanted and row.short not in wanted:
                continue
            loops = {name: made for name in CONTESTANTS if (made := loop(world, row, name))}
            loops["empty"] = empty_loop(world)
            for name, timed in loops.items():
                timed(3)
                by_hand.counted(timed, RUNS)
                done.append((row.name, name))
    print(json.dumps(done))


def count(suite: str, rows: list[str] | None, folder: Path) -> dict[str, dict[str, float]]:
    """Row -> contestant -> instructions a run."""
    out = folder / "callgrind.out"
    marker = "floor_counted"
    valgrind = ["valgrind", "--tool=callgrind", "--compress-strings=no"]
    valgrind += [f"--toggle-collect={marker}", f"--dump-after={marker}"]
    program = [sys.executable, "-m", "benchmarks.instructions", "--inside", "--suite", suite]
    program += ["--rows", *rows] if rows else []
    environment = {**os.environ, **on_the_stub(read(HERE / "rows" / f"{suite}.toml")), "PYTHONHASHSEED": "0"}
    command = [*valgrind, f"--callgrind-out-file={out}", *program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    measured = json.loads(done.stdout.splitlines()[-1])
    totals = [_total(folder / f"callgrind.out.{i + 1}") for i in range(len(measured))]
    found: dict[str, dict[str, float]] = {}
    for (row, name), total in zip(measured, totals, strict=True):
        found.setdefault(row, {})[name] = total / RUNS
    return found


def _total(path: Path) -> int:
    match = re.search(r"^(?:totals|summary): (\d+)", path.read_text(), re.MULTILINE)
    if not match:
        raise ValueError(f"{path} has no total")
    return int(match[1])


def table(found: Mapping[str, Mapping[str, Any]]) -> str:
    lines = ["| instructions | ours | cuda-bindings | C by hand |", "|---|---|---|---|"]
    for row, counts in found.items():
        cells = [f"{counts[n] - counts['empty']:,.0f}" if n in counts else "–" for n in CONTESTANTS]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
