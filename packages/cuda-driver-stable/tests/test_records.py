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
