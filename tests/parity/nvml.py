# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The sides of `nvml`: functions in snake_case, classes of structs with their fields, enums, exceptions, dtypes.

One module serves every CUDA major, so that of an older official wheel is compared with names of today.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from codegen.emit.pythonic import Layer
from codegen.emit.pythonic_rules import record_name
from codegen.model.binding import Binding

from .shape import Function, Input

_DECLARED = re.compile(r"^(?P<name>\w+)\((?P<inputs>.*?)\)(?P<result> -> .+)?$")
# What classes have beside the fields of their struct.
_OWN = frozenset({"from_buffer", "from_data", "from_ptr", "getPtr", "ptr"})


class _Names:
    """A side that has no types of its own but classes."""

    def accepts(self, name: str, other: str) -> bool:
        return name == other

    def same(self, name: str) -> str:
        return name


class Official(_Names):
    def __init__(self) -> None:
        self._module: Any = import_module("cuda.bindings.nvml")

    def functions(self) -> Mapping[str, Function]:
        found = {}
        for name, value in vars(self._module).items():
            match = _DECLARED.match((getattr(value, "__doc__", None) or "").split("\n")[0])
            if match and match["name"] == name and not isinstance(value, type) and not name.startswith("_"):
                names = [text.split()[-1].lstrip("*") for text in match["inputs"].split(", ") if text]
                # It tells of no object that is returned, and so not whether there is one.
                found[name] = _function(names, ("any",) if match["result"] else None)
        return found

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _members(value) for name, value in self._classes() if issubclass(value, int)}

    def records(self) -> Mapping[str, Mapping[str, str]]:
        return {name: _fields(value) for name, value in self._classes() if hasattr(value, "from_ptr")}

    def other_types(self) -> frozenset[str]:
        exceptions = {name for name, value in self._classes() if issubclass(value, Exception)}
        return frozenset(exceptions | {name for name in vars(self._module) if name.endswith("_dtype")})

    def constants(self) -> Mapping[str, int]:
        return {name: value for name, value in vars(self._module).items() if type(value) is int}

    def _classes(self) -> list[tuple[str, Any]]:
        found = [(name, value) for name, value in vars(self._module).items() if isinstance(value, type)]
        return [(name, value) for name, value in found if value.__module__ == "cuda.bindings.nvml"]


class Generated(_Names):
    """What the rules and the binding give."""

    def __init__(self, binding: Binding) -> None:
        self._layer = Layer(binding)

    def functions(self) -> Mapping[str, Function]:
        written = {
            f.name: _function([name for name, _ in f.inputs], () if f.result == "None" else ("any",))
            for f in self._layer.functions
        }
        return written | {name: _function(["status"], ("any",)) for name in ("check_status", "check_status_size")}

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {name: self._layer.enum(rule) for name, rule in self._layer.rules.enums.items()}

    def records(self) -> Mapping[str, Mapping[str, str]]:
        known = {
            record_name(bound.record.name): {self._layer.rules.field(f.field.name): "" for f in bound.fields}
            for bound in self._layer.binding.records
        }
        return known | {name: known[of] for name, of in self._layer._newest.items()}

    def other_types(self) -> frozenset[str]:
        names = self._layer.own_names
        return frozenset(name for name, module in names.items() if module == "_errors" or name.endswith("_dtype"))

    def constants(self) -> Mapping[str, int]:
        return self._layer.constants


class Installed(_Names):
    def __init__(self) -> None:
        self._module: Any = import_module("cuda.nvml")
        self._own: Mapping[str, str] = import_module("cuda.nvml._generated.names").OWN

    def _of(self, *modules: str) -> Mapping[str, Any]:
        return {name: getattr(self._module, name) for name, module in self._own.items() if module in modules}

    def functions(self) -> Mapping[str, Function]:
        found = self._of("_generated.functions", "_by_hand", "_calls")
        return {name: _function(list(inspect.signature(value).parameters), None) for name, value in found.items()}

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _members(value) for name, value in self._of("_enumerations").items()}

    def records(self) -> Mapping[str, Mapping[str, str]]:
        return {name: _fields(value) for name, value in self._of("_structs").items() if isinstance(value, type)}

    def other_types(self) -> frozenset[str]:
        return frozenset({*self._of("_errors"), *(name for name in self._of("_structs") if name.endswith("_dtype"))})

    def constants(self) -> Mapping[str, int]:
        values: Mapping[str, int] = import_module("cuda.nvml._generated.names").CONSTANTS
        return {name: getattr(self._module, name) for name in values}


def _function(names: list[str], outputs: tuple[str, ...] | None) -> Function:
    return Function(tuple(Input(name, "any") for name in names), outputs)


def _fields(kind: type) -> Mapping[str, str]:
    return {name: "" for name in dir(kind) if not name.startswith("_") and name not in _OWN}


def _members(enum: Any) -> Mapping[str, int]:
    return {name: int(member) for name, member in enum.__members__.items()}
