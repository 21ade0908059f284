# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that come in more than one form: memory, text, arrays, kernel parameters, options, callbacks."""

from __future__ import annotations

import array
import copy
import ctypes
import enum
import gc
import mmap
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest

from cuda import driver_stable as cuda
from cuda.driver_stable import _core
from support.stub import Stub

CONTENT = bytes(range(1, 65))


class HasPtr:
    def __init__(self, address: int) -> None:
        self.address = address

    def getPtr(self) -> int:  # noqa: N802 - the name of the incumbent's protocol
        return self.address


def mapped() -> mmap.mmap:
    memory = mmap.mmap(-1, len(CONTENT))
    memory[:] = CONTENT
    return memory


BUFFERS: dict[str, Callable[[], Any]] = {
    "bytes": lambda: CONTENT,
    "bytearray": lambda: bytearray(CONTENT),
    "memoryview": lambda: memoryview(bytearray(CONTENT)),
    "slice": lambda: memoryview(bytearray(b"xx" + CONTENT))[2:],
    "array.array": lambda: array.array("I", CONTENT),
    "ctypes array": lambda: ctypes.create_string_buffer(CONTENT, len(CONTENT)),
    "ctypes integer": lambda: ctypes.c_uint64.from_buffer_copy(CONTENT),
    "mmap": mapped,
}


@pytest.mark.parametrize("kind", BUFFERS)
def test_memory_in(stub: Stub, kind: str) -> None:
    source = BUFFERS[kind]()
    size = memoryview(source).nbytes
    stub.returns("cuMemcpyHtoD_v2")
    stub.captures("cuMemcpyHtoD_v2", (1, 0, 0), size)
    before = sys.getrefcount(source)
    assert cuda.cuMemcpyHtoD_v2(0x1000, source, size) == (0,)
    assert stub.call().captured == (CONTENT[:size],)
    assert sys.getrefcount(source) == before


@pytest.mark.parametrize("kind", BUFFERS)
def test_memory_out(stub: Stub, kind: str) -> None:
    target = BUFFERS[kind]()
    size = memoryview(target).nbytes
    stub.returns("cuMemcpyDtoH_v2")
    stub.writes("cuMemcpyDtoH_v2", (0, 0, 0), b"\xaa" * size)
    if memoryview(target).readonly:
        with pytest.raises(BufferError, match=r"cuMemcpyDtoH_v2\(\).*'dstHost'.*read-only"):
            cuda.cuMemcpyDtoH_v2(target, 0x1000, size)
        assert stub.count() == 0
    else:
        assert cuda.cuMemcpyDtoH_v2(target, 0x1000, size) == (0,)
        assert bytes(memoryview(target).cast("B")) == b"\xaa" * size


def test_memory_by_address(stub: Stub) -> None:
    stub.returns("cuMemcpyHtoD_v2")
    for source, address in ((0x1234, 0x1234), (None, 0), (HasPtr(0x5678), 0x5678)):
        cuda.cuMemcpyHtoD_v2(0, source, 1)
        assert stub.call().arguments[1] == address.to_bytes(8, "little")
    record = cuda.CUlaunchConfig()
    cuda.cuMemcpyHtoD_v2(0, record, 1)
    assert stub.call().arguments[1] == record.getPtr().to_bytes(8, "little")


def test_memory_must_be_contiguous(stub: Stub) -> None:
    with pytest.raises(BufferError, match=r"cuMemcpyHtoD_v2\(\).*'srcHost'.*contiguous"):
        cuda.cuMemcpyHtoD_v2(0, memoryview(bytearray(10))[::2], 5)
    assert stub.count() == 0


def test_buffers_cannot_be_resized_during_a_call(stub: Stub) -> None:
    """The callback runs while the call has the buffer."""
    target = bytearray(16)
    seen: list[bool] = []

    def resize(_: int | None) -> None:
        try:
            target.extend(b"x")
            seen.append(True)
        except BufferError:
            seen.append(False)

    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(resize)
    cuda.cuLaunchHostFunc_v1(0, function, target)
    assert seen == [False]
    target.extend(b"x")


def test_text(stub: Stub) -> None:
    stub.returns("cuModuleGetFunction")
    stub.captures("cuModuleGetFunction", (2, 0, 0), 5)
    cuda.cuModuleGetFunction(1, b"name")
    assert stub.call().captured == (b"name\0",)
    with pytest.raises(TypeError, match=r"cuModuleGetFunction\(\).*'name'.*encode"):
        cuda.cuModuleGetFunction(1, "name")  # type: ignore[arg-type]
    assert stub.count() == 1


def test_arrays_may_be_any_sequence(stub: Stub) -> None:
    stub.returns("cuGraphAddEmptyNode")
    stub.captures("cuGraphAddEmptyNode", (2, 0, 0), 16)
    nodes = [cuda.CUgraphNode(5), cuda.CUgraphNode(6)]
    expected = (5).to_bytes(8, "little") + (6).to_bytes(8, "little")
    for given in (nodes, tuple(nodes), [5, 6], [*nodes, cuda.CUgraphNode(7)], array.array("Q", [5, 6])):
        cuda.cuGraphAddEmptyNode(1, given, 2)
        assert stub.call().captured == (expected,)
    stub.clear("cuGraphAddEmptyNode")
    stub.returns("cuGraphAddEmptyNode")
    cuda.cuGraphAddEmptyNode(1, None, 0)
    assert stub.call().arguments[2] == bytes(8)
    with pytest.raises(TypeError, match=r"cuGraphAddEmptyNode\(\).*'dependencies'.*\[1\]"):
        cuda.cuGraphAddEmptyNode(1, [5, cuda.CUgraph(6)], 2)  # type: ignore[list-item]


# CPython has one object for each of these, which the engine knows by its address, and makes those around them anew.
SMALL = [*range(-12, 300), *range(1000, 1100), *range(2040, 2060)]


@pytest.mark.parametrize(
    ("function", "before", "size", "low"),
    [
        (cuda.cuDeviceGet, (), 4, -(1 << 31)),
        (cuda.cuInit, (), 4, 0),
        (cuda.cuMemAlloc_v2, (), 8, 0),
        (cuda.cuCtxSetLimit, (cuda.CUlimit(0),), 8, 0),
        (cuda.cuStreamQuery, (), 8, 0),
        (cuda.cuDeviceGetAttribute, (), 4, -(1 << 31)),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_small_numbers(stub: Stub, function: Any, before: tuple[Any, ...], size: int, low: int) -> None:
    symbol = next(row["symbol"] for row in _core.functions() if getattr(cuda, row["name"]) is function)
    position = 1 if symbol in ("cuDeviceGet", "cuMemAlloc_v2", "cuCtxSetLimit", "cuDeviceGetAttribute") else 0
    after = (0,) if function is cuda.cuDeviceGetAttribute else ()
    stub.returns(symbol, 1)
    for number in SMALL:
        if number < low:
            with pytest.raises(OverflowError):
                function(*before, number, *after)
        else:
            assert function(*before, number, *after)[0] == 1
            assert stub.call().arguments[position] == number.to_bytes(size, "little", signed=number < 0)


def test_small_numbers_in_arrays(stub: Stub) -> None:
    """Of 64 bits, of 32 bits, and of an enum."""
    numbers = [number for number in SMALL if number >= 0]
    stub.returns("cuTensorMapEncodeTiled", 1)
    stub.returns("cuPointerGetAttributes", 1)
    for place in (4, 6):
        stub.captures("cuTensorMapEncodeTiled", (place, 0, 0), 8 if place == 4 else 4)
    stub.captures("cuPointerGetAttributes", (1, 0, 0), 4)
    for number in numbers:
        for kind in (list, tuple):
            cuda.cuTensorMapEncodeTiled(0, 1, 0, kind([number]), [], kind([number]), [1], 0, 0, 0, 0)
            assert [int.from_bytes(found or b"", "little") for found in stub.call().captured] == [number, number]
    refusals: tuple[Any, ...] = (-1, 1 << 32, 1 << 64, 1.0, "1")
    for refused in refusals:
        with pytest.raises((OverflowError, TypeError)):
            cuda.cuTensorMapEncodeTiled(0, 1, 0, [1], [], [refused], [1], 0, 0, 0, 0)
    known = [int(member) for member in cuda.CUpointer_attribute]
    for number in SMALL:
        if number in known:
            cuda.cuPointerGetAttributes(1, [number], 0)
            assert stub.call().captured == (number.to_bytes(4, "little"),)
        else:
            with pytest.raises(ValueError, match="does not know"):
                cuda.cuPointerGetAttributes(1, [number], 0)


@pytest.mark.parametrize("count", [1, 5, 6, 7, 40])
@pytest.mark.parametrize("type_", [ctypes.c_int, ctypes.c_uint, ctypes.c_long, ctypes.c_ulong, ctypes.c_void_p])
def test_small_numbers_for_kernels(stub: Stub, type_: Any, count: int) -> None:
    size = ctypes.sizeof(type_)
    stub.returns("cuLaunchKernel")
    stub.captures("cuLaunchKernel", (9, 0, 8 * (count - 1), 0), size)
    for number in SMALL:
        parameters = ((7,) * (count - 1) + (number,), (type_,) * count)
        if number < 0 and type_ not in (ctypes.c_int, ctypes.c_long):
            with pytest.raises(OverflowError):
                cuda.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0)
        else:
            assert cuda.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0) == (0,)
            assert stub.call().captured == (number.to_bytes(size, "little", signed=number < 0),)


@pytest.mark.parametrize("beside", [True, False], ids=["with types", "alone"])
def test_ctypes_objects_for_kernels(stub: Stub, beside: bool) -> None:
    """Nothing holds them after the call."""
    values: list[Any] = [
        ctypes.c_int(-3),
        ctypes.c_double(2.5),
        ctypes.c_bool(True),
        ctypes.c_char(b"x"),
        ctypes.c_void_p(5),
    ]
    values += [ctypes.c_int8(-3), ctypes.c_uint16(65535), ctypes.c_ulonglong((1 << 64) - 1)]
    types = tuple(map(type, values)) if beside else (None,) * len(values)
    stub.returns("cuLaunchKernel")
    for i, value in enumerate(values):
        stub.captures("cuLaunchKernel", (9, 0, 8 * i, 0), ctypes.sizeof(value))
    before = [sys.getrefcount(value) for value in values]
    for sequence in (tuple, list):
        assert cuda.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, (sequence(values), types), 0) == (0,)
        assert stub.call().captured == tuple(map(bytes, values))
    assert [sys.getrefcount(value) for value in values] == before
    with pytest.raises(TypeError, match="4 bytes where the type beside it has 8"):
        cuda.cuLaunchKernel(0, 1, 1, 1, 1, 1, 1, 0, 0, ((ctypes.c_int(1),), (ctypes.c_double,)), 0)


def test_counts_of_arrays_out(stub: Stub) -> None:
    stub.returns("cuGraphGetNodes")
    stub.writes("cuGraphGetNodes", (2, 0, 0), (5).to_bytes(8, "little"))
    assert cuda.cuGraphGetNodes(1) == (0, [], 5)
    assert stub.call().arguments[1] == bytes(8), "without room the driver is asked for the count"
    stub.writes("cuGraphGetNodes", (1, 0, 0), b"".join(i.to_bytes(8, "little") for i in range(1, 6)))
    error, nodes, count = cuda.cuGraphGetNodes(1, 5)
    assert (error, count) == (0, 5)
    assert nodes == [cuda.CUgraphNode(i) for i in range(1, 6)]
    assert cuda.cuGraphGetNodes(1, 7)[1:] == (nodes, 5)


# ---- kernel parameters ----


class Pair(ctypes.Structure):
    _fields_ = (("x", ctypes.c_int), ("y", ctypes.c_double))


class Colour(enum.IntEnum):
    RED = 7


def launch(stub: Stub, parameters: Any, sizes: list[int]) -> tuple[bytes | None, ...]:
    """What the driver finds behind each pointer of kernelParams."""
    stub.clear("cuLaunchKernel")
    stub.returns("cuLaunchKernel")
    for i, size in enumerate(sizes):
        stub.captures("cuLaunchKernel", (9, 0, 8 * i, 0), size)
    assert cuda.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0) == (0,)
    return stub.call().captured


SIMPLE: list[tuple[Any, Any]] = [
    (ctypes.c_bool, True),
    (ctypes.c_char, b"x"),
    (ctypes.c_byte, -5),
    (ctypes.c_ubyte, 250),
    (ctypes.c_short, -300),
    (ctypes.c_ushort, 60000),
    (ctypes.c_int, -70000),
    (ctypes.c_uint, 4_000_000_000),
    (ctypes.c_long, -5_000_000_000),
    (ctypes.c_ulong, 1 << 63),
    (ctypes.c_longlong, -(1 << 62)),
    (ctypes.c_ulonglong, (1 << 64) - 1),
    (ctypes.c_size_t, 1 << 40),
    (ctypes.c_float, 1.5),
    (ctypes.c_double, -2.25),
    (ctypes.c_void_p, 0x1234_5678_9ABC),
]


@pytest.mark.parametrize(("type_", "value"), SIMPLE, ids=lambda x: getattr(x, "__name__", ""))
def test_kernel_values_with_ctypes(stub: Stub, type_: Any, value: Any) -> None:
    expected = bytes(type_(value))
    assert launch(stub, ((value,), (type_,)), [len(expected)]) == (expected,)
    assert launch(stub, ([value], [type_]), [len(expected)]) == (expected,)
    assert launch(stub, ((type_(value),), (type_,)), [len(expected)]) == (expected,), "a ctypes object goes as it is"
    assert launch(stub, ((type_(value),), (None,)), [len(expected)]) == (expected,), "and brings its type"


def test_kernel_values_of_every_kind_at_once(stub: Stub) -> None:
    values = tuple(value for _, value in SIMPLE)
    types = tuple(type_ for type_, _ in SIMPLE)
    expected = tuple(bytes(type_(value)) for type_, value in SIMPLE)
    assert launch(stub, (values, types), [len(e) for e in expected]) == expected


def test_kernel_values_that_bring_their_type(stub: Stub) -> None:
    record = cuda.CUDA_MEMCPY2D_v2(Height=77)
    content = bytes(memoryview(record).cast("B"))
    pair = Pair(3, 2.5)
    given = (cuda.CUdeviceptr_v2(0x1000), cuda.CUstream(0x2000), record, pair, Colour.RED, cuda.CUlimit(1))
    expected = (
        (0x1000).to_bytes(8, "little"),
        (0x2000).to_bytes(8, "little"),
        content,
        bytes(pair),
        (7).to_bytes(4, "little"),
        (1).to_bytes(4, "little"),
    )
    sizes = [len(e) for e in expected]
    assert launch(stub, (given, (None,) * len(given)), sizes) == expected
    assert launch(stub, given, sizes) == expected, "without types beside them"
    assert launch(stub, ((pair,), (Pair,)), [16]) == (bytes(pair),)


def test_kernel_pointers(stub: Stub) -> None:
    buffer = bytearray(8)
    address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
    assert launch(stub, ((buffer, None), (ctypes.c_void_p,) * 2), [8, 8]) == (address.to_bytes(8, "little"), bytes(8))


def test_packed_kernel_parameters(stub: Stub) -> None:
    value = ctypes.c_int(5)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(value))
    for packed in (ctypes.addressof(pointers), pointers, memoryview(pointers)):
        assert launch(stub, packed, [4]) == ((5).to_bytes(4, "little"),)
    for none in (None, 0, ()):
        launch(stub, none, [])
        assert stub.call().arguments[9] == bytes(8)


def test_kernel_values_whose_conversion_launches(stub: Stub) -> None:
    """Other types take the place of those that are being used, where the engine keeps what it knows of them."""
    count = 100

    class Launches:
        def __index__(self) -> int:
            for kind in (ctypes.c_double, ctypes.c_int8, ctypes.c_uint16):
                for size in range(40, 60):
                    cuda.cuLaunchKernel_ptsz(1, 1, 1, 1, 1, 1, 1, 0, 0, ((1,) * size, (kind,) * size), 0)
            return 1

    values: tuple[Any, ...] = (0, Launches(), *range(2, count))
    stub.returns("cuLaunchKernel")
    captured = [stub.captures("cuLaunchKernel", (9, 0, 8 * i, 0), 4) for i in range(count)]
    assert cuda.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, (values, (ctypes.c_int,) * count), 0) == (0,)
    assert [stub.call().captured[i] for i in captured] == [i.to_bytes(4, "little") for i in range(count)]


@pytest.mark.parametrize("count", [1, 15, 64, 128, 129, 512])
def test_many_kernel_parameters(stub: Stub, count: int) -> None:
    values = tuple(range(count))
    expected = tuple(i.to_bytes(4, "little") for i in range(count))
    assert launch(stub, (values, (ctypes.c_int,) * count), [4] * count) == expected


def test_extra_is_passed_on(stub: Stub) -> None:
    stub.returns("cuLaunchKernel")
    cuda.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, None, 0x5555)
    assert stub.call().arguments[10] == (0x5555).to_bytes(8, "little")


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        (((1 << 40,), (ctypes.c_int,)), OverflowError),
        (((-1,), (ctypes.c_uint,)), OverflowError),
        (((1.5,), (ctypes.c_int,)), TypeError),
        ((("x",), (ctypes.c_int,)), TypeError),
        (((1e300,), (ctypes.c_float,)), OverflowError),
        (((1,), (None,)), TypeError),
        (((1,), (int,)), TypeError),
        (((1, 2), (ctypes.c_int,)), ValueError),
        ((1, 2), TypeError),
        ("text", TypeError),
        (((Pair(),), (ctypes.c_int,)), TypeError),
        (((ctypes.pointer(ctypes.c_int(9)),), (ctypes.c_void_p,)), TypeError),
    ],
)
def test_wrong_kernel_parameters(stub: Stub, parameters: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"cuLaunchKernel\(\).*'kernelParams'") as raised:
        cuda.cuLaunchKernel(1, 1, 1, 1, 1, 1, 1, 0, 0, parameters, 0)
    assert type(raised.value) is error
    assert stub.count() == 0


# ---- callbacks ----


def test_host_function_runs_on_another_thread(stub: Stub) -> None:
    seen: list[int | None] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    for given in (function, cuda.CUhostFn(function), ctypes.cast(function, ctypes.c_void_p).value):
        assert cuda.cuLaunchHostFunc_v1(0, given, 0x77) == (0,)
    assert seen == [0x77] * 3


def test_stream_callback(stub: Stub) -> None:
    seen: list[tuple[Any, ...]] = []
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
    function = kind(lambda *arguments: seen.append(arguments))
    assert cuda.cuStreamAddCallback(5, function, 6, 0) == (0,)
    assert seen == [(5, 0, 6)]


def test_block_size_callback(stub: Stub) -> None:
    asked: list[int] = []

    def shared(block: int) -> int:
        asked.append(block)
        return 1024

    function = ctypes.CFUNCTYPE(ctypes.c_size_t, ctypes.c_int)(shared)
    assert cuda.cuOccupancyMaxPotentialBlockSize(1, function, 0, 128) == (0, 32, 128)
    assert asked == [128]


def test_callback_objects_keep_their_function() -> None:
    gone: list[int] = []

    class Watched:
        def __call__(self, data: int | None) -> None:
            raise NotImplementedError

        def __del__(self) -> None:
            gone.append(1)

    callback = cuda.CUhostFn(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(Watched()))
    record = cuda.CUDA_HOST_NODE_PARAMS_v1(fn=callback)
    del callback
    gc.collect()
    assert not gone
    taken, copied = record.fn, copy.copy(record.fn)
    record.fn = None
    del taken
    gc.collect()
    assert not gone
    with pytest.raises(TypeError, match=r"CUhostFn .* cannot be pickled"):
        pickle.dumps(copied)
    again = copy.deepcopy(copied)
    del copied
    gc.collect()
    assert not gone
    del again
    gc.collect()
    assert gone == [1]


# ---- options ----


def test_option_values_stay_alive_with_the_link(stub: Stub) -> None:
    """The linker writes its log after cuLinkCreate has returned."""
    log = bytearray(64)
    options = [cuda.CUjit_option.CU_JIT_INFO_LOG_BUFFER, cuda.CUjit_option.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES]
    _, state = cuda.cuLinkCreate_v2(2, options, [log, len(log)])
    with pytest.raises(BufferError):
        log.extend(b"x")
    twins = [copy.copy(state), copy.deepcopy(state), cuda.CUlinkState(state)]
    del state
    while twins:
        gc.collect()
        with pytest.raises(BufferError):
            log.extend(b"x")
        twins.pop()
    gc.collect()
    log.extend(b"x")
