# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Values for every kind of parameter and field, as Python has them and as C has them: no two alike.

The bytes are packed here from the registry's facts alone, so that they can judge the engine.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from codegen.model.api import Api
from codegen.model.binding import Binding, BoundRecord

INT_SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8}


@dataclass(frozen=True, repr=False)
class Value:
    python: Any
    raw: bytes
    keep: Any = None  # what must stay alive for `raw` to point to


def is_same(found: Any, value: Value) -> bool:
    """Whether a result is the value: of the same type, and for a record with the same bytes."""
    if type(found) is not type(value.python):
        return False
    if is_record(found):
        return bytes(memoryview(found).cast("B")) == value.raw
    return bool(found == value.python)


def is_record(found: Any) -> bool:
    return hasattr(found, "getPtr") and not hasattr(found, "__index__")


def describe(found: Any) -> str:
    """Records as bytes: those of a test may hold pointers that lead nowhere, which their own repr would follow."""
    if is_record(found):
        return f"{type(found).__name__} {bytes(memoryview(found).cast('B')).hex()}"
    return repr(found)


class Values:
    """`salt` tells values apart: the same salt gives the same value."""

    def __init__(self, module: Any, binding: Binding) -> None:
        self.module = module
        self.binding = binding

    @property
    def api(self) -> Api:
        return self.binding.api

    @cached_property
    def _enums(self) -> dict[str, tuple[int, ...]]:
        return {e.name: tuple(sorted({m.value for m in e.enumerators})) for e in self.api.enums}

    @cached_property
    def _handles(self) -> dict[str, int]:
        return {h.name: h.size for h in self.api.handles}

    @cached_property
    def records(self) -> dict[str, BoundRecord]:
        return {b.record.name: b for b in self.binding.records}

    def size(self, elem: str, type_: str | None) -> int:
        if elem in INT_SIZES:
            return INT_SIZES[elem]
        if elem == "handle":
            return self._handles[type_ or ""]
        if elem == "record":
            return self.records[type_ or ""].record.size
        return {"f32": 4, "f64": 8, "char": 1, "enum": 4, "void": 0}.get(elem, 8)

    def cls(self, name: str) -> Any:
        """The Python class of a type; an inline record is reached through the record that holds it."""
        head, *fields = name.split(".")
        if not fields:
            return getattr(self.module, head)
        return type(self._inner(getattr(self.module, head)(), fields))

    @staticmethod
    def _inner(record: Any, fields: list[str]) -> Any:
        for field in fields:
            record = getattr(record, field)
        return record

    def value(self, elem: str, type_: str | None, salt: int) -> Value:
        if elem in INT_SIZES:
            raw = pattern(INT_SIZES[elem], salt)
            return Value(int.from_bytes(raw, "little", signed=elem.startswith("i")), raw)
        match elem:
            case "f32" | "f64":
                number = salt + 0.5
                return Value(number, struct.pack("<f" if elem == "f32" else "<d", number))
            case "enum":
                values = self._enums[type_ or ""]
                number = values[salt % len(values)]
                return Value(self.cls(type_ or "")(number), (number & 0xFFFFFFFF).to_bytes(4, "little"))
            case "handle":
                raw = pattern(self.size(elem, type_), salt, top=0x7F)
                return Value(self.cls(type_ or "")(int.from_bytes(raw, "little")), raw)
            case "ptr":
                raw = pattern(8, salt, top=0x7F)
                return Value(int.from_bytes(raw, "little"), raw)
            case "callback":
                raw = pattern(8, salt, top=0x7F)
                number = int.from_bytes(raw, "little")
                # One whose type has no name in C has no class in Python.
                return Value(number if "." in (type_ or "") else self.cls(type_ or "")(number), raw)
            case "cstr":
                text = b"text-%d" % salt
                buffer = ctypes.create_string_buffer(text)
                return Value(text, ctypes.addressof(buffer).to_bytes(8, "little"), buffer)
            case "record":
                raw = pattern(self.size(elem, type_), salt)
                return Value(self.record(type_ or "", raw), raw)
        raise ValueError(f"no value for {elem}")

    def record(self, name: str, raw: bytes) -> Any:
        """A record object with these bytes."""
        record = self.cls(name)()
        ctypes.memmove(record.getPtr(), raw, len(raw))
        return record


def pattern(size: int, salt: int, top: int = 0xFF) -> bytes:
    """`size` bytes that depend on `salt`; the last one is at most `top`, and none of a short one is zero."""
    raw = bytearray((salt * 37 + k * 11 + 1) % 251 + 1 for k in range(size))
    raw[-1] = raw[-1] & top or 1
    return bytes(raw)
