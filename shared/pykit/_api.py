# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a name of this toolkit major stands for and needs: what cuda.driver_stable tells of the driver, in its terms."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import BuiltinFunctionType
from typing import Any

from cuda.driver_stable import CudaVersion
from cuda.driver_stable import Version as DriverVersion

from . import _core

_PACKAGE = __name__.rpartition(".")[0]
_MAJOR = _core.RELEASE // 1000


@dataclass(frozen=True)
class Version(DriverVersion):
    """One of the functions, or the type, that a name stands for within this major."""

    @property
    def available(self) -> bool:
        """Whether the library here has it."""
        return is_available(self.name)


def resolve(name: str, *, cuda: int = _MAJOR, per_thread: bool = False) -> str:
    """The name, with its version, of what this major's header calls `name`, be it a function or a type.

    A name that has one version stays as it is. `cuda` may be given as in `cuda.driver_stable.resolve`; a wheel knows
    its own major, and raises ValueError for another.
    """
    _check("resolve", name)
    if cuda != _MAJOR:
        raise ValueError(f"{_PACKAGE} is of CUDA {_MAJOR} here, and does not know what CUDA {cuda} means by {name}")
    found = _found(name, _twin() if per_thread else "")
    if found is None:
        raise ValueError(f"CUDA {_MAJOR} has no function or type of the name {name!r}")
    if not isinstance(found, (BuiltinFunctionType, type)):
        raise ValueError(f"{name} is neither a function nor a type, and has no versions")
    return found.__name__


def versions(name: str) -> tuple[Version, ...]:
    """Every function of this major that has the base name of `name`, oldest first; of a type, the one there is.

    Variants for per-thread default streams come last; their `default_in` says whether the per-thread twin means them.
    """
    _check("versions", name)
    row = _rows().get(name)
    base = row["base"] if row else name
    wanted: dict[str, Mapping[str, Any]] = {each["name"]: each for each in _core.functions() if each["base"] == base}
    defaults = set()
    for scope in ("", _twin()):
        found = _found(base, scope)
        if isinstance(found, BuiltinFunctionType):  # which a header may have mapped to a function of another base
            meant = _rows()[found.__name__]
            wanted[meant["name"]] = meant
            defaults.add(meant["name"])
    if not wanted:
        kind = _type(name)
        return (Version(kind.__name__, None, _introduced(kind), _layout(kind), (_MAJOR,)),)
    rows = sorted(wanted.values(), key=lambda each: (each["stream"], each["introduced"], each["version"]))
    return tuple(
        Version(
            name=each["plain"] or each["name"],
            symbol=each["symbol"],
            introduced=CudaVersion.from_number(each["introduced"]),
            signature=each["signature"],
            default_in=(_MAJOR,) if each["name"] in defaults else (),
        )
        for each in rows
    )


def is_available(name: str) -> bool:
    """Whether the library here has that function; False where there is no library.

    Of a type: whether the library is of a release whose headers have it.
    """
    _check("is_available", name)
    if name in _rows():
        return bool(_core.library()["loaded"] and _core.address(_rows()[name]["name"]))
    needed = _introduced(_type(name))
    version = _core.library()["version"]
    return bool(version) and CudaVersion.from_number(version) >= needed


def required_cuda(name: str) -> CudaVersion:
    """The CUDA release whose library was the first with that function, or whose headers were the first with that type.

    Nothing older than the headers of 11.7 was read, and of types nothing before this major.
    """
    _check("required_cuda", name)
    if name in _rows():
        return CudaVersion.from_number(_rows()[name]["introduced"])
    return _introduced(_type(name))


def _check(function: str, name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{function}() argument 'name' must be str, not {type(name).__name__}")


def _twin() -> str:
    """The scope with per-thread default streams; the only one where the library has nothing to do with streams."""
    return "per_thread" if "per_thread" in _core.scopes() else ""


def _found(name: str, scope: str = "") -> object:
    try:
        return _core.lookup(scope, name)
    except AttributeError:
        return None


def _type(name: str) -> type:
    found = _found(name)
    if found is None:
        raise ValueError(f"{_PACKAGE} has no function or type {name!r}")
    if not isinstance(found, type):
        raise ValueError(f"{name} is neither a function nor a type")
    return found


def _introduced(kind: type) -> CudaVersion:
    """The core says it of a type in its docstring, and nowhere else."""
    match = re.search(r"Seen since CUDA (\d+\.\d+)\.$", kind.__doc__ or "")
    if not match:
        raise RuntimeError(f"{kind.__name__} does not say since when it was seen: {kind.__doc__!r}")
    return CudaVersion.parse(match[1])


def _layout(kind: type) -> str:
    """What a type holds, from the types that its fields tell."""
    fields = [(key, value.__doc__) for key, value in vars(kind).items() if type(value).__name__ == "getset_descriptor"]
    if fields and hasattr(kind, "__copy__"):
        return f"{kind.__name__} {{ {' '.join(f'{text} {field};' for field, text in fields)} }}"
    return (kind.__doc__ or "").partition(": ")[2].partition(". Seen")[0]


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    rows = _core.functions()
    return {row[key]: row for row in rows for key in ("name", "plain") if row[key]}
