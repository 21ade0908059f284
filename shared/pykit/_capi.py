# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What compiled modules need: where the C headers are, and functions spelled as the official module does."""

from __future__ import annotations

import os.path

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any


def capi(*, per_thread: bool = False) -> dict[str, Any]:
    """What the official Cython module of this CUDA major has as `__pyx_capi__`: names and capsules.

    A module of that name whose `__pyx_capi__` is this dict serves what was compiled against the official one. It holds
    every name that this package gives to a function. `per_thread` maps names as CUDA_API_PER_THREAD_DEFAULT_STREAM
    does.
    """
    scope = "per_thread" if per_thread else ""
    if scope not in _core.scopes():
        raise ValueError(f"{_core.__name__.rpartition('.')[0]} has no functions for per-thread default streams")
    return _core.capsules(scope, True)


def get_include() -> str:
    """The folder of the C headers, for the compiler's search path."""
    return os.path.join(os.path.dirname(__file__), "include")  # noqa: PTH118, PTH120 - pathlib costs 5 ms to import
