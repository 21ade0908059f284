# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Stubs are good for what they are for: a type checker passes right programs and finds wrong ones."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.emit.outputs import outputs
from codegen.tests.emit_sample import BINDING

pytest.importorskip("mypy", reason="mypy is not installed")

DRIVER = LIBRARIES["driver"]

# What is declared elsewhere, by hand.
STAND_INS = {
    "_core.pyi": "class DriverNotFoundError(RuntimeError): ...\nclass FunctionNotFoundError(RuntimeError): ...\n"
    "def names(scope: str) -> list[str]: ...\n",
    "_capi.pyi": (
        "def capi(major: int, *, per_thread: bool = ...) -> dict[str, object]: ...\ndef get_include() -> str: ...\n"
    ),
    "_api.pyi": "class CudaVersion: ...\nclass Version: ...\n"
    "def is_available(name: str) -> bool: ...\ndef required_cuda(name: str) -> CudaVersion: ...\n"
    "def resolve(name: str, *, cuda: int) -> str: ...\ndef versions(name: str) -> tuple[Version, ...]: ...\n",
    "_views.pyi": "from collections.abc import Callable\n"
    "def view(module: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]: ...\n",
}

RIGHT = """
import ctypes

import numbers
from cuda.driver_stable import *
from cuda.driver_stable import CUattr, CUhostFn, CUnode_v2, CUplace, CUresult, CUstream, cu11, cu13
from cuda.driver_stable.cu13 import per_thread
import cuda.driver_stable as driver


class Torch:
    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, 7


status, stream = driver.cuMake_v1()
assert status == CUresult.CUDA_SUCCESS and stream is not None
(status,) = driver.cuSync(stream)
driver.cuSync(0), driver.cuSync(None), driver.cuSync(Torch()), driver.cuSync(hStream=CUstream(3))
driver.cuTake(1, bytearray(3), None)
driver.cuTake(None, CUplace(), ((1, 2.0), (None, ctypes.c_float)))
place = CUplace(kind=1, weight=2.0, address=b"x")
place.kind = CUattr.CU_ATTR_NAME
kind: CUattr = place.kind
driver.cuNodes([CUnode_v2(stream=0, places=[place])], 1, CUhostFn(0), b"label")
err, node, mask = driver.cuNodes(None, n=0, fn=ctypes.CFUNCTYPE(None)(print), label=None, mask=3)
names: list[str | None] = [member.name for member in CUattr]
same: CUstream | None = cu11.cuMake()[1] or cu13.cuMake(place, 1.0)[1]
per_thread.cuSync(same)
clock: CUattr = cu11.CU_ATTR_CLOCK
old: int = cu11.CUDA_VERSION
try:
    driver.resolve("cuMake", cuda=13)
except driver.FunctionNotFoundError:
    pass
"""

WRONG = {
    "driver.cuSync(driver.CUdeviceptr_v2(1))": "arg-type",
    "driver.cuSync('0')": "arg-type",
    "driver.cuSync(object())": "arg-type",
    "driver.cuSync()": "call-arg",
    "driver.cuInit(flags=0)": "call-arg",
    "driver.cuNodes([], 0, None, 'text')": "arg-type",
    "driver.cuTake(driver.CUstream(), None, None)": "arg-type",
    "driver.CUplace().weight = 'heavy'": "assignment",
    "driver.CUplace(colour=1)": "call-arg",
    "driver.CUplace().kind = None": "assignment",
    "driver.cuMake": "attr-defined",
    "driver.cu11.CUnode": "attr-defined",
    "driver.cu11.cuMake(1)": "call-arg",
    "driver.CUattr.CU_ATTR_NOTHING": "attr-defined",
    "driver.CUresult(0).name.upper()": "union-attr",
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("stubs")
    files = {**outputs(BINDING, DRIVER), **STAND_INS}
    for name, text in files.items():
        path = root / "cuda" / "driver_stable" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def mypy(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--namespace-packages", "--explicit-package-bases"]
    cache = f"--cache-dir={root / 'cache'}"
    return subprocess.run([*command, cache, *arguments], cwd=root, capture_output=True, text=True)


def test_the_stubs_are_strict_themselves(root: Path) -> None:
    ran = mypy(root, "cuda/driver_stable")
    assert ran.returncode == 0, ran.stdout


def test_right_programs_pass(root: Path) -> None:
    (root / "right.py").write_text(RIGHT)
    ran = mypy(root, "right.py")
    assert ran.returncode == 0, ran.stdout


def test_wrong_programs_are_found(root: Path) -> None:
    (root / "wrong.py").write_text("import cuda.driver_stable as driver\n" + "".join(f"{line}\n" for line in WRONG))
    ran = mypy(root, "wrong.py")
    found = re.findall(r"^wrong\.py:(\d+): error: .*\[([a-z-]+)\]$", ran.stdout, re.MULTILINE)
    assert found == [(str(number), code) for number, code in enumerate(WRONG.values(), start=2)], ran.stdout
