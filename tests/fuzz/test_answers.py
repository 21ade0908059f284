# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries that answer what nobody expects: unknown enumerators, counts beyond every array, sizes of everything."""

from __future__ import annotations

import pickle
from contextlib import suppress

import pytest

from codegen.model.binding import BoundFunction, BoundParameter
from fuzz.conftest import watch
from support.counts import counts
from support.stub import Stub
from support.subject import ENUMS, SUITE

INDIRECT = {"cstr", "callback"}  # what a library gives as a pointer that has to be followed
each = pytest.mark.parametrize("bound", SUITE.functions, ids=lambda bound: bound.function.name)


def harmless(parameter: BoundParameter) -> bool:
    return parameter.elem not in INDIRECT and parameter.kind != "out_borrowed"


@each
def test_a_library_that_writes_every_output(stub: Stub, bound: BoundFunction) -> None:
    """Unknown enumerators, counts beyond every array, records full of pointers that lead nowhere."""
    for fill in (0xFF, 0x80, 0x7F):
        for status in (0, int(SUITE.failure), 123456, -7, -(2**31)):
            watch()
            write_every_output(stub, bound, fill, status)


def write_every_output(stub: Stub, bound: BoundFunction, fill: int, status: int) -> None:
    if bound.returns_value and status:
        return  # it has none, and what it returns may be an address
    prepared = SUITE.preparer.prepare(bound)
    symbol = bound.function.symbol
    stub.clear(symbol)
    stub.returns(symbol, status)
    for place, data in prepared.written:
        if harmless(bound.parameters[place[0]]):
            stub.writes(symbol, place, bytes([fill]) * len(data))
    for other, place, data in prepared.asked:
        stub.clear(other)
        stub.returns(other)
        stub.writes(other, place, data)
    found = SUITE.callable_of(bound)(*prepared.arguments.values())
    counts["answers that nobody expects"] += 1
    assert found[0] == status
    assert len(found) == 1 + len(bound.outputs)
    for one in found:
        assert isinstance(repr(one), str)
        for member in one if isinstance(one, list) else [one]:
            if type(member) in ENUMS and member not in type(member):
                look_at_unknown(member)
    if status and not bound.outputs_on_error:
        assert found[1:] == (None,) * len(bound.outputs)
    stub.clear(symbol)


def look_at_unknown(member: object) -> None:
    """One object a value, with a text, no name, and a way back through pickle."""
    counts["unknown enumerators"] += 1
    assert "unknown" in repr(member)
    assert getattr(member, "name") is None  # noqa: B009
    assert pickle.loads(pickle.dumps(member)) is member


SIZED = SUITE.sized()


@pytest.mark.skipif(not SIZED, reason="the library tells no sizes")
def test_sizes_that_no_memory_has(stub: Stub) -> None:
    """What a library says that an answer needs is asked of the allocator, and not believed."""
    for bound in SIZED:
        for told in (1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1):
            watch()
            prepared = SUITE.preparer.prepare(bound)
            symbol = bound.function.symbol
            stub.clear(symbol)
            stub.returns(symbol, int(SUITE.failure))
            for other, place, data in prepared.asked:
                stub.clear(other)
                stub.returns(other)
                stub.writes(other, place, (told % (1 << 8 * len(data))).to_bytes(len(data), "little"))
            with suppress(MemoryError, ValueError, OverflowError):
                found = SUITE.callable_of(bound)(*prepared.arguments.values())
                assert found[0] == SUITE.failure
            counts["sizes that no memory has"] += 1
            stub.clear(symbol)
    stub.reset()
