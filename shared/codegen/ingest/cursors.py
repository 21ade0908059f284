# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Questions to libclang that its Python module does not answer by itself."""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from clang import cindex
from clang.cindex import Cursor, CursorKind, TypeKind

from ..model.api import CType
from ..model.registry import Scalar

RECORDS = (CursorKind.STRUCT_DECL, CursorKind.UNION_DECL)


class HeaderError(Exception):
    """The headers did not parse as expected."""


@cache
def libclang() -> Any:
    """Two calls of libclang that its Python module does not declare."""
    lib = cindex.conf.lib
    lib.clang_Cursor_isMacroFunctionLike.argtypes = [Cursor]
    lib.clang_Cursor_isMacroFunctionLike.restype = ctypes.c_uint
    lib.clang_Cursor_Evaluate.argtypes = [Cursor]
    lib.clang_Cursor_Evaluate.restype = ctypes.c_void_p
    for name, result in (
        ("getKind", ctypes.c_int),
        ("getAsLongLong", ctypes.c_longlong),
        ("getAsDouble", ctypes.c_double),
        ("dispose", None),
    ):
        call = getattr(lib, f"clang_EvalResult_{name}")
        call.argtypes = [ctypes.c_void_p]
        call.restype = result
    return lib


def spell(type_: cindex.Type) -> str:
    """A type in its normal spelling, under the names the header uses."""
    if type_.kind in (TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY):
        return str(_pointer_to(CType.parse(spell(type_.element_type))))
    text = type_.spelling
    if "(" in text or "[" in text:
        raise HeaderError(f"a type without a name of its own: {text}")
    return str(CType.parse(text))


def _pointer_to(type_: CType) -> CType:
    return CType(type_.base, (*type_.const, False))


def is_unnamed_callback(type_: cindex.Type) -> bool:
    """A pointer to a function, written out where it is used."""
    real = type_.get_canonical()
    function = real.kind == TypeKind.POINTER and real.get_pointee().kind == TypeKind.FUNCTIONPROTO
    return function and "(" in type_.spelling


def parameters(cursors: Iterable[Cursor], function: str = "") -> str:
    """`CUcontext *pctx, unsigned int flags`: each parameter's type, and its name where it has one.

    The type of a parameter that is a pointer to a function, without a name of its own, is called FUNCTION.PARAMETER.
    """
    pairs = [
        (f"{function}.{c.spelling}" if function and is_unnamed_callback(c.type) else spell(c.type), c.spelling)
        for c in cursors
    ]
    return ", ".join(f"{type_}{'' if type_.endswith('*') or not name else ' '}{name}" for type_, name in pairs)


def is_untagged(cursor: Cursor) -> bool:
    return bool(cursor.is_anonymous()) or "(unnamed" in cursor.spelling or not _tag(cursor)


def _tag(cursor: Cursor) -> str:
    """The tag as it is written: libclang gives an untagged enum or struct the name of its typedef."""
    tokens = [t.spelling for t in cursor.get_tokens()][:3]
    for word in tokens[1:]:
        if word == "{":
            return ""
        if word.isidentifier() and not word.startswith("__"):
            return str(word)
    return str(cursor.spelling)


def untagged_name(cursor: Cursor) -> str:
    return str(cursor.type.spelling).removeprefix("enum ").removeprefix("struct ").removeprefix("union ")


def members(record: Cursor) -> Iterator[Cursor]:
    """The fields of a record, with those of its anonymous members."""
    children = list(record.get_children())
    named = {c.type.get_declaration() for c in children if c.kind == CursorKind.FIELD_DECL}
    named |= {
        c.type.element_type.get_declaration()
        for c in children
        if c.kind == CursorKind.FIELD_DECL and c.type.kind == TypeKind.CONSTANTARRAY
    }
    for child in children:
        if child.kind == CursorKind.FIELD_DECL:
            yield child
        elif child.kind in RECORDS and child.is_anonymous() and not any(child == other for other in named):
            yield from members(child)


def called(function: Cursor) -> str:
    """The function that a static inline wrapper of a header calls."""
    calls = [c.spelling for c in function.walk_preorder() if c.kind == CursorKind.CALL_EXPR and c.spelling]
    if len(calls) != 1:
        raise HeaderError(f"{function.spelling} is inline and calls {calls}")
    return str(calls[0])


def evaluate(cursor: Cursor) -> Scalar | None:
    """The value that a variable is initialised with, if the compiler can tell: an integer, a float, a string."""
    literals = [c.spelling for c in cursor.walk_preorder() if c.kind == CursorKind.STRING_LITERAL]
    if len(literals) == 1:
        return bytes(ast.literal_eval("b" + literals[0])).decode("latin-1")
    lib = libclang()
    result = lib.clang_Cursor_Evaluate(cursor)
    if not result:
        return None
    try:
        match lib.clang_EvalResult_getKind(result):
            case 1:
                value = int(lib.clang_EvalResult_getAsLongLong(result))
                unsigned = cursor.type.get_canonical().kind in (
                    TypeKind.UINT,
                    TypeKind.ULONG,
                    TypeKind.ULONGLONG,
                    TypeKind.POINTER,
                )
                return value % 2 ** (8 * cursor.type.get_size()) if unsigned else value
            case 2:
                return float(lib.clang_EvalResult_getAsDouble(result))
        return None
    finally:
        lib.clang_EvalResult_dispose(result)
