# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every version of cuCtxCreate that the driver has makes a context that works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cuda import driver_stable as cuda

from .helpers import check

SCHED_SPIN = 1


def v4_with_affinity(device: Any) -> Any:
    affinity = cuda.CUexecAffinityParam_v1(type=cuda.CUexecAffinityType.CU_EXEC_AFFINITY_TYPE_SM_COUNT)
    affinity.param.smCount.val = 16
    parameters = cuda.CUctxCreateParams(execAffinityParams=[affinity], numExecAffinityParams=1)
    return cuda.cuCtxCreate_v4(parameters, SCHED_SPIN, device)


WAYS: dict[str, Callable[[Any], Any]] = {
    "cuCtxCreate_v2": lambda device: cuda.cuCtxCreate_v2(SCHED_SPIN, device),
    "cuCtxCreate_v3": lambda device: cuda.cuCtxCreate_v3(None, 0, SCHED_SPIN, device),
    "cuCtxCreate_v4": lambda device: cuda.cuCtxCreate_v4(None, SCHED_SPIN, device),
}


@pytest.mark.parametrize("name", WAYS)
def test_create(device: Any, name: str) -> None:
    if not cuda.is_available(name):
        pytest.skip(f"the driver has no {name}")
    context = check(WAYS[name](device))
    assert int(context)
    assert check(cuda.cuCtxGetCurrent()) == context
    assert check(cuda.cuCtxGetDevice_v1()) == device
    assert check(cuda.cuCtxGetFlags()) & 7 == SCHED_SPIN
    assert check(cuda.cuCtxGetApiVersion(context)) >= 3010
    least, greatest = check(cuda.cuCtxGetStreamPriorityRange())
    assert least >= greatest
    pointer = check(cuda.cuMemAlloc_v2(64))
    check(cuda.cuMemsetD8_v2(pointer, 7, 64))
    out = bytearray(64)
    check(cuda.cuMemcpyDtoH_v2(out, pointer, 64))
    assert out == b"\7" * 64
    check(cuda.cuMemFree_v2(pointer))
    check(cuda.cuCtxDestroy_v2(context))
    assert check(cuda.cuCtxGetCurrent()) != context


def test_affinity_is_answered(device: Any) -> None:
    """Execution affinity needs MPS: without it the driver refuses, which shows that it read the records."""
    error, context = v4_with_affinity(device)
    if error == cuda.CUresult.CUDA_SUCCESS:
        check(cuda.cuCtxDestroy_v2(context))
    else:
        assert error == cuda.CUresult.CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY
        assert context is None


def test_primary_context_state(device: Any) -> None:
    context = check(cuda.cuDevicePrimaryCtxRetain(device))
    flags, active = check(cuda.cuDevicePrimaryCtxGetState(device))
    assert isinstance(flags, int)
    assert active == 1
    assert int(context)
    check(cuda.cuDevicePrimaryCtxRelease_v2(device))


def test_limits(context: Any) -> None:
    limit = cuda.CUlimit.CU_LIMIT_MALLOC_HEAP_SIZE
    before = check(cuda.cuCtxGetLimit(limit))
    assert before > 0
    check(cuda.cuCtxSetLimit(limit, before))
    assert check(cuda.cuCtxGetLimit(limit)) == before


def test_device(device: Any) -> None:
    name = check(cuda.cuDeviceGetName(256, device))
    assert name.rstrip(b"\0")
    major = cuda.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
    assert check(cuda.cuDeviceGetAttribute(major, device)) >= 5
    assert check(cuda.cuDeviceTotalMem_v2(device)) > 1 << 30
    first, second = check(cuda.cuDeviceGetUuid_v1(device)), check(cuda.cuDeviceGetUuid_v2(device))
    assert len(first.bytes) == 16
    assert any(first.bytes)
    assert any(second.bytes)
    bus_id = check(cuda.cuDeviceGetPCIBusId(64, device))
    assert check(cuda.cuDeviceGetByPCIBusId(bus_id.rstrip(b"\0"))) == device
