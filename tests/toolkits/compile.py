# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Sources, and NVRTC as the tests use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import cuda.nvrtc as nvrtc

# The oldest architecture that every library from 12.0 to 13.5 knows.
REAL, VIRTUAL = b"-arch=sm_80", b"-arch=compute_80"

SCALE = b"""
extern "C" __global__ void scale(float *out, float factor, double bias, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = out[i] * factor + (float)bias;
}
"""

# Two translation units: `caller` needs `twice`.
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


def slow(kernels: int = 40) -> bytes:
    """Takes seconds to compile: long loops of long functions, and many of them."""
    body = b"""
extern "C" __global__ void slow%d(float *p) {
  float s = 0;
  for (int i = 0; i < p[0]; i++) s += sinf(p[i]) * cosf(s) + powf(p[i], s);
  p[1] = s;
}
"""
    return b"".join(body % i for i in range(kernels))


def check(results: tuple[Any, ...]) -> Any:
    """The outputs of a call that must succeed: one alone, several as a tuple."""
    error, *outputs = results
    assert error == 0, repr(error)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


@contextmanager
def program(source: bytes, headers: dict[bytes, bytes] | None = None) -> Iterator[Any]:
    names, texts = (list(headers), list(headers.values())) if headers else (None, None)
    handle = check(nvrtc.nvrtcCreateProgram(source, b"test.cu", len(headers or ()), texts, names))
    yield handle
    check(nvrtc.nvrtcDestroyProgram(handle))
    assert int(handle) == 0


def build(handle: Any, *options: bytes) -> Any:
    (status,) = nvrtc.nvrtcCompileProgram(handle, len(options), list(options))
    return status


def log(handle: Any) -> str:
    return get(handle, "ProgramLog").rstrip(b"\0").decode()


def get(handle: Any, what: str) -> bytes:
    """What was made: PTX, CUBIN, LTOIR, …"""
    buffer = bytearray(check(getattr(nvrtc, f"nvrtcGet{what}Size")(handle)))
    check(getattr(nvrtc, f"nvrtcGet{what}")(handle, buffer))
    return bytes(buffer)


def compiled(source: bytes, what: str, options: Sequence[bytes]) -> bytes:
    with program(source) as handle:
        status = build(handle, *options)
        assert status == 0, log(handle)
        return get(handle, what)
