# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""From NVVM IR to a running kernel: libNVVM compiles, the driver launches."""

from __future__ import annotations

import array
import ctypes
import math
from pathlib import Path
from typing import Any

import pytest

from cuda import driver_stable as cuda
from support import nvvmir

from .helpers import check

nvvm: Any = pytest.importorskip("cuda.nvvm", reason="cuda-nvvm is not installed")
BLOCK = 256
FACTOR = 0.5


@pytest.fixture(autouse=True)
def _library() -> None:
    if not nvvm._core.library()["loaded"]:
        pytest.skip("NVIDIA's libNVVM is not installed")


@pytest.fixture
def target(device: Any) -> str:
    attribute = cuda.CUdevice_attribute
    major, minor = (
        check(cuda.cuDeviceGetAttribute(getattr(attribute, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"), device))
        for part in ("MAJOR", "MINOR")
    )
    return f"-arch=compute_{major}{minor}"


def libdevice() -> bytes:
    """It lies in NVIDIA's wheels, and in toolkits, beside the library."""
    library = Path(nvvm._core.library()["path"])
    for folder in library.parents[:4]:
        for found in folder.glob("nvvm/libdevice/libdevice.10.bc"):
            return found.read_bytes()
    pytest.skip(f"no libdevice beside {library}")


def compiled(target: str, *modules: bytes, lazy: bytes = b"") -> bytes:
    program = nvvm.create_program()
    for number, module in enumerate(modules):
        nvvm.add_module_to_program(program, module, len(module), f"module{number}")
    if lazy:
        nvvm.lazy_add_module_to_program(program, lazy, len(lazy), "libdevice")
    nvvm.compile_program(program, 1, [target])
    ptx = bytearray(nvvm.get_compiled_result_size(program))
    nvvm.get_compiled_result(program, ptx)
    nvvm.destroy_program(program)
    return bytes(ptx)


def run(ptx: bytes, values: array.array[float]) -> array.array[float]:
    module = check(cuda.cuModuleLoadData(ptx))
    kernel = check(cuda.cuModuleGetFunction(module, b"kernel"))
    size = values.itemsize * len(values)
    memory = check(cuda.cuMemAlloc_v2(size))
    check(cuda.cuMemcpyHtoD_v2(memory, values, size))
    given = ((memory, FACTOR, len(values)), (None, ctypes.c_float, ctypes.c_uint32))
    check(cuda.cuLaunchKernel(kernel, 1, 1, 1, BLOCK, 1, 1, 0, 0, given, 0))
    result = array.array("f", bytes(size))
    check(cuda.cuMemcpyDtoH_v2(result, memory, size))
    check(cuda.cuMemFree_v2(memory))
    check(cuda.cuModuleUnload(module))
    return result


@pytest.fixture
def values() -> array.array[float]:
    return array.array("f", (0.25 * i for i in range(BLOCK)))


def test_kernel_that_calls_another_module(context: Any, target: str, values: array.array[float]) -> None:
    ptx = compiled(target, nvvmir.kernel("plus"), nvvmir.definition("plus", 3))
    assert list(run(ptx, values)) == [value * FACTOR + 3 for value in values]


def test_kernel_that_calls_libdevice(context: Any, target: str, values: array.array[float]) -> None:
    ptx = compiled(target, nvvmir.kernel("__nv_sinf"), lazy=libdevice())
    for found, value in zip(run(ptx, values), values, strict=True):
        assert found == pytest.approx(math.sin(value * FACTOR), abs=1e-5)
