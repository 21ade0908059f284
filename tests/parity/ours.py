# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Our side, from two sources: what the generator is about to write, and what the installed wheel offers."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

from codegen.model.api import CType, View
from codegen.model.binding import INPUT_KINDS, OUTPUT_KINDS, Binding, BoundField

from .shape import Function, Input

_BY_DECISION = frozenset({"kernel_params", "in_typed", "out_typed"})
_LISTS = frozenset({"in_array", "out_array", "out_borrowed"})


class Generated:
    """A view of a binding."""

    def __init__(self, binding: Binding, major: int) -> None:
        self._binding = binding
        self._view: View = next(view for view in binding.api.views if view.major == major)

    def functions(self) -> Mapping[str, Function]:
        found = {}
        for name, permanent in self._view.functions.items():
            bound = self._binding.by_name[permanent]
            rows = [(p.name, str(p.ctype), p.kind, p.elem) for p in bound.parameters]
            found[name] = _function(rows, {p.name for p in bound.parameters if "optional" in p.flags})
        return found

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        members: dict[str, dict[str, int]] = {enum.name: {} for enum in self._binding.api.enums}
        for name, (enum, value) in self._view.enumerators.items():
            members[enum][name] = value
        return {name: members[p] for name, p in self._types.items() if p in members}

    def records(self) -> Mapping[str, Mapping[str, str]]:
        known = {r.record.name: {f.field.name: _field_type(f) for f in r.fields} for r in self._binding.records}
        inline = {name: fields for name, fields in known.items() if "." in name}
        return {name: known[permanent] for name, permanent in self._types.items() if permanent in known} | inline

    def other_types(self) -> frozenset[str]:
        api = self._binding.api
        others = {handle.name for handle in api.handles} | {callback.name for callback in api.callbacks}
        return frozenset(name for name, permanent in self._types.items() if permanent in others)

    def constants(self) -> Mapping[str, int]:
        return {name: c.value for name, c in self._view.constants.items() if isinstance(c.value, int)}

    def accepts(self, name: str, other: str) -> bool:
        return other in self._binding.accepted(name)

    def same(self, name: str) -> str:
        return self._types.get(name, name)

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return self._view.types


PACKAGES = {
    "driver": "cuda.driver_stable",
    "runtime": "cuda.runtime",
    "nvrtc": "cuda.nvrtc",
    "nvjitlink": "cuda.nvjitlink",
    "nvvm": "cuda.nvvm",
    "nvml": "cuda.nvml",
}


class Installed:
    """What the installed wheel offers under the names of one major: a view, or a module that is of one major alone."""

    def __init__(self, module: str, major: int) -> None:
        self._module: Any = import_module(PACKAGES[module])
        self._core: Any = import_module(f"{PACKAGES[module]}._core")
        self._scope = f"cu{major}" if f"cu{major}" in self._core.scopes() else ""

    def functions(self) -> Mapping[str, Function]:
        rows = {row["name"]: row for row in self._core.functions()}
        rows |= {row["plain"]: row for row in self._core.functions() if row["plain"]}
        offered = {name: getattr(self._module, name) for name in dir(self._module) if not name.startswith("_")}
        found = {name: _by_hand(value) for name, value in offered.items() if inspect.isfunction(value)}
        for name, value in self._values.items():
            if inspect.isbuiltin(value):
                parameters = inspect.signature(value).parameters.values()
                optional = {p.name for p in parameters if p.default is not inspect.Parameter.empty}
                found[name] = _function(rows[value.__name__]["parameters"], optional, [p.name for p in parameters])
        return found

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {
            name: {member: int(value) for member, value in enum.__members__.items()}
            for name, enum in self._classes.items()
            if hasattr(enum, "__members__")
        }

    def records(self) -> Mapping[str, Mapping[str, str]]:
        found: dict[str, Mapping[str, str]] = {}
        for name, value in self._classes.items():
            if self._is_record(value):
                self._add_record(found, name, value())
        return found

    def other_types(self) -> frozenset[str]:
        return frozenset(
            name
            for name, value in self._classes.items()
            if not hasattr(value, "__members__") and not self._is_record(value)
        )

    def constants(self) -> Mapping[str, int]:
        """Enumerators, too: a macro may stand for one."""
        return {name: int(value) for name, value in self._values.items() if isinstance(value, int)}

    def accepts(self, name: str, other: str) -> bool:
        """Tried on an object that says it is a handle of that class."""
        handle = next(value for value in self._classes.values() if value.__name__ == name)
        foreign = type(other, (), {"__cuda_handle__": other, "__index__": lambda self: 5})
        try:
            return int(handle(foreign())) == 5
        except TypeError:
            return False

    def same(self, name: str) -> str:
        value = self._classes.get(name)
        return name if value is None else value.__name__

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return {name: self._core.lookup(self._scope, name) for name in self._core.names(self._scope)}

    @cached_property
    def _classes(self) -> Mapping[str, Any]:
        return {name: value for name, value in self._values.items() if isinstance(value, type)}

    def _is_record(self, value: type) -> bool:
        return not hasattr(value, "__members__") and bool(_fields(value))

    def _add_record(self, found: dict[str, Mapping[str, str]], name: str, record: Any) -> None:
        """A record and those inside it that have no name of their own."""
        fields = {}
        for field in _fields(type(record)):
            inside = type(getattr(record, field))
            fields[field] = inside.__qualname__ if "." in inside.__qualname__ else ""
            if fields[field] and fields[field] not in found:
                self._add_record(found, fields[field], getattr(record, field))
        found[name] = fields


def _fields(value: type) -> tuple[str, ...]:
    return tuple(name for name in dir(value) if inspect.isdatadescriptor(getattr(value, name)) and name[:2] != "__")


def _by_hand(value: Any) -> Function:
    """A function of the package that is none of the library: its types are not told."""
    return Function(tuple(Input(name, "") for name in inspect.signature(value).parameters), None)


def _function(
    rows: Iterable[tuple[str, str, str, str]], optional: Iterable[str], names: list[str] | None = None
) -> Function:
    """Rows are name, C type, kind and element of each C parameter; `names` what Python says the inputs are."""
    inputs, outputs = [], []
    for name, ctype, kind, elem in rows:
        if kind in INPUT_KINDS:
            inputs.append(Input(name, _type(ctype, kind, elem), name in optional))
        if kind in OUTPUT_KINDS:
            outputs.append(_type(ctype, kind, elem))
    if names is not None and names != [item.name for item in inputs]:
        raise AssertionError(f"the signature has the parameters {names}, the rows have {[i.name for i in inputs]}")
    return Function(tuple(inputs), tuple(outputs))


def _type(ctype: str, kind: str, elem: str) -> str:
    base = CType.parse(ctype).base
    if kind in _BY_DECISION:
        return "any"
    if kind in ("option_values", "out_typed_list"):
        return "list[any]"
    if kind in _LISTS:
        return "bytes" if elem == "char" else f"list[{_element(base, elem)}]"
    return _element(base, elem)


def _element(base: str, elem: str) -> str:
    if elem == "ptr":
        return "any"
    if elem in ("cstr", "char"):
        return "bytes"
    return base


def _field_type(field: BoundField) -> str:
    if field.kind == "kernel_params":
        return "any"
    element = field.type or _element(field.field.type.base, field.elem)
    if field.kind == "array" and field.elem in ("char", "u8"):
        return "bytes"
    return element if field.kind == "value" else f"list[{element}]"
