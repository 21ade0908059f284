# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""nvJitLink of one toolkit major: links PTX, cubins and LTO-IR at run time.

`create`, `add_data`, `complete` and the rest take and return what Python has, and raise `nvJitLinkError`. The library's
functions are here too under their own names, `nvJitLinkCreate` and so on, and return their status.

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

    found: list[str] = candidates("nvJitLink", _core)
    return found


_core.set_finder(_candidates)

_LINKER = (
    "add_data",
    "add_file",
    "complete",
    "create",
    "destroy",
    "get_error_log",
    "get_error_log_size",
    "get_info_log",
    "get_info_log_size",
    "get_linked_cubin",
    "get_linked_cubin_size",
    "get_linked_ptx",
    "get_linked_ptx_size",
    "nvJitLinkError",
    "version",
)
_OWN = {
    **dict.fromkeys(_LINKER, "_linker"),
    "InputType": "_enums",
    "Result": "_enums",
}
if "nvJitLinkGetLinkedLTOIR" in _core.names(""):  # of CUDA 13
    _OWN["get_linked_ltoir"] = _OWN["get_linked_ltoir_size"] = "_linker"
__getattr__, __dir__ = _scope(_core, __name__, {**_COMMON, **_OWN})
