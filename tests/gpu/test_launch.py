# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels: every way to give their parameters, cuLaunchKernelEx, modules and libraries, the linker."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from cuda import driver_stable as cuda

from . import kernels
from .helpers import N, check, download

Upload = Callable[["array.array[Any]"], Any]
Kernel = Callable[[str], Any]
GRID = ((N + 127) // 128, 1, 1)
BLOCK = (128, 1, 1)


class Packed:
    """Kernel parameters as C has them: an array of addresses."""

    def __init__(self, *values: Any) -> None:
        self.values = values
        self.pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))

    @property
    def address(self) -> int:
        return ctypes.addressof(self.pointers)


@pytest.mark.parametrize("form", ["values and types", "address", "ctypes array"])
def test_kernel_parameters(kernel: Kernel, upload: Upload, form: str) -> None:
    data = array.array("f", range(N))
    out = upload(data)
    packed = Packed(ctypes.c_void_p(int(out)), ctypes.c_float(1.5), ctypes.c_double(0.25), ctypes.c_uint(N))
    parameters: Any = {
        "values and types": ((out, 1.5, 0.25, N), (None, ctypes.c_float, ctypes.c_double, ctypes.c_uint)),
        "address": packed.address,
        "ctypes array": packed.pointers,
    }[form]
    check(cuda.cuLaunchKernel(kernel("scale"), *GRID, *BLOCK, 0, 0, parameters, 0))
    check(cuda.cuCtxSynchronize_v1())
    assert list(download(out, "f", N)) == [i * 1.5 + 0.25 for i in range(N)]


def test_many_parameters(kernel: Kernel, allocate: Callable[[int], Any]) -> None:
    out = allocate(4)
    values = (out, *range(kernels.MANY))
    types = (None, *[ctypes.c_uint] * kernels.MANY)
    check(cuda.cuLaunchKernel(kernel(f"sum_of_{kernels.MANY}"), 1, 1, 1, 1, 1, 1, 0, 0, (values, types), 0))
    assert download(out, "I", 1)[0] == sum(range(kernels.MANY))


@pytest.mark.parametrize("with_attributes", [False, True])
def test_launch_ex(kernel: Kernel, upload: Upload, stream: Any, with_attributes: bool) -> None:
    out = upload(array.array("f", range(N)))
    config = cuda.CUlaunchConfig()
    config.gridDimX, config.gridDimY, config.gridDimZ = GRID
    config.blockDimX, config.blockDimY, config.blockDimZ = BLOCK
    config.hStream = stream
    if with_attributes:
        priority = cuda.CUlaunchAttribute()
        priority.id = cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_PRIORITY
        priority.value.priority = check(cuda.cuCtxGetStreamPriorityRange())[1]
        cooperative = cuda.CUlaunchAttribute()
        cooperative.id = cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_COOPERATIVE
        cooperative.value.cooperative = 0
        config.attrs = [priority, cooperative]
        config.numAttrs = 2
    parameters = ((out, 2.0, 1.0, N), (None, ctypes.c_float, ctypes.c_double, ctypes.c_uint))
    check(cuda.cuLaunchKernelEx(config, kernel("scale"), parameters, 0))
    check(cuda.cuStreamSynchronize(stream))
    assert list(download(out, "f", N)) == [i * 2.0 + 1.0 for i in range(N)]


def test_function_attributes(kernel: Kernel) -> None:
    function = kernel("scale")
    threads = cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK
    assert check(cuda.cuFuncGetAttribute(threads, function)) >= 128
    shared = cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    check(cuda.cuFuncSetAttribute(function, shared, 1024))
    assert check(cuda.cuFuncGetAttribute(shared, function)) == 1024
    if cuda.is_available("cuFuncGetParamInfo"):
        assert check(cuda.cuFuncGetParamInfo(function, 2)) == (16, 8)


def test_module_global(context: Any, module: Any) -> None:
    address, size = check(cuda.cuModuleGetGlobal_v2(module, b"counter"))
    assert size == 4
    assert download(address, "I", 1)[0] == 41


def test_library(context: Any) -> None:
    if not cuda.is_available("cuLibraryLoadData"):
        pytest.skip("the driver has no cuLibraryLoadData")
    library = check(cuda.cuLibraryLoadData(kernels.source(kernels.MODULE), None, None, 0, None, None, 0))
    kernel = check(cuda.cuLibraryGetKernel(library, b"vector_add"))
    assert int(check(cuda.cuKernelGetFunction(kernel)))
    check(cuda.cuLibraryUnload(library))


def test_load_with_options_and_log(context: Any) -> None:
    """Options with outputs: the log of a compilation that fails."""
    log = bytearray(4096)
    options = [
        cuda.CUjit_option.CU_JIT_ERROR_LOG_BUFFER,
        cuda.CUjit_option.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        cuda.CUjit_option.CU_JIT_OPTIMIZATION_LEVEL,
    ]
    image = kernels.source(kernels.HEADER + ".visible .entry broken() { nonsense; }\n")
    error, module = cuda.cuModuleLoadDataEx(image, len(options), options, [log, len(log), 2])
    assert error != cuda.CUresult.CUDA_SUCCESS
    assert module is None
    assert b"nonsense" in log


def test_link(context: Any, allocate: Callable[[int], Any]) -> None:
    log = bytearray(4096)
    options = [
        cuda.CUjit_option.CU_JIT_INFO_LOG_BUFFER,
        cuda.CUjit_option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
        cuda.CUjit_option.CU_JIT_LOG_VERBOSE,
    ]
    state = check(cuda.cuLinkCreate_v2(len(options), options, [log, len(log), 1]))
    ptx = cuda.CUjitInputType.CU_JIT_INPUT_PTX
    for name, text in ((b"caller.ptx", kernels.CALLER), (b"callee.ptx", kernels.CALLEE)):
        image = kernels.source(text)
        check(cuda.cuLinkAddData_v2(state, ptx, image, len(image), name, 0, None, None))
    cubin, size = check(cuda.cuLinkComplete(state))
    assert size > 0
    assert log.rstrip(b"\0")
    module = check(cuda.cuModuleLoadData(cubin))
    out = allocate(N * 4)
    function = check(cuda.cuModuleGetFunction(module, b"caller"))
    check(cuda.cuLaunchKernel(function, *GRID, *BLOCK, 0, 0, ((out, N), (None, ctypes.c_uint)), 0))
    assert list(download(out, "I", N)) == [2 * i for i in range(N)]
    check(cuda.cuModuleUnload(module))
    check(cuda.cuLinkDestroy(state))
