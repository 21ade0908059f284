# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A million calls of each kind of row leave no object, no reference and no memory behind.

A leak of one object a call shows in CPython's own count of blocks, a reference in the count of its object, and memory
from malloc in the size of the process. SANITIZE_CALLS sets another number of calls.
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from codegen.model.binding import BoundFunction
from support.calls import Prepared, wrong_values
from support.counts import counts
from support.stub import Stub
from support.subject import FACTS, NAME, PATH, SUITE
from support.subject import module as cuda

CALLS = int(os.environ.get("SANITIZE_CALLS", 1_000_000))
FAILURES = CALLS // 20  # an exception takes ten times as long as a call
PAGE = os.sysconf("SC_PAGE_SIZE")
NOISE = 1 << 20  # bytes that a process may grow by for reasons of its own

BINDING = SUITE.binding
PREPARER = SUITE.preparer
of_the_driver = pytest.mark.skipif(NAME != "driver", reason="uses what the driver has")


@pytest.fixture(scope="module", autouse=True)
def stub() -> Iterator[Stub]:
    stub = Stub(PATH)
    gc.collect()
    gc.freeze()  # the registry's objects need not be looked at again in every collection
    with stub.unrecorded():
        yield stub
    gc.unfreeze()
    stub.reset()


def kinds() -> Iterator[tuple[str, BoundFunction]]:
    """One function for each kind of row: of kind, element and flags of a parameter."""
    seen: set[object] = set()
    for bound in sorted(BINDING.functions, key=lambda bound: len(bound.parameters)):
        if bound.function.platform == "windows":
            continue
        new = {(p.kind, p.elem, p.flags) for p in bound.parameters} - seen
        seen |= new
        if new:
            yield bound.function.name, bound


KINDS = dict(kinds())


def size() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def repeat(work: Callable[[], Any], times: int) -> None:
    for _ in itertools.repeat(None, times):
        work()


def measure(work: Callable[[], Any], times: int, shared: Sequence[object], what: str = "") -> None:
    """`work` has no effect that lasts: requires that `times` more of it leave everything as it is.

    What leaks does so whenever it is looked at. Python and pytest keep something once in a while, so a suspicion is
    looked at again.
    """
    repeat(work, min(times, 2000))
    left = growth(work, times, shared) and growth(work, times, shared)
    assert not left, f"{left} after {times} calls"
    if what:
        counts[f"{what} without a leak"] += times


def growth(work: Callable[[], Any], times: int, shared: Sequence[object]) -> str:
    """What `times` more of the work leave, in words."""
    gc.collect()
    before = [sys.getrefcount(one) for one in shared], sys.getallocatedblocks(), size()
    repeat(work, times)
    gc.collect()
    after = [sys.getrefcount(one) for one in shared], sys.getallocatedblocks(), size()
    for one, old, new in zip(shared, before[0], after[0], strict=True):
        if abs(new - old) >= 50:
            return f"{new - old} references to {type(one).__name__}"
    # The collector and the allocator of Python keep a few hundred blocks as they like.
    if after[1] - before[1] >= max(200, times // 100):
        return f"{after[1] - before[1]} blocks"
    return f"{after[2] - before[2]} bytes" if after[2] - before[2] >= NOISE else ""


def shared_objects(arguments: Sequence[Any], results: Sequence[Any]) -> list[Any]:
    """What calls have in common: arguments and what is in them, types, enumerators, None."""
    found: list[Any] = [None, SUITE.success, SUITE.failure, getattr(cuda, FACTS.result)]
    for one in itertools.chain(arguments, results):
        found += [one, type(one)]
        if isinstance(one, list | tuple):
            found += [*one, *map(type, one)]
    return list({id(one): one for one in found}.values())


def tell_sizes(stub: Stub, prepared: Prepared) -> None:
    """What the functions answer that are asked how much room the call needs."""
    for other, place, data in prepared.asked:
        stub.clear(other)
        stub.returns(other)
        stub.writes(other, place, data)


@pytest.mark.parametrize("bound", KINDS.values(), ids=KINDS)
def test_calls(stub: Stub, bound: BoundFunction) -> None:
    call = getattr(cuda, bound.function.name)
    counts["kinds of parameters"] += 1
    for status, times in ((0, CALLS), (int(SUITE.failure), CALLS // 10)):
        prepared = PREPARER.prepare(bound)
        stub.clear(bound.function.symbol)
        stub.returns(bound.function.symbol, status)
        for place, data in prepared.written:
            stub.writes(bound.function.symbol, place, data)
        tell_sizes(stub, prepared)
        stub.library.stub_record(0)
        if any("keep" in p.flags and p.kind == "in" for p in bound.inputs):
            # A text stays with the handle, however often it is given; who has the handle as an int keeps it himself.
            prepared.arguments[bound.inputs[0].name] = int(prepared.arguments[bound.inputs[0].name])
        arguments = list(prepared.arguments.values())
        results = call(*arguments)
        assert results[0] == (status if bound.function.result == FACTS.result else SUITE.success)
        # A counter that the driver writes back is another object each time: count what is alike only.
        alike = [one for one in results if not isinstance(one, int) or type(one) is not int]
        shared = shared_objects(arguments, alike)
        measure(lambda arguments=arguments: call(*arguments), times, shared, "calls")  # type: ignore[misc]
        names = prepared.arguments
        measure(lambda names=names: call(**names), times // 20, shared, "calls")  # type: ignore[misc]
    stub.clear(bound.function.symbol)


@pytest.mark.parametrize("bound", KINDS.values(), ids=KINDS)
def test_refused_arguments(stub: Stub, bound: BoundFunction) -> None:
    call = getattr(cuda, bound.function.name)
    prepared = PREPARER.prepare(bound)
    tell_sizes(stub, prepared)
    given = list(prepared.arguments.values())

    def refuse(arguments: list[Any]) -> None:
        try:
            call(*arguments)
        except (TypeError, ValueError, OverflowError, BufferError):
            return
        raise AssertionError(f"accepted {arguments}")

    for i, parameter in enumerate(bound.inputs):
        for wrong in wrong_values(PREPARER.values, bound, parameter, given[i]):
            arguments = [*given[:i], wrong.value, *given[i + 1 :]]
            shared = shared_objects(arguments, ())
            measure(lambda a=arguments: refuse(a), FAILURES // 10, shared, "refused calls")  # type: ignore[misc]


def fields() -> Iterator[tuple[str, str, str]]:
    """One field for each kind of field: (kind, record, name)."""
    seen: set[object] = set()
    for bound in BINDING.records:
        if "." in bound.record.name:
            continue
        for field in bound.fields:
            kind = f"{field.kind} {field.elem}"
            if kind not in seen:
                seen.add(kind)
                yield kind, bound.record.name, field.field.name


@pytest.mark.parametrize(("kind", "record", "name"), list(fields()))
def test_fields(kind: str, record: str, name: str) -> None:
    one = getattr(cuda, record)()
    value = getattr(one, name)
    setattr(one, name, value)

    def work() -> None:
        setattr(one, name, value)
        getattr(one, name)

    counts["kinds of fields"] += 1
    measure(work, CALLS, shared_objects([one, value], ()), "fields set and read")


@of_the_driver
def test_fields_that_keep() -> None:
    """Pointers to what must live: set, copied, replaced and forgotten."""
    memory = bytearray(64)
    attribute = cuda.CUlaunchAttribute(id=1)
    copy2d = cuda.CUDA_MEMCPY2D_v2()
    config = cuda.CUlaunchConfig()
    node = cuda.CUDA_KERNEL_NODE_PARAMS_v2()

    def work() -> None:
        copy2d.srcHost = memory
        copy2d.dstHost = copy2d
        copy2d.__copy__()
        config.attrs = [attribute, attribute]
        config.attrs[0].id = 2
        config.attrs = None
        copy2d.srcHost = None
        copy2d.dstHost = 0
        node.kernelParams = ((memory, attribute), (None, None))
        node.kernelParams = None

    measure(work, CALLS // 10, [memory, attribute, copy2d, config, node, None], "rounds of fields that keep")


@of_the_driver
def test_cycles_are_collected() -> None:
    class Holder:
        def __init__(self) -> None:
            self.record = cuda.CUDA_MEMCPY2D_v2()
            self.record.srcHost = self

        def getPtr(self) -> int:  # noqa: N802 - the protocol's name
            return 4096

    measure(Holder, CALLS // 20, [cuda.CUDA_MEMCPY2D_v2], "cycles")


@of_the_driver
def test_objects() -> None:
    """Types called by hand, pickled, compared and shown."""
    import copy
    import pickle

    handle, member = cuda.CUstream(5), cuda.CUlimit(1)
    record = cuda.CUlaunchConfig(gridDimX=3, attrs=[cuda.CUlaunchAttribute(id=1)], numAttrs=1)

    def work() -> None:
        assert cuda.CUstream(5) == handle
        assert hash(cuda.CUstream(handle)) == hash(handle)
        assert cuda.CUlimit(1) is member
        assert cuda.CUlimit["CU_LIMIT_PRINTF_FIFO_SIZE"] is member
        assert pickle.loads(pickle.dumps((handle, member, cuda.cuInit))) == (handle, member, cuda.cuInit)
        assert copy.copy(record) == record
        assert copy.deepcopy(record) == record
        assert repr(record)
        assert str(record)
        assert repr(handle)
        assert repr(member)
        assert 1 in cuda.CUlimit
        assert len(list(cuda.CUlimit)) == len(cuda.CUlimit)
        assert bytes(memoryview(record))

    shared = [handle, member, record, cuda.CUstream, cuda.CUlimit, cuda.CUlaunchConfig]
    measure(work, CALLS // 100, shared, "rounds of objects")


def test_a_leak_would_be_seen() -> None:
    left: list[object] = []
    with pytest.raises(AssertionError, match="blocks"):
        measure(lambda: left.append(object()), 10_000, [])
    import ctypes

    malloc = ctypes.CDLL(None).malloc
    malloc.restype = ctypes.c_void_p
    with pytest.raises(AssertionError, match="bytes"):
        measure(lambda: ctypes.memset(malloc(400), 0, 400), 20_000, [])
