# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The examples, as a user runs them: on stub drivers here, on a GPU where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cuda.driver_stable._tools.audit import audit
from support.build import stub_library

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
STUB_OPTION = {"demo.py", "graphs.py"}  # those whose result only a GPU gives
NAMES = sorted(path.name for path in EXAMPLES.glob("*.py"))


def run(name: str, library: Path | None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "CUDA_DRIVER_STABLE_LIBRARY"}
    if library:
        environment["CUDA_DRIVER_STABLE_LIBRARY"] = str(library)
    command = [sys.executable, str(EXAMPLES / name), *(["--stub"] if library and name in STUB_OPTION else [])]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def test_there_are_examples() -> None:
    assert {"any_driver.py", "demo.py", "graphs.py", "green_contexts.py"} <= set(NAMES)


@pytest.mark.parametrize("release", ["12.0", "12.4", "13.0", "13.5"])
@pytest.mark.parametrize("name", NAMES)
def test_on_the_stub_driver(name: str, release: str) -> None:
    done = run(name, stub_library(release))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("OK\n") or "needs a driver for CUDA 12.4" in done.stdout


def test_any_driver_takes_what_there_is() -> None:
    assert "context by cuCtxCreate_v2" in run("any_driver.py", stub_library("12.4")).stdout
    assert "context by cuCtxCreate_v4" in run("any_driver.py", stub_library("12.5")).stdout
    assert "by cuEventElapsedTime_v1" in run("any_driver.py", stub_library("12.6")).stdout
    assert "by cuEventElapsedTime_v2" in run("any_driver.py", stub_library("12.8")).stdout


def test_green_contexts_say_what_they_need() -> None:
    assert run("green_contexts.py", stub_library("12.2")).stdout == "cuGreenCtxCreate needs a driver for CUDA 12.4\n"


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_on_a_gpu(name: str) -> None:
    done = run(name, None)
    assert done.returncode == 0, done.stdout + done.stderr


def test_are_written_with_names_that_stay() -> None:
    found = audit([EXAMPLES])
    assert found.findings == []
    assert found.doubts == []
    assert found.using == len(NAMES)
