# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The API of one library as of one release: what `fold` returns and what `emit` reads.

Everything here is frozen data. Names of functions and types are *permanent* names (see the rule of
names in docs/architecture.md) unless a field says otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

Stream = Literal["", "ptds", "ptsz"]
Platform = Literal["any", "linux", "windows"]


class ReleaseError(ValueError):
    """A text names no release."""


@dataclass(frozen=True, order=True)
class Release:
    """A CUDA release, `13.5`. `number` is what `CUDA_VERSION` says: 13050."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> Release:
        major, dot, minor = text.partition(".")
        if not (dot and major.isdecimal() and minor.isdecimal()):
            raise ReleaseError(f"{text!r} is no CUDA release: 13.5 is one")
        return cls(int(major), int(minor))

    @classmethod
    def of_version(cls, version: str) -> Release:
        """The release that a library of the toolkit belongs to: `13.5.37` is of 13.5."""
        return cls.parse(".".join(version.split(".")[:2]))

    @classmethod
    def from_number(cls, number: int) -> Release:
        return cls(number // 1000, number % 1000 // 10)

    @property
    def number(self) -> int:
        return self.major * 1000 + self.minor * 10

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"


@dataclass(frozen=True)
class CType:
    """A C type as a parameter or field has it, in one normal spelling: `const char *const *`.

    `base` is a permanent type name or a C keyword type (`unsigned int`, `char`, `void`, `size_t`).
    `const[0]` tells whether the base is const, `const[i]` whether the i-th pointer is;
    `len(const) - 1` is the number of pointers.
    """

    base: str
    const: tuple[bool, ...] = (False,)

    @classmethod
    def parse(cls, text: str) -> CType:
        head, *stars = text.split("*")
        words = head.split()
        base = " ".join(w for w in words if w not in ("const", "struct", "union", "enum"))
        consts = ["const" in words] + ["const" in s.split() for s in stars]
        return cls(base, tuple(consts))

    @property
    def depth(self) -> int:
        return len(self.const) - 1

    @property
    def pointee(self) -> CType:
        if not self.depth:
            raise ValueError(f"{self} is not a pointer")
        return CType(self.base, self.const[:-1])

    def __str__(self) -> str:
        head = ("const " if self.const[0] else "") + self.base
        stars = "".join("*const " if c else "*" for c in self.const[1:]).rstrip()
        return f"{head} {stars}" if stars else head


@dataclass(frozen=True)
class Parameter:
    name: str  # as the newest header that declares the symbol spells it
    type: CType


@dataclass(frozen=True)
class Function:
    """One exported symbol."""

    name: str  # permanent versioned name: cuCtxCreate_v1, cuInit_v1, cuLaunchKernel_v1_ptsz
    plain: str | None  # permanent plain name, where there is one: cuInit, cuLaunchKernel_ptsz
    symbol: str  # what dlsym is asked for: cuCtxCreate
    base: str  # cuCtxCreate
    version: int  # the N of _vN, 1 where the symbol has none
    stream: Stream
    parameters: tuple[Parameter, ...]
    introduced: Release  # the PFN number of cudaTypedefs.h; else the first release that showed it
    declared: Release | None  # first header in the registry that declares it; None: in no header
    header: str  # "cuda.h", "cudaGL.h", …; "" where no header declares it
    platform: Platform
    result: str = "CUresult"  # a type, as parameters have one: "nvrtcResult", "const char *"
    # First library of the major that exports it; None: none that was looked at, or no libraries were.
    exported: Release | None = None
    # Where each release of a library has a symbol of its own for the same function: all of them, newest first, with the
    # release each is of. A library has those up to its own release, so the first that is found is the one to call.
    symbols: tuple[tuple[Release, str], ...] = ()


@dataclass(frozen=True)
class Enumerator:
    name: str
    value: int
    since: Release  # first header in the registry that has it


@dataclass(frozen=True)
class Enum:
    """The union of every enumerator ever declared; a reused name has its latest value."""

    name: str
    enumerators: tuple[Enumerator, ...]  # by value, then by name
    since: Release
    tags: tuple[str, ...] = ()  # `CUresult` is `enum cudaError_enum` in C
    header: str = "cuda.h"


@dataclass(frozen=True)
class Field:
    """A field of a record. Members of anonymous unions and structs are fields of the record that holds them."""

    name: str
    type: CType  # base is the name of an inline record ("CUDA_RESOURCE_DESC_v1.res") where the C type has no name
    offset: int  # bytes from the start of the record
    size: int  # bytes, arrays whole
    count: int | None = None  # number of elements of an array
    since: Release | None = None


@dataclass(frozen=True)
class Record:
    """A struct or union, with its newest layout."""

    name: str  # CUDA_MEMCPY3D_v2; inline records: "CUDA_RESOURCE_DESC_v1.res"
    union: bool
    size: int
    align: int
    fields: tuple[Field, ...]
    since: Release
    tags: tuple[str, ...] = ()
    sizes: tuple[tuple[Release, int], ...] = ()  # (first release, size), every change of size
    header: str = "cuda.h"

    @property
    def inline(self) -> bool:
        return "." in self.name


@dataclass(frozen=True)
class Handle:
    """An opaque pointer (`CUcontext`) or an integer with a name of its own (`CUdevice`, `cuuint64_t`)."""

    name: str
    underlying: str  # "void *", or an integer type: "int", "unsigned int", "unsigned long long"
    size: int
    since: Release
    header: str = "cuda.h"


@dataclass(frozen=True)
class Callback:
    name: str  # one that has no name in C: "nvrtcSetFlowCallback.callback", after the function and its parameter
    result: str
    parameters: tuple[Parameter, ...]
    since: Release
    header: str = "cuda.h"

    @property
    def inline(self) -> bool:
        return "." in self.name


@dataclass(frozen=True)
class Constant:
    """An object-like macro. `value` is a number or bytes; that of a handle keeps the handle's name."""

    name: str
    value: int | float | bytes
    type: str  # "int", "unsigned int", "unsigned long long", "char *", or a handle's name
    since: Release
    alias: str | None = None  # the enumerator or constant the macro stands for


@dataclass(frozen=True)
class View:
    """What the headers of the last known release of one CUDA major say: names as that header writes them."""

    major: int
    release: Release
    # cuCtxCreate -> cuCtxCreate_v4; cuCtxCreate_v2 -> cuCtxCreate_v2; values: Function.name
    functions: Mapping[str, str]
    per_thread: Mapping[str, str]  # the same with CUDA_API_PER_THREAD_DEFAULT_STREAM
    types: Mapping[str, str]  # CUDA_MEMCPY3D, CUDA_MEMCPY3D_v2, CUDA_MEMCPY3D_st -> CUDA_MEMCPY3D_v2
    enumerators: Mapping[str, tuple[str, int]]  # name -> (Enum.name, value)
    constants: Mapping[str, Constant]
    # Function.name -> types of its parameters as that header writes them, for every function it declares.
    spelled: Mapping[str, tuple[CType, ...]] = field(default_factory=dict)
    # Names of `types` that C knows with `struct`, `union` or `enum` in front only: the header has no typedef for them.
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Api:
    """A library's API as of a release."""

    library: str
    release: Release
    functions: tuple[Function, ...]  # by base, version, stream
    enums: tuple[Enum, ...]
    records: tuple[Record, ...]  # a record comes after the records it holds by value
    handles: tuple[Handle, ...]
    callbacks: tuple[Callback, ...]
    constants: tuple[Constant, ...]
    views: tuple[View, ...]  # by major
    aliases: Mapping[str, str] = field(default_factory=dict)  # names of types that stand for another: CUstreamAttrID
    undeclared: tuple[Function, ...] = ()  # exported by libraries, in no header: their parameters are unknown

    @cached_property
    def by_name(self) -> Mapping[str, Function]:
        """Functions by every permanent name, versioned and plain."""
        found = {f.name: f for f in self.functions}
        found.update((f.plain, f) for f in self.functions if f.plain)
        return found

    @cached_property
    def bases(self) -> Mapping[str, tuple[Function, ...]]:
        found: dict[str, list[Function]] = {}
        for function in self.functions:
            found.setdefault(function.base, []).append(function)
        return {base: tuple(functions) for base, functions in found.items()}


_VERSION = re.compile(r"^(?P<base>.*?)(?:_v(?P<version>\d+))?(?:_(?P<stream>ptds|ptsz))?$")


def split_symbol(symbol: str) -> tuple[str, int, Stream]:
    """`cuStreamGetCaptureInfo_v2_ptsz` -> ("cuStreamGetCaptureInfo", 2, "ptsz")."""
    match = _VERSION.match(symbol)
    assert match is not None
    return match["base"], int(match["version"] or 1), match["stream"] or ""  # type: ignore[return-value]
