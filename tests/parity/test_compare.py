# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The comparison sees what differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import pytest

from .compare import NOTHING, Difference, differences
from .official import function
from .shape import Function, Input


@dataclass(frozen=True)
class Made:
    """A side made up for a test."""

    functions_: Mapping[str, Function] = field(default_factory=dict)
    enums_: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    records_: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    others_: frozenset[str] = frozenset()
    constants_: Mapping[str, int] = field(default_factory=dict)
    same_: Mapping[str, str] = field(default_factory=dict)
    accepts_: frozenset[tuple[str, str]] = frozenset()

    def functions(self) -> Mapping[str, Function]:
        return self.functions_

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return self.enums_

    def records(self) -> Mapping[str, Mapping[str, str]]:
        return self.records_

    def other_types(self) -> frozenset[str]:
        return self.others_

    def constants(self) -> Mapping[str, int]:
        return self.constants_

    def accepts(self, name: str, other: str) -> bool:
        return (name, other) in self.accepts_

    def same(self, name: str) -> str:
        return self.same_.get(name, name)


OUTPUTS = ("CUdeviceptr", "int")
CALL = Function((Input("ctx", "CUcontext"), Input("n", "size_t")), OUTPUTS)
OFFICIAL = Made(
    functions_={"cuCall": CALL},
    enums_={"CUkind": {"CU_KIND_A": 1}},
    records_={"CUrecord": {"a": "int", "inner": "anon_struct0"}, "anon_struct0": {"b": "CUkind"}},
    others_=frozenset({"CUcontext"}),
    constants_={"CU_VALUE": 3},
)
OURS = replace(
    OFFICIAL,
    functions_={"cuCall": replace(CALL, outputs=("CUdeviceptr_v2", "int"))},
    records_={"CUrecord": {"a": "int", "inner": "CUrecord.inner"}, "CUrecord.inner": {"b": "CUkind"}},
    same_={"CUdeviceptr": "CUdeviceptr_v2"},
)


def test_the_same_is_the_same() -> None:
    assert list(differences(OFFICIAL, OURS)) == []


@pytest.mark.parametrize(
    ("ours", "difference"),
    [
        (replace(OURS, functions_={}), Difference("cuCall", "a function", NOTHING)),
        (replace(OURS, enums_={}), Difference("CUkind", "an enumeration", NOTHING)),
        (replace(OURS, enums_={"CUkind": {"CU_KIND_A": 2}}), Difference("CUkind.CU_KIND_A", "1", "2")),
        (replace(OURS, enums_={"CUkind": {}}), Difference("CUkind.CU_KIND_A", "1", NOTHING)),
        (replace(OURS, records_={}), Difference("CUrecord", "a record", NOTHING)),
        (
            replace(OURS, records_={**OURS.records_, "CUrecord.inner": {}}),
            Difference("CUrecord.inner.b", "CUkind", NOTHING),
        ),
        (
            replace(OURS, records_={**OURS.records_, "CUrecord.inner": {"b": "int"}}),
            Difference("CUrecord.inner.b", "CUkind", "int"),
        ),
        (replace(OURS, others_=frozenset()), Difference("CUcontext", "a type", NOTHING)),
        (replace(OURS, constants_={}), Difference("CU_VALUE", "3", NOTHING)),
        (replace(OURS, same_={}), Difference("cuCall -> 1", "CUdeviceptr", "CUdeviceptr_v2")),
    ],
)
def test_what_is_missing_or_other_is_found(ours: Made, difference: Difference) -> None:
    assert list(differences(OFFICIAL, ours)) == [difference]


@pytest.mark.parametrize(
    ("changed", "difference"),
    [
        (replace(CALL, inputs=CALL.inputs[:1]), Difference("cuCall(2)", "size_t", NOTHING)),
        (replace(CALL, inputs=(*CALL.inputs, Input("m", "int"))), Difference("cuCall(3)", NOTHING, "int")),
        (
            replace(CALL, inputs=(CALL.inputs[0], Input("n", "unsigned int"))),
            Difference("cuCall(2)", "size_t", "unsigned int"),
        ),
        (replace(CALL, inputs=(CALL.inputs[0], Input("m", "size_t"))), Difference("cuCall(2) by name", "n", "m")),
        (replace(CALL, outputs=OUTPUTS[:1]), Difference("cuCall -> 2", "int", NOTHING)),
        (replace(CALL, outputs=(*OUTPUTS, "bytes")), Difference("cuCall -> 3", NOTHING, "bytes")),
        (replace(CALL, outputs=("CUdeviceptr", "float")), Difference("cuCall -> 2", "int", "float")),
    ],
)
def test_another_signature_is_found(changed: Function, difference: Difference) -> None:
    ours = replace(OURS, functions_={"cuCall": changed}, same_={})
    assert list(differences(OFFICIAL, ours)) == [difference]


def test_either_of_several_types_is_taken() -> None:
    either = replace(CALL, inputs=(Input("ctx", "cudaCtx_t or CUcontext"), CALL.inputs[1]))
    official = replace(OFFICIAL, functions_={"cuCall": either})
    assert list(differences(official, OURS)) == [Difference("cuCall(1)", "cudaCtx_t", "CUcontext")]
    assert list(differences(official, replace(OURS, accepts_=frozenset({("CUcontext", "cudaCtx_t")})))) == []


def test_a_function_written_by_hand_need_not_tell_its_types() -> None:
    official = replace(OFFICIAL, functions_={"make": CALL})
    by_hand = Function((Input("ctx", ""), Input("n", "")), None)
    assert list(differences(official, replace(OURS, functions_={"make": by_hand}))) == []
    renamed = replace(by_hand, inputs=(Input("ctx", ""), Input("m", "")))
    found = list(differences(official, replace(OURS, functions_={"make": renamed})))
    assert found == [Difference("make(2) by name", "n", "m")]


def test_a_required_argument_that_was_optional_is_found() -> None:
    optional = replace(CALL, inputs=(CALL.inputs[0], Input("n", "size_t", optional=True)))
    official = replace(OFFICIAL, functions_={"cuCall": optional})
    assert list(differences(official, OURS)) == [Difference("cuCall(2)", "optional", "required")]


DOC = """cuCall(CUrecord desc: Optional[CUrecord], ids: Optional[tuple[CUid] | list[CUid]], char *name, stream, where, \
unsigned int n=0)

Parameters
----------
desc : :py:obj:`~.CUrecord`
    Says how.
ids : list[:py:obj:`~.CUid`]
name : bytes
stream : :py:obj:`~.CUstream` or :py:obj:`~.cudaStream_t`
where : Any
n : unsigned int

Returns
-------
CUresult
    :py:obj:`~.CUDA_SUCCESS`
items : list[:py:obj:`~.CUitem`]
count : int
"""


def test_an_output_without_a_name_is_read() -> None:
    doc = "cuText(x)\n\nReturns\n-------\nCUresult.CUDA_SUCCESS\n    It is so.\nbytes\n    The text.\n"
    assert function(doc).outputs == ("bytes",)


@pytest.mark.parametrize("indent", ["", "    "])
def test_a_docstring_is_read(indent: str) -> None:
    first, *rest = DOC.split("\n")
    found = function("\n".join([first, *(indent + line for line in rest)]))
    assert found == Function(
        (
            Input("desc", "CUrecord"),
            Input("ids", "list[CUid]"),
            Input("name", "bytes"),
            Input("stream", "CUstream or cudaStream_t"),
            Input("where", "any"),
            Input("n", "unsigned int", optional=True),
        ),
        ("list[CUitem]", "int"),
    )
