# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda's own test suite, which its wheel contains: run it in an environment, and compare two runs.

A/bin/python tests/clients/numba_suite.py run official.json [--processes 16] [--tests NAME …]
python tests/clients/numba_suite.py compare official.json shim.json
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

SUITE = "numba.cuda.tests"

# A module of the suite that needs CuPy skips itself in pytest's way, which unittest takes for the end of everything.
RUNTESTS = """
import runpy, unittest, pytest
load = unittest.TestLoader.loadTestsFromName
def load_or_leave_out(self, name, module=None):
    try:
        return load(self, name, module)
    except pytest.skip.Exception as why:
        print(f"left out {name}: {why}")
        return self.suiteClass()
unittest.TestLoader.loadTestsFromName = load_or_leave_out
runpy.run_module("numba.runtests", run_name="__main__", alter_sys=True)
"""
_BAD = re.compile(r"^(FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$", re.MULTILINE)
_COUNT = re.compile(r"^Ran (\d+) tests? in", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)


def run(out: Path, processes: int, tests: list[str]) -> int:
    import cuda.bindings

    command = [sys.executable, "-c", RUNTESTS, "-m", str(processes), "-v", *(tests or [SUITE])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = parse(done.stdout)
    found["origin"] = cuda.bindings.__spec__.origin if cuda.bindings.__spec__.has_location is False else "cuda-bindings"
    out.write_text(json.dumps(found, indent=1))
    out.with_suffix(".txt").write_text(done.stdout)
    print(f"{found['origin']}: ran {found['ran']}, {len(found['bad'])} bad ({found['summary']})")
    return 0 if found["ran"] else 1


def parse(text: str) -> dict[str, Any]:
    count, summary = _COUNT.findall(text), _SUMMARY.findall(text)
    return {
        "ran": int(count[-1]) if count else 0,
        "bad": sorted({f"{kind}: {name}" for kind, name in _BAD.findall(text)}),
        "summary": summary[-1] if summary else "no summary: it did not come to its end",
    }


def compare(official: Path, shim: Path) -> int:
    """A test that fails with the shim must fail with the official packages, too."""
    theirs, ours = (json.loads(path.read_text()) for path in (official, shim))
    for side, found in (("official", theirs), ("shim", ours)):
        print(f"{side}: {found['origin']}, ran {found['ran']}, {len(found['bad'])} bad ({found['summary']})")
    worse = sorted(set(ours["bad"]) - set(theirs["bad"]))
    better = sorted(set(theirs["bad"]) - set(ours["bad"]))
    for title, names in (("only with the shim", worse), ("only with the official packages", better)):
        for name in names:
            print(f"{title}: {name}")
    return 1 if worse or not ours["ran"] or ours["ran"] < theirs["ran"] else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="numba-cuda's test suite.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("run")
    command.add_argument("out", type=Path)
    command.add_argument("--processes", type=int, default=16)
    command.add_argument("--tests", nargs="*", default=[], help="some of them only")
    command = commands.add_parser("compare")
    command.add_argument("official", type=Path)
    command.add_argument("shim", type=Path)
    chosen = parser.parse_args()
    if chosen.command == "run":
        return run(chosen.out, chosen.processes, chosen.tests)
    return compare(chosen.official, chosen.shim)


if __name__ == "__main__":
    sys.exit(main())
