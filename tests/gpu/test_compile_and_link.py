# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""From source to a running kernel: NVRTC compiles, nvJitLink links, the driver launches, the runtime copies."""

from __future__ import annotations

import array
import ctypes
from typing import Any

import pytest

from cuda import driver_stable as cuda

from .helpers import N, check

nvrtc: Any = pytest.importorskip("cuda.nvrtc", reason="cuda-nvrtc is not installed")
nvjitlink: Any = pytest.importorskip("cuda.nvjitlink", reason="cuda-nvjitlink is not installed")
runtime: Any = pytest.importorskip("cuda.runtime", reason="cuda-runtime is not installed")

CALLER = b"""
extern "C" __device__ unsigned twice(unsigned);
extern "C" __global__ void caller(unsigned *out, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = twice(i);
}
"""
CALLEE = b"""
extern "C" __device__ unsigned twice(unsigned value) { return 2 * value; }
"""


@pytest.fixture(autouse=True)
def _libraries() -> None:
    for module in (nvrtc, nvjitlink, runtime):
        if not module._core.library()["loaded"]:
            pytest.skip(f"NVIDIA's library for {module.__name__} is not installed")


@pytest.fixture
def arch(device: Any) -> str:
    attribute = cuda.CUdevice_attribute
    major, minor = (
        check(cuda.cuDeviceGetAttribute(getattr(attribute, f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"), device))
        for part in ("MAJOR", "MINOR")
    )
    return f"sm_{major}{minor}"


def compiled(source: bytes, what: str, *options: str) -> bytes:
    program = check(nvrtc.nvrtcCreateProgram(source, b"test.cu", 0, None, None))
    (status,) = nvrtc.nvrtcCompileProgram(program, len(options), [option.encode() for option in options])
    log = bytearray(check(nvrtc.nvrtcGetProgramLogSize(program)))
    check(nvrtc.nvrtcGetProgramLog(program, log))
    assert status == 0, log.decode()
    code = bytearray(check(getattr(nvrtc, f"nvrtcGet{what}Size")(program)))
    check(getattr(nvrtc, f"nvrtcGet{what}")(program, code))
    check(nvrtc.nvrtcDestroyProgram(program))
    return bytes(code)


def linked(codes: list[bytes], form: str, *options: str) -> bytes:
    handle = nvjitlink.create(len(options), list(options))
    for i, code in enumerate(codes):
        nvjitlink.add_data(handle, nvjitlink.InputType[form], code, len(code), f"input{i}")
    nvjitlink.complete(handle)
    image = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, image)
    nvjitlink.destroy(handle)
    return bytes(image)


@pytest.mark.parametrize("form", ["CUBIN", "LTOIR"])
def test_from_source_to_result(context: Any, stream: Any, arch: str, form: str) -> None:
    more = ["-dlto"] if form == "LTOIR" else []
    codes = [compiled(source, form, f"-arch={arch}", "-rdc=true", *more) for source in (CALLER, CALLEE)]
    image = linked(codes, form, f"-arch={arch}", *(["-lto"] if form == "LTOIR" else []))
    module = check(cuda.cuModuleLoadData(image))
    function = check(cuda.cuModuleGetFunction(module, b"caller"))
    check(runtime.cudaSetDevice(0))
    out = check(runtime.cudaMalloc(4 * N))
    values = ((int(out), N), (ctypes.c_void_p, ctypes.c_uint))
    check(cuda.cuLaunchKernel(function, (N + 127) // 128, 1, 1, 128, 1, 1, 0, stream, values, 0))
    host = array.array("I", bytes(4 * N))
    check(runtime.cudaMemcpyAsync(host, out, 4 * N, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost, stream))
    check(runtime.cudaStreamSynchronize(stream))
    assert list(host) == [2 * i for i in range(N)]
    check(runtime.cudaFree(out))
    check(cuda.cuModuleUnload(module))
