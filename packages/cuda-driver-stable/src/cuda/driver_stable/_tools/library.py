# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A library as the tools see it: what names mean in it, and which modules programs get them from.

What is known of each library is one row at the end; those of the toolkit are there where their wheels are installed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from importlib.util import find_spec
from types import BuiltinFunctionType
from typing import Any, Literal

from .._api import CudaVersion

Kind = Literal["function", "type", "value"]


@dataclass(frozen=True)
class Meaning:
    """What a name is in one scope."""

    kind: Kind
    permanent: str | None  # the permanent name of the same thing; None where there is none
    object: Any

    @property
    def identity(self) -> object:
        """Differs where meanings do. The enumerators of an enum are names of their own, so they do not count here."""
        return self.object if self.kind == "value" else self.object.__name__


@dataclass(frozen=True)
class Source:
    """A module that programs take names from."""

    library: str  # the module of the library it belongs to
    scope: str | None  # of the core; None for what depends on the release that is installed
    cython: bool = False  # a module that Cython code cimports from
    permanent: bool = False  # what a name means there never changes

    @property
    def official(self) -> bool:
        return self.scope is None

    @property
    def per_thread(self) -> bool:
        return bool(self.scope) and str(self.scope).endswith("per_thread")


class Library:
    """The names of one library, as its core tells them."""

    noun = "driver"

    def __init__(self, module: str, title: str, *, cython: str, official: Mapping[str, bool], pattern: str) -> None:
        self.module = module
        self.title = title  # how to say which release of it something needs
        self.cython = cython
        self.pattern = re.compile(pattern)  # what its names look like
        self._official = official  # modules of the official binding, and whether Cython code cimports from them

    @cached_property
    def core(self) -> Any:
        return import_module(f"{self.module}._core")

    @cached_property
    def majors(self) -> tuple[int, ...]:
        return tuple(sorted(int(scope[2:]) for scope in self.core.scopes() if scope and "." not in scope))

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        """Every module with names of this library, by its full name."""
        found = {name: Source(self.module, None, cython) for name, cython in self._official.items()}
        found[f"{self.module}.{self.cython}"] = Source(self.module, "", cython=True, permanent=True)
        for scope in self.core.scopes():
            found[f"{self.module}.{scope}".rstrip(".")] = Source(self.module, scope, permanent=not scope)
            if scope:
                found[f"{self.module}.cy{scope.replace('.', '_')}"] = Source(self.module, scope, cython=True)
        return found

    @cached_property
    def rows(self) -> Mapping[str, Mapping[str, Any]]:
        """Functions by every permanent name."""
        rows = self.core.functions()
        return {row[key]: row for row in rows for key in ("name", "plain") if row[key]}

    @cached_property
    def bases(self) -> frozenset[str]:
        return frozenset(row["base"] for row in self.rows.values())

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that any scope has."""
        return frozenset(name for scope in self.core.scopes() for name in self.core.names(scope))

    def scope(self, major: int, *, per_thread: bool = False) -> str:
        return f"cu{major}.per_thread" if per_thread else f"cu{major}"

    def module_of(self, scope: str, *, cython: bool) -> str:
        """The module that a scope's names come from."""
        return f"{self.module}.cy{scope.replace('.', '_')}" if cython else f"{self.module}.{scope}"

    def meaning(self, scope: str, name: str) -> Meaning | None:
        """What a scope means by a name; None where it does not have it."""
        key = (scope, name)
        if key not in self._meanings:
            self._meanings[key] = self._meaning(scope, name)
        return self._meanings[key]

    @cached_property
    def _meanings(self) -> dict[tuple[str, str], Meaning | None]:
        return {}

    def _meaning(self, scope: str, name: str) -> Meaning | None:
        found = self._lookup(scope, name)
        if found is None:
            return None
        if isinstance(found, BuiltinFunctionType):
            return Meaning("function", found.__name__, found)
        if isinstance(found, type):
            permanent = self._lookup("", found.__name__)
            return Meaning("type", found.__name__ if permanent is found else None, found)
        permanent = self._lookup("", name)
        return Meaning("value", name if type(permanent) is type(found) and permanent == found else None, found)

    def member(self, scope: str, enum: str, name: str) -> bool:
        """Whether an enumerator of a scope's enum is the same for ever."""
        meaning = self.meaning(scope, enum)
        if meaning is None or not hasattr(meaning.object, name):
            return False
        permanent = self._lookup("", meaning.object.__name__)
        here, there = getattr(meaning.object, name), getattr(permanent, name, None)
        return isinstance(here, int) and isinstance(there, int) and int(here) == int(there)

    def _lookup(self, scope: str, name: str) -> Any:
        try:
            return self.core.lookup(scope, name)
        except AttributeError:
            return None

    def signature(self, permanent: str) -> str:
        """The C prototype of a function, under the name of its symbol."""
        return str(self.rows[permanent]["signature"])

    def introduced(self, permanent: str) -> CudaVersion:
        return CudaVersion.from_number(self.rows[permanent]["introduced"])

    def near(self, name: str) -> list[str]:
        """Names that somebody who wrote `name` may have meant."""
        spelled = {known.lower(): known for known in sorted(self.names)}
        found = [spelled[text] for text in get_close_matches(name.lower(), sorted(spelled), n=4, cutoff=0.75)]
        same = [base for base in sorted(self.bases) if base.lower() == name.lower()]
        return list(dict.fromkeys([*same, *found]))


class Toolkit(Library):
    """A library of the toolkit: its wheel knows one CUDA major, and its module is the view of that."""

    noun = "library"

    @cached_property
    def majors(self) -> tuple[int, ...]:
        return (self.core.RELEASE // 1000,)

    @cached_property
    def sources(self) -> Mapping[str, Source]:
        found = {name: Source(self.module, None, cython) for name, cython in self._official.items()}
        found[f"{self.module}.{self.cython}"] = Source(self.module, "", cython=True)
        for scope in self.core.scopes():
            found[self.module_of(scope, cython=False)] = Source(self.module, scope)
        return found

    def introduced(self, permanent: str) -> CudaVersion:
        return max(super().introduced(permanent), CudaVersion(self.majors[0], 0))

    def scope(self, major: int, *, per_thread: bool = False) -> str:
        return "per_thread" if per_thread and "per_thread" in self.core.scopes() else ""

    def module_of(self, scope: str, *, cython: bool) -> str:
        return f"{self.module}.{self.cython}" if cython else f"{self.module}.{scope}".rstrip(".")


_TOOLKITS = (
    Toolkit(
        "cuda.runtime",
        "the runtime library of",
        cython="cyruntime",
        official={
            "cuda.bindings.runtime": False,
            "cuda.bindings.cyruntime": True,
            "cuda.cudart": False,
            "cuda.ccudart": True,
        },
        pattern=r"cuda[A-Z]\w*",
    ),
    Toolkit(
        "cuda.nvrtc",
        "NVRTC of",
        cython="cynvrtc",
        official={"cuda.bindings.nvrtc": False, "cuda.bindings.cynvrtc": True, "cuda.cnvrtc": True},
        pattern=r"(nvrtc[A-Z]|NVRTC_)\w*",
    ),
    Toolkit(
        "cuda.nvjitlink",
        "nvJitLink of",
        cython="cynvjitlink",
        official={"cuda.bindings.nvjitlink": False, "cuda.bindings.cynvjitlink": True},
        pattern=r"(nvJitLink[A-Z]|NVJITLINK_)\w*",
    ),
    Toolkit(
        "cuda.nvvm",
        "libNVVM of",
        cython="cynvvm",
        official={"cuda.bindings.nvvm": False, "cuda.bindings.cynvvm": True},
        pattern=r"(nvvm[A-Z]|NVVM_)\w*",
    ),
)


@cache
def libraries() -> tuple[Library, ...]:
    """The driver first."""
    return (
        Library(
            "cuda.driver_stable",
            "a driver for",
            cython="cydriver",
            official={
                "cuda.bindings.driver": False,
                "cuda.bindings.cydriver": True,
                "cuda.cuda": False,  # of cuda-python 11 and 12
                "cuda.ccuda": True,
            },
            pattern=r"(cu[A-Z]|CU)\w*",
        ),
        *(toolkit for toolkit in _TOOLKITS if _installed(toolkit.module)),
    )


def _installed(module: str) -> bool:
    """Whether it is ours: cuda-bindings 12 has a module `cuda.nvrtc`, too."""
    spec = find_spec(module)
    return bool(spec and spec.submodule_search_locations and find_spec(f"{module}._core"))


def driver() -> Library:
    return libraries()[0]


def knowing(name: str) -> Library:
    """The library that has a name; the driver where none has it, to say so."""
    return next((library for library in libraries() if name in library.names | library.bases), driver())


@cache
def sources() -> Mapping[str, Source]:
    return {name: source for library in libraries() for name, source in library.sources.items()}


def library_with(module: str) -> Library:
    return next(library for library in libraries() if library.module == module)


def library_of(source: Source) -> Library:
    return library_with(source.library)
