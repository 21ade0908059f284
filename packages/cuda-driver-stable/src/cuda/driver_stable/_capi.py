# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What compiled modules need: where the C headers are, and functions spelled as one CUDA major does."""

from __future__ import annotations

import os.path
from operator import index
from typing import Any

from . import _core


def capi(major: int, *, per_thread: bool = False) -> dict[str, Any]:
    """What the official `cuda.bindings.cydriver` of a CUDA major has as `__pyx_capi__`: names and capsules.

    A module of that name whose `__pyx_capi__` is this dict serves what was compiled against the official one. It holds
    every name that the last header of the major gives to a function, and every symbol with a version in its name that
    this header still declares. `per_thread` maps names as CUDA_API_PER_THREAD_DEFAULT_STREAM does.
    """
    major = index(major)
    scope = f"cu{major}.per_thread" if per_thread else f"cu{major}"
    if scope not in _core.scopes():
        known = ", ".join(name.removeprefix("cu") for name in _core.scopes() if name and "." not in name)
        raise ValueError(f"no view of CUDA {major}; there are views of {known}")
    return _core.capsules(scope, True)


def get_include() -> str:
    """The folder of cuda_driver_stable.h and cuda_driver_stable_api.h, for the compiler's search path."""
    return os.path.join(os.path.dirname(__file__), "include")  # noqa: PTH118, PTH120 - pathlib costs 5 ms to import
