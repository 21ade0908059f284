# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The commands, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.build import stub_library


def command(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "cuda.driver_stable", *arguments]
    return subprocess.run(run, capture_output=True, text=True, env={**os.environ, **environment})


def answer(*arguments: str, **environment: str) -> Any:
    done = command(*arguments, "--json", **environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_show() -> None:
    done = command("show", "cuCtxCreate")
    assert done.returncode == 0, done.stderr
    assert "cuCtxCreate_v2  since CUDA 3.2; what CUDA 11, 12 means; the driver here has it\n" in done.stdout
    assert "    - CUexecAffinityParam_v1 *paramsArray\n" in done.stdout
    assert "    + CUctxCreateParams *ctxCreateParams\n" in done.stdout
    (shown,) = answer("show", "cuCtxCreate")
    assert [version["name"] for version in shown["versions"]][-1] == "cuCtxCreate_v4"


def test_show_knows_the_driver() -> None:
    older, none = str(stub_library("12.4")), "/nowhere/libcuda.so.1"
    for library, expected in ((older, [True, True, True, False]), (none, [None] * 4)):
        (shown,) = answer("show", "cuCtxCreate", CUDA_DRIVER_STABLE_LIBRARY=library)
        assert [version["available"] for version in shown["versions"]] == expected


def test_show_a_value() -> None:
    (shown,) = answer("show", "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS")
    assert shown["values"] == {"permanent": 122, "cu11": 93, "cu12": 122, "cu13": 122}


def test_resolve() -> None:
    assert command("resolve", "cuCtxCreate", "cuInit", "--cuda", "12").stdout == "cuCtxCreate_v2\ncuInit\n"
    assert answer("resolve", "cuLaunchKernel", "--cuda", "13", "--per-thread") == {
        "cuLaunchKernel": "cuLaunchKernel_ptsz"
    }


def test_list() -> None:
    rows = answer("list", "--since", "13.0", "--not-in-driver", CUDA_DRIVER_STABLE_LIBRARY=str(stub_library("13.4")))
    assert [row["name"] for row in rows] == ["cuFabricCpyBatchAsync", "cuTensorMapSetAllocationClass"]
    assert answer("list", "--since", "13.0", "--not-in-driver") == []
    done = command("list", "--not-in-driver", CUDA_DRIVER_STABLE_LIBRARY="/nowhere/libcuda.so.1")
    assert done.returncode == 2
    assert "needs a driver, and no driver could be loaded" in done.stderr


def test_diff() -> None:
    done = command("diff", "12", "13")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("CUDA 12 to 13: 15 functions change their meaning\n")
    assert "\ncuCtxCreate  cuCtxCreate_v2 -> cuCtxCreate_v4\n" in done.stdout
    changed = answer("diff", "12", "13")["changed"]
    assert [c["new"] for c in changed if c["name"] == "cuDeviceGetUuid"] == ["cuDeviceGetUuid_v2"]


def test_json_may_stand_before_the_command() -> None:
    done = command("--json", "resolve", "cuInit", "--cuda", "12")
    assert json.loads(done.stdout) == {"cuInit": "cuInit"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "cuCtxCraete"), "knows no name 'cuCtxCraete'; did you mean cuCtxCreate"),
        (("resolve", "cuCtxCraete", "--cuda", "12"), "did you mean cuCtxCreate"),
        (("resolve", "cuInit", "--cuda", "10"), "there are views of 11, 12, 13"),
        (("resolve", "cuCtxCreate_v4", "--cuda", "11"), "CUDA 11 has no function or type"),
        (("resolve", "CUDA_SUCCESS", "--cuda", "12"), "is neither a function nor a type"),
        (("resolve", "cuInit"), "--cuda"),
        (("diff", "12", "14"), "no view of CUDA 14; there are views of 11, 12, 13"),
        (("list", "--since", "soon"), "'soon' is not a CUDA version"),
        (("nothing",), "invalid choice"),
    ],
)
def test_refuses(arguments: tuple[str, ...], said: str) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_reader_that_stops_early() -> None:
    run = f"{sys.executable} -m cuda.driver_stable diff 11 13 | head -n 1"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {run}"], capture_output=True, text=True)
    assert done.stdout.startswith("CUDA 11 to 13")
    assert "Traceback" not in done.stderr
    assert "BrokenPipe" not in done.stderr


def test_script_is_declared() -> None:
    text = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert 'cuda-driver = "cuda.driver_stable._tools.cli:main"' in text
