# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries: none, one that is too old for a call, and real ones, which answer without a GPU."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.ingest.elf import defined_symbols
from codegen.model import registry
from codegen.model.bind import bind
from codegen.model.fold import fold
from support.build import stub_library

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "ci"))

import fetch_drivers  # noqa: E402

# One to look at in detail is enough for every run; `CUDA_NVML_DRIVERS=all` takes all of them.
FEW = ["470", "550"]
ALL = sorted(fetch_drivers.drivers())
CHOSEN = ALL if os.environ.get("CUDA_NVML_DRIVERS") == "all" else FEW


def python(code: str, library: str | Path) -> str:
    environment = {**os.environ, "CUDA_NVML_LIBRARY": str(library)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n")


CAUGHT = """
from cuda import nvml
try:
    {call}
except nvml.{error} as error:
    print(isinstance(error, nvml.NvmlError), isinstance(error, RuntimeError), error.status)
    print(error)
"""


def test_no_library() -> None:
    for call in ("nvml.init_v2()", "nvml.nvmlInit_v2()"):
        told = python(CAUGHT.format(call=call, error="LibraryNotFoundError"), "/nowhere/libnvidia-ml.so.1").splitlines()
        assert told[0] == "True True 12"
        assert "/nowhere/libnvidia-ml.so.1" in "\n".join(told[1:])


def test_an_exception_has_a_text_without_a_library() -> None:
    told = python("from cuda import nvml; print(repr(nvml.NotFoundError(6)))", "/nowhere/libnvidia-ml.so.1")
    assert told == "NotFoundError('NVML status 6')"


@pytest.mark.parametrize(
    ("call", "since"),
    [("nvml.device_get_gpu_uptime_v1(0)", "13.5"), ("nvml.nvmlDeviceGetGpuUptime(0, None)", "13.5")],
)
def test_a_library_that_is_too_old(call: str, since: str) -> None:
    told = python(CAUGHT.format(call=call, error="FunctionNotFoundError"), stub_library("12.9", "nvml")).splitlines()
    assert told[0] == "True True 13"
    text = "\n".join(told[1:])
    assert since in text
    assert "nvmlDeviceGetGpuUptime" in text


def test_the_same_call_on_a_library_that_is_new_enough() -> None:
    code = "from cuda import nvml; print(nvml.device_get_gpu_uptime_v1(0))"
    assert python(code, stub_library("13.5", "nvml")).startswith("GpuUptime_v1(")


def test_a_library_that_is_too_old_serves_what_it_has() -> None:
    code = "from cuda import nvml; nvml.init_v2(); print(nvml.system_get_cuda_driver_version())"
    assert python(code, stub_library("11.8", "nvml")) == "11080"


def real(name: str) -> fetch_drivers.Fetched:
    if platform.machine() != "x86_64":
        pytest.skip(f"driver {name} is one for x86-64")
    try:
        return fetch_drivers.fetch([name], part="nvml")[name]
    except fetch_drivers.UnavailableError as error:
        pytest.skip(f"driver {name} cannot be had: {error}")


@pytest.mark.parametrize("name", CHOSEN)
def test_a_real_library_answers_without_a_gpu(name: str) -> None:
    fetched = real(name)
    told = python(
        "from cuda import nvml\n"
        "try: nvml.init_v2()\n"
        "except nvml.NvmlError as error: print(type(error).__name__, error.status)\n"
        "else: print('a GPU')\n"
        "print(nvml.error_string(6))\n"
        "print(nvml.nvmlErrorString(nvml.nvmlReturn_t.NVML_ERROR_UNINITIALIZED)[1].decode())\n",
        fetched.library,
    ).splitlines()
    # Where there is a driver, it is of another version than this library.
    assert told[0] in ("DriverNotLoadedError 9", "LibRmVersionMismatchError 18", "a GPU")
    library = ctypes.CDLL(str(fetched.library))
    library.nvmlErrorString.restype = ctypes.c_char_p
    assert told[1:] == [library.nvmlErrorString(status).decode() for status in (6, 1)]


@pytest.mark.parametrize("name", CHOSEN)
def test_a_real_library_has_what_is_said_of_it(name: str) -> None:
    """Every symbol of the registry's row is found; the rest are those of headers that came later."""
    fetched = real(name)
    exported = set(defined_symbols(fetched.library))
    rows = {row.version: row for row in registry.load(registry.folder_of("nvml")).libraries}
    assert set(rows[fetched.driver.version].exports) <= exported
    told = python(
        "from cuda.nvml import _core as core;"
        "print(*(row['symbol'] for row in core.functions() if core.address(row['name'])))",
        fetched.library,
    )
    bound = {function.function.symbol for function in bind(fold("nvml")).functions}
    assert set(told.split()) == exported & bound
