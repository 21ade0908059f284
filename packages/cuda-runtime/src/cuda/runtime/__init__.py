# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The CUDA runtime of one toolkit major: every function libcudart exports, types, enumerators and constants.

Importing loads no library. It is found, and each function in it, on the first call; a library of another CUDA major
than this wheel's is refused.
"""

# Whoever imports this pays for every line of it, so nothing is made or imported before it is asked for.
import sys as _sys

from . import _core
from ._core import FunctionNotFoundError as FunctionNotFoundError
from ._core import LibraryNotFoundError as LibraryNotFoundError
from ._scope import scope as _scope


def _candidates() -> list[str]:
    from ._finder import candidates

    major = _core.RELEASE // 1000
    return candidates("cudart", f"cudart64_{major}.dll" if _sys.platform == "win32" else f"libcudart.so.{major}")


_core.set_finder(_candidates)
__getattr__, __dir__ = _scope(_core, __name__, {"per_thread": "per_thread"})
