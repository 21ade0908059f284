# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Addresses of a library's functions, as modules of `cuda.bindings._internal` tell them: "__cuInit" -> a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import BuiltinFunctionType

from ._errors import raised


def pointers(package: str, scope: str = "", meant: str = "") -> Mapping[str, Callable[..., object]]:
    """`_inspect_function_pointers` and `_inspect_function_pointer` for the functions of a scope of a package's core.

    A function has the name that `meant` gives it, another scope: in the official package, variants for per-thread
    default streams go by the name without their suffix.
    """
    module = import_module(package)
    core = module._core

    def names() -> Mapping[str, str]:
        """The official key of each, and the permanent name."""
        rows = {row[key]: row for row in core.functions() for key in ("name", "plain") if row[key]}
        found = {}
        for name in {*core.names(scope)} & {*core.names(meant)}:  # explicit variants are in one of them only
            function, plain = core.lookup(scope, name), core.lookup(meant, name)
            if isinstance(function, BuiltinFunctionType):
                found[f"__{_symbol(rows[plain.__name__])}"] = rows[function.__name__]["name"]
        return found

    def address(name: str) -> int:
        found: int = core.address(name)
        if not found and not (library := core.library())["loaded"]:
            tried = "; ".join(f"{path}: {why}" for path, why in library["tried"])
            raise raised(module)[0](f"there is no library to inspect, tried {tried or 'nothing'}")
        return found

    def _inspect_function_pointers() -> dict[str, int]:
        return {key: address(name) for key, name in names().items()}

    def _inspect_function_pointer(name: str) -> int:
        return address(names()[name])

    return {item.__name__: item for item in (_inspect_function_pointers, _inspect_function_pointer)}


def _symbol(row: Mapping[str, str]) -> str:
    """nvJitLink's symbols have the release in their names, several of them; programs ask by the header's names."""
    return row["base"] if row["symbol"].startswith("__") else row["symbol"]
