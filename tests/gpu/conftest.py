# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Tests of the installed wheel on a real GPU. They need pytest and nothing else."""

from __future__ import annotations

import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cuda import driver_stable as cuda

from . import kernels
from .helpers import check


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.gpu)


@pytest.fixture(scope="session")
def device() -> Any:
    check(cuda.cuInit(0))
    assert check(cuda.cuDeviceGetCount()) > 0
    return check(cuda.cuDeviceGet(0))


@pytest.fixture
def context(device: Any) -> Iterator[Any]:
    """The primary context, current."""
    context = check(cuda.cuDevicePrimaryCtxRetain(device))
    check(cuda.cuCtxPushCurrent_v2(context))
    yield context
    check(cuda.cuCtxSynchronize_v1())
    assert check(cuda.cuCtxPopCurrent_v2()) == context
    check(cuda.cuDevicePrimaryCtxRelease_v2(device))


@pytest.fixture(scope="session")
def module(device: Any) -> Iterator[Any]:
    context = check(cuda.cuDevicePrimaryCtxRetain(device))
    check(cuda.cuCtxPushCurrent_v2(context))
    module = check(cuda.cuModuleLoadData(kernels.source(kernels.MODULE)))
    check(cuda.cuCtxPopCurrent_v2())
    yield module
    check(cuda.cuCtxPushCurrent_v2(context))
    check(cuda.cuModuleUnload(module))
    check(cuda.cuCtxPopCurrent_v2())
    check(cuda.cuDevicePrimaryCtxRelease_v2(device))


@pytest.fixture
def kernel(context: Any, module: Any) -> Callable[[str], Any]:
    return lambda name: check(cuda.cuModuleGetFunction(module, name.encode()))


@pytest.fixture
def allocate(context: Any) -> Iterator[Callable[[int], Any]]:
    pointers = []

    def one(size: int) -> Any:
        pointers.append(check(cuda.cuMemAlloc_v2(size)))
        return pointers[-1]

    yield one
    for pointer in pointers:
        check(cuda.cuMemFree_v2(pointer))


@pytest.fixture
def upload(allocate: Callable[[int], Any]) -> Callable[[array.array[Any]], Any]:
    def one(values: array.array[Any]) -> Any:
        size = len(values) * values.itemsize
        pointer = allocate(size)
        check(cuda.cuMemcpyHtoD_v2(pointer, values, size))
        return pointer

    return one


@pytest.fixture
def stream(context: Any) -> Iterator[Any]:
    stream = check(cuda.cuStreamCreate(cuda.CUstream_flags.CU_STREAM_NON_BLOCKING))
    yield stream
    check(cuda.cuStreamSynchronize(stream))
    check(cuda.cuStreamDestroy_v2(stream))
