# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`cuda.bindings._internal._fast_enum`: to derive from, and to know an enumeration by.

Derived from, the standard library's does the same, slower. The classes of our wheels, whose engine makes them, are
subclasses too without deriving: others register what they do for an enumeration under these two names.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import EnumMeta, IntEnum
from typing import Any, Self

__all__ = ["FastEnum", "FastEnumMetaclass"]


def _is_engines(meta: type) -> bool:
    """Whether this is the class of a wheel's enum classes."""
    return meta.__name__ == "EnumType" and meta.__module__.startswith("cuda.") and not issubclass(meta, EnumMeta)


class _OfMetaclasses(type):
    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or _is_engines(subclass)

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or _is_engines(type(instance))

    @property
    def __subclasses__(cls) -> Callable[[], list[type]]:
        """functools.singledispatch asks for them, and would get the unbound method that metaclasses inherit."""
        return lambda: super(_OfMetaclasses, cls).__subclasses__()


class FastEnumMetaclass(EnumMeta, metaclass=_OfMetaclasses):
    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) or (cls is FastEnum and _is_engines(type(subclass)))

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (cls is FastEnum and _is_engines(type(type(instance))))


class FastEnum(IntEnum, metaclass=FastEnumMetaclass):
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
