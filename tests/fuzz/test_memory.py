# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Memory that runs out in each allocation of a call: MemoryError or a result, nothing lost, and the next call works."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from codegen.model.binding import BoundFunction
from fuzz.conftest import watch
from support.counts import counts
from support.stub import Stub
from support.subject import FACTS, NAME, SUITE, core
from support.subject import module as cuda

_testcapi = pytest.importorskip("_testcapi", reason="this CPython was built without its test modules")

PREPARER = SUITE.preparer
of_the_driver = pytest.mark.skipif(NAME != "driver", reason="uses what the driver has")


def _kinds() -> Iterator[BoundFunction]:
    """Functions that have a kind of parameter which none before them had."""
    seen: set[object] = set()
    for bound in sorted(SUITE.functions, key=lambda bound: len(bound.parameters)):
        new = {(p.kind, p.elem, p.flags, p.type if p.typed else None) for p in bound.parameters} - seen
        seen |= new
        if new:
            yield bound


FUNCTIONS = list(_kinds())
MOST = 400  # allocations of a call; one with more fails the test


def starve(work: Callable[[], Any], first: int) -> bool:
    """Run with every allocation from the `first` on failing; whether it went through all the same."""
    # Nothing may happen between these lines that needs memory.
    _testcapi.set_nomemory(first, 0)
    try:
        work()
    except MemoryError:
        return False
    finally:
        _testcapi.remove_mem_hooks()
    return True


def starve_once(work: Callable[[], Any], number: int) -> bool:
    """One allocation fails, those after it do not: what has to be undone has the memory for it."""
    _testcapi.set_nomemory(number, number + 1)
    try:
        work()
    except MemoryError:
        return False
    finally:
        _testcapi.remove_mem_hooks()
    return True


def every_allocation(work: Callable[[], Any]) -> int:
    for kind in (starve, starve_once):
        number = 1
        while not kind(work, number):
            number += 1
            assert number < MOST
        counts["allocations that failed"] += number - 1
    return number


@pytest.mark.parametrize("bound", FUNCTIONS, ids=lambda bound: bound.function.name)
def test_calls(stub: Stub, bound: BoundFunction) -> None:
    watch()
    prepared = PREPARER.prepare(bound)
    call, symbol = getattr(cuda, bound.function.name), bound.function.symbol
    arguments = list(prepared.arguments.values())
    prepared.program(stub)
    before_call = call(*arguments)
    stub.library.stub_record(0)
    # Not of small ints, which everything else in the process holds and lets go of, too.
    shared = [one for one in (*arguments, *map(type, arguments), *map(type, before_call)) if type(one) is not int]
    gc.collect()
    before = [sys.getrefcount(one) for one in shared], sys.getallocatedblocks()
    rounds = 3
    for _ in range(rounds):
        every_allocation(lambda: call(*arguments))
    gc.collect()
    after = [sys.getrefcount(one) for one in shared], sys.getallocatedblocks()
    # What a handle keeps alive it keeps for each call that went through: one for each way in which memory ran out.
    kept = [id(arguments[i]) for i, p in enumerate(bound.inputs) if "keep" in p.flags and p.kind == "in"]
    assert after[0] == [n + 2 * rounds * (id(one) in kept) for n, one in zip(before[0], shared, strict=True)]
    assert after[1] - before[1] < 40, f"{after[1] - before[1]} blocks were lost"
    stub.library.stub_record(1)
    again = PREPARER.prepare(bound)
    again.program(stub)
    result = call(*again.arguments.values())
    again.check_seen(stub.call())
    again.check_results(result, SUITE.success)
    stub.clear(symbol)


def _records() -> list[Callable[[], Any]]:
    import copy

    attribute = cuda.CUlaunchAttribute(id=1)
    config = cuda.CUlaunchConfig(attrs=[attribute], numAttrs=1)
    memory = cuda.CUDA_MEMCPY2D_v2(srcHost=bytearray(8))
    node = cuda.CUDA_KERNEL_NODE_PARAMS_v2()
    return [
        lambda: cuda.CUlaunchConfig(gridDimX=2, attrs=[attribute, attribute]),
        lambda: copy.copy(config),
        lambda: str(config),
        lambda: repr(config),
        lambda: setattr(config, "attrs", [attribute] * 3),
        lambda: config.attrs,
        lambda: setattr(memory, "srcHost", b"text"),
        lambda: setattr(memory, "srcHost", memory),
        lambda: setattr(memory, "srcHost", None),
        lambda: setattr(node, "kernelParams", ((attribute, b"text"), (None, None))),
        lambda: cuda.CUlimit(12345 - 12345),
        lambda: list(cuda.CUlimit),
        lambda: cuda.CUlimit["CU_LIMIT_STACK_SIZE"],
        lambda: cuda.CUlimit.__members__,
        lambda: cuda.CUstream(5).__reduce__(),
        lambda: hash(cuda.CUdeviceptr_v2(5)),
        lambda: cuda.cuInit.__reduce__(),
        lambda: cuda._core.names(""),
        lambda: cuda._core.functions()[:1] and None,
        lambda: cuda._core.library(),
    ]


@of_the_driver
@pytest.mark.parametrize("number", range(20))
def test_objects(number: int) -> None:
    watch()
    works = _records()
    assert len(works) == 20
    work = works[number]
    work()
    limit = MOST
    for kind in (starve, starve_once):
        first = 1
        while not kind(work, first):
            first += 1 if first < limit else first // 3  # what builds long lists needs no test of every element
            counts["allocations that failed"] += 1
    work()


# Types and functions are made once, so each starts in a process of its own; memory runs out ever later in it.
FIRST = """
import sys
from importlib import import_module
import _testcapi
core = import_module(sys.argv[3])
names, lookup = core.names(""), core.lookup
set_nomemory, remove = _testcapi.set_nomemory, _testcapi.remove_mem_hooks
made = failed = 0
for name in names[int(sys.argv[1])::int(sys.argv[2])]:
    number = 1
    while True:
        set_nomemory(number, number + 1 if number % 2 else 0)
        try:
            found = lookup("", name)
        except MemoryError:
            remove()
            failed += 1
            number += 1 if number < 50 else number // 10
            assert number < 100_000, name
            continue
        finally:
            remove()
        break
    again = lookup("", name)
    assert again is found or again == found, name
    if isinstance(found, type):
        repr(found)
        if hasattr(found, "__members__"):
            assert list(found), name
        elif hasattr(found, "__copy__"):
            repr(found()), str(found())
        else:
            found(5)
    made += 1
print(made, failed)
"""


@pytest.mark.parametrize("start", range(4))
def test_names_that_are_asked_for_first(start: int) -> None:
    command = [sys.executable, "-c", FIRST, str(start), "4", FACTS.core]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    made, failed = map(int, done.stdout.split())
    assert made == len(range(start, len(core.names("")), 4))
    assert failed > made
    counts["names looked up first as memory ran out"] += made
    counts["allocations that failed"] += failed
