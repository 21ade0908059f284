# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The Python types of parameters, results, fields and constants, as stubs name them."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.model.api import Constant
from codegen.model.binding import Binding, BoundField, BoundFunction, BoundParameter

from .errors import EmitError

_INTS = frozenset({"i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"})
_FLOATS = frozenset({"f32", "f64"})


@dataclass(frozen=True)
class PyTypes:
    binding: Binding
    status: str  # the enum that every call returns first

    def taken(self, elem: str, type_name: str | None, *, writable: bool = False, stream: bool = False) -> str:
        """What one value may be on the way in."""
        if elem in _INTS or elem == "char":
            return "int"
        if elem in _FLOATS:
            return "float"
        if elem == "cstr":
            return "_Pointer" if writable else "bytes | None"
        if elem in ("ptr", "void"):
            return "_Pointer"
        if type_name is None:
            raise EmitError(f"{elem} without a type")
        if elem == "enum":
            return f"{type_name} | int"
        if elem == "handle":
            likes = f' | _Like[_Literal["{type_name}"]]' if self.binding.equivalents.get(type_name) else ""
            handles = {handle.name for handle in self.binding.api.handles}
            likes += "".join(f" | {name}" for name in self.binding.casts.get(type_name, ()) if name in handles)
            return f"{type_name}{likes}{' | _HasStream' if stream else ''} | int | None"
        if elem == "callback":
            return f"{class_name(type_name)} | _CFuncPtr | int | None"
        return class_name(type_name)

    def given(self, elem: str, type_name: str | None) -> str:
        """What one value is on the way out."""
        if elem in _INTS or elem in ("ptr", "void", "char"):
            return "int"
        if elem in _FLOATS:
            return "float"
        if elem == "cstr":
            return "bytes"
        if type_name is None:
            raise EmitError(f"{elem} without a type")
        return class_name(type_name)

    def argument(self, p: BoundParameter) -> str:
        one = self.taken(p.elem, p.type, writable="writable" in p.flags, stream="stream" in p.flags)
        match p.kind:
            case "in":
                return one
            case "inout":
                return _or_none(one)
            case "in_record":
                return _or_none(class_name(p.type or ""))
            case "in_handle_ref":
                return f"{p.type} | int | None"
            case "in_array":
                many = "bytes | None" if p.elem == "char" else f"_Sequence[{one}] | None"
                return f"{many} | {one}" if "one_ok" in p.flags else many
            case "in_typed":
                return "_Any"
            case "kernel_params":
                return "_KernelParams"
            case "option_values":
                return "_Sequence[_Any] | None"
        raise EmitError(f"{p.name}: {p.kind} is no argument")

    def result(self, p: BoundParameter) -> str:
        match p.kind:
            case "out" if p.elem == "cstr":
                return "bytes | None"
            case "inout":
                return _or_none(self.given(p.elem, p.type))
            case "out" | "out_record":
                return self.given(p.elem, p.type)
            case "out_array" if p.elem == "char":
                return "bytes"
            case "out_array" | "out_borrowed":
                return f"list[{self.given(p.elem, p.type)}]"
            case "out_typed":
                return "_Any"
            case "out_typed_list":
                return "list[_Any]"
            case "out_size":
                return "int"
        raise EmitError(f"{p.name}: {p.kind} is no result")

    def results(self, bound: BoundFunction) -> str:
        """The tuple's types. Outputs are None where the call fails, but for those that tell why it did."""
        outputs = [self.result(p) for p in bound.outputs]
        if not bound.outputs_on_error:
            outputs = [o if o == "_Any" else _or_none(o) for o in outputs]
        return ", ".join([self.status, *outputs])

    def field(self, bound: BoundField) -> tuple[str, str]:
        """What a field gives and what it takes. A record may have a field of the name `bytes`."""
        take, give = self.taken(bound.elem, bound.type), self.given(bound.elem, bound.type)
        match bound.kind:
            case "value":
                return ("_bytes | None" if give == "bytes" else give), take.replace("bytes", "_bytes")
            case "array" if bound.elem in ("char", "u8"):
                return "_bytes", "_Buffer"
            case "array":
                return f"list[{give}]", f"_Sequence[{take}]"
            case "list":
                return f"list[{give}]", f"_Sequence[{take}] | int | None"
            case "kernel_params":
                return "int", "_KernelParams"
        raise EmitError(f"{bound.field.name}: unknown kind of field {bound.kind}")

    def constant(self, constant: Constant) -> str:
        """A plain value, also where C has it cast to a handle."""
        if isinstance(constant.value, bytes):
            return "bytes"
        if isinstance(constant.value, float):
            return "float"
        return "int"


def class_name(name: str) -> str:
    """Records without a name of their own are private to the stub."""
    return f"_{name.replace('.', '_')}" if "." in name else name


def _or_none(annotation: str) -> str:
    return annotation if "None" in annotation.split(" | ") else f"{annotation} | None"
