# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What programs expect of a runtime module and no library exports: in C, headers and the compiler have it.

The stub of cuda.runtime has their types, since those are the types of one CUDA major.
"""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any


def make_cudaExtent(w: int, h: int, d: int) -> Any:  # noqa: N802 - the name that C has
    """A cudaExtent. The width is in elements where an array is meant, and in bytes where linear memory is."""
    return _core.lookup("", "cudaExtent")(width=w, height=h, depth=d)


def make_cudaPitchedPtr(d: Any, p: int, xsz: int, ysz: int) -> Any:  # noqa: N802
    """A cudaPitchedPtr: memory, the bytes from one row of it to the next, and its width and height in elements."""
    return _core.lookup("", "cudaPitchedPtr")(ptr=d, pitch=p, xsize=xsz, ysize=ysz)


def make_cudaPos(x: int, y: int, z: int) -> Any:  # noqa: N802
    """A cudaPos."""
    return _core.lookup("", "cudaPos")(x=x, y=y, z=z)


def getLocalRuntimeVersion() -> Any:  # noqa: N802
    """The status, and the version of the runtime library that is loaded: 13050 for CUDA 13.5."""
    return _core.lookup("", "cudaRuntimeGetVersion")()


def sizeof(objType: Any) -> int:  # noqa: N803 - a keyword that programs may use
    """How many bytes a record, a handle or a callback takes in C, by its class."""
    size: int = _core.sizeof(objType)
    return size
