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
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from itertools import zip_longest
from pathlib import Path
from time import monotonic
from typing import Any

SUITE = "numba.cuda.tests"
LONGEST = 540  # seconds that a module may take

# A module of the suite that needs CuPy skips itself in pytest's way, which unittest takes for the end of everything.
# One that has pytest's functions alone has no test for unittest, which would run the whole suite instead.
RUNTESTS = """
import runpy, sys, unittest, pytest
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
if not unittest.defaultTestLoader.loadTestsFromName(sys.argv[-1]).countTestCases():
    sys.exit(pytest.main(["-v", "-rN", "--tb=short", "-p", "no:cacheprovider", "--pyargs", sys.argv[-1]]))
runpy.run_module("numba.runtests", run_name="__main__", alter_sys=True)
"""
# What unittest prints of a test; what the test itself prints may stand between its name and its outcome.
_TEST = re.compile(r"^(\w+ \([\w.]+\))", re.MULTILINE)
_OUTCOME = re.compile(r"(?:^|\.\.\. )(ok|FAIL|ERROR|skipped|expected failure|unexpected success)\b", re.MULTILINE)
_OF_PYTEST = re.compile(r"^(\S+\.py::.+?) (PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", re.MULTILINE)
_NAMES = {
    "PASSED": "ok",
    "FAILED": "FAIL",
    "SKIPPED": "skipped",
    "XFAIL": "expected failure",
    "XPASS": "unexpected success",
}
_END = re.compile(r"^(?:Ran \d+ tests? in|=+ .* in [\d.]+s\b)", re.MULTILINE)


def modules() -> list[str]:
    """Every module of tests, by name."""
    suite = import_module(SUITE)
    folders = [Path(path) for path in suite.__path__]
    files = sorted(path.relative_to(folder) for folder in folders for path in folder.rglob("test_*.py"))
    return [".".join((SUITE, *path.with_suffix("").parts)) for path in files]


def run(out: Path, processes: int, tests: list[str], seconds: float) -> int:
    bindings: Any = import_module("cuda.bindings")
    origin = "cuda-core-shim" if bindings.__spec__.origin == "cuda-core-shim" else "cuda-bindings"
    names = tests or modules()
    end = monotonic() + seconds
    with ThreadPoolExecutor(processes) as pool:
        texts = list(pool.map(lambda name: _output(name, end), names))
    said = (f"##### {name}\n{text}" for name, text in zip(names, texts, strict=True))
    out.with_suffix(".txt").write_text("\n".join(said))
    total: dict[str, Any] = {
        "origin": origin,
        "modules": {name: parse(text) for name, text in zip(names, texts, strict=True)},
    }
    out.write_text(json.dumps(total, indent=1))
    print(_line(out.stem, total))
    return 0 if any(module["tests"] for module in total["modules"].values()) else 1


def _output(module: str, end: float) -> str:
    command = [sys.executable, "-c", RUNTESTS, "-v", module]
    left = min(LONGEST, end - monotonic())
    if left <= 0:
        return ""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=left)
    except subprocess.TimeoutExpired as error:
        said = error.stdout or b""
        return said.decode(errors="replace") if isinstance(said, bytes) else said
    return done.stdout


def parse(text: str) -> dict[str, Any]:
    """Each test's outcome, and whether the module came to its end: one that did not may have been given up, or died."""
    headers = list(_TEST.finditer(text.partition("\n======")[0]))
    outcomes = {found[1]: _NAMES.get(found[2], found[2]) for found in _OF_PYTEST.finditer(text)}
    for header, following in zip_longest(headers, headers[1:]):
        outcome = _OUTCOME.search(text, header.end(), following.start() if following else len(text))
        if outcome:
            outcomes[header[1]] = outcome[1]
    return {"ended": bool(_END.search(text)), "tests": outcomes}


def _line(side: str, found: dict[str, Any]) -> str:
    modules = found["modules"].values()
    counts = Counter(outcome for module in modules for outcome in module["tests"].values())
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    ended = sum(module["ended"] for module in modules)
    return f"{side}: {found['origin']}: {ended} of {len(modules)} modules came to their end; {told}"


def compare(official: Path, shim: Path) -> int:
    """A test that fails with the shim must fail with the official packages, too.

    Of a module that one side did not finish, the tests that both sides came to are compared.
    """
    theirs, ours = (json.loads(path.read_text()) for path in (official, shim))
    for side, found in (("official", theirs), ("shim", ours)):
        print(_line(side, found))
    compared = worse = 0
    for name, module in ours["modules"].items():
        other = theirs["modules"].get(name, {"ended": False, "tests": {}})
        if other["ended"] and not module["ended"]:
            print(f"not finished with the shim: {name}")
        for test, outcome in module["tests"].items():
            expected = other["tests"].get(test)
            compared += expected is not None
            if expected is not None and outcome != expected:
                print(f"{test} [{name}]: official {expected}, shim {outcome}")
                worse += outcome in ("FAIL", "ERROR", "unexpected success")
    print(f"{compared} tests compared, {worse} fail with the shim only")
    return 1 if worse or not compared else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="numba-cuda's test suite.")
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("run")
    command.add_argument("out", type=Path)
    command.add_argument("--processes", type=int, default=16)
    command.add_argument("--seconds", type=float, default=3600, help="give up what is not finished by then")
    command.add_argument("--tests", nargs="*", default=[], help="some of them only")
    command = commands.add_parser("compare")
    command.add_argument("official", type=Path)
    command.add_argument("shim", type=Path)
    chosen = parser.parse_args()
    if chosen.command == "run":
        return run(chosen.out, chosen.processes, chosen.tests, chosen.seconds)
    return compare(chosen.official, chosen.shim)


if __name__ == "__main__":
    sys.exit(main())
