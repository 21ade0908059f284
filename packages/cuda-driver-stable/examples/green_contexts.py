# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A context on a part of a GPU's multiprocessors, where the driver can do that: it came with CUDA 12.4."""

from __future__ import annotations

import sys
from typing import Any

from cuda import driver_stable as driver

NEEDED = "cuGreenCtxCreate"
MULTIPROCESSORS = 8


def check(returned: tuple[Any, ...]) -> Any:
    """The outputs of a call; an exception where its status is not success."""
    status, *outputs = returned
    if status != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(status.name)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def main() -> int:
    check(driver.cuInit(0))
    if not driver.is_available(NEEDED):
        print(f"{NEEDED} needs a driver for CUDA {driver.required_cuda(NEEDED)}")
        return 0
    device = check(driver.cuDeviceGet(0))
    kind = driver.CUdevResourceType.CU_DEV_RESOURCE_TYPE_SM
    whole = check(driver.cuDeviceGetDevResource(device, kind))
    parts, _, rest = check(driver.cuDevSmResourceSplitByCount(1, whole, 0, MULTIPROCESSORS))
    description = check(driver.cuDevResourceGenerateDesc(parts, 1))
    green = check(
        driver.cuGreenCtxCreate(description, device, driver.CUgreenCtxCreate_flags.CU_GREEN_CTX_DEFAULT_STREAM)
    )
    context = check(driver.cuCtxFromGreenCtx(green))
    check(driver.cuCtxSetCurrent(context))
    print(f"{whole.sm.smCount} multiprocessors: {parts[0].sm.smCount} for this context, {rest.sm.smCount} for others")
    check(driver.cuCtxSetCurrent(None))
    check(driver.cuGreenCtxDestroy(green))
    print("OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
