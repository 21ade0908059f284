# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""From a C type to the element of shared/engine/rows.h that stands for it."""

from __future__ import annotations

from dataclasses import dataclass

from .api import Api, CType

_KEYWORDS = {
    "void": "void",
    "char": "char",
    "signed char": "i8",
    "unsigned char": "u8",
    "_Bool": "u8",
    "short": "i16",
    "unsigned short": "u16",
    "int": "i32",
    "unsigned int": "u32",
    "long": "i64",  # as the registry's layouts have it, which are those of Linux
    "unsigned long": "u64",
    "long long": "i64",
    "unsigned long long": "u64",
    "size_t": "u64",
    "float": "f32",
    "double": "f64",
}


@dataclass(frozen=True)
class Element:
    elem: str
    type: str | None = None


class Types:
    """What the names of an API stand for."""

    def __init__(self, api: Api) -> None:
        self._known = {
            **{name: Element(elem) for name, elem in _KEYWORDS.items()},
            **{t.name: Element("enum", t.name) for t in api.enums},
            **{t.name: Element("handle", t.name) for t in api.handles},
            **{t.name: Element("record", t.name) for t in api.records},
            **{t.name: Element("callback", t.name) for t in api.callbacks},
        }

    def base(self, ctype: CType) -> Element:
        """What is at the end of all pointers. KeyError where nobody knows."""
        return self._known[ctype.base]

    def is_enum(self, name: str) -> bool:
        return name in self._known and self._known[name].elem == "enum"

    def value(self, ctype: CType) -> Element | None:
        """What a value of the type is, or None where a pointer may mean several things."""
        element = self.base(ctype)
        if ctype.depth == 0:
            return element if element.elem != "void" else None
        if ctype.depth == 1 and element.elem == "void":
            return Element("ptr")
        if ctype.depth == 1 and element.elem == "callback":
            return element  # a typedef of a function, not of a pointer to one
        if ctype.depth == 1 and element.elem == "char" and ctype.const[0]:
            return Element("cstr")
        return None
