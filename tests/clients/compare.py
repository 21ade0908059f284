# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Run programs in two environments, one with the official packages and one with the shim, and tell what differs.

python tests/clients/compare.py --official A/bin/python --shim B/bin/python core [area …]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]

# What the runtime library calls of its own accord: it is linked into the official package, and loaded by ours.
OF_THE_RUNTIME = frozenset({"cuGetExportTable", "cuDriverGetVersion", "cuGetProcAddress", "cuGetProcAddress_v2"})


class ProgramError(Exception):
    """A program did not come to its end; the text is what it said."""


@dataclass(frozen=True)
class Row:
    area: str
    outcome: str  # "ok", the error that ends it on both, or why it was skipped
    difference: str  # "" where there is none
    more: int  # things that the official package lacks and ours has


def run(python: str, program: str, areas: Sequence[str] = (), environment: Mapping[str, str] = {}) -> dict[str, Any]:
    """What a program prints."""
    command = [python, "-m", f"clients.programs.{program}", *areas]
    path = os.pathsep.join((str(TESTS), str(TESTS.parent / "shared")))
    variables = {**os.environ, "PYTHONPATH": path, **environment}
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, env=variables)
    start = done.stdout.find('{\n "origin"')
    if done.returncode or start < 0:
        raise ProgramError(
            f"{' '.join(command)}\nleft with {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-4000:]}"
        )
    found: dict[str, Any] = json.loads(done.stdout[start:])
    return found


def compare(official: Mapping[str, Any], shim: Mapping[str, Any]) -> Iterator[Row]:
    """Area by area. Who ran what is a difference too: neither side may have run on the other's packages."""
    for side, wanted in ((official, "cuda-bindings"), (shim, "cuda-core-shim")):
        if side["origin"] != wanted:
            yield Row("(origin)", "", f"cuda.bindings was served by {side['origin']} and not by {wanted}", 0)
    for area, theirs in official["areas"].items():
        ours = shim["areas"][area]
        more: list[str] = []
        difference = "; ".join(_differences("", _without_calls(theirs), _without_calls(ours), more))
        outcome = theirs.get("error") or (f"skipped: {theirs['skipped']}" if "skipped" in theirs else "ok")
        yield Row(area, outcome, difference, len(more))


def _without_calls(outcome: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: value for key, value in outcome.items() if key != "calls"}


def _differences(path: str, theirs: Any, ours: Any, more: list[str]) -> Iterator[str]:
    if isinstance(theirs, dict) and isinstance(ours, dict):
        for key in sorted({*theirs, *ours}):
            yield from _differences(f"{path}.{key}", theirs.get(key, "nothing"), ours.get(key, "nothing"), more)
    elif theirs == "AttributeError" and ours != "AttributeError":
        more.append(path)  # a name of a later CUDA, which our classes of all releases have
    elif theirs != ours:
        yield f"{path.lstrip('.')}: official {theirs!r}, shim {ours!r}"


def calls(found: Mapping[str, Any]) -> Mapping[str, list[str]]:
    """Of a run on a stub driver: which symbols each area reached, without what the runtime library does by itself."""
    return {
        area: [symbol for symbol in outcome["calls"] if symbol not in OF_THE_RUNTIME]
        for area, outcome in found["areas"].items()
    }


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare a program on the official packages and on the shim.")
    parser.add_argument("--official", required=True, help="a Python that has the official packages")
    parser.add_argument("--shim", required=True, help="a Python that has ours")
    parser.add_argument("--out", type=Path, help="a folder for what the programs printed")
    parser.add_argument("program")
    parser.add_argument("areas", nargs="*")
    chosen = parser.parse_args()
    found = {side: run(getattr(chosen, side), chosen.program, chosen.areas) for side in ("official", "shim")}
    if chosen.out:
        chosen.out.mkdir(parents=True, exist_ok=True)
        for side, printed in found.items():
            (chosen.out / f"{chosen.program}-{side}.json").write_text(json.dumps(printed, indent=1))
    rows = list(compare(found["official"], found["shim"]))
    width = max(len(row.area) for row in rows)
    for row in rows:
        print(f"{'DIFFERS' if row.difference else 'same':7} {row.area:{width}} {row.outcome[:100]}")
        if row.difference:
            print(f"        {row.difference[:2000]}")
        if row.more:
            print(f"        {row.more} names that the official package lacks")
    differing = sum(bool(row.difference) for row in rows)
    print(f"{chosen.program}: {len(rows)} areas, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
