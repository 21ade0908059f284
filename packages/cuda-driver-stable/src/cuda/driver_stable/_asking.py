# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The function that a per-thread view has and the driver does not."""

from __future__ import annotations

from functools import wraps
from operator import index
from typing import Any, SupportsIndex

_LEGACY, _PER_THREAD = 1, 2  # CU_GET_PROC_ADDRESS_…_STREAM


def asking(function: Any, module: str) -> Any:
    """cuGetProcAddress as `cuda.h` has it for per-thread default streams, in the view module of that name.

    It asks for functions that use those streams, unless the flags say which are meant.
    """

    @wraps(function)
    def ask(symbol: object, cudaVersion: object, flags: object) -> object:  # noqa: N803  # as the C function has it
        if flags is None or isinstance(flags, SupportsIndex):  # the function itself says best what else is wrong
            number = index(flags or 0)
            flags = number if number & (_LEGACY | _PER_THREAD) else number | _PER_THREAD
        return function(symbol, cudaVersion, flags)

    ask.__module__, ask.__name__, ask.__qualname__ = module, "cuGetProcAddress", "cuGetProcAddress"
    return ask
