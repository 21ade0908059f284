# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a type's name means in one release, and which permanent name that is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .api import CType
from .registry import Fact, Key

KEYWORDS = frozenset(
    {
        "void",
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned int",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "float",
        "double",
        "size_t",
        "_Bool",
    }
)
STANDARD = {
    "int8_t": "signed char",
    "uint8_t": "unsigned char",
    "int16_t": "short",
    "uint16_t": "unsigned short",
    "int32_t": "int",
    "uint32_t": "unsigned int",
    "int64_t": "long long",
    "uint64_t": "unsigned long long",
}

_TAG = re.compile(r"(_[vV]\d+)?_(st|enum|union|struct)$")
_NVML_TYPE = re.compile(r"(?<=^nvml)(\w+?)(_v\d+)?_t$")  # NVML's typedefs all end in _t, behind their version


def family(name: str) -> str:
    """A name without its version, stream and tag suffixes: names of one family share a file of the registry."""
    name = _NVML_TYPE.sub(r"\1", name)
    name = re.sub(r"_(ptds|ptsz)$", "", _TAG.sub("", name))
    return re.sub(r"_[vV]\d+$", "", name)


@dataclass(frozen=True)
class Scope:
    """The type names of one release."""

    held: Mapping[Key, Fact]
    permanent: Mapping[str, str]  # from a tag (or the typedef of an untagged type) to the permanent name

    def typedef(self, name: str) -> CType | None:
        fact = self.held.get(("typedef", name))
        return CType.parse(str(fact.value["type"])) if fact and fact.value else None

    def target(self, name: str) -> str | None:
        type_ = self.typedef(name)
        return type_.base if type_ else None

    def defines(self, tag: str) -> bool:
        return ("record", tag) in self.held or ("enum", tag) in self.held

    def size(self, tag: str) -> object:
        """The size of a record; None for anything else."""
        fact = self.held.get(("record", tag))
        return fact.value["size"] if fact and fact.value else None

    def entity(self, name: str) -> str:
        """What stands behind a typedef: a tag, or the typedef itself where it is a type of its own."""
        seen = {name}
        while True:
            target = self.typedef(name)
            if target is None or target.depth or target.base == name:
                return name
            if self.defines(target.base):
                return target.base
            if self.typedef(target.base) is None:
                return name  # an integer under a name of its own
            if self.is_handle(target.base) and family(target.base) != family(name):
                return name  # the same, through another one: CUgraphConditionalHandle
            name = target.base
            if name in seen:
                raise ValueError(f"typedef {name} stands for itself")
            seen.add(name)

    def is_handle(self, name: str) -> bool:
        target = self.typedef(name)
        while target is not None and not target.depth and not self.defines(target.base):
            inner = self.typedef(target.base)
            if inner is None or target.base == name:
                return True
            name, target = target.base, inner
        return target is not None and bool(target.depth)

    def is_void(self, name: str) -> bool:
        """Whether a type can only be pointed to: a struct that no header defines, a function type."""
        return self.typedef(name) == CType("void")

    def name(self, name: str) -> str:
        """The permanent name of what a header calls `name`."""
        if name in KEYWORDS:
            return name
        if name in STANDARD:
            return STANDARD[name]
        if ("callback", name) in self.held:
            return name
        head, dot, rest = name.partition(".")
        if dot:
            return f"{self.name(head)}.{rest}"
        if self.is_void(name):
            return "void"
        entity = self.entity(name)
        if entity in self.permanent:
            return self.permanent[entity]
        if ("callback", entity) in self.held or ("typedef", entity) in self.held or self.defines(entity):
            return entity
        raise KeyError(f"no header declares the type {name}")

    def type(self, type_: CType) -> CType:
        handle = self.handle(type_) if type_.depth else None
        if handle:
            return CType(handle, type_.const[1:])
        return CType(self.name(type_.base), type_.const)

    def handle(self, type_: CType) -> str | None:
        """The permanent name of the handle that a pointer to a struct is which no header defines."""
        handle = self._handles.get((type_.base, type_.const[0])) or self._handles.get((type_.base, False))
        return self.name(handle) if handle else None

    @cached_property
    def _handles(self) -> Mapping[tuple[str, bool], str]:
        """`struct cudaGraphicsResource *`, which a header may write for the handle `cudaGraphicsResource_t`."""
        found = {}
        for key in sorted(self.held):
            type_ = self.typedef(key[1]) if key[0] == "typedef" else None
            if type_ is None or type_.depth != 1 or type_.base in KEYWORDS:
                continue
            if not self.defines(type_.base) and self.typedef(type_.base) is None:
                found[(type_.base, type_.const[0])] = key[1]
        return found
