# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The examples, as a user runs them: on stub drivers here, on a GPU where there is one."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

from cuda import driver_stable as driver
from cuda.driver_stable._tools.audit import audit
from support.build import stub_library
from support.cython import OLDEST_AND_NEWEST, compile_module

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


def built_from_cython(folder: Path) -> Path:
    return compile_module(OLDEST_AND_NEWEST[-1], EXAMPLES / "cython" / "buffer.pyx", folder)


def built_from_cpp(folder: Path) -> Path:
    module = folder / "buffer.abi3.so"
    includes = [f"-I{path}" for path in (driver.get_include(), sysconfig.get_path("include"))]
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]
    command = ["c++", "-std=c++17", "-shared", "-fPIC", *strict, str(EXAMPLES / "cpp" / "buffer.cpp"), *includes]
    done = subprocess.run([*command, "-o", str(module)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return module


@pytest.mark.parametrize(
    ("build", "needs"),
    [
        pytest.param(built_from_cython, ("cuCtxDestroy_v2", "4.0"), id="cython"),
        pytest.param(built_from_cpp, ("cuGetErrorName", "6.0"), id="cpp"),
    ],
)
def test_what_is_compiled(build: Callable[[Path], Path], needs: tuple[str, str], tmp_path: Path) -> None:
    """Built once, run on several drivers; the binary holds versioned names only."""
    module = build(tmp_path)
    for release in ("12.0", "13.5"):
        environment = {**os.environ, "PYTHONPATH": str(module.parent)}
        environment["CUDA_DRIVER_STABLE_LIBRARY"] = str(stub_library(release))
        command = [sys.executable, "-c", "import buffer; buffer.main()"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        assert (done.returncode, done.stdout) == (0, "OK\n"), done.stderr
    found = audit([], [module])
    assert (found.findings, found.doubts) == ([], [])
    assert [(need.name, str(need.version)) for need in found.needs] == [needs]


@pytest.mark.gpu
@pytest.mark.parametrize("name", NAMES)
def test_on_a_gpu(name: str) -> None:
    done = run(name, None)
    assert done.returncode == 0, done.stdout + done.stderr


def test_are_written_with_names_that_stay() -> None:
    found = audit([EXAMPLES])
    assert found.findings == []
    assert found.doubts == []
    assert found.using == len(NAMES) + 1  # and the Cython module
