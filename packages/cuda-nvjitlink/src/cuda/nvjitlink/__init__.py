# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""nvJitLink of one toolkit major: links PTX, cubins and LTO-IR at run time.

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
    return candidates("nvJitLink", f"nvJitLink_{major}0_0.dll" if _sys.platform == "win32" else f"libnvJitLink.so.{major}")


_core.set_finder(_candidates)
__getattr__, __dir__ = _scope(_core, __name__)
