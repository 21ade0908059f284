# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of the driver wheel, where the toolkit wheels of one major are installed too."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import cuda.runtime
from support.build import stub_library

MAJOR = cuda.runtime._core.RELEASE // 1000
RELEASE = {12: "12.9", 13: "13.5"}[MAJOR]
OTHER = {12: 13, 13: 12}[MAJOR]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(stub_library("13.5"))}
    for name in ("runtime", "nvrtc", "nvjitlink", "nvvm"):
        environment[f"CUDA_{name.upper()}_LIBRARY"] = str(stub_library(RELEASE, f"{name}{MAJOR}"))
    run = [sys.executable, "-m", "cuda.driver_stable", *arguments]
    return subprocess.run(run, capture_output=True, text=True, env=environment)


def answer(*arguments: str, status: int = 0) -> Any:
    done = command(*arguments, "--json")
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(
        "from cuda.bindings import driver, nvrtc, runtime\n"
        "from cuda import nvjitlink\n\n"
        "driver.cuInit(0)\n"
        "error, properties = runtime.cudaGetDeviceProperties(0)\n"
        "runtime.cudaMalloc(1, 2)\n"
        "nvrtc.nvrtcGetPCHHeapSize()\n"
        "nvrtc.nvrtcCompile(0)\n"
        "nvjitlink.nvJitLinkVersion()\n"
    )
    return path


def test_show() -> None:
    names = (
        "cudaGetDeviceProperties",
        "nvrtcVersion",
        "nvJitLinkCreate",
        "nvvmCreateProgram",
        "cuInit",
        "cudaDeviceProp",
    )
    shown = answer("show", *names)
    assert [(one["name"], one["kind"], one["versions"][-1]["default_in"]) for one in shown] == [
        ("cudaGetDeviceProperties", "function", [MAJOR]),
        ("nvrtcVersion", "function", [MAJOR]),
        ("nvJitLinkCreate", "function", [MAJOR]),
        ("nvvmCreateProgram", "function", [MAJOR]),
        ("cuInit", "function", [11, 12, 13]),
        ("cudaDeviceProp", "type", [MAJOR]),
    ]
    assert all(one["versions"][-1]["available"] for one in shown)
    text = command("show", "cudaGetDeviceProperties").stdout
    assert f"what CUDA {MAJOR} means; " in text
    assert "the library here has it\n" in text


def test_resolve() -> None:
    asked = ("cuCtxCreate", "cudaGetDeviceProperties", "cudaMemcpyAsync")
    found = answer("resolve", *asked, "--cuda", str(MAJOR), "--per-thread")
    assert found["cudaMemcpyAsync"] == "cudaMemcpyAsync_ptsz"
    assert found["cudaGetDeviceProperties"] == {12: "cudaGetDeviceProperties_v2", 13: "cudaGetDeviceProperties"}[MAJOR]
    assert found["cuCtxCreate"] == {12: "cuCtxCreate_v2", 13: "cuCtxCreate_v4"}[MAJOR]
    done = command("resolve", "cudaMalloc", "--cuda", str(OTHER))
    assert done.returncode == 2
    assert f"cuda.runtime is of CUDA {MAJOR} here, and does not know what CUDA {OTHER} means" in done.stderr


def test_list() -> None:
    rows = answer("list", "nvrtc*PCH*", "--library", "nvrtc")
    assert [row["name"] for row in rows] == [
        "nvrtcGetPCHCreateStatus",
        "nvrtcGetPCHHeapSize",
        "nvrtcGetPCHHeapSizeRequired",
        "nvrtcSetPCHHeapSize",
    ]
    assert {row["introduced"] for row in rows} == {"12.8"}
    assert answer("list", "--library", "nvrtc", "--not-in-library") == []


def test_near_names_of_every_library() -> None:
    done = command("show", "nvrtcCompilProgram")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean nvrtcCompileProgram" in done.stderr


def test_audit(source: Path) -> None:
    found = answer("audit", str(source), "--cuda", str(MAJOR), status=1)
    assert [(finding["problem"], finding["name"]) for finding in found["findings"]] == [
        ("mismatch", "cudaMalloc"),
        ("unknown", "nvrtcCompile"),
    ]
    assert {need["library"]: (need["cuda"], need["version"]) for need in found["needs"]} == {
        "cuda.driver_stable": (MAJOR, "2.0"),
        "cuda.runtime": (MAJOR, f"{MAJOR}.0"),
        "cuda.nvrtc": (MAJOR, "12.8" if MAJOR == 12 else "13.0"),
        "cuda.nvjitlink": (None, "12.3" if MAJOR == 12 else "13.0"),
    }
    assert found["doubts"] == []


def test_audit_for_a_major_that_is_not_here(source: Path) -> None:
    found = answer("audit", str(source), "--cuda", str(OTHER), status=0)
    assert found["findings"] == []
    assert [doubt["text"] for doubt in found["doubts"]] == [
        f"cuda.runtime here is of CUDA {MAJOR}, so this was not judged for CUDA {OTHER}",
        f"cuda.nvrtc here is of CUDA {MAJOR}, so this was not judged for CUDA {OTHER}",
    ]


def test_pin(source: Path) -> None:
    source.write_text(source.read_text().replace("runtime.cudaMalloc(1, 2)\n", "").replace("Compile(0)", "Version()"))
    done = command("pin", str(source), "--cuda", str(MAJOR), "--write")
    assert done.returncode == 0, done.stderr
    text = source.read_text()
    assert "cuda.bindings" not in text
    assert f"runtime.{ {12: 'cudaGetDeviceProperties_v2', 13: 'cudaGetDeviceProperties'}[MAJOR] }(0)" in text
    assert answer("audit", str(source))["findings"] == []


def test_pin_for_a_major_that_is_not_here(source: Path) -> None:
    done = command("pin", str(source), "--cuda", str(OTHER))
    assert done.returncode == 1
    assert f"cudaGetDeviceProperties is of cuda.runtime, here for CUDA {MAJOR}; what it is imported with was left" in (
        done.stderr
    )
    assert "-from cuda.bindings import driver, nvrtc, runtime\n" in done.stdout
    assert "+from cuda.bindings import nvrtc, runtime\n" in done.stdout
