# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs what the selected tests need, on all processors, before the first of them looks at it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest

from support import wheels
from support.cython import cython

from . import build
from .consumers import Case
from .outcome import driver, run

Outcomes = Mapping[Case, "Future[dict[str, Any]]"]
_ran: dict[str, int] = {}


@pytest.fixture(scope="session")
def outcomes(request: pytest.FixtureRequest) -> Outcomes:
    selected = [case for item in request.session.items if (case := _case(item))]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(wheels.site, {release for case in selected for release in _releases(case)}))
        list(pool.map(driver, {case.driver for case in selected}))
        tools = {case.binary.tool for case in selected if case.binary.consumer.source.endswith(".pyx")}
        list(pool.map(cython, tools))
        list(pool.map(build.official, {case.binary.built for case in selected if case.binary.consumer.official}))
        # An error is that of the test that asks for the result.
        done = {binary: pool.submit(build.folder, binary) for binary in {case.binary for case in selected}}
        for future in done.values():
            future.exception()
        return {case: pool.submit(run, case) for case in selected}


def _case(item: pytest.Item) -> Case | None:
    callspec = getattr(item, "callspec", None)
    case = callspec.params.get("case") if callspec else None
    return case if isinstance(case, Case) else None


def _releases(case: Case) -> set[str]:
    return {case.wheel} if case.binary.consumer.official else {case.wheel, case.binary.built}


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    case = _case(item)
    if case and call.when == "call" and call.excinfo is None:
        kind = "refused, with the reason" if case.refused else "partly refused" if case.missing else "run"
        _ran[kind] = _ran.get(kind, 0) + 1


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _ran:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(_ran.items()))
        terminalreporter.write_sep(
            "=", f"{sum(_ran.values())} combinations of consumer and wheel as they should: {counts}"
        )
