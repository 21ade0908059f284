# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The sides of modules whose names are not those of the header: get_linked_cubin is nvJitLinkGetLinkedCubin.

Compared are names of functions, parameters, classes and enumerators, whether something is returned, and values.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from codegen.model.binding import Binding

from .ours import PACKAGES
from .shape import Function, Input

_DECLARED = re.compile(r"^(?P<name>\w+)\((?P<inputs>.*?)\)(?P<result> -> .+)?$")


@dataclass(frozen=True)
class Module:
    prefix: str  # of the library's functions
    error: str
    enums: Mapping[str, tuple[str, str]]  # of the library: what the module calls it, and what its enumerators lose


MODULES = {
    "nvjitlink": Module(
        "nvJitLink",
        "nvJitLinkError",
        {"nvJitLinkResult": ("Result", "NVJITLINK_"), "nvJitLinkInputType": ("InputType", "NVJITLINK_INPUT_")},
    ),
    "nvvm": Module("nvvm", "nvvmError", {"nvvmResult": ("Result", "NVVM_")}),
}


class _Names:
    """A side that has no types of its own but classes."""

    def __init__(self, name: str) -> None:
        self._facts = MODULES[name]

    def records(self) -> Mapping[str, Mapping[str, str]]:
        return {}

    def constants(self) -> Mapping[str, int]:
        return {}

    def accepts(self, name: str, other: str) -> bool:
        return name == other

    def same(self, name: str) -> str:
        return name


class Official(_Names):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._module: Any = import_module(f"cuda.bindings.{name}")

    def functions(self) -> Mapping[str, Function]:
        found = {}
        for name, value in vars(self._module).items():
            match = _DECLARED.match((getattr(value, "__doc__", None) or "").split("\n")[0])
            if match and match["name"] == name:
                names = [text.split()[-1] for text in match["inputs"].split(", ") if text]
                found[name] = _function(names, match["result"] is not None)
        return found

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _members(getattr(self._module, name)) for name, _ in self._facts.enums.values()}

    def other_types(self) -> frozenset[str]:
        return frozenset({self._facts.error} & vars(self._module).keys())


class Generated(_Names):
    """What the binding gives the module to build on."""

    def __init__(self, name: str, binding: Binding) -> None:
        super().__init__(name)
        self._binding = binding

    def functions(self) -> Mapping[str, Function]:
        return {
            snake(bound.function.base.removeprefix(self._facts.prefix)): _function(
                [snake(p.name) for p in bound.inputs], bool(bound.outputs)
            )
            for bound in self._binding.functions
        }

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        found = {}
        for enum in self._binding.api.enums:
            name, prefix = self._facts.enums[enum.name]
            found[name] = {e.name.removeprefix(prefix): e.value for e in enum.enumerators}
        return found

    def other_types(self) -> frozenset[str]:
        return frozenset({self._facts.error})  # written by hand


class Installed(_Names):
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._module: Any = import_module(PACKAGES[name])

    def functions(self) -> Mapping[str, Function]:
        found = {}
        for name in self._module.__all__:
            value = getattr(self._module, name)
            if callable(value) and not isinstance(value, type):
                signature = inspect.signature(value)
                returns = signature.return_annotation not in (None, "None")
                found[name] = _function(list(signature.parameters), returns)
        return found

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {name: _members(getattr(self._module, name)) for name, _ in self._facts.enums.values()}

    def other_types(self) -> frozenset[str]:
        return frozenset(name for name in self._module.__all__ if name == self._facts.error)


def snake(name: str) -> str:
    """GetLinkedLTOIRSize -> get_linked_ltoir_size"""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()


def _function(names: list[str], returns: bool) -> Function:
    return Function(tuple(Input(name, "any") for name in names), ("any",) if returns else ())


def _members(enum: Any) -> Mapping[str, int]:
    return {member.name: int(member) for member in enum}
