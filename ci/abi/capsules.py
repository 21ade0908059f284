# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The capsules that a wheel gives to compiled modules, and what is in its function table."""

from __future__ import annotations

import ctypes
import inspect
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from .wheels import Wheel

Fact = tuple[str, str]

_capsule_name = ctypes.pythonapi.PyCapsule_GetName
_capsule_name.restype, _capsule_name.argtypes = ctypes.c_char_p, (ctypes.py_object,)
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)


class CapsuleError(Exception):
    """What the wheel offers is not what its headers say it is."""


def facts(wheel: Wheel) -> Iterator[Fact]:
    yield from _spellings(f"capsule {wheel.cython}", import_module(f"{wheel.module}.{wheel.cython}").__pyx_capi__)
    package: Any = import_module(wheel.module)
    parameters = inspect.signature(package.capi).parameters
    of_majors = any(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters.values())
    for major in majors(package) if of_majors else [None]:
        chosen = "" if major is None else f"({major})"
        arguments = [] if major is None else [major]
        yield from _spellings(f"capsule capi{chosen}", package.capi(*arguments))
        if "per_thread" in parameters and any("per_thread" in scope for scope in package._core.scopes()):
            twin = f"{chosen[:-1]},per_thread)" if chosen else ",per_thread"
            yield from _spellings(f"capsule capi{twin}", package.capi(*arguments, per_thread=True))


def majors(package: Any) -> list[int]:
    return sorted(int(match[1]) for name in package.__all__ if (match := re.fullmatch(r"cu(\d+)", name)))


def _spellings(where: str, capsules: Mapping[str, object]) -> Iterator[Fact]:
    for name, capsule in capsules.items():
        yield f"{where} {name}", _capsule_name(capsule).decode()


# -- the function table


class _Table(ctypes.Structure):
    """`struct cuda_driver_stable_table` of the header; the ledger has its layout as the compiler sees it."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("release", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("unused", ctypes.c_uint32),
        ("resolve", ctypes.c_void_p),
    )


class _Symbol(ctypes.Structure):
    """Dl_info"""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def table_facts(wheel: Wheel) -> Iterator[Fact]:
    """Needs a driver that has every symbol: the stub driver."""
    module, _, name = wheel.table.rpartition(".")
    capsule = getattr(import_module(module), name)
    table = _Table.from_address(_capsule_pointer(capsule, wheel.table.encode()))
    resolve = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_uint32)(table.resolve)
    for position in range(table.count):
        yield f"table {position:04}", _symbol(resolve, position)


def _symbol(resolve: Any, position: int) -> str:
    unknown = b"unknown"
    try:
        address = resolve(position, unknown, 0)
    except RuntimeError as error:  # says which function is missing: on another platform there are others
        text = str(error)
        match = re.match(r"\w+", text)
        if match is None or type(error).__name__ != "FunctionNotFoundError":
            raise
        return "(none)" if match[0].encode() == unknown else f"{match[0]}, not on this platform"
    found = _Symbol()
    if not ctypes.CDLL(None).dladdr(ctypes.c_void_p(address), ctypes.byref(found)) or not found.name:
        raise CapsuleError(f"position {position} of the function table is no symbol of the driver")
    # Of nvJitLink each release has symbols of its own for what it had before: __nvJitLinkCreate_12_9.
    return re.sub(r"^__(\w+?)_\d+_\d+$", r"\1", found.name.decode())
