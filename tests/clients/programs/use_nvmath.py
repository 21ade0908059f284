# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""nvmath-python: a product of matrices by cuBLASLt and a Fourier transform by cuFFT, of arrays in host memory."""

from __future__ import annotations

import os

import numpy as np

from .areas import Skipped, area, main

HAS_GPU = "STUB" not in os.environ


@area
def imports() -> object:
    import nvmath

    return {"version": nvmath.__version__, "has": [hasattr(nvmath, "fft"), hasattr(nvmath, "linalg")]}


@area
def matmul() -> object:
    if not HAS_GPU:
        raise Skipped("a stub driver runs no kernel")
    from nvmath.linalg.advanced import matmul as product

    a = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) / 100
    b = np.arange(32 * 16, dtype=np.float32).reshape(32, 16) / 100
    result = product(a, b)
    return {
        "shape": list(result.shape),
        "right": bool(np.allclose(result, a @ b, rtol=1e-4)),
        "type": str(result.dtype),
    }


@area
def fft() -> object:
    if not HAS_GPU:
        raise Skipped("a stub driver runs no kernel")
    from nvmath.fft import fft as transform

    a = np.exp(2j * np.pi * np.arange(64) / 8).astype(np.complex64)
    result = transform(a, execution="cuda")
    return {"right": bool(np.allclose(result, np.fft.fft(a), atol=1e-3)), "peak": int(np.argmax(np.abs(result)))}


@area
def wrong() -> object:
    if not HAS_GPU:
        raise Skipped("a stub driver runs no kernel")
    from nvmath.linalg.advanced import matmul as product

    return list(product(np.zeros((2, 3), np.float32), np.zeros((2, 3), np.float32)).shape)


if __name__ == "__main__":
    main()
