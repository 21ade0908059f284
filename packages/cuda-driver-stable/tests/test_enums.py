# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Enum classes: the union of every enumerator ever declared, and values that no header knows."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from codegen.model.api import Enum
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from support.headers import HEADERS
from support.stub import Stub

API = fold("driver")
ENUMS = [enum for enum in API.enums if enum.header in HEADERS]
UNKNOWN = 987_654

each = pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.name)


def class_of(enum: Enum) -> Any:
    return getattr(cuda, enum.name)


@each
def test_members(enum: Enum) -> None:
    class_ = class_of(enum)
    assert issubclass(class_, int)
    assert set(class_.__members__) == {e.name for e in enum.enumerators}
    for enumerator in enum.enumerators:
        member = getattr(class_, enumerator.name)
        assert member is class_[enumerator.name] is class_(enumerator.value)
        assert type(member) is class_
        assert member == enumerator.value == member.value == int(member)
        assert class_[member.name] is member
        assert enumerator.name in class_.__members__
        assert member in class_
    members = list(class_)
    assert len(members) == len(class_) == len({e.value for e in enum.enumerators})
    assert {int(member) for member in members} == {e.value for e in enum.enumerators}


@each
def test_enumerators_are_names_of_the_module_too(enum: Enum) -> None:
    """Where an enum went and another took its names, they are the newer one's."""
    for enumerator in enum.enumerators:
        owner = max((e for e in ENUMS if any(m.name == enumerator.name for m in e.enumerators)), key=lambda e: e.since)
        assert getattr(cuda, enumerator.name) is getattr(class_of(owner), enumerator.name)


@each
def test_pickle_copy_and_hash(enum: Enum) -> None:
    for member in class_of(enum):
        assert pickle.loads(pickle.dumps(member)) is member
        assert copy.copy(member) is member
        assert copy.deepcopy(member) is member
        assert hash(member) == hash(int(member))
    assert pickle.loads(pickle.dumps(class_of(enum))) is class_of(enum)


@each
def test_text(enum: Enum) -> None:
    for member in class_of(enum):
        assert repr(member) == f"<{enum.name}.{member.name}: {int(member)}>"
        assert member.name in str(member)


@each
def test_values_that_are_none(enum: Enum) -> None:
    class_ = class_of(enum)
    with pytest.raises(ValueError, match=enum.name):
        class_(UNKNOWN)
    with pytest.raises(KeyError):
        class_["NO_SUCH_MEMBER"]
    with pytest.raises(AttributeError):
        getattr(class_, "NO_SUCH_MEMBER")  # noqa: B009 - a bare attribute says nothing to a reader
    assert UNKNOWN not in class_
    assert "x" not in class_
    with pytest.raises((TypeError, ValueError)):
        class_("x")


def test_reused_names_have_their_latest_value() -> None:
    old, new = 93, 122
    name = "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"
    assert getattr(cuda.CUdevice_attribute, name) == new
    assert getattr(cuda.cu11, name) == getattr(cuda.cu11.CUdevice_attribute, name) == old
    assert getattr(cuda.cu12, name) == getattr(cuda.cu12.CUdevice_attribute, name) == new
    assert getattr(cuda.cu13, name) == getattr(cuda.cu13.CUdevice_attribute, name) == new


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
