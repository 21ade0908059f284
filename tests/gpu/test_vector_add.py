# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The same program under permanent names and as each CUDA major writes it."""

from __future__ import annotations

import array
import ctypes
import importlib
from typing import Any

import pytest

from cuda import driver_stable as permanent

from . import kernels
from .helpers import N, check

A = array.array("f", range(N))
B = array.array("f", (i * 0.5 for i in range(N)))
EXPECTED = [a + b for a, b in zip(A, B, strict=True)]
SIZE = N * 4


def test_permanent_names(device: Any) -> None:
    context = check(permanent.cuCtxCreate_v2(0, device))
    module = check(permanent.cuModuleLoadData(kernels.source(kernels.MODULE)))
    kernel = check(permanent.cuModuleGetFunction(module, b"vector_add"))
    a, b, c = (check(permanent.cuMemAlloc_v2(SIZE)) for _ in range(3))
    check(permanent.cuMemcpyHtoD_v2(a, A, SIZE))
    check(permanent.cuMemcpyHtoD_v2(b, B, SIZE))
    values = ((a, b, c, N), (None, None, None, ctypes.c_uint))
    check(permanent.cuLaunchKernel(kernel, (N + 127) // 128, 1, 1, 128, 1, 1, 0, 0, values, 0))
    check(permanent.cuCtxSynchronize_v1())
    out = array.array("f", bytes(SIZE))
    check(permanent.cuMemcpyDtoH_v2(out, c, SIZE))
    for pointer in (a, b, c):
        check(permanent.cuMemFree_v2(pointer))
    check(permanent.cuModuleUnload(module))
    check(permanent.cuCtxDestroy_v2(context))
    assert list(out) == EXPECTED


def make_context(cuda: Any, major: int, device: Any) -> Any:
    """cuCtxCreate grew a parameter at CUDA 13."""
    return check(cuda.cuCtxCreate(None, 0, device) if major >= 13 else cuda.cuCtxCreate(0, device))


@pytest.mark.parametrize("stream_mode", ["legacy", "per_thread"])
@pytest.mark.parametrize("major", [11, 12, 13])
def test_view(device: Any, major: int, stream_mode: str) -> None:
    name = f"cuda.driver_stable.cu{major}" + (".per_thread" if stream_mode == "per_thread" else "")
    cuda = importlib.import_module(name)
    context = make_context(cuda, major, device)
    module = check(cuda.cuModuleLoadData(kernels.source(kernels.MODULE)))
    kernel = check(cuda.cuModuleGetFunction(module, b"vector_add"))
    a, b, c = (check(cuda.cuMemAlloc(SIZE)) for _ in range(3))
    check(cuda.cuMemcpyHtoD(a, A, SIZE))
    check(cuda.cuMemcpyHtoD(b, B, SIZE))
    values = ((a, b, c, N), (None, None, None, ctypes.c_uint))
    check(cuda.cuLaunchKernel(kernel, (N + 127) // 128, 1, 1, 128, 1, 1, 0, 0, values, 0))
    check(cuda.cuCtxSynchronize())
    out = array.array("f", bytes(SIZE))
    check(cuda.cuMemcpyDtoH(out, c, SIZE))
    for pointer in (a, b, c):
        check(cuda.cuMemFree(pointer))
    check(cuda.cuModuleUnload(module))
    check(cuda.cuCtxDestroy(context))
    assert list(out) == EXPECTED
