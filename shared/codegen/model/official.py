# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What has to be known of the official Cython module of a library, so that capsules can stand in for its own.

Measured on the capsules of that module; it is data of overrides/<library>.toml, with a reason each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .api import Parameter, Release


@dataclass(frozen=True)
class Extra:
    """A function that the official module has and no library of this major exports.

    It fills in a record from its parameters (`fields`), is another one under a second name (`calls`), or is one that
    only libraries of a later major have (`introduced`): whoever calls that is told so.
    """

    name: str
    reason: str
    result: str = ""  # a type, as parameters have one
    parameters: tuple[Parameter, ...] = ()
    fields: tuple[str, ...] = ()
    calls: str = ""  # Function.name
    introduced: Release | None = None


@dataclass(frozen=True)
class Official:
    module: str  # cuda.bindings.cyruntime
    extern: frozenset[str]  # the headers whose types it takes as they are; it declares those of others itself
    types: Mapping[str, str] = field(default_factory=dict)  # what it calls a type otherwise than by these rules
    parameters: Mapping[tuple[str, str], str] = field(default_factory=dict)  # the same of (function's key, parameter)
    extras: tuple[Extra, ...] = ()

    @property
    def prefix(self) -> str:
        """In front of a type that the module declares outside `cdef extern`."""
        return "__pyx_t_" + "".join(f"{len(part)}{part}_" for part in self.module.replace(".", " ").split())
