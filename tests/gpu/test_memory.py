# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Memory: linear, pitched, pooled, managed, host; shaped copies; attributes; a handle for another process."""

from __future__ import annotations

import array
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from cuda import driver_stable as cuda

from .helpers import check, download

Memory = cuda.CUmemorytype
Attribute = cuda.CUpointer_attribute


def test_fill_and_copy(allocate: Callable[[int], Any]) -> None:
    a, b = allocate(4096), allocate(4096)
    check(cuda.cuMemsetD32_v2(a, 0xDEADBEEF, 1024))
    check(cuda.cuMemsetD16_v2(int(a) + 2048, 0x1234, 4))
    check(cuda.cuMemcpyDtoD_v2(b, a, 4096))
    out = download(b, "I", 1024)
    assert out[0] == 0xDEADBEEF
    assert out[512] == 0x12341234
    assert out[514] == 0xDEADBEEF


def test_address_range(allocate: Callable[[int], Any]) -> None:
    pointer = allocate(1 << 20)
    base, size = check(cuda.cuMemGetAddressRange_v2(int(pointer) + 100))
    assert base == pointer
    assert size == 1 << 20


def test_info(context: Any) -> None:
    free, total = check(cuda.cuMemGetInfo_v2())
    assert 0 < free <= total


@pytest.mark.parametrize("kind", ["array.array", "bytearray", "memoryview", "address"])
def test_host_memory_may_be(allocate: Callable[[int], Any], kind: str) -> None:
    pointer = allocate(64)
    values = array.array("B", range(64))
    source: Any = {
        "array.array": values,
        "bytearray": bytearray(values),
        "memoryview": memoryview(bytes(values)),
        "address": values.buffer_info()[0],
    }[kind]
    check(cuda.cuMemcpyHtoD_v2(pointer, source, 64))
    assert download(pointer, "B", 64) == values


def test_pitched_2d(context: Any) -> None:
    width, height = 60, 5
    pointer, pitch = check(cuda.cuMemAllocPitch_v2(width, height, 4))
    assert pitch >= width
    rows = bytes(range(height)) * width
    source = bytearray(rows[: width * height])
    to_device = cuda.CUDA_MEMCPY2D_v2(
        srcMemoryType=Memory.CU_MEMORYTYPE_HOST,
        srcHost=source,
        srcPitch=width,
        dstMemoryType=Memory.CU_MEMORYTYPE_DEVICE,
        dstDevice=pointer,
        dstPitch=pitch,
        WidthInBytes=width,
        Height=height,
    )
    check(cuda.cuMemcpy2D_v2(to_device))
    out = bytearray(width * height)
    to_host = cuda.CUDA_MEMCPY2D_v2()
    to_host.srcMemoryType = Memory.CU_MEMORYTYPE_DEVICE
    to_host.srcDevice = pointer
    to_host.srcPitch = pitch
    to_host.dstMemoryType = Memory.CU_MEMORYTYPE_HOST
    to_host.dstHost = out
    to_host.dstPitch = width
    to_host.WidthInBytes = width
    to_host.Height = height
    check(cuda.cuMemcpy2DUnaligned_v2(to_host))
    assert out == source
    check(cuda.cuMemFree_v2(pointer))


def test_box_3d(context: Any) -> None:
    width, height, depth = 16, 3, 2
    volume = bytes(range(width * height * depth))
    descriptor = cuda.CUDA_ARRAY3D_DESCRIPTOR_v2(
        Width=width,
        Height=height,
        Depth=depth,
        Format=cuda.CUarray_format.CU_AD_FORMAT_UNSIGNED_INT8,
        NumChannels=1,
    )
    handle = check(cuda.cuArray3DCreate_v2(descriptor))
    assert check(cuda.cuArray3DGetDescriptor_v2(handle)) == descriptor
    box = cuda.CUDA_MEMCPY3D_v2(
        srcMemoryType=Memory.CU_MEMORYTYPE_HOST,
        srcHost=bytearray(volume),
        srcPitch=width,
        srcHeight=height,
        dstMemoryType=Memory.CU_MEMORYTYPE_ARRAY,
        dstArray=handle,
        WidthInBytes=width,
        Height=height,
        Depth=depth,
    )
    check(cuda.cuMemcpy3D_v2(box))
    out = bytearray(len(volume))
    back = cuda.CUDA_MEMCPY3D_v2(
        srcMemoryType=Memory.CU_MEMORYTYPE_ARRAY,
        srcArray=handle,
        dstMemoryType=Memory.CU_MEMORYTYPE_HOST,
        dstHost=out,
        dstPitch=width,
        dstHeight=height,
        WidthInBytes=width,
        Height=height,
        Depth=depth,
    )
    check(cuda.cuMemcpy3D_v2(back))
    assert out == volume
    check(cuda.cuArrayDestroy(handle))


def test_host_memory(context: Any) -> None:
    address = check(cuda.cuMemHostAlloc(4096, 0))
    assert address
    assert int(check(cuda.cuMemHostGetDevicePointer_v2(address, 0)))
    check(cuda.cuMemFreeHost(address))
    buffer = bytearray(1 << 16)
    check(cuda.cuMemHostRegister_v2(buffer, len(buffer), 0))
    check(cuda.cuMemHostUnregister(buffer))


def test_managed(context: Any, device: Any) -> None:
    pointer = check(cuda.cuMemAllocManaged(4096, cuda.CUmemAttach_flags.CU_MEM_ATTACH_GLOBAL))
    check(cuda.cuMemsetD8_v2(pointer, 3, 4096))
    check(cuda.cuMemPrefetchAsync_v1(pointer, 4096, device, 0))
    location = cuda.CUmemLocation_v1(type=cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE, id=int(device))
    if cuda.is_available("cuMemPrefetchAsync_v2"):
        check(cuda.cuMemPrefetchAsync_v2(pointer, 4096, location, 0, 0))
    check(cuda.cuCtxSynchronize_v1())
    assert set(download(pointer, "B", 4096)) == {3}
    last = cuda.CUmem_range_attribute.CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION
    assert check(cuda.cuMemRangeGetAttribute(4, last, pointer, 4096)) == int(device)
    check(cuda.cuMemFree_v2(pointer))


def test_pointer_attributes(allocate: Callable[[int], Any], context: Any) -> None:
    pointer = allocate(512)
    assert check(cuda.cuPointerGetAttribute(Attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer)) == 2
    assert check(cuda.cuPointerGetAttribute(Attribute.CU_POINTER_ATTRIBUTE_CONTEXT, pointer)) == context
    assert check(cuda.cuPointerGetAttribute(Attribute.CU_POINTER_ATTRIBUTE_RANGE_SIZE, pointer)) >= 512
    wanted = [
        Attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
        Attribute.CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
        Attribute.CU_POINTER_ATTRIBUTE_IS_MANAGED,
    ]
    ordinal, address, managed = check(cuda.cuPointerGetAttributes(len(wanted), wanted, pointer))
    assert (ordinal, int(address), bool(managed)) == (0, int(pointer), False)
    check(cuda.cuPointerSetAttribute(True, Attribute.CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointer))


def test_pool(context: Any, device: Any, stream: Any) -> None:
    properties = cuda.CUmemPoolProps_v1(
        allocType=cuda.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED,
        handleTypes=cuda.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_NONE,
    )
    properties.location.type = cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    properties.location.id = int(device)
    pool = check(cuda.cuMemPoolCreate(properties))
    threshold = cuda.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
    check(cuda.cuMemPoolSetAttribute(pool, threshold, 1 << 22))
    assert int(check(cuda.cuMemPoolGetAttribute(pool, threshold))) == 1 << 22
    pointer = check(cuda.cuMemAllocFromPoolAsync(1 << 20, pool, stream))
    used = cuda.CUmemPool_attribute.CU_MEMPOOL_ATTR_USED_MEM_CURRENT
    assert int(check(cuda.cuMemPoolGetAttribute(pool, used))) >= 1 << 20
    check(cuda.cuMemsetD8Async(pointer, 1, 1 << 20, stream))
    check(cuda.cuMemFreeAsync(pointer, stream))
    check(cuda.cuStreamSynchronize(stream))
    check(cuda.cuMemPoolTrimTo(pool, 0))
    check(cuda.cuMemPoolDestroy(pool))


def test_virtual_memory(context: Any, device: Any) -> None:
    properties = cuda.CUmemAllocationProp_v1(type=cuda.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED)
    properties.location.type = cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    properties.location.id = int(device)
    minimum = cuda.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    size = check(cuda.cuMemGetAllocationGranularity(properties, minimum))
    handle = check(cuda.cuMemCreate(size, properties, 0))
    address = check(cuda.cuMemAddressReserve(size, 0, 0, 0))
    check(cuda.cuMemMap(address, size, 0, handle, 0))
    access = cuda.CUmemAccessDesc_v1(flags=cuda.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
    access.location.type = cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    access.location.id = int(device)
    check(cuda.cuMemSetAccess(address, size, [access], 1))
    check(cuda.cuMemsetD8_v2(address, 9, size))
    assert set(download(address, "B", 64)) == {9}
    assert check(cuda.cuMemGetAllocationPropertiesFromHandle(handle)).location.id == int(device)
    check(cuda.cuMemUnmap(address, size))
    check(cuda.cuMemRelease(handle))
    check(cuda.cuMemAddressFree(address, size))


OPEN_IPC = """
import sys
from cuda import driver_stable as cuda
handle = cuda.CUipcMemHandle_v1()
handle.reserved = bytes.fromhex(sys.argv[1])
assert cuda.cuInit(0)[0] == 0
device = cuda.cuDeviceGet(0)[1]
context = cuda.cuDevicePrimaryCtxRetain(device)[1]
assert cuda.cuCtxSetCurrent(context)[0] == 0
error, pointer = cuda.cuIpcOpenMemHandle_v2(handle, 1)
print(int(error))
if error == 0:
    out = bytearray(64)
    assert cuda.cuMemcpyDtoH_v2(out, pointer, 64)[0] == 0
    print(out.hex())
    assert cuda.cuIpcCloseMemHandle(pointer)[0] == 0
"""


def test_ipc(allocate: Callable[[int], Any]) -> None:
    """A record passed by value: another process opens what this one exports."""
    pointer = allocate(1 << 21)
    check(cuda.cuMemsetD8_v2(pointer, 0x5A, 64))
    check(cuda.cuCtxSynchronize_v1())
    handle = check(cuda.cuIpcGetMemHandle(pointer))
    assert any(handle.reserved)
    child = subprocess.run(
        [sys.executable, "-c", OPEN_IPC, bytes(handle.reserved).hex()], capture_output=True, text=True, timeout=120
    )
    assert child.returncode == 0, child.stderr
    error, *content = child.stdout.split()
    if int(error):
        pytest.skip(f"this machine does not let processes share device memory (CUresult {error})")
    assert content == ["5a" * 64]
