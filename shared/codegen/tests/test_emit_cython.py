# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Spellings and declarations for Cython, one case each. Whether Cython agrees is tested with the package."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codegen.emit import cython, cytypes, entries
from codegen.emit.errors import EmitError
from codegen.model.api import Constant, CType, Enum, Enumerator, Field, Handle, Record
from codegen.tests.emit_sample import BINDING, R11, R13

API = BINDING.api


@pytest.mark.parametrize(
    ("types", "spelled"),
    [
        ((), "CUresult (void)"),
        (("unsigned int",), "CUresult (unsigned int)"),
        (("unsigned long long *", "long long"), "CUresult (unsigned PY_LONG_LONG *, PY_LONG_LONG)"),
        (("const char *", "const CUgraphNode **"), "CUresult (char const *, CUgraphNode const **)"),
        (("const void *const *", "void *const"), "CUresult (void const *const *, void *)"),
        (("const size_t",), "CUresult (size_t const)"),
    ],
)
def test_signature(types: tuple[str, ...], spelled: str) -> None:
    assert cytypes.signature("CUresult", map(CType.parse, types)) == spelled


def test_official_types_of_other_headers_carry_the_name_of_the_module() -> None:
    foreign = Handle("GLuint", "unsigned int", 4, R11, "GL/gl.h")
    api = replace(API, handles=(*API.handles, foreign))
    assert BINDING.official is not None
    name = cytypes.OfficialSpelling(api, api.views[0], BINDING.official).name
    assert name("CUstream") == "CUstream"
    assert name("CUdeviceptr") == "CUdeviceptr"  # the view's name of CUdeviceptr_v2
    assert name("unsigned int") == "unsigned int"
    assert name("uint64_t") == "uint64_t"
    assert name("GLuint") == "__pyx_t_4cuda_8bindings_8cydriver_GLuint"
    assert name("NeverDeclared") == "__pyx_t_4cuda_8bindings_8cydriver_NeverDeclared"


@pytest.mark.parametrize(
    ("constant", "declared"),
    [
        (Constant("C", 5, "int", R11), 'enum: C "5"'),
        (Constant("C", -5, "int", R11), 'enum: C "-5"'),
        (Constant("C", 0xFFFFFFFF, "unsigned int", R11), 'const unsigned int C "4294967295u"'),
        (Constant("C", -(1 << 40), "long long", R11), 'const long long C "-1099511627776ll"'),
        (Constant("C", 1 << 63, "unsigned long long", R11), 'const unsigned long long C "9223372036854775808ull"'),
        (Constant("C", 0.5, "double", R11), 'const double C "0.5"'),
        (Constant("C", 1, "CUstream", R11), 'CUstream C "((CUstream)1)"'),
        (Constant("C", 2, "void *", R11), 'void *C "((void *)2)"'),
        (Constant("C", b"x", "char *", R11), r'const char *C "\"x\""'),
        (Constant("C", 1, "int", R11, alias="CU_ATTR_COUNT"), 'const CUattr C "((CUattr)1)"'),
    ],
)
def test_constant(constant: Constant, declared: str) -> None:
    assert cython.constant(API, constant) == declared


def test_an_enumerator_belongs_to_the_enum_that_had_it_last() -> None:
    old = Enum("CUold", (Enumerator("CU_MOVED", 1, R11),), R11)
    new = Enum("CUnew", (Enumerator("CU_MOVED", 1, R13),), R13)
    for enums in ((old, new), (new, old)):
        assert cython.owners(replace(API, enums=enums)) == {"CU_MOVED": "CUnew"}


def test_an_enumerator_with_another_value_in_some_view_has_its_value_written_out() -> None:
    assert cython.moved(API) == {("CUattr", "CU_ATTR_CLOCK")}


def test_types_that_name_each_other_in_a_circle_are_refused() -> None:
    one = Record("One", False, 8, 8, (Field("two", CType.parse("Two *"), 0, 8),), R11)
    two = Record("Two", False, 8, 8, (Field("one", CType.parse("One *"), 0, 8),), R11)
    with pytest.raises(EmitError, match="One names itself by way of others"):
        list(cython._in_order(replace(API, records=(one, two), callbacks=())))


def test_a_view_must_know_how_its_header_spells_each_function() -> None:
    *others, last = API.views
    spelled = {name: types for name, types in last.spelled.items() if name != last.functions["cuInit"]}
    broken = replace(BINDING, api=replace(API, views=(*others, replace(last, spelled=spelled))))
    with pytest.raises(EmitError, match=r"cu13: cuInit is cuInit_v1, which the header of CUDA 13\.5 lacks"):
        entries.emit(broken)
