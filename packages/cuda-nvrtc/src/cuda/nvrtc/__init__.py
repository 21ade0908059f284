# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""NVRTC of one toolkit major: CUDA C++ compiled at run time, to PTX, cubin and LTO-IR.

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

    found: list[str] = candidates("nvrtc", _core, needs="libnvrtc-builtins.so.*")
    return found


_core.set_finder(_candidates)
__getattr__, __dir__ = _scope(_core, __name__, _COMMON)
