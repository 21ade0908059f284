# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Records, field by field, at the offsets and sizes that the C compiler gives them."""

from __future__ import annotations

import copy
import ctypes
import gc
import sys

import pytest

from codegen.model.api import Release
from cuda import driver_stable as cuda
from support.calls import Mismatch, require
from support.headers import INTERNAL
from support.records import RecordSuite, RecordTests
from support.values import describe, is_record, pattern


class TestRecords(RecordTests):
    suite = RecordSuite("driver", cuda, [Release(13, 5), Release(12, 9), Release(11, 8)], INTERNAL)


def test_what_pointers_lead_to_stays_alive() -> None:
    """Buffers, texts, elements and kernel parameters live as long as the record, and no longer."""
    buffer = bytearray(b"x" * 100_000)
    before = sys.getrefcount(buffer)
    memory = cuda.CUDA_MEMCPY2D_v2(srcHost=buffer)
    assert sys.getrefcount(buffer) > before
    with pytest.raises(BufferError):
        buffer.clear()
    memory.srcHost = None
    buffer.append(1)
    memory.srcHost = buffer
    del memory
    gc.collect()
    assert sys.getrefcount(buffer) == before
    node = cuda.CUDA_KERNEL_NODE_PARAMS_v2()
    node.kernelParams = ((1, 2.5), (ctypes.c_int, ctypes.c_double))
    twin = copy.copy(node)
    del node
    gc.collect()
    pointers = ctypes.cast(twin.kernelParams, ctypes.POINTER(ctypes.c_void_p))
    assert ctypes.c_int.from_address(pointers[0] or 0).value == 1
    assert ctypes.c_double.from_address(pointers[1] or 0).value == 2.5


def test_list_elements_are_references() -> None:
    config = cuda.CUlaunchConfig(attrs=[cuda.CUlaunchAttribute() for _ in range(3)], numAttrs=3)
    config.attrs[1].value.priority = -5
    assert [attribute.value.priority for attribute in config.attrs] == [0, -5, 0]
    element = config.attrs[1]
    del config
    gc.collect()
    assert element.value.priority == -5


def test_records_at_an_address() -> None:
    whole = cuda.CUDA_MEMCPY3D_v2(Depth=9)
    seen = cuda.CUDA_MEMCPY3D_v2(_ptr=whole.getPtr())
    assert seen.Depth == 9
    seen.Depth = 10
    assert whole.Depth == 10


def test_a_failing_check_does_not_show_records() -> None:
    """The helper's own promise: made-up pointers are never followed for the sake of a message."""
    record = TestRecords.suite.values.record("CUlaunchConfig", pattern(memoryview(cuda.CUlaunchConfig()).nbytes, 1))
    assert is_record(record)
    with pytest.raises(Mismatch) as raised:
        require(False, describe(record))
    assert "CUlaunchConfig" in str(raised.value)


def test_a_list_that_is_set_while_it_is_read() -> None:
    """Making objects can run the collector, and that any code."""
    config = cuda.CUlaunchConfig()
    attributes = [cuda.CUlaunchAttribute(id=1) for _ in range(3)]

    def set_it(phase: str, _: object) -> None:
        if phase == "start":
            config.attrs = None

    threshold = gc.get_threshold()
    gc.callbacks.append(set_it)
    try:
        gc.set_threshold(1)
        for _ in range(50):
            config.attrs = attributes
            read = config.attrs
            assert [attribute.id for attribute in read or ()] in ([1, 1, 1], [])
    finally:
        gc.callbacks.remove(set_it)
        gc.set_threshold(*threshold)


def test_a_float_that_rounds_to_infinity() -> None:
    record = cuda.CUDA_TEXTURE_DESC_v1()
    largest = (2 - 2**-23) * 2.0**127
    record.mipmapLevelBias = largest
    assert record.mipmapLevelBias == largest
    for value in (largest + 2.0**103, -largest - 2.0**103, 1e300):  # halfway to what would be the next one
        with pytest.raises(OverflowError, match="mipmapLevelBias"):
            record.mipmapLevelBias = value
    record.mipmapLevelBias = float("inf")
    assert record.mipmapLevelBias == float("inf")


def test_memory_of_a_record_is_told_by_its_size() -> None:
    config = cuda.CUlaunchConfig(attrs=[cuda.CUlaunchAttribute(id=1)])
    assert all(0 < sys.getsizeof(kept) < 10_000 for kept in gc.get_referents(config))
    assert sys.getsizeof(config) < 10_000
