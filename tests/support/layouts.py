# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Assertions for a C or C++ compiler about records, enumerators and constants: that they are as an API has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from codegen.emit.cython import arrays_of, place
from codegen.model.api import Api, Record

CHECK = """
#include <stddef.h>
#ifdef __cplusplus
#define CHECK(condition) static_assert(condition, #condition)
#else
#define CHECK(condition) _Static_assert(condition, #condition)
#endif
"""


def layouts(api: Api) -> Iterator[str]:
    arrays = arrays_of(api)
    for record in api.records:
        yield from layout(record, arrays)


def layout(record: Record, arrays: frozenset[str] = frozenset()) -> Iterator[str]:
    outer, path = record.name.partition(".")[0], place(record.name, arrays)
    if not path:
        yield f"CHECK(sizeof({outer}) == {record.size});"
        yield f"struct align_of_{outer} {{ char c; {outer} aligned; }};"
        yield f"CHECK(offsetof(struct align_of_{outer}, aligned) == {record.align});"
    start = f" - offsetof({outer}, {path})" if path else ""
    for field in record.fields:
        name = f"{path}.{field.name}" if path else field.name
        yield f"CHECK(offsetof({outer}, {name}){start} == {field.offset});"
        yield f"CHECK(sizeof((({outer} *)0)->{name}) == {field.size});"


def values(api: Api, own: Callable[[str], bool] = bool) -> Iterator[str]:
    """`own` tells of constants whether the header has them."""
    for enum in api.enums:
        for e in enum.enumerators:
            yield f"CHECK((unsigned){e.name} == {e.value & 0xFFFFFFFF}u);"
    for constant in api.constants:
        value = constant.value if constant.type in ("int", "unsigned int") else None
        if isinstance(value, int) and own(constant.name) and not constant.name.endswith("_VERSION"):
            yield f"CHECK((long long){constant.name} == {value}LL);"
