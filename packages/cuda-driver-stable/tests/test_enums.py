# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Enum classes: the union of every enumerator ever declared, and values that no header knows."""

from __future__ import annotations

import pickle

from codegen.model.api import Release
from cuda import driver_stable as cuda
from support.enums import UNKNOWN, EnumSuite, EnumTests
from support.headers import INTERNAL
from support.stub import Stub


class TestEnums(EnumTests):
    suite = EnumSuite("driver", cuda, [Release(13, 5), Release(12, 9), Release(11, 8)], INTERNAL)


def test_reused_names_have_their_latest_value() -> None:
    old, new = 93, 122
    name = "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"
    assert getattr(cuda.CUdevice_attribute, name) == new
    assert getattr(cuda.cu11, name) == getattr(cuda.cu11.CUdevice_attribute, name) == old
    assert getattr(cuda.cu12, name) == getattr(cuda.cu12.CUdevice_attribute, name) == new
    assert getattr(cuda.cu13, name) == getattr(cuda.cu13.CUdevice_attribute, name) == new


def test_members_are_instances_of_their_view_s_class() -> None:
    """Where a view has a class of its own, as for `*_MAX`, which differs from major to major."""
    for view in (cuda.cu11, cuda.cu12, cuda.cu13):
        assert isinstance(view.CU_LIMIT_STACK_SIZE, view.CUlimit)
        assert isinstance(view.CUlimit(0), view.CUlimit)
        assert not isinstance(cuda.CUresult(0), view.CUlimit)
        assert not isinstance(0, view.CUlimit)
        assert pickle.loads(pickle.dumps(view.CUlimit)) is view.CUlimit


def test_a_value_from_a_newer_driver(stub: Stub) -> None:
    stub.returns("cuInit", UNKNOWN)
    (error,) = cuda.cuInit(0)
    assert type(error) is cuda.CUresult
    assert error == UNKNOWN
    assert repr(error) == f"<CUresult: {UNKNOWN} (unknown)>"
    assert cuda.cuInit(0)[0] is error
    assert pickle.loads(pickle.dumps(error)) is error
    assert error not in list(cuda.CUresult)
    stub.returns("cuStreamIsCapturing")
    stub.writes("cuStreamIsCapturing", (1, 0, 0), UNKNOWN.to_bytes(4, "little"))
    _, status = cuda.cuStreamIsCapturing(0)
    assert type(status) is cuda.CUstreamCaptureStatus
    assert status == UNKNOWN


def test_an_argument_may_be_an_int(stub: Stub) -> None:
    stub.returns("cuCtxSetCacheConfig")
    cuda.cuCtxSetCacheConfig(UNKNOWN)
    assert stub.call().arguments[0] == UNKNOWN.to_bytes(4, "little")
