# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Copy memory and add two vectors on the GPU, through permanent names alone.

With `--stub` the library behind the names is the stub driver: it keeps device memory on the host and runs no kernel,
so what is checked there is the launch that it recorded.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import sys
from array import array
from typing import Any

from cuda.driver_stable import (
    CUresult,
    cuCtxCreate_v2,
    cuCtxDestroy_v2,
    cuCtxSynchronize_v1,
    cuDeviceGet,
    cuDeviceGetName,
    cuDriverGetVersion,
    cuGetErrorString,
    cuInit,
    cuLaunchKernel,
    cuMemAlloc_v2,
    cuMemcpyDtoH_v2,
    cuMemcpyHtoD_v2,
    cuMemFree_v2,
    cuModuleGetFunction,
    cuModuleLoadData,
    cuModuleUnload,
)

COUNT = 1000
BLOCK = 128

# c[i] = a[i] + b[i], in the assembly that every driver since CUDA 10.1 compiles for the GPU it finds.
VECTOR_ADD = b"""
.version 6.4
.target sm_50
.address_size 64

.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 count)
{
    .reg .pred %outside;
    .reg .u32 %block, %size, %thread, %i, %n;
    .reg .u64 %pa, %pb, %pc, %offset;
    .reg .f32 %x, %y, %z;

    mov.u32 %block, %ctaid.x;
    mov.u32 %size, %ntid.x;
    mov.u32 %thread, %tid.x;
    mad.lo.u32 %i, %block, %size, %thread;
    ld.param.u32 %n, [count];
    setp.ge.u32 %outside, %i, %n;
    @%outside ret;

    mul.wide.u32 %offset, %i, 4;
    ld.param.u64 %pa, [a];
    ld.param.u64 %pb, [b];
    ld.param.u64 %pc, [c];
    cvta.to.global.u64 %pa, %pa;
    cvta.to.global.u64 %pb, %pb;
    cvta.to.global.u64 %pc, %pc;
    add.u64 %pa, %pa, %offset;
    add.u64 %pb, %pb, %offset;
    add.u64 %pc, %pc, %offset;
    ld.global.f32 %x, [%pa];
    ld.global.f32 %y, [%pb];
    add.f32 %z, %x, %y;
    st.global.f32 [%pc], %z;
    ret;
}
\0"""


def check(returned: tuple[Any, ...]) -> Any:
    """The outputs of a call; an exception where its status is not success."""
    status, *outputs = returned
    if status != CUresult.CUDA_SUCCESS:
        _, text = cuGetErrorString(status)
        raise RuntimeError(f"{status.name}: {text.decode() if text else 'unknown'}")
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


class RecordedLaunch:
    """What the stub driver saw of the next cuLaunchKernel: the values that its kernel parameters point to."""

    def __init__(self, types: tuple[type[ctypes._SimpleCData[int]], ...]) -> None:
        self._stub = ctypes.CDLL(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])
        self._stub.stub_last.restype = ctypes.c_uint64
        self._stub.stub_record(1)
        self._types = types
        symbol = self._stub.stub_find(b"cuLaunchKernel")
        for position, kind in enumerate(types):
            # From the argument `kernelParams`, the tenth, through its pointer number `position`, to the value.
            path = (ctypes.c_uint32 * 3)(0, 8 * position, 0)
            self._stub.stub_add_capture(symbol, 9, path, 3, ctypes.c_size_t(ctypes.sizeof(kind)))

    def values(self) -> list[int]:
        self._stub.stub_captured.argtypes = (ctypes.c_uint64, ctypes.c_uint, ctypes.c_void_p)
        found = []
        for position, kind in enumerate(self._types):
            value = kind()
            self._stub.stub_captured(self._stub.stub_last(), position, ctypes.addressof(value))
            found.append(value.value)
        return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stub", action="store_true", help="the library is the stub driver")
    stub = parser.parse_args().stub

    check(cuInit(0))
    version = check(cuDriverGetVersion())
    device = check(cuDeviceGet(0))
    name = check(cuDeviceGetName(256, device)).split(b"\0", 1)[0].decode()
    print(f"{name}, driver for CUDA {version // 1000}.{version % 1000 // 10}")
    context = check(cuCtxCreate_v2(0, device))

    a = array("f", range(COUNT))
    b = array("f", (2 * value for value in a))
    size = COUNT * a.itemsize
    device_a, device_b, device_c = (check(cuMemAlloc_v2(size)) for _ in range(3))
    check(cuMemcpyHtoD_v2(device_a, a, size))
    check(cuMemcpyHtoD_v2(device_b, b, size))
    back = array("f", bytes(size))
    check(cuMemcpyDtoH_v2(back, device_b, size))
    if back != b:
        print("FAILED: what came back is not what was copied")
        return 1
    print(f"memory: {size} bytes to the device and back, unchanged")

    module = check(cuModuleLoadData(VECTOR_ADD))
    kernel = check(cuModuleGetFunction(module, b"vector_add"))
    arguments = (device_a, device_b, device_c, COUNT), (None, None, None, ctypes.c_uint)
    recorded = RecordedLaunch((ctypes.c_uint64,) * 3 + (ctypes.c_uint32,)) if stub else None
    blocks = (COUNT + BLOCK - 1) // BLOCK
    check(cuLaunchKernel(kernel, blocks, 1, 1, BLOCK, 1, 1, 0, None, arguments, None))

    if recorded:
        expected, got = [int(device_a), int(device_b), int(device_c), COUNT], recorded.values()
        ok = got == expected
        words = ", ".join(f"{value:#x}" for value in got[:3])
        print(f"kernel: not run, this is the stub driver; the launch it recorded has the arguments {words}, {got[3]}")
    else:
        check(cuCtxSynchronize_v1())
        c = array("f", bytes(size))
        check(cuMemcpyDtoH_v2(c, device_c, size))
        ok = all(z == x + y for x, y, z in zip(a, b, c, strict=True))
        print(f"kernel: {COUNT} sums computed on the device, {'all' if ok else 'NOT all'} right")

    for memory in (device_a, device_b, device_c):
        check(cuMemFree_v2(memory))
    check(cuModuleUnload(module))
    check(cuCtxDestroy_v2(context))
    print("OK" if ok else "FAILED")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
