# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every function with hostile arguments: an exception and no call, or a call whose honest arguments are exact."""

from __future__ import annotations

import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from codegen.model.binding import BoundFunction, BoundParameter
from fuzz.conftest import watch
from fuzz.hostile import ALLOWED, Boom, Scene, anything, is_patient
from support.counts import counts
from support.stub import Stub
from support.subject import BY_NAME, SUITE
from support.values import INT_SIZES

PREPARER = SUITE.preparer
WITH_INPUTS = [name for name, bound in BY_NAME.items() if bound.inputs]
FAILURE = int(SUITE.failure)

seen = {"calls": 0, "refused": 0}


def expected_bytes(parameter: BoundParameter, value: Any) -> bytes | None:
    """What C must get for a plain int where an integer is meant; None where this oracle has no opinion."""
    if parameter.kind != "in" or type(value) is not int or parameter.elem not in INT_SIZES:
        return None
    size = INT_SIZES[parameter.elem]
    try:
        return value.to_bytes(size, "little", signed=parameter.elem.startswith("i"))
    except OverflowError:
        return b"refused"


def attempt(stub: Stub, bound: BoundFunction, rng: random.Random) -> None:
    prepared = PREPARER.prepare(bound, rng.randrange(50), rng.randrange(5))
    call = SUITE.callable_of(bound)
    names = list(prepared.arguments)
    arguments = list(prepared.arguments.values())
    scene = Scene(rng, arguments, call)
    hostile = set(rng.sample(range(len(arguments)), min(len(arguments), rng.choice((1, 1, 1, 2, 5)))))
    for i in hostile:
        arguments[i] = anything(rng, scene)
    patient = all(is_patient(arguments[i]) for i in hostile)

    symbol = bound.function.symbol
    stub.clear(symbol)
    stub.returns(symbol, 0 if patient and rng.random() < 0.7 else FAILURE)
    for other, place, data in prepared.asked:  # tells how much room the call needs
        stub.clear(other)
        stub.returns(other)
        stub.writes(other, place, data)
    before = stub.count(symbol)
    exact = [expected_bytes(p, arguments[i]) if i in hostile else None for i, p in enumerate(bound.inputs)]
    try:
        result = call(**dict(zip(names, arguments, strict=True))) if rng.random() < 0.2 else call(*arguments)
    except (*ALLOWED, Boom):
        seen["refused"] += 1
        assert scene.acted or stub.count(symbol) == before, "the driver was called, and then an exception came"
        return
    seen["calls"] += 1
    assert type(result) is tuple
    assert len(result) == 1 + len(bound.outputs)
    if scene.acted:
        return
    assert stub.count(symbol) == before + 1
    seen_by_driver = stub.call().arguments
    parameters = {id(p): i for i, p in enumerate(bound.parameters)}
    for i, parameter in enumerate(bound.inputs):
        position = parameters[id(parameter)]
        wanted = exact[i] if i in hostile else prepared.raw.get(position)
        assert wanted is None or seen_by_driver[position] == wanted, (parameter.name, seen_by_driver[position], wanted)


@given(st.sampled_from(WITH_INPUTS), st.randoms(use_true_random=False))
def test_hostile_arguments(stub: Stub, name: str, rng: random.Random) -> None:
    watch()
    counts["examples of Hypothesis"] += 1
    attempt(stub, BY_NAME[name], rng)


def test_every_function_with_every_seed(stub: Stub) -> None:
    """The same without Hypothesis, which is slow: each function with a few hundred seeds."""
    from fuzz.conftest import EXAMPLES

    for seed in range(max(1, EXAMPLES // 250, 1000 // len(WITH_INPUTS))):
        for number, name in enumerate(WITH_INPUTS):
            watch()
            counts["calls with arguments of a seed"] += 1
            rng = random.Random(seed * 10_000 + number)
            try:
                attempt(stub, BY_NAME[name], rng)
            except AssertionError as error:
                raise AssertionError(f"{name} with seed {seed * 10_000 + number}: {error}") from error
        stub.reset()
    print(seen)
    assert seen["calls"] > 100
    assert seen["refused"] > 100


@given(st.sampled_from(list(BY_NAME)), st.randoms(use_true_random=False))
def test_hostile_argument_lists(stub: Stub, name: str, rng: random.Random) -> None:
    """Too few, too many, unknown and repeated names."""
    watch()
    counts["examples of Hypothesis"] += 1
    bound = BY_NAME[name]
    scene = Scene(rng, [])
    stub.clear(bound.function.symbol)
    stub.returns(bound.function.symbol, FAILURE)
    count = rng.choice((0, 1, len(bound.inputs), len(bound.inputs) + 1, 40))
    arguments = [anything(rng, scene) for _ in range(count)]
    names = [p.name for p in bound.parameters] + ["", "self", "\ud800", "x" * 3000]
    keywords = {name: anything(rng, scene) for name in rng.sample(names, rng.randrange(min(len(names), 4)))}
    try:
        SUITE.callable_of(bound)(*arguments, **keywords)
    except (*ALLOWED, Boom):
        pass
