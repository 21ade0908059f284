# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What Python code can name in a wheel."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

Fact = tuple[str, str]
_OUTPUTS = ("out", "inout")


def facts(package: str) -> Iterator[Fact]:
    root = import_module(package)
    names = _Names(root)
    for module in _modules(root):
        yield f"module {module.__name__}", "can be imported"
        for name in sorted({*getattr(module, "__all__", ()), *(["__version__"] if module is root else [])}):
            yield from names.facts(module, name)


def _modules(root: ModuleType) -> Iterator[ModuleType]:
    yield root
    for found in pkgutil.walk_packages(root.__path__, f"{root.__name__}."):
        if not any(part.startswith("_") for part in found.name.split(".")):
            yield import_module(found.name)


class _Names:
    def __init__(self, root: ModuleType) -> None:
        self._root = root
        core: Any = import_module(f"{root.__name__}._core")
        self._rows = {row["name"]: row for row in core.functions()}
        self._rows |= {row["plain"]: row for row in core.functions() if row["plain"]}

    def facts(self, module: ModuleType, name: str) -> Iterator[Fact]:
        value = getattr(module, name)
        key = f"python {module.__name__} {name}"
        if isinstance(value, type) and name != value.__name__:
            yield key, value.__name__
        elif module is not self._root and (inspect.isbuiltin(value) or isinstance(value, type)):
            # Of a view: which function or type it means. That of this name is described where it is permanent; a view
            # has a class of its own where enumerators have other values, and these are names of the view.
            yield key, value.__name__
        else:
            yield from self._described(key, value)

    def _described(self, key: str, value: Any) -> Iterator[Fact]:
        if inspect.ismodule(value):
            yield key, "module"
        elif inspect.isbuiltin(value):
            yield key, self._signature(value)
        elif isinstance(value, type):
            yield from self._class(key, value)
        elif inspect.isfunction(value):
            yield key, _signature(value)
        elif isinstance(value, (int, float, bytes, str)):
            yield key, f"{type(value).__name__} {int(value) if isinstance(value, int) else repr(value)}"
        elif hasattr(value, "itemsize"):  # NumPy's description of a struct
            yield key, f"dtype of {value.itemsize} bytes"
        else:
            raise TypeError(f"{key}: the ledger cannot describe {value!r}")

    def _signature(self, function: Any) -> str:
        """Inputs as a caller writes them, outputs as they come back, each with how it is converted."""
        rows = {name: (kind, elem) for name, _, kind, elem in self._rows[function.__name__]["parameters"]}
        inputs = []
        for parameter in inspect.signature(function).parameters.values():
            default = "" if parameter.default is parameter.empty else f" = {parameter.default!r}"
            inputs.append(f"{parameter.name}: {_kind(*rows[parameter.name])}{default}")
        outputs = [f"{name}: {_kind(*row)}" for name, row in rows.items() if row[0].startswith(_OUTPUTS)]
        return f"({', '.join(inputs)}) -> ({', '.join(['status', *outputs])})"

    def _class(self, key: str, cls: Any) -> Iterator[Fact]:
        if hasattr(cls, "__members__"):
            members: Mapping[str, int] = cls.__members__
            yield key, "enum"
            yield from ((f"{key}.{name}", str(int(value))) for name, value in members.items())
        elif issubclass(cls, BaseException):
            yield key, f"exception, a {', a '.join(base.__name__ for base in cls.__bases__)}"
        elif hasattr(cls, "__cuda_handle__"):
            yield key, f"handle of type {cls.__cuda_handle__}"
        elif hasattr(cls, "getPtr"):
            yield from self._record(key, cls)
        else:
            yield key, f"class {_signature(cls)}"
            public = (name for name in dir(cls) if not name.startswith("_") and not hasattr(tuple, name))
            yield from ((f"{key}.{name}", "attribute") for name in public)

    def _record(self, key: str, cls: Any) -> Iterator[Fact]:
        record = cls()
        yield key, f"record, {len(bytes(record))} bytes"
        for name in dir(cls):
            attribute = getattr(cls, name)
            if name.startswith("_") or not inspect.isdatadescriptor(attribute):
                continue
            yield f"{key}.{name}", str(attribute.__doc__)
            inside = type(getattr(record, name))
            if "." in inside.__qualname__:  # a record that has no name outside this one
                yield from ((k, v) for k, v in self._record(f"{key}.{name}", inside) if k != f"{key}.{name}")


def _kind(kind: str, elem: str) -> str:
    return elem if kind in ("in", "out") else f"{kind} {elem}"


def _signature(function: Any) -> str:
    """Without annotations, whose form is Python's own matter."""
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=inspect.Parameter.empty) for p in signature.parameters.values()]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))
