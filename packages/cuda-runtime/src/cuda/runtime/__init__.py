# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The CUDA runtime of one toolkit major: every function libcudart exports, types, enumerators and constants.

Importing loads no library. It is found, and each function in it, on the first call; a library of another CUDA major
than this wheel's is refused.
"""

# Whoever imports this pays for every line of it, so nothing is made or imported before it is asked for.
from . import _core as _core
from ._core import FunctionNotFoundError as FunctionNotFoundError
from ._core import LibraryNotFoundError as LibraryNotFoundError
from ._scope import COMMON as _COMMON
from ._scope import scope as _scope


def _candidates() -> list[str]:
    from ._finder import candidates

    found: list[str] = candidates("cudart", _core)
    return found


_core.set_finder(_candidates)

_OWN = {
    "getLocalRuntimeVersion": "_helpers",
    "make_cudaExtent": "_helpers",
    "make_cudaPitchedPtr": "_helpers",
    "make_cudaPos": "_helpers",
    "sizeof": "_helpers",
}
__getattr__, __dir__ = _scope(_core, __name__, {**_COMMON, **_OWN, "per_thread": "per_thread"})
