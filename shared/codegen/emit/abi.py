# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How a value travels in a C call or lies in a record: what the calling conventions tell apart, and no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from codegen.model.api import CType, Enum, Handle
from codegen.model.binding import Binding, BoundFunction, BoundParameter, BoundRecord

from .errors import EmitError

# element -> (C type, member of union cs_arg, letter in a thunk's name)
SCALARS = {
    "i8": ("int8_t", "i8", "b"),
    "u8": ("uint8_t", "u8", "B"),
    "i16": ("int16_t", "i16", "h"),
    "u16": ("uint16_t", "u16", "H"),
    "i32": ("int", "i32", "i"),
    "u32": ("unsigned int", "u32", "I"),
    "i64": ("int64_t", "i64", "q"),
    "u64": ("uint64_t", "u64", "Q"),
    "f32": ("float", "f32", "f"),
    "f64": ("double", "f64", "d"),
    "ptr": ("void *", "ptr", "p"),
}
SIZES = {
    "char": 1,
    "i8": 1,
    "u8": 1,
    "i16": 2,
    "u16": 2,
    "i32": 4,
    "u32": 4,
    "i64": 8,
    "u64": 8,
    "f32": 4,
    "f64": 8,
    "ptr": 8,
}
RETURNS = "returns:"
_UNDERLYING = {
    "void *": "ptr",
    "unsigned char": "u8",
    "int": "i32",
    "unsigned int": "u32",
    "long long": "i64",
    "unsigned long long": "u64",
    "uint32_t": "u32",
    "uint64_t": "u64",
    "size_t": "u64",
}


def enum_elem(enum: Enum) -> str:
    """int, unless a value needs the top bit; passing either is the same to every calling convention we meet."""
    values = [e.value for e in enum.enumerators]
    low, high = min(values, default=0), max(values, default=0)
    if low >= -(1 << 31) and high < 1 << 31:
        return "i32"
    if low >= 0 and high < 1 << 32:
        return "u32"
    raise EmitError(f"{enum.name}: values from {low} to {high} do not fit in 32 bits")


def handle_elem(handle: Handle) -> str:
    try:
        elem = _UNDERLYING[handle.underlying]
    except KeyError:
        raise EmitError(f"{handle.name}: unknown underlying type {handle.underlying!r}") from None
    if SIZES[elem] != handle.size:
        raise EmitError(f"{handle.name}: {handle.underlying} has {SIZES[elem]} bytes, the registry says {handle.size}")
    return elem


@dataclass(frozen=True)
class Abi:
    """Resolves elements of a binding to scalars and records."""

    binding: Binding

    @cached_property
    def enums(self) -> Mapping[str, str]:
        return {e.name: enum_elem(e) for e in self.binding.api.enums}

    @cached_property
    def handles(self) -> Mapping[str, str]:
        return {h.name: handle_elem(h) for h in self.binding.api.handles}

    @cached_property
    def records(self) -> Mapping[str, BoundRecord]:
        return {r.record.name: r for r in self.binding.records}

    def value(self, elem: str, type_name: str | None, what: str) -> str:
        """The key of SCALARS for a value, or "record:NAME"."""
        if elem in SCALARS:
            return elem
        if elem in ("cstr", "callback"):
            return "ptr"
        if elem == "char":
            return "i8"
        known: Mapping[str, object]
        known = {"enum": self.enums, "handle": self.handles, "record": self.records}.get(elem, {})
        if type_name is None or type_name not in known:
            raise EmitError(f"{what}: no {elem} named {type_name}")
        return f"record:{type_name}" if elem == "record" else str(known[type_name])

    def parameter(self, parameter: BoundParameter, what: str) -> str:
        return "ptr" if is_pointer(parameter.ctype) else self.value(parameter.elem, parameter.type, what)

    def signature(self, bound: BoundFunction) -> tuple[str, ...]:
        """One value a C parameter; of a function that returns a value, "returns:" and that value first."""
        name = bound.function.name
        if not bound.returns_value:
            return tuple(self.parameter(p, f"{name}({p.name})") for p in bound.parameters)
        *parameters, last = bound.parameters
        value = self.value(last.elem, last.type, f"{name}(): what it returns")
        return (f"{RETURNS}{value}", *(self.parameter(p, f"{name}({p.name})") for p in parameters))


def is_pointer(ctype: CType) -> bool:
    return ctype.depth > 0
