# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Streams, events, callbacks."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from cuda import driver_stable as cuda

from .helpers import check

HostFunction = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
StreamCallback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def test_stream_properties(context: Any) -> None:
    flags = cuda.CUstream_flags.CU_STREAM_NON_BLOCKING
    least, greatest = check(cuda.cuCtxGetStreamPriorityRange())
    stream = check(cuda.cuStreamCreateWithPriority(flags, greatest))
    assert check(cuda.cuStreamGetPriority(stream)) == greatest
    assert least >= greatest
    assert check(cuda.cuStreamGetFlags(stream)) == flags
    assert check(cuda.cuStreamGetCtx_v1(stream)) == context
    check(cuda.cuStreamSynchronize(stream))
    assert cuda.cuStreamQuery(stream)[0] == cuda.CUresult.CUDA_SUCCESS
    check(cuda.cuStreamDestroy_v2(stream))


def test_stream_attribute(stream: Any) -> None:
    value = cuda.CUlaunchAttributeValue()
    value.syncPolicy = cuda.CUsynchronizationPolicy.CU_SYNC_POLICY_YIELD
    policy = cuda.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY
    check(cuda.cuStreamSetAttribute(stream, policy, value))
    assert check(cuda.cuStreamGetAttribute(stream, policy)).syncPolicy == value.syncPolicy


def test_events(stream: Any, allocate: Callable[[int], Any]) -> None:
    start, end = (check(cuda.cuEventCreate(0)) for _ in range(2))
    pointer = allocate(1 << 24)
    check(cuda.cuEventRecord(start, stream))
    check(cuda.cuMemsetD8Async(pointer, 1, 1 << 24, stream))
    check(cuda.cuEventRecord(end, stream))
    check(cuda.cuStreamWaitEvent(stream, end, 0))
    check(cuda.cuEventSynchronize(end))
    assert cuda.cuEventQuery(end)[0] == cuda.CUresult.CUDA_SUCCESS
    assert check(cuda.cuEventElapsedTime_v1(start, end)) > 0
    if cuda.is_available("cuEventElapsedTime_v2"):
        assert check(cuda.cuEventElapsedTime_v2(start, end)) > 0
    for event in (start, end):
        check(cuda.cuEventDestroy_v2(event))


def test_host_function(stream: Any) -> None:
    seen: list[tuple[int, bool]] = []
    main = threading.get_ident()

    def note(data: int | None) -> None:
        seen.append((data or 0, threading.get_ident() != main))

    function = HostFunction(note)
    check(cuda.cuLaunchHostFunc_v1(stream, function, 0xABCDEF))
    check(cuda.cuStreamSynchronize(stream))
    assert seen == [(0xABCDEF, True)]


def test_stream_callback(stream: Any) -> None:
    seen: list[tuple[int | None, int, int | None]] = []
    function = StreamCallback(lambda stream, status, data: seen.append((stream, status, data)))
    check(cuda.cuStreamAddCallback(stream, function, 77, 0))
    check(cuda.cuStreamSynchronize(stream))
    assert seen == [(int(stream), 0, 77)]


def test_occupancy(kernel: Callable[[str], Any]) -> None:
    function = kernel("vector_add")
    assert check(cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(function, 128, 0)) > 0
    asked: list[int] = []

    def shared(block: int) -> int:
        asked.append(block)
        return 0

    sized = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(shared)
    grid, block = check(cuda.cuOccupancyMaxPotentialBlockSize(function, sized, 0, 0))
    assert grid > 0
    assert block > 0
    assert asked
    assert check(cuda.cuOccupancyMaxPotentialBlockSize(function, None, 0, 0))[1] == block


def test_first_calls_from_threads(context: Any) -> None:
    """The GIL is released while a thread waits: the others go on."""
    failed: list[Any] = []
    barrier = threading.Barrier(8)

    def work() -> None:
        try:
            check(cuda.cuCtxSetCurrent(context))
            barrier.wait(30)
            for _ in range(50):
                stream = check(cuda.cuStreamCreate(1))
                pointer = check(cuda.cuMemAllocAsync(1 << 16, stream))
                check(cuda.cuMemsetD32Async(pointer, 5, 1 << 14, stream))
                check(cuda.cuMemFreeAsync(pointer, stream))
                check(cuda.cuStreamSynchronize(stream))
                check(cuda.cuStreamDestroy_v2(stream))
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not failed
