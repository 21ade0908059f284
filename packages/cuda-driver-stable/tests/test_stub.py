# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The stub driver, on which the other tests stand: what it does when nothing is programmed."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Iterator
from typing import Any

import pytest

from cuda import driver_stable as cuda
from support.stub import Stub

Memory = cuda.CUmemorytype


def check(results: tuple[Any, ...]) -> Any:
    error, *outputs = results
    assert error == 0, repr(error)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


@pytest.fixture
def context(stub: Stub) -> Iterator[Any]:
    """Every object that a test makes has to be ended by it."""
    counted = ("CUcontext", "CUstream", "CUevent", "CUmodule", "CUarray", "CUgraph", "CUgraphExec", "CUmemoryPool")
    before = {name: stub.alive(name) for name in counted}
    blocks = stub.blocks()
    context = check(cuda.cuCtxCreate_v2(0, 0))
    yield context
    check(cuda.cuCtxDestroy_v2(context))
    assert {name: stub.alive(name) for name in counted} == before
    assert stub.blocks() == blocks


@pytest.mark.parametrize("version", ["v1", "v2"])
def test_memory(context: Any, version: str) -> None:
    """Device memory is host memory; that of the first version has addresses of 32 bits."""

    def call(base: str, *arguments: Any) -> Any:
        return check(getattr(cuda, f"{base}_{version}")(*arguments))

    a, b = (call("cuMemAlloc", 256) for _ in range(2))
    if version == "v1":
        assert int(a) < 1 << 32
    source = bytes(range(256))
    call("cuMemcpyHtoD", a, source, 256)
    call("cuMemcpyDtoD", b, a, 256)
    call("cuMemsetD32", b, 0xAABBCCDD, 2)
    out = bytearray(256)
    call("cuMemcpyDtoH", out, b, 256)
    assert out == (0xAABBCCDD).to_bytes(4, "little") * 2 + source[8:]
    base, size = call("cuMemGetAddressRange", int(a) + 17)
    assert (base, size) == (a, 256)
    for pointer in (a, b):
        call("cuMemFree", pointer)
    freed, _ = getattr(cuda, f"cuMemGetAddressRange_{version}")(a)[:2]
    assert freed == cuda.CUresult.CUDA_ERROR_INVALID_VALUE
    assert getattr(cuda, f"cuMemFree_{version}")(a) == (cuda.CUresult.CUDA_ERROR_INVALID_VALUE,)


def test_shaped_copies(context: Any) -> None:
    width, height = 6, 4
    values = array.array("f", range(width * height))
    descriptor = cuda.CUDA_ARRAY_DESCRIPTOR_v2(
        Width=width, Height=height, Format=cuda.CUarray_format.CU_AD_FORMAT_FLOAT, NumChannels=1
    )
    handle = check(cuda.cuArrayCreate_v2(descriptor))
    assert check(cuda.cuArrayGetDescriptor_v2(handle)) == descriptor
    whole = {"WidthInBytes": width * 4, "Height": height}
    to_array = cuda.CUDA_MEMCPY2D_v2(
        srcMemoryType=Memory.CU_MEMORYTYPE_HOST,
        srcHost=values,
        srcPitch=width * 4,
        dstMemoryType=Memory.CU_MEMORYTYPE_ARRAY,
        dstArray=handle,
        **whole,
    )
    check(cuda.cuMemcpy2D_v2(to_array))
    out = array.array("f", bytes(4 * 6))
    corner = cuda.CUDA_MEMCPY3D_v2(
        srcMemoryType=Memory.CU_MEMORYTYPE_ARRAY,
        srcArray=handle,
        srcXInBytes=4,
        srcY=2,
        dstMemoryType=Memory.CU_MEMORYTYPE_HOST,
        dstHost=out,
        dstPitch=12,
        WidthInBytes=12,
        Height=2,
        Depth=1,
    )
    check(cuda.cuMemcpy3D_v2(corner))
    assert list(out) == [13, 14, 15, 19, 20, 21]
    check(cuda.cuArrayDestroy(handle))
    assert cuda.cuArrayDestroy(handle) == (cuda.CUresult.CUDA_ERROR_INVALID_HANDLE,)


def test_contexts_are_a_stack(stub: Stub) -> None:
    first, second = (check(cuda.cuCtxCreate_v2(flags, 0)) for flags in (1, 2))
    assert check(cuda.cuCtxGetCurrent()) == second
    assert check(cuda.cuCtxGetFlags()) == 2
    assert check(cuda.cuCtxPopCurrent_v2()) == second
    assert check(cuda.cuCtxGetCurrent()) == first
    for context in (first, second):
        check(cuda.cuCtxDestroy_v2(context))
    assert check(cuda.cuCtxGetCurrent()) == cuda.CUcontext(0)
    assert cuda.cuCtxSynchronize_v1() == (cuda.CUresult.CUDA_ERROR_INVALID_CONTEXT,)
    assert cuda.cuCtxDestroy_v2(first) == (cuda.CUresult.CUDA_ERROR_INVALID_CONTEXT,)


def test_handles_are_counted(context: Any, stub: Stub) -> None:
    streams = [check(cuda.cuStreamCreate(1)) for _ in range(3)]
    assert len(set(streams)) == 3
    assert stub.alive("CUstream") >= 3
    for stream in streams:
        check(cuda.cuStreamDestroy_v2(stream))
    assert cuda.cuStreamDestroy_v2(streams[0]) == (cuda.CUresult.CUDA_ERROR_INVALID_HANDLE,)
    event = check(cuda.cuEventCreate(0))
    assert cuda.cuModuleUnload(int(event)) == (cuda.CUresult.CUDA_ERROR_INVALID_HANDLE,)
    check(cuda.cuEventDestroy_v2(event))


def test_user_objects_are_destroyed_once(context: Any) -> None:
    gone: list[int | None] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(gone.append)
    handle = check(cuda.cuUserObjectCreate(0x55, function, 2, 1))
    check(cuda.cuUserObjectRetain(handle, 1))
    check(cuda.cuUserObjectRelease(handle, 2))
    assert not gone
    check(cuda.cuUserObjectRelease(handle, 1))
    assert gone == [0x55]


def test_recording(stub: Stub) -> None:
    check(cuda.cuDeviceGetCount())
    check(cuda.cuDeviceGet(0))
    assert [call.symbol for call in stub.calls()] == ["cuDeviceGetCount", "cuDeviceGet"]
    assert stub.count("cuDeviceGet") == 1
    with stub.unrecorded():
        check(cuda.cuDeviceGetCount())
    assert stub.count() == 2
    assert cuda.cuDeviceGet(1) == (cuda.CUresult.CUDA_ERROR_INVALID_DEVICE, None)
    assert stub.call().result == cuda.CUresult.CUDA_ERROR_INVALID_DEVICE
    stub.returns("cuDeviceGet", 700)
    assert cuda.cuDeviceGet(0) == (700, None)
    stub.clear("cuDeviceGet")
    assert check(cuda.cuDeviceGet(0)) == cuda.CUdevice_v1(0)
    with pytest.raises(LookupError):
        stub.call(1_000_000)
    with pytest.raises(ValueError, match="no place"):
        stub.captures("cuDeviceGet", (7, 0), 4)


def test_old_records_make_room_for_new_ones(stub: Stub) -> None:
    for _ in range(10_000):
        cuda.cuDeviceGetCount()
    assert stub.count() == 10_000
    assert stub.call().symbol == "cuDeviceGetCount"
    with pytest.raises(LookupError):
        stub.call(1)
