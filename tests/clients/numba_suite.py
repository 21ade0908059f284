# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""numba-cuda's own test suite, which its wheel contains: run it in an environment, and compare two runs.

Each module of tests runs in a process of its own, several at a time: what dies is then known by its name.

A/bin/python tests/clients/numba_suite.py run official.json [--processes 16] [--tests NAME …]
python tests/clients/numba_suite.py compare official.json shim.json
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from typing import Any

SUITE = "numba.cuda.tests"
LONGEST = 540  # seconds that a module may take

# A module of the suite that needs CuPy skips itself in pytest's way, which unittest takes for the end of everything.
RUNTESTS = """
import runpy, unittest, pytest
load = unittest.TestLoader.loadTestsFromName
def load_or_leave_out(self, name, module=None):
    try:
        return load(self, name, module)
    except pytest.skip.Exception as why:
        reason = str(why)
        class LeftOut(unittest.TestCase):
            def test_whole_module(self):
                self.skipTest(reason)
        return self.suiteClass([LeftOut("test_whole_module")])
unittest.TestLoader.loadTestsFromName = load_or_leave_out
runpy.run_module("numba.runtests", run_name="__main__", alter_sys=True)
"""
_BAD = re.compile(r"^(FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$", re.MULTILINE)
_COUNT = re.compile(r"^Ran (\d+) tests? in", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)


def modules() -> list[str]:
    """Every module of tests, by name."""
    suite = import_module(SUITE)
    folders = [Path(path) for path in suite.__path__]
    files = sorted(path.relative_to(folder) for folder in folders for path in folder.rglob("test_*.py"))
    return [".".join((SUITE, *path.with_suffix("").parts)) for path in files]


def run(out: Path, processes: int, tests: list[str]) -> int:
    bindings: Any = import_module("cuda.bindings")
    origin = "cuda-core-shim" if bindings.__spec__.origin == "cuda-core-shim" else "cuda-bindings"
    names = tests or modules()
    with ThreadPoolExecutor(processes) as pool:
        texts = list(pool.map(_output, names))
    found = [parse(name, text) for name, text in zip(names, texts, strict=True)]
    total = {
        "origin": origin,
        "modules": len(found),
        "ran": sum(one["ran"] for one in found),
        "skipped": sum(one["skipped"] for one in found),
        "bad": sorted(name for one in found for name in one["bad"]),
    }
    out.write_text(json.dumps(total, indent=1))
    out.with_suffix(".txt").write_text(
        "\n".join(f"##### {name}\n{text}" for name, text in zip(names, texts, strict=True))
    )
    print(_line(out.stem, total))
    return 0 if total["ran"] else 1


def _output(module: str) -> str:
    command = [sys.executable, "-c", RUNTESTS, "-v", module]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""
        return f"{said.decode(errors='replace') if isinstance(said, bytes) else said}\nended after {LONGEST} s"
    return f"{done.stdout}\nleft with {done.returncode}"


def parse(module: str, text: str) -> dict[str, Any]:
    """What a module's run tells. One that does not come to its end is bad as a whole."""
    count = _COUNT.findall(text)
    if not count:
        return {"ran": 0, "skipped": 0, "bad": [f"DIED: {module}"]}
    skipped = [int(number) for number in re.findall(r"\bskipped=(\d+)", "".join(_SUMMARY.findall(text)))]
    return {
        "ran": int(count[-1]),
        "skipped": sum(skipped),
        "bad": sorted({f"{kind}: {name} [{module}]" for kind, name in _BAD.findall(text)}),
    }


def _line(side: str, found: dict[str, Any]) -> str:
    return (
        f"{side}: {found['origin']}, {found['modules']} modules, ran {found['ran']}, skipped {found['skipped']}, "
        f"{len(found['bad'])} bad"
    )


def compare(official: Path, shim: Path) -> int:
    """A test that fails with the shim must fail with the official packages, too."""
    theirs, ours = (json.loads(path.read_text()) for path in (official, shim))
    for side, found in (("official", theirs), ("shim", ours)):
        print(_line(side, found))
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
