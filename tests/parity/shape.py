# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What both sides are brought to before they are compared: functions as Python sees them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

# What a type is called here:
#   "int", "unsigned int", "size_t", …   a number, by its C type
#   "float", "bytes"
#   "any"                                an address, a callback, or a value whose type is decided at the call
#   "CUcontext", …                       a class
#   "list[CUcontext]", "list[int]", …
#   ""                                   the side cannot tell
#   "CUstream or cudaStream_t"           of an official input: either is taken
NUMBERS = frozenset(
    {
        "int",
        "unsigned int",
        "size_t",
        "long long",
        "unsigned long long",
        "short",
        "unsigned short",
        "signed char",
        "unsigned char",
    }
)


@dataclass(frozen=True)
class Input:
    name: str
    type: str
    optional: bool = False


@dataclass(frozen=True)
class Function:
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...] | None  # None: the side cannot tell


class Side(Protocol):
    """One of the two sides. Types are named as the side names them."""

    def functions(self) -> Mapping[str, Function]: ...

    def enums(self) -> Mapping[str, Mapping[str, int]]: ...

    def records(self) -> Mapping[str, Mapping[str, str]]:
        """Fields and their types; "" where the side cannot tell."""

    def other_types(self) -> frozenset[str]:
        """Handles and callbacks."""

    def constants(self) -> Mapping[str, int]: ...

    def accepts(self, name: str, other: str) -> bool:
        """Whether an input of one handle type takes a handle of another package."""

    def same(self, name: str) -> str:
        """The one name of a type that has several: CUDA_MEMCPY3D and CUDA_MEMCPY3D_st are CUDA_MEMCPY3D_v2."""
