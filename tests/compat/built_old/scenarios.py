# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the functions of the consumers do: what they return, and what the driver must see of it.

Nothing here is taken from a header or from the registry: bytes are written down as C lays them out.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

Place = tuple[int, ...]  # as tests/support/stub.py explains


@dataclass(frozen=True)
class Seen:
    """Bytes that must lie at a place when a symbol is called."""

    symbol: str
    place: Place
    data: bytes


@dataclass(frozen=True)
class Scenario:
    name: str  # of the consumer's function
    results: tuple[int, ...]
    symbols: tuple[str, ...]  # called, in this order
    seen: tuple[Seen, ...] = ()
    needs: str = ""  # the symbol that not every release here has
    since: str = "12.9"  # the first release of the package with all that is used


# They are given addresses that lead nowhere, so the stub driver only takes them down.
SILENT = (
    "cuCtxGetDevice_v2",
    "cuIpcOpenMemHandle_v2",
    "cuLaunchKernel",
    "cuLaunchKernelEx",
    "cuMemPrefetchAsync",
    "cuMemPrefetchAsync_v2",
    "cuMemcpy3D_v2",
    "cuTensorMapSetAllocationClass",
)

_FUNCTION = 0x77
_GRID = (1, 2, 3, 4, 5, 6, 7)  # blocks, threads, bytes of shared memory

_ORIGIN = (0, 0, 0, 0)  # byte, row, slice, level
_MEMCPY3D = struct.pack(
    "4Q i4x 6Q 4Q i4x 6Q 3Q",
    *(1, 0, 0, 0),
    *(1, 2, 0, 0, 0, 3, 0),  # host memory: host, device, array, reserved, pitch, height
    *_ORIGIN,
    *(2, 0, 4, 0, 0, 0, 5),  # device memory
    *(6, 7, 8),
)
_KERNEL_NODE = struct.pack("Q 7I4x 2Q 2Q", _FUNCTION, *_GRID, 0, 8, 0, 9)
_HOST_NODE = struct.pack("i12x", 3)
_HOST_NODE_AFTER_ITS_FUNCTION = struct.pack("Q224x", 10)
_LAUNCH_CONFIG = struct.pack("7I4x Q", *_GRID, 8)
_LAUNCH_ATTRIBUTE = struct.pack("i4x i60x", 8, -5)


def contexts(create: str) -> Scenario:
    return Scenario(
        "contexts",
        (0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0),
        (
            "cuInit",
            "cuDeviceGet",
            create,
            "cuCtxGetCurrent",
            "cuCtxGetDevice",
            "cuCtxPopCurrent_v2",
            "cuCtxPushCurrent_v2",
            "cuCtxDestroy_v2",
        ),
    )


def memory(create: str, prefetch: str) -> Scenario:
    """A record by pointer, and one by value where prefetching takes it."""
    by_value = (Seen(prefetch, (2, 0), struct.pack("2i", 3, 9)),) if prefetch == "cuMemPrefetchAsync_v2" else ()
    return Scenario(
        "memory",
        (0, 0, 0, 0, 0, 0, 127, 7, 7, 0, 0, 0, 0),
        (
            "cuInit",
            create,
            "cuMemAlloc_v2",
            "cuMemcpyHtoD_v2",
            "cuMemsetD8_v2",
            "cuMemcpyDtoH_v2",
            "cuMemcpy3D_v2",
            prefetch,
            "cuMemFree_v2",
            "cuCtxDestroy_v2",
        ),
        (Seen("cuMemcpy3D_v2", (0, 0, 0), _MEMCPY3D), *by_value),
    )


def graphs(*, host_node: bool) -> Scenario:
    """Records by pointer; the one of a host node was 16 bytes shorter in CUDA 12."""
    add = ("cuGraphAddKernelNode_v2", "cuGraphAddNode_v2")[: 1 + host_node]
    seen = [Seen("cuGraphAddKernelNode_v2", (4, 0, 0), _KERNEL_NODE)]
    if host_node:
        seen.append(Seen("cuGraphAddNode_v2", (5, 0, 0), _HOST_NODE))
        seen.append(Seen("cuGraphAddNode_v2", (5, 0, 24), _HOST_NODE_AFTER_ITS_FUNCTION))
    calls = (
        "cuGraphCreate",
        *add,
        "cuGraphGetNodes",
        "cuGraphInstantiateWithFlags",
        "cuGraphLaunch",
        "cuGraphExecDestroy",
        "cuGraphDestroy",
    )
    return Scenario("graphs", (0,) * len(calls), calls, tuple(seen))


def launch() -> Scenario:
    """Eleven arguments, arguments of a kernel, records by pointer, 64 bytes by value, a callback."""
    return Scenario(
        "launch",
        (0, 0, 0, 0, 1),
        ("cuLaunchKernel", "cuLaunchKernelEx", "cuIpcOpenMemHandle_v2", "cuLaunchHostFunc"),
        (
            *(Seen("cuLaunchKernel", (i + 1, 0), struct.pack("I", value)) for i, value in enumerate(_GRID)),
            Seen("cuLaunchKernel", (0, 0), struct.pack("Q", _FUNCTION)),
            Seen("cuLaunchKernel", (8, 0), struct.pack("Q", 8)),
            Seen("cuLaunchKernel", (9, 0, 0, 0), struct.pack("i", 11)),
            Seen("cuLaunchKernel", (9, 0, 8, 0), struct.pack("d", 2.5)),
            Seen("cuLaunchKernelEx", (0, 0, 0), _LAUNCH_CONFIG),
            Seen("cuLaunchKernelEx", (0, 0, 40, 0), _LAUNCH_ATTRIBUTE),
            Seen("cuLaunchKernelEx", (0, 0, 48), struct.pack("I", 1)),
            Seen("cuLaunchKernelEx", (2, 0, 8, 0), struct.pack("d", 2.5)),
            Seen("cuIpcOpenMemHandle_v2", (1, 0), bytes(range(64))),
            Seen("cuIpcOpenMemHandle_v2", (2, 0), struct.pack("I", 1)),
        ),
    )


def since_13_0(*first: str) -> Scenario:
    """`first` are calls before that every release has."""
    name = "cuCtxGetDevice_v2"
    seen = (Seen(name, (1, 0), struct.pack("Q", 1)),)
    return Scenario("since_13_0", (0,) * (len(first) + 1), (*first, name), seen, name, "13.0")


def since_13_5() -> Scenario:
    name = "cuTensorMapSetAllocationClass"
    return Scenario("since_13_5", (0,), (name,), (Seen(name, (1, 0), struct.pack("i", 2)),), name, "13.5")


INITIALIZE = Scenario("initialize", (0,), ("cuInit",))
