# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A kernel and a function it calls, compiled apart by NVRTC, made one by nvJitLink, and run by the driver.

With `--arch sm_80` nothing is run, so neither a driver nor a GPU is needed. NVRTC and nvJitLink may be of different
minor releases and both older than the driver; nvJitLink must not be older than NVRTC.
"""

from __future__ import annotations

import argparse
import ctypes
import sys
from array import array
from typing import Any

from cuda import driver_stable as driver
from cuda import nvjitlink, nvrtc

COUNT = 1000
KERNEL = """
extern "C" __device__ unsigned scaled(unsigned value);
extern "C" __global__ void scale(unsigned *out, unsigned count) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = scaled(i);
}
"""
FUNCTION = """
extern "C" __device__ unsigned scaled(unsigned value) { return 3 * value + 1; }
"""


def check(returned: tuple[Any, ...]) -> Any:
    """The outputs of a call; an exception where its status is not success."""
    status, *outputs = returned
    if status != 0:
        raise RuntimeError(status.name)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def compiled(source: str, arch: str) -> bytes:
    """LTO-IR; where NVRTC finds a mistake, its log is the exception."""
    program = check(nvrtc.nvrtcCreateProgram(source.encode(), b"lto.cu", 0, None, None))
    try:
        options = [f"-arch={arch}".encode(), b"-dlto", b"-rdc=true"]
        (status,) = nvrtc.nvrtcCompileProgram(program, len(options), options)
        if status != nvrtc.nvrtcResult.NVRTC_SUCCESS:
            log = bytearray(check(nvrtc.nvrtcGetProgramLogSize(program)))
            check(nvrtc.nvrtcGetProgramLog(program, log))
            raise RuntimeError(log.rstrip(b"\0").decode())
        code = bytearray(check(nvrtc.nvrtcGetLTOIRSize(program)))
        check(nvrtc.nvrtcGetLTOIR(program, code))
        return bytes(code)
    finally:
        check(nvrtc.nvrtcDestroyProgram(program))


def linked(parts: list[bytes], arch: str) -> bytes:
    """A cubin, in which the function is part of the kernel."""
    handle = nvjitlink.create(2, [f"-arch={arch}", "-lto"])
    try:
        for number, part in enumerate(parts):
            nvjitlink.add_data(handle, nvjitlink.InputType.LTOIR, part, len(part), f"part{number}")
        nvjitlink.complete(handle)
        image = bytearray(nvjitlink.get_linked_cubin_size(handle))
        nvjitlink.get_linked_cubin(handle, image)
        return bytes(image)
    finally:
        nvjitlink.destroy(handle)


def capability(device: Any) -> str:
    asked = driver.CUdevice_attribute
    major = check(driver.cuDeviceGetAttribute(asked.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = check(driver.cuDeviceGetAttribute(asked.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    return f"sm_{major}{minor}"


def run(image: bytes) -> bool:
    module = check(driver.cuModuleLoadData(image))
    kernel = check(driver.cuModuleGetFunction(module, b"scale"))
    out = check(driver.cuMemAlloc_v2(4 * COUNT))
    parameters = ((int(out), COUNT), (ctypes.c_void_p, ctypes.c_uint))
    check(driver.cuLaunchKernel(kernel, (COUNT + 127) // 128, 1, 1, 128, 1, 1, 0, 0, parameters, 0))
    result = array("I", bytes(4 * COUNT))
    check(driver.cuMemcpyDtoH_v2(result, out, 4 * COUNT))
    check(driver.cuMemFree_v2(out))
    check(driver.cuModuleUnload(module))
    return list(result) == [3 * i + 1 for i in range(COUNT)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--arch", help="only compile and link, for this architecture")
    arch = parser.parse_args().arch
    if arch:
        image = linked([compiled(source, arch) for source in (KERNEL, FUNCTION)], arch)
        print(f"{len(image)} bytes for {arch}")
        return 0
    check(driver.cuInit(0))
    device = check(driver.cuDeviceGet(0))
    arch = capability(device)
    image = linked([compiled(source, arch) for source in (KERNEL, FUNCTION)], arch)
    check(driver.cuCtxSetCurrent(check(driver.cuDevicePrimaryCtxRetain(device))))
    ok = run(image)
    check(driver.cuDevicePrimaryCtxRelease_v2(device))
    print(f"{len(image)} bytes for {arch}: {'OK' if ok else 'FAILED: the kernel wrote other values'}")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
