# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Runs rows: each in an environment of its own, and what came of it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from . import libraries, wheelhouse
from .environment import Environment, NoPythonError, UnavailableError
from .matrix import ROOT, Matrix, Row
from .outcome import Outcome

_SOURCES = (ROOT / "shared", ROOT / "tests")


class Runner:
    def __init__(self, matrix: Matrix, wheels: Path, folder: Path) -> None:
        """`folder` gets the environments; each is gone when its row has passed."""
        self.matrix = matrix
        self.wheels = wheels
        self.folder = folder
        self.tools = wheelhouse.tools()
        self.kept = folder / "kept"
        self.kept.mkdir()

    def all(self, rows: Sequence[Row], jobs: int, tell: Callable[[Outcome], None]) -> list[Outcome]:
        """Rows with environments side by side, then suites, which use all processors by themselves."""
        found: dict[str, Outcome] = {}

        def one(row: Row) -> None:
            found[row.name] = self.one(row)
            tell(found[row.name])

        with ThreadPoolExecutor(jobs) as pool:
            list(pool.map(one, [row for row in rows if not row.is_suite]))
        for row in rows:
            if row.is_suite:
                one(row)
        return [found[row.name] for row in rows]

    def one(self, row: Row) -> Outcome:
        start = time.monotonic()
        try:
            outcome = self._suite(row) if row.is_suite else self._row(row)
        except NoPythonError as error:
            needed = os.environ.get("CI") and row.python in self.matrix.needed
            outcome = Outcome(row, failed=("there is a Python",) if needed else (), why=str(error))
        except UnavailableError as error:
            outcome = Outcome(row, why=str(error))
        return Outcome(
            row, outcome.passed, outcome.skipped, outcome.failed, outcome.why, round(time.monotonic() - start, 1)
        )

    def _suite(self, row: Row) -> Outcome:
        return self._pytest(row, [sys.executable], dict(os.environ), self.folder)

    def _row(self, row: Row) -> Outcome:
        folder = self.folder / row.name
        environment = Environment(folder, row.python, self.wheels)
        said = environment.install(row.install)
        checks = 1
        if row.refused:
            if said is None:
                return Outcome(row, failed=("pip refuses",), why=f"pip installed {environment.installed()}")
            if missing := [word for word in row.refused if word not in said]:
                return Outcome(row, failed=("pip refuses",), why=f"pip does not say {', '.join(missing)}:\n{said}")
            said = environment.install(row.instead) if row.instead else None
        if said is not None:
            return Outcome(row, failed=("pip installs",), why=said)
        if problems := tuple(environment.problems(row)):
            return Outcome(row, failed=("what pip resolved",), why="\n".join(problems))
        checks += 1
        outcome = Outcome(row)
        if row.tests:
            installed = environment.installed()
            loaded = libraries.variables(self.matrix, row.library, installed)
            clean = {name: value for name, value in os.environ.items() if not name.endswith("_LIBRARY")}
            paths = [self.tools, *_SOURCES]
            facts = {"row": row.name, "library": row.library, "installed": installed}
            variables = {
                "PYTHONPATH": os.pathsep.join(map(str, paths)),
                "COMPAT_ROW": json.dumps(facts),
                "COMPAT_KEPT": str(self.kept),
            }
            outcome = self._pytest(row, [str(environment.python)], {**clean, **variables, **loaded}, folder)
        if not outcome.failed:
            shutil.rmtree(folder)
        return Outcome(row, outcome.passed + checks, outcome.skipped, outcome.failed, outcome.why)

    def _pytest(self, row: Row, python: list[str], variables: dict[str, str], folder: Path) -> Outcome:
        report = folder / f"{row.name}.xml"
        command = [*python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *row.tests]
        if row.select:
            command += ["-k", row.select]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=variables)
        if done.returncode not in (0, 1) or not report.is_file():
            return Outcome(row, failed=("pytest",), why=done.stdout[-4000:] + done.stderr[-4000:])
        passed, skipped, failed = _counts(report)
        why = done.stdout[-8000:] if failed else ""
        return Outcome(row, passed, skipped, failed, why)


def _counts(report: Path) -> tuple[int, int, tuple[str, ...]]:
    passed, skipped, failed = 0, 0, []
    for case in ElementTree.parse(report).iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed.append(f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}")
        elif case.find("skipped") is not None:
            skipped += 1
        else:
            passed += 1
    return passed, skipped, tuple(failed)
