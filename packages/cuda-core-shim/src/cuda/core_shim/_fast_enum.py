# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`cuda.bindings._internal._fast_enum`: to derive from. The standard library's does the same, slower."""

from __future__ import annotations

from enum import EnumMeta, IntEnum
from typing import Self

__all__ = ["FastEnum", "FastEnumMetaclass"]


class FastEnum(IntEnum):
    """An enumeration of ints, whose members may be written `NAME = 1` or `NAME = 1, "what it means"`."""

    def __new__(cls, value: int, doc: str | None = None) -> Self:
        member = int.__new__(cls, value)
        member._value_ = value
        member.__doc__ = doc
        return member

    def __str__(self) -> str:
        return repr(self)

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else repr(self)


FastEnumMetaclass = EnumMeta
