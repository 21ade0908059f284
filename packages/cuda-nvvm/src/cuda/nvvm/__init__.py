# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""libNVVM of one toolkit major: compiles NVVM IR to PTX at run time.

`create_program`, `add_module_to_program`, `compile_program` and the rest take and return what Python has, and raise
`nvvmError`. The library's functions are here too under their own names, `nvvmCreateProgram` and so on, and return their
status.

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
    import sys

    from ._finder import candidates

    # NVIDIA's wheels of CUDA 12 have it where a toolkit has it, under a name without a number.
    as_toolkits = "nvidia/*/nvvm/" + ("bin/**/nvvm*.dll" if sys.platform == "win32" else "lib64/libnvvm.so*")
    found: list[str] = candidates("nvvm", _core, in_wheels=as_toolkits if _core.RELEASE < 13000 else "")
    return found


_core.set_finder(_candidates)

_PROGRAM = (
    "add_module_to_program",
    "compile_program",
    "create_program",
    "destroy_program",
    "get_compiled_result",
    "get_compiled_result_size",
    "get_error_string",
    "get_program_log",
    "get_program_log_size",
    "ir_version",
    "lazy_add_module_to_program",
    "nvvmError",
    "verify_program",
    "version",
)
_OWN = {**dict.fromkeys(_PROGRAM, "_program"), "Result": "_enums"}
if "nvvmLLVMVersion" in _core.names(""):  # of CUDA 13
    _OWN["llvm_version"] = "_program"
__getattr__, __dir__ = _scope(_core, __name__, {**_COMMON, **_OWN})
