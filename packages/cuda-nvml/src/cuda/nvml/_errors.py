# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""An exception a status of NVML, all of them NvmlError."""

from __future__ import annotations

from . import _core
from ._generated.names import ERRORS

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any


class NvmlError(Exception):
    """A call of NVML failed. `status` is its result, and the text what NVML says of that."""

    status: int

    def __init__(self, status: int | str) -> None:
        if isinstance(status, str):  # of ours: there was nothing to call
            super().__init__(status)
            self.status = ERRORS.get(type(self).__name__, -1)
        else:
            super().__init__(_text(int(status)))
            self.status = int(status)

    def __reduce__(self) -> tuple[type[NvmlError], tuple[str], dict[str, Any]]:
        return type(self), (str(self),), self.__dict__  # the status and the notes


def _text(status: int) -> str:
    try:
        _, said = _core.lookup("", "nvmlErrorString")(status)
    except RuntimeError:  # no library, or one that is too old: the status has a name all the same
        said = None
    return said.decode(errors="replace") if said else f"NVML status {status}"


class FunctionNotFoundError(NvmlError, _core.FunctionNotFoundError):
    """The loaded library does not have the function that was called, or NVML says so of one that it needs."""


class LibraryNotFoundError(NvmlError, _core.LibraryNotFoundError):
    """No library could be loaded, or NVML says so of one that it needs."""


for _kind in (NvmlError, FunctionNotFoundError, LibraryNotFoundError):
    _kind.__module__ = __name__.rpartition(".")[0]
# What the core raises for itself is caught as what NVML says.
_core.raise_as(FunctionNotFoundError)
_core.raise_as(LibraryNotFoundError)

# The official names of two that have others too, which do not hide Python's own.
_ALIASES = {"MemoryError": "NvmlMemoryError", "TimeoutError": "NvmlTimeoutError"}


def __getattr__(name: str) -> type[NvmlError]:
    kind = _ALIASES.get(name, name)
    if kind not in ERRORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if kind not in globals():
        globals()[kind] = type(kind, (NvmlError,), {"__module__": NvmlError.__module__})
    made: type[NvmlError] = globals()[kind]
    return made


def of(status: int) -> NvmlError:
    """The exception for a status; NvmlError itself where a newer library has one that is not known here."""
    for name, known in ERRORS.items():
        if known == status:
            kind: type[NvmlError] = globals().get(name) or __getattr__(name)
            return kind(status)
    return NvmlError(status)
