# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a name was, is and needs: the history of the API, for programs. For packages with a view of each CUDA major."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from operator import index
from types import BuiltinFunctionType
from typing import Any, NamedTuple

from . import _core

_VERSION = re.compile(r"_v(\d+)(_t)?$")  # of a type: NVML writes the _t of its types behind it


class CudaVersion(NamedTuple):
    """A CUDA release: compares as numbers do, reads as "13.5"."""

    major: int
    minor: int

    @classmethod
    def from_number(cls, number: int) -> CudaVersion:
        """13050, as cuDriverGetVersion says it, is 13.5."""
        return cls(number // 1000, number % 1000 // 10)

    @classmethod
    def parse(cls, text: str) -> CudaVersion:
        """ "13.5", and "13" for 13.0."""
        match = re.fullmatch(r"(\d+)(?:\.(\d+))?", text)
        if not match:
            raise ValueError(f"{text!r} is not a CUDA version: write it as 13.5")
        return cls(int(match[1]), int(match[2] or 0))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True)
class Version:
    """One of the functions, or one of the types, that a name has stood for."""

    name: str  # the permanent name, without a suffix where that is permanent
    symbol: str | None  # what the library exports; None for a type
    introduced: CudaVersion  # of a type: the first headers that have it, of those that were read
    signature: str  # the C prototype; of a type what it holds
    default_in: tuple[int, ...]  # CUDA majors that mean this one by the name without a suffix

    @property
    def available(self) -> bool:
        """Whether the library here has it."""
        return is_available(self.name)


def resolve(name: str, *, cuda: int, per_thread: bool = False) -> str:
    """The permanent name of what the header of CUDA `cuda` calls `name`, be it a function or a type.

    In `cuda.driver_stable` what CUDA 12 calls cuCtxCreate is cuCtxCreate_v2, and cuInit is cuInit.
    """
    cuda = index(cuda)
    _check("resolve", name)
    if cuda not in _majors():
        known = ", ".join(map(str, _majors()))
        raise ValueError(f"no view of CUDA {cuda}; there are views of {known}")
    try:
        found = _core.lookup(_scope(cuda, per_thread), name)
    except AttributeError:
        raise ValueError(f"CUDA {cuda} has no function or type of the name {name!r}") from None
    if not isinstance(found, (BuiltinFunctionType, type)):
        raise ValueError(f"{name} is neither a function nor a type, and has no versions")
    return found.__name__


def versions(name: str) -> tuple[Version, ...]:
    """Every function, or every type, that `name` has stood for, oldest first.

    A name with a suffix gives the versions of the name without it. Variants for per-thread default streams come last;
    their `default_in` says where the per-thread view means them.
    """
    _check("versions", name)
    base = _rows()[name]["base"] if name in _rows() else name
    wanted: dict[str, Mapping[str, Any]] = {row["name"]: row for row in _core.functions() if row["base"] == base}
    defaults: dict[str, list[int]] = {}
    for major in _majors():
        for function in _meanings(base, major):
            # A header may give a name to a function of another base: cuGraphInstantiate is cuGraphInstantiateWithFlags.
            row = _rows()[function]
            wanted[row["name"]] = row
            defaults.setdefault(row["name"], []).append(major)
    if not wanted:
        return _type_versions(name)
    rows = sorted(wanted.values(), key=lambda row: (row["stream"], row["introduced"], row["version"]))
    return tuple(_version(row, tuple(defaults.get(row["name"], ()))) for row in rows)


def is_available(name: str) -> bool:
    """Whether the library here has the function of that permanent name; False where there is no library.

    Of a type: whether the library is of a CUDA that has the type.
    """
    _check("is_available", name)
    if name in _rows():
        return bool(_core.library()["loaded"] and _core.address(_rows()[name]["name"]))
    needed = _introduced(_type(name))
    version = _core.library()["version"]
    # No header older than those is known here, so what they have may be as old as CUDA.
    return bool(version) and (needed == _first_headers() or CudaVersion.from_number(version) >= needed)


def required_cuda(name: str) -> CudaVersion:
    """The CUDA version whose driver was the first to have the function of that permanent name.

    Of a type: the first CUDA whose headers have it, of those that were read.
    """
    _check("required_cuda", name)
    if name in _rows():
        return CudaVersion.from_number(_rows()[name]["introduced"])
    return _introduced(_type(name))


def _version(row: Mapping[str, Any], default_in: tuple[int, ...]) -> Version:
    return Version(
        name=row["plain"] or row["name"],
        symbol=row["symbol"],
        introduced=CudaVersion.from_number(row["introduced"]),
        signature=row["signature"],
        default_in=default_in,
    )


def _meanings(name: str, major: int) -> set[str]:
    """Which functions a major means by a name, without and with per-thread default streams."""
    meanings = set()
    for per_thread in (False, True):
        found = _found(_scope(major, per_thread), name)
        if isinstance(found, BuiltinFunctionType):
            meanings.add(found.__name__)
    return meanings


def _type_versions(name: str) -> tuple[Version, ...]:
    found = next((x for x in (_found(scope, name) for scope in _core.scopes()) if isinstance(x, type)), None)
    base = _VERSION.sub(r"\2", found.__name__ if found else name)
    stem = base.removesuffix("_t")
    versioned = re.compile(rf"{re.escape(stem)}(_v\d+)?{base.removeprefix(stem)}")
    wanted: dict[str, type] = {}
    for permanent in filter(versioned.fullmatch, _core.names("")):
        if isinstance(kind := _core.lookup("", permanent), type):
            wanted[permanent] = kind
    defaults: dict[str, list[int]] = {}
    for major in _majors():
        meant = _found(f"cu{major}", base)
        if isinstance(meant, type):
            wanted.setdefault(meant.__name__, meant)
            defaults.setdefault(meant.__name__, []).append(major)
    if not wanted:
        raise ValueError(f"no CUDA driver had a function or type {name!r}")
    return tuple(
        Version(permanent, None, _introduced(wanted[permanent]), _layout(wanted[permanent]), tuple(majors))
        for permanent, majors in ((key, defaults.get(key, ())) for key in sorted(wanted, key=_by_number))
    )


def _by_number(name: str) -> tuple[int, str]:
    match = _VERSION.search(name)
    return (int(match[1]) if match else 0, name)


def _layout(kind: type) -> str:
    """What a type holds, from the types that its fields tell."""
    fields = [(key, value.__doc__) for key, value in vars(kind).items() if type(value).__name__ == "getset_descriptor"]
    if fields and hasattr(kind, "__copy__"):
        return f"{kind.__name__} {{ {' '.join(f'{text} {field};' for field, text in fields)} }}"
    return _documented(kind)[1]


def _introduced(kind: type) -> CudaVersion:
    return CudaVersion.parse(_documented(kind)[2])


def _documented(kind: type) -> tuple[str, str, str]:
    """Name, nature and first CUDA: the core says them of a type in its docstring, and nowhere else."""
    match = re.fullmatch(r"(\w+): (.*)\. Seen since CUDA (\d+\.\d+)\.", kind.__doc__ or "", re.DOTALL)
    if not match:
        raise RuntimeError(f"{kind.__name__} does not say since when it was seen: {kind.__doc__!r}")
    return match[1], match[2], match[3]


@cache
def _first_headers() -> CudaVersion:
    """The oldest headers known: what was there already then was seen first in them."""
    found = map(_core.lookup, repeat(""), _core.names(""))
    return min(_introduced(kind) for kind in found if isinstance(kind, type))


def _check(function: str, name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{function}() argument 'name' must be str, not {type(name).__name__}")


def _scope(major: int, per_thread: bool) -> str:
    """Of a library that has nothing to do with streams there is one for both."""
    twin = f"cu{major}.per_thread"
    return twin if per_thread and twin in _core.scopes() else f"cu{major}"


def _found(scope: str, name: str) -> object:
    """What a scope calls so; None where it has no such name."""
    try:
        return _core.lookup(scope, name)
    except AttributeError:
        return None


def _type(name: str) -> type:
    """Of a permanent name that is not a function's."""
    try:
        found = _core.lookup("", name)
    except AttributeError as error:  # says which versions there are, if any
        raise ValueError(str(error)) from None
    if not isinstance(found, type):
        raise ValueError(f"{name} is neither a function nor a type")
    return found


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    rows = _core.functions()
    return {row[key]: row for row in rows for key in ("name", "plain") if row[key]}


@cache
def _majors() -> tuple[int, ...]:
    return tuple(sorted(int(scope[2:]) for scope in _core.scopes() if scope and "." not in scope))
