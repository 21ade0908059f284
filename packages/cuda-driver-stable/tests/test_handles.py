# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Handle and callback classes, and what stands for a handle in a call."""

from __future__ import annotations

import copy
import ctypes
import pickle
from typing import Any

import pytest

from codegen.model.api import Handle
from codegen.model.bind import bind
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from support.headers import HEADERS
from support.stub import Stub

BINDING = bind(fold("driver"))
HANDLES = [handle for handle in BINDING.api.handles if handle.header in HEADERS]
CALLBACKS = [callback for callback in BINDING.api.callbacks if callback.header in HEADERS]

each = pytest.mark.parametrize("handle", HANDLES, ids=lambda handle: handle.name)


@each
def test_value(handle: Handle) -> None:
    class_ = getattr(cuda, handle.name)
    top = (1 << 8 * handle.size) - 1
    greatest = top >> 1 if handle.underlying == "int" else top
    for value in (0, 1, 5, greatest):
        one = class_(value)
        assert int(one) == value
        assert one.__index__() == value
        size = handle.size
        assert ctypes.string_at(one.getPtr(), size) == value.to_bytes(size, "little")
        assert one == class_(value)
        assert hash(one) == hash(class_(value))
        assert one != class_(value ^ 1)
        assert one != value
        assert pickle.loads(pickle.dumps(one)) == one
        assert copy.copy(one) == one
        assert class_(one) == one
        assert repr(one).startswith(f"<{handle.name} ")
    assert int(class_()) == 0
    with pytest.raises(OverflowError, match=handle.name):
        class_(greatest + 1)
    with pytest.raises(TypeError, match=handle.name):
        class_("x")
    other = cuda.CUevent if class_ is not cuda.CUevent else cuda.CUmodule
    with pytest.raises(TypeError, match=handle.name):
        class_(other(1))
    assert class_(1) != other(1)


@pytest.mark.parametrize("callback", CALLBACKS, ids=lambda callback: callback.name)
def test_callback_class(callback: Any) -> None:
    class_ = getattr(cuda, callback.name)
    assert int(class_(0x1234)) == 0x1234
    assert class_(0x1234) == class_(0x1234)
    function = ctypes.CFUNCTYPE(None)(lambda: None)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert int(class_(function)) == address
    with pytest.raises(TypeError, match=callback.name):
        class_(lambda: None)


class Equivalent:
    """A handle of another package, which tells by its class what it is."""

    __cuda_handle__ = "cudaStream_t"

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


class Marked(Equivalent):
    __cuda_handle__ = "CUevent"


class Protocol:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def __cuda_stream__(self) -> Any:
        return self.answer


@pytest.mark.parametrize(
    "stream", [cuda.CUstream(0x77), 0x77, Equivalent(0x77), Protocol((0, 0x77))], ids=lambda one: type(one).__name__
)
def test_what_stands_for_a_stream(stub: Stub, stream: Any) -> None:
    stub.returns("cuStreamQuery")
    assert cuda.cuStreamQuery(stream) == (0,)
    assert stub.call().arguments[0] == (0x77).to_bytes(8, "little")


def test_none_is_null(stub: Stub) -> None:
    stub.returns("cuStreamQuery")
    assert cuda.cuStreamQuery(None) == (0,)
    assert stub.call().arguments[0] == bytes(8)


@pytest.mark.parametrize(
    "stranger", [Marked(5), Protocol((1, 5)), Protocol(5), Protocol((0, "x")), cuda.CUevent(5), "x", 1.5],
    ids=["another mark", "newer protocol", "no pair", "no int", "event", "str", "float"],
)  # fmt: skip
def test_what_does_not_stand_for_a_stream(stub: Stub, stranger: Any) -> None:
    with pytest.raises(TypeError, match=r"cuStreamQuery\(\).*'hStream'"):
        cuda.cuStreamQuery(stranger)
    assert stub.count() == 0


def test_the_stream_protocol_is_for_streams_only(stub: Stub) -> None:
    with pytest.raises(TypeError, match=r"cuEventQuery\(\).*'hEvent'"):
        cuda.cuEventQuery(Protocol((0, 5)))  # type: ignore[arg-type]
    assert stub.count() == 0


@pytest.mark.parametrize(("name", "others"), sorted(BINDING.equivalents.items()))
def test_equivalents(name: str, others: tuple[str, ...]) -> None:
    class_ = getattr(cuda, name)
    for other in others:
        foreign = type(other, (Equivalent,), {"__cuda_handle__": other})
        assert int(class_(foreign(0x99))) == 0x99


def test_a_kernel_is_taken_for_a_function_but_not_the_other_way(stub: Stub) -> None:
    kernel, function = cuda.CUkernel(0x77), cuda.CUfunction(0x88)
    cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor_v1(kernel, 128, 0)
    cuda.cuLaunchKernel_v1(kernel, 1, 1, 1, 1, 1, 1, 0, 0, None, None)
    asked, launched = stub.calls()
    assert asked.arguments[1] == launched.arguments[0] == (0x77).to_bytes(8, "little")
    with pytest.raises(TypeError, match="must be CUkernel, int or None, not CUfunction"):
        cuda.cuKernelGetFunction_v1(function)  # type: ignore[arg-type]


def test_stream_constants_are_streams() -> None:
    assert int(cuda.CUstream(cuda.cu13.CU_STREAM_LEGACY)) == 1
    assert int(cuda.CUstream(cuda.cu13.CU_STREAM_PER_THREAD)) == 2
