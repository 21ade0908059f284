# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.nvml as Python writes it: hostile arguments, fields and libraries give an exception or an answer."""

from __future__ import annotations

import os
import random
import struct
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codegen.emit.pythonic import Layer
from codegen.emit.pythonic_rules import record_name
from codegen.model.bind import bind
from codegen.model.fold import fold
from fuzz.conftest import watch
from fuzz.hostile import ALLOWED, Boom, Scene, anything, is_patient
from support.build import newest, stub_library
from support.counts import counts
from support.stub import Stub

LIBRARY = stub_library(newest("nvml"), "nvml")
os.environ["CUDA_NVML_LIBRARY"] = str(LIBRARY)

from cuda import nvml  # noqa: E402

LAYER = Layer(bind(fold("nvml")))
FUNCTIONS = {function.name: function for function in LAYER.functions}
STRUCTS = [bound.record.name for bound in LAYER.binding.records]
MAY_COME = (*ALLOWED, Boom, nvml.NvmlError, AttributeError)


@pytest.fixture(scope="module")
def nvml_stub() -> Stub:
    return Stub(LIBRARY)


def honest(type_: str) -> Any:
    kind = type_.removesuffix(" | int")
    match kind:
        case "int":
            return 3
        case "str" | "str | bytes":
            return "text"
        case "bytes" | "_Buffer":
            return b"0" * 32
        case "_Fields":
            return [1, (2, 3)]
    return getattr(nvml, kind)()


@given(st.sampled_from([name for name, f in FUNCTIONS.items() if f.inputs]), st.randoms(use_true_random=False))
def test_hostile_arguments(nvml_stub: Stub, name: str, rng: random.Random) -> None:
    watch()
    counts["examples of Hypothesis"] += 1
    function = FUNCTIONS[name]
    arguments = [honest(type_) for _, type_ in function.inputs]
    scene = Scene(rng, arguments)
    at = rng.randrange(len(arguments))
    arguments[at] = anything(rng, scene)
    if issubclass(type(arguments[at]), int) and function.inputs[at][1] not in ("int", "str", "bytes"):
        arguments[at] = 0  # what an address leads to is the caller's word
    nvml_stub.clear(function.symbol)
    nvml_stub.returns(function.symbol, 0 if is_patient(arguments[at]) else 15)
    with suppress(*MAY_COME):
        getattr(nvml, name)(*arguments)


@given(st.sampled_from(STRUCTS), st.randoms(use_true_random=False))
def test_hostile_fields(name: str, rng: random.Random) -> None:
    watch()
    counts["examples of Hypothesis"] += 1
    one = getattr(nvml, record_name(name))(rng.choice((1, 1, 1, 2, 5)))
    size = len(bytes(one))
    scene = Scene(rng, [one])
    for field in [attribute for attribute in dir(one) if not attribute.startswith("_")]:
        with suppress(*MAY_COME):
            setattr(one, field, anything(rng, scene))
    assert len(bytes(one)) == size


COUNTED = [
    bound
    for bound in LAYER.binding.functions
    if bound.outputs_on_error and all(p.kind not in ("in_record",) for p in bound.parameters)
]


@pytest.mark.parametrize("count", [0, 1, 5, 1000, 1 << 31, 0xFFFFFFFF])
@pytest.mark.parametrize("status", [0, 7, 15])
def test_a_library_that_counts_wrongly(nvml_stub: Stub, count: int, status: int) -> None:
    """A count that is not true makes an exception or a list, and never reads what is not there."""
    for bound in COUNTED:
        watch()
        counts["counts that are not true"] += 1
        name = LAYER.rules.function(bound.function.symbol)
        nvml_stub.clear(bound.function.symbol)
        nvml_stub.returns(bound.function.symbol, status)
        (at,) = (i for i, p in enumerate(bound.parameters) if p.kind == "inout")
        nvml_stub.writes(bound.function.symbol, (at, 0, 0), struct.pack("=I", count))
        try:
            found = getattr(nvml, name)(*(honest(type_) for _, type_ in FUNCTIONS[name].inputs))
        except MAY_COME:
            continue
        assert status == 0
        assert found is not None
    nvml_stub.reset()
