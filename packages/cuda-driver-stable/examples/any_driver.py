# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""One file for drivers of CUDA 12 and 13: it asks for functions, not for versions."""

from __future__ import annotations

import sys
from typing import Any

from cuda import driver_stable as driver


def check(returned: tuple[Any, ...]) -> Any:
    """The outputs of a call; an exception where its status is not success."""
    status, *outputs = returned
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status.name)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def make_context(device: driver.CUdevice_v1) -> tuple[str, driver.CUcontext]:
    if driver.is_available("cuCtxCreate_v4"):
        return "cuCtxCreate_v4", check(driver.cuCtxCreate_v4(driver.CUctxCreateParams(), 0, device))
    return "cuCtxCreate_v2", check(driver.cuCtxCreate_v2(0, device))


def elapsed(start: driver.CUevent, end: driver.CUevent) -> tuple[str, float]:
    """The second version came with CUDA 12.8, and waits for nothing that the first would not."""
    if driver.is_available("cuEventElapsedTime_v2"):
        return "cuEventElapsedTime_v2", check(driver.cuEventElapsedTime_v2(start, end))
    return "cuEventElapsedTime_v1", check(driver.cuEventElapsedTime_v1(start, end))


def main() -> int:
    check(driver.cuInit(0))
    version = check(driver.cuDriverGetVersion())
    device = check(driver.cuDeviceGet(0))
    made_by, context = make_context(device)
    stream = check(driver.cuStreamCreate(0))
    start, end = (check(driver.cuEventCreate(0)) for _ in range(2))
    size = 1 << 20
    memory = check(driver.cuMemAlloc_v2(size))
    check(driver.cuEventRecord(start, stream))
    check(driver.cuMemsetD8Async(memory, 0x5A, size, stream))
    check(driver.cuEventRecord(end, stream))
    check(driver.cuStreamSynchronize(stream))
    back = bytearray(size)
    check(driver.cuMemcpyDtoH_v2(back, memory, size))
    timed_by, milliseconds = elapsed(start, end)
    release = driver.CudaVersion.from_number(version)
    print(f"driver for CUDA {release}: context by {made_by}, {milliseconds:.3f} ms by {timed_by}")
    check(driver.cuMemFree_v2(memory))
    for event in (start, end):
        check(driver.cuEventDestroy_v2(event))
    check(driver.cuStreamDestroy_v2(stream))
    check(driver.cuCtxDestroy_v2(context))
    ok = back == b"\x5a" * size
    print("OK" if ok else "FAILED: the memory is not what it was set to")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
