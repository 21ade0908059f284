# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A graph of two copies, made once and launched many times.

With `--stub` the library is the stub driver, which records launches and copies nothing.
"""

from __future__ import annotations

import argparse
import sys
from array import array
from typing import Any

from cuda.driver_stable import (
    CUDA_MEMCPY3D_v2,
    CUmemorytype,
    CUresult,
    cuCtxCreate_v2,
    cuCtxDestroy_v2,
    cuDeviceGet,
    cuGraphAddMemcpyNode,
    cuGraphCreate,
    cuGraphDestroy,
    cuGraphExecDestroy,
    cuGraphInstantiateWithFlags,
    cuGraphLaunch,
    cuInit,
    cuMemAlloc_v2,
    cuMemFree_v2,
    cuStreamCreate,
    cuStreamDestroy_v2,
    cuStreamSynchronize,
)

COUNT = 256
LAUNCHES = 10


def check(returned: tuple[Any, ...]) -> Any:
    """The outputs of a call; an exception where its status is not success."""
    status, *outputs = returned
    if status != CUresult.CUDA_SUCCESS:
        raise RuntimeError(status.name)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def copy(size: int, **places: Any) -> CUDA_MEMCPY3D_v2:
    return CUDA_MEMCPY3D_v2(WidthInBytes=size, Height=1, Depth=1, **places)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stub", action="store_true", help="the library is the stub driver")
    stub = parser.parse_args().stub

    check(cuInit(0))
    context = check(cuCtxCreate_v2(0, check(cuDeviceGet(0))))
    source, target = array("i", range(COUNT)), array("i", bytes(4 * COUNT))
    size = 4 * COUNT
    memory = check(cuMemAlloc_v2(size))
    host, device = CUmemorytype.CU_MEMORYTYPE_HOST, CUmemorytype.CU_MEMORYTYPE_DEVICE

    graph = check(cuGraphCreate(0))
    there = copy(size, srcMemoryType=host, srcHost=source, dstMemoryType=device, dstDevice=memory)
    back = copy(size, srcMemoryType=device, srcDevice=memory, dstMemoryType=host, dstHost=target)
    first = check(cuGraphAddMemcpyNode(graph, None, 0, there, context))
    check(cuGraphAddMemcpyNode(graph, [first], 1, back, context))
    executable = check(cuGraphInstantiateWithFlags(graph, 0))
    stream = check(cuStreamCreate(0))
    for _ in range(LAUNCHES):
        check(cuGraphLaunch(executable, stream))
    check(cuStreamSynchronize(stream))
    ok = target == (array("i", bytes(size)) if stub else source)
    came = "nothing, this is the stub driver" if stub else "what was sent" if ok else "something else"
    print(f"{LAUNCHES} launches of 2 copies of {size} bytes: {came} came back")

    check(cuGraphExecDestroy(executable))
    check(cuGraphDestroy(graph))
    check(cuStreamDestroy_v2(stream))
    check(cuMemFree_v2(memory))
    check(cuCtxDestroy_v2(context))
    print("OK" if ok else "FAILED")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
