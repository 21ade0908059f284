# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a name was, is and needs: the history of the API, for programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import BuiltinFunctionType
from typing import Any, NamedTuple

from . import _core


class CudaVersion(NamedTuple):
    """A CUDA release: compares as numbers do, reads as "13.5"."""

    major: int
    minor: int

    @classmethod
    def from_number(cls, number: int) -> CudaVersion:
        """13050, as cuDriverGetVersion says it, is 13.5."""
        return cls(number // 1000, number % 1000 // 10)

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True)
class Version:
    """One of the functions that a name has stood for."""

    name: str  # the permanent name, without a suffix where that is permanent
    symbol: str  # what the driver exports
    introduced: CudaVersion
    signature: str  # the C prototype
    default_in: tuple[int, ...]  # CUDA majors that mean this one by the name without a suffix

    @property
    def available(self) -> bool:
        """Whether the driver here has it."""
        return is_available(self.name)


def resolve(name: str, *, cuda: int, per_thread: bool = False) -> str:
    """The permanent name of what the header of CUDA `cuda` calls `name`, be it a function or a type.

    >>> resolve("cuCtxCreate", cuda=12)
    'cuCtxCreate_v2'
    >>> resolve("cuInit", cuda=12)
    'cuInit'
    """
    if cuda not in _majors():
        known = ", ".join(map(str, _majors()))
        raise ValueError(f"no view of CUDA {cuda}; there are views of {known}")
    try:
        found = _core.lookup(f"cu{cuda}.per_thread" if per_thread else f"cu{cuda}", name)
    except AttributeError:
        raise ValueError(f"CUDA {cuda} has no function or type of the name {name!r}") from None
    if not isinstance(found, (BuiltinFunctionType, type)):
        raise ValueError(f"{name} is neither a function nor a type, and has no versions")
    return found.__name__


def versions(name: str) -> tuple[Version, ...]:
    """Every function that `name` has stood for, oldest first; the variants for per-thread default streams come last.

    A name with a suffix gives the versions of the name without it. `default_in` of a per-thread variant says where
    the per-thread view means it.
    """
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
        raise ValueError(f"no CUDA driver had a function {name!r}")
    rows = sorted(wanted.values(), key=lambda row: (row["stream"], row["introduced"], row["version"]))
    return tuple(_version(row, tuple(defaults.get(row["name"], ()))) for row in rows)


def is_available(name: str) -> bool:
    """Whether the driver library here has the function of that permanent name; False where there is no driver."""
    row = _row(name)
    return bool(_core.library()["loaded"] and _core.address(row["name"]))


def required_cuda(name: str) -> CudaVersion:
    """The CUDA version whose driver was the first to have the function of that permanent name."""
    return CudaVersion.from_number(_row(name)["introduced"])


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
    for scope in (f"cu{major}", f"cu{major}.per_thread"):
        try:
            found = _core.lookup(scope, name)
        except AttributeError:
            continue
        if isinstance(found, BuiltinFunctionType):
            meanings.add(found.__name__)
    return meanings


def _row(name: str) -> Mapping[str, Any]:
    """Of a permanent name."""
    try:
        return _rows()[name]
    except KeyError:
        pass
    try:
        _core.lookup("", name)
    except AttributeError as error:  # says which versions there are, if any
        raise ValueError(str(error)) from None
    raise ValueError(f"{name} is not a function")


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    rows = _core.functions()
    return {row[key]: row for row in rows for key in ("name", "plain") if row[key]}


@cache
def _majors() -> tuple[int, ...]:
    return tuple(sorted(int(scope[2:]) for scope in _core.scopes() if scope and "." not in scope))
