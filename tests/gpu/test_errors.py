# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a real driver answers to wrong requests, and what it knows of itself."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from cuda import driver_stable as cuda

from . import kernels
from .helpers import check

Result = cuda.CUresult


def test_failures_have_no_outputs(context: Any, module: Any) -> None:
    assert cuda.cuMemAlloc_v2(0) == (Result.CUDA_ERROR_INVALID_VALUE, None)
    assert cuda.cuMemAlloc_v2(1 << 60) == (Result.CUDA_ERROR_OUT_OF_MEMORY, None)
    assert cuda.cuModuleGetFunction(module, b"no_such_kernel") == (Result.CUDA_ERROR_NOT_FOUND, None)
    assert cuda.cuDeviceGet(10_000) == (Result.CUDA_ERROR_INVALID_DEVICE, None)
    assert cuda.cuMemFree_v2(12345) == (Result.CUDA_ERROR_INVALID_VALUE,)
    assert cuda.cuModuleLoadData(kernels.source("not PTX"))[0] == Result.CUDA_ERROR_INVALID_IMAGE


def test_error_texts(device: Any) -> None:
    assert check(cuda.cuGetErrorName(Result.CUDA_ERROR_INVALID_VALUE)) == b"CUDA_ERROR_INVALID_VALUE"
    assert check(cuda.cuGetErrorString(Result.CUDA_ERROR_INVALID_VALUE))
    assert cuda.cuGetErrorName(987654) == (Result.CUDA_ERROR_INVALID_VALUE, None)


def test_not_initialized() -> None:
    code = (
        "from cuda import driver_stable as cuda\n"
        "print(int(cuda.cuDeviceGetCount()[0]), int(cuda.cuCtxGetCurrent()[0]))\n"
    )
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert child.stdout.split() == ["3", "3"]


def test_wrong_arguments_never_reach_the_driver(context: Any) -> None:
    stream = check(cuda.cuStreamCreate(0))
    with pytest.raises(TypeError, match=r"cuEventQuery.*hEvent"):
        cuda.cuEventQuery(stream)
    with pytest.raises(OverflowError, match=r"cuStreamCreate.*Flags"):
        cuda.cuStreamCreate(1 << 32)
    with pytest.raises(TypeError, match=r"cuModuleGetFunction.*name"):
        cuda.cuModuleGetFunction(0, "text")  # type: ignore[arg-type]
    check(cuda.cuStreamDestroy_v2(stream))


def test_proc_address_agrees(device: Any) -> None:
    """What the driver names as the newest version is what the permanent name calls."""
    from cuda.driver_stable import _core

    address, status = check(cuda.cuGetProcAddress_v2(b"cuMemAlloc", 12000, 0))
    assert address == _core.address("cuMemAlloc_v2")
    assert status == cuda.CUdriverProcAddressQueryResult.CU_GET_PROC_ADDRESS_SUCCESS
    address, status = check(cuda.cuGetProcAddress_v2(b"cuNothingOfTheKind", 12000, 0))
    assert not address
    assert status == cuda.CUdriverProcAddressQueryResult.CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND


def test_driver_has_what_its_version_promises() -> None:
    """A driver may lack nothing that its CUDA version introduced, but what is of another platform."""
    from cuda.driver_stable import _core

    version = check(cuda.cuDriverGetVersion())
    rows = [row for row in _core.functions() if row["platform"] in ("any", "linux")]
    promised = [row["name"] for row in rows if row["introduced"] <= version]
    assert len(promised) > 400
    missing = [name for name in promised if not _core.address(name)]
    assert set(missing) <= {"cuEventCreateFromEGLSync_v1"}  # exported on Tegra only
