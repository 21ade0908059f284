# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays and textures."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from typing import Any

from cuda import driver_stable as cuda

from .helpers import check, download

WIDTH, HEIGHT = 16, 4
COUNT = WIDTH * HEIGHT
VALUES = array.array("f", (i * 0.25 for i in range(COUNT)))


def filled_array() -> Any:
    descriptor = cuda.CUDA_ARRAY_DESCRIPTOR_v2(
        Width=WIDTH, Height=HEIGHT, Format=cuda.CUarray_format.CU_AD_FORMAT_FLOAT, NumChannels=1
    )
    handle = check(cuda.cuArrayCreate_v2(descriptor))
    assert check(cuda.cuArrayGetDescriptor_v2(handle)) == descriptor
    check(
        cuda.cuMemcpy2D_v2(
            cuda.CUDA_MEMCPY2D_v2(
                srcMemoryType=cuda.CUmemorytype.CU_MEMORYTYPE_HOST,
                srcHost=VALUES,
                srcPitch=WIDTH * 4,
                dstMemoryType=cuda.CUmemorytype.CU_MEMORYTYPE_ARRAY,
                dstArray=handle,
                WidthInBytes=WIDTH * 4,
                Height=HEIGHT,
            )
        )
    )
    return handle


def test_array_round_trip(context: Any) -> None:
    handle = filled_array()
    out = array.array("f", bytes(WIDTH * 4))
    check(cuda.cuMemcpyAtoH_v2(out, handle, 0, WIDTH * 4))
    assert out == VALUES[:WIDTH]
    check(cuda.cuMemcpyHtoA_v2(handle, 0, VALUES[WIDTH : 2 * WIDTH], WIDTH * 4))
    check(cuda.cuMemcpyAtoH_v2(out, handle, 0, WIDTH * 4))
    assert out == VALUES[WIDTH : 2 * WIDTH]
    check(cuda.cuArrayDestroy(handle))


def test_texture_object(kernel: Callable[[str], Any], allocate: Callable[[int], Any]) -> None:
    handle = filled_array()
    resource = cuda.CUDA_RESOURCE_DESC_v1(resType=cuda.CUresourcetype.CU_RESOURCE_TYPE_ARRAY)
    resource.res.array.hArray = handle
    clamp = cuda.CUaddress_mode.CU_TR_ADDRESS_MODE_CLAMP
    sampling = cuda.CUDA_TEXTURE_DESC_v1(
        addressMode=[clamp, clamp, clamp], filterMode=cuda.CUfilter_mode.CU_TR_FILTER_MODE_POINT
    )
    texture = check(cuda.cuTexObjectCreate(resource, sampling, None))
    assert check(cuda.cuTexObjectGetResourceDesc(texture)).res.array.hArray == handle
    found = check(cuda.cuTexObjectGetTextureDesc(texture))
    assert list(found.addressMode)[:2] == [clamp, clamp]
    out = allocate(COUNT * 4)
    values = ((out, texture, WIDTH, COUNT), (None, None, ctypes.c_uint, ctypes.c_uint))
    check(cuda.cuLaunchKernel(kernel("fetch"), 1, 1, 1, COUNT, 1, 1, 0, 0, values, 0))
    assert download(out, "f", COUNT) == VALUES
    check(cuda.cuTexObjectDestroy(texture))
    check(cuda.cuArrayDestroy(handle))


def test_mipmapped_array(context: Any) -> None:
    descriptor = cuda.CUDA_ARRAY3D_DESCRIPTOR_v2(
        Width=WIDTH, Height=WIDTH, Format=cuda.CUarray_format.CU_AD_FORMAT_FLOAT, NumChannels=1
    )
    mipmap = check(cuda.cuMipmappedArrayCreate(descriptor, 3))
    level = check(cuda.cuMipmappedArrayGetLevel(mipmap, 1))
    assert check(cuda.cuArray3DGetDescriptor_v2(level)).Width == WIDTH // 2
    check(cuda.cuMipmappedArrayDestroy(mipmap))
