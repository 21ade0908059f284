# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every form of a generated .pxd is read, and any other is an error."""

from __future__ import annotations

import pytest
from ci.abi.pxd import Compound, Function, PxdError, Variable, read

TYPES = """\
# A comment.
cdef extern from "h.h" nogil:
    ctypedef enum CUresult:
        CUDA_SUCCESS
        CUDA_ERROR_X "((CUresult)9)"
    ctypedef struct CUctx_object "void":
        pass
    ctypedef CUctx_object *CUcontext
    ctypedef unsigned long long CUdeviceptr
    ctypedef struct A_b "__typeof__(((A *)0)->b)":
        void *p
        char bytes[16]
        const char *const *names
        unsigned int from_ "from"
    ctypedef void (*CUhostFn)(void *userData) noexcept nogil
    CUresult cuInit "api_cuInit"(unsigned int Flags) except? CUDA_ERROR_X

cdef extern from *:
    enum: CU_A "1"
    const CUresult CU_B "((CUresult)2)"
    void *CU_C "((void *)3)"

cdef CUresult cuInit_v1(unsigned int Flags) except? CUDA_ERROR_X nogil
cdef CUresult cuDriverGetVersion() noexcept nogil
"""


def test_types_values_and_functions() -> None:
    found = read(TYPES)
    success = Variable("CUDA_SUCCESS", "", "CUDA_SUCCESS")
    fields = (
        Variable("p", "void *", "p"),
        Variable("bytes", "char[16]", "bytes"),
        Variable("names", "const char *const *", "names"),
        Variable("from_", "unsigned int", "from"),
    )
    assert found.compounds == [
        Compound("enum", "CUresult", "CUresult", (success, Variable("CUDA_ERROR_X", "", "((CUresult)9)"))),
        Compound("struct", "CUctx_object", "void", ()),
        Compound("struct", "A_b", "__typeof__(((A *)0)->b)", fields),
    ]
    assert found.types == [
        Variable("CUcontext", "CUctx_object *", "CUcontext"),
        Variable("CUdeviceptr", "unsigned long long", "CUdeviceptr"),
    ]
    assert found.callbacks == [Function("CUhostFn", "void (void *userData)", "noexcept nogil", None)]
    assert found.functions == [
        Function("cuInit", "CUresult (unsigned int Flags)", "except? CUDA_ERROR_X", "api_cuInit"),
        Function("cuInit_v1", "CUresult (unsigned int Flags)", "except? CUDA_ERROR_X nogil", None),
        Function("cuDriverGetVersion", "CUresult ()", "noexcept nogil", None),
    ]
    assert found.constants == [
        Variable("CU_A", "int", "1"),
        Variable("CU_B", "const CUresult", "((CUresult)2)"),
        Variable("CU_C", "void *", "((void *)3)"),
    ]


def test_imports() -> None:
    found = read(
        "from ._types cimport *\nfrom .cydriver cimport (\n    a,\n    b_v2 as b,\n)\nfrom .x cimport y as z\n"
    )
    assert found.stars == ["_types"]
    assert found.aliases == {"cydriver": {"a": "a", "b": "b_v2"}, "x": {"z": "y"}}


@pytest.mark.parametrize(
    "text",
    [
        "cdef class X:\n    cdef int a\n",
        "cdef extern from *:\n    cdef something else entirely!\n",
        "cdef extern from *:\n    ctypedef struct A:\n        int a : 3\n",
        "cpdef int f()\n",
    ],
)
def test_what_is_not_understood_is_an_error(text: str) -> None:
    with pytest.raises(PxdError, match="not understood"):
        read(text)
