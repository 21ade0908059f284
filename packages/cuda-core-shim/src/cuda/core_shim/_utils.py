# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`cuda.bindings.utils`: what the official package has there beside the libraries."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from ._wheels import environment

_QUIET = "CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING"
_MEAN_NO = frozenset({"", "0", "false", "no", "off", "n", "f"})

# The CUDA releases that brought each version of PTX: X.0, X.1, …
_BROUGHT = {
    1: (1000, 1010, 2000, 2010, 2020),
    2: (3000, 3010, 3020, 4000),
    3: (4010, 5000, 5050),
    4: (6000, 6050, 7000, 7050),
    5: (8000,),
    6: (9000, 9010, 9020, 10000, 10010, 10020),
    7: (11000, 11010, 11020, 11030, 11040, 11050, 11060, 11070, 11080),
    8: (12000, 12010, 12020, 12030, 12040, 12050, 12070, 12080, 12090),
    9: (13000, 13010, 13020, 13030, 13040, 13050),
}
_PTX = {f"{major}.{minor}": cuda for major, all_cuda in _BROUGHT.items() for minor, cuda in enumerate(all_cuda)}

# The least that libNVVM compiles: without a pointer in it, which its dialects write in two ways.
_NVVM_IR = """target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
define void @empty() {
  ret void
}
!nvvmir.version = !{!0}
!0 = !{i32 2, i32 0}
"""

_warned = False


def get_cuda_native_handle(obj: Any) -> int:
    """A handle of the driver, the runtime or another library, as a number.

    >>> from cuda.bindings.driver import CUstream
    >>> get_cuda_native_handle(CUstream(5))
    5
    """
    if getattr(type(obj), "__cuda_handle__", None) is None:
        raise TypeError(f"get_cuda_native_handle() argument 'obj' must be a handle of CUDA, not {type(obj).__name__}")
    return int(obj)


def get_ptx_ver(ptx: str) -> str:
    """The version of PTX that a text says it is written in.

    >>> get_ptx_ver(".version 8.4")
    '8.4'
    """
    match = re.search(r"\.version\s+(\d+\.\d+)", ptx)
    if match is None:
        raise ValueError("get_ptx_ver() argument 'ptx' has no .version directive, so it is not PTX")
    return match[1]


def get_minimal_required_cuda_ver_from_ptx_ver(ptx_version: str) -> int:
    """The CUDA release from which on a driver or a linker reads a version of PTX, as 12090 for 12.9.

    >>> get_minimal_required_cuda_ver_from_ptx_ver("8.8")
    12090
    """
    if ptx_version not in _PTX:
        raise ValueError(f"unknown version of PTX: {ptx_version!r}; known are {next(iter(_PTX))} to {list(_PTX)[-1]}")
    return _PTX[ptx_version]


def check_nvvm_compiler_options(options: Sequence[str]) -> bool:
    """Whether the libNVVM that is here takes these options: it compiles an empty function with them."""
    nvvm: Any = import_module("cuda.bindings.nvvm")
    if isinstance(options, (str, bytes)):
        raise TypeError("check_nvvm_compiler_options() argument 'options' must be a sequence of str, not one of them")
    text = _NVVM_IR.encode()
    program = nvvm.create_program()
    try:
        nvvm.add_module_to_program(program, text, len(text), "empty.ll")
        nvvm.compile_program(program, len(options), options)
    except nvvm.nvvmError:
        return False
    finally:
        nvvm.destroy_program(program)
    return True


def warn_if_cuda_major_version_mismatch() -> None:
    """Warn, once, where the driver is of an older CUDA major than the toolkit wheels.

    CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING=1 says that this is known.
    """
    global _warned
    if _warned:
        return
    _warned = True
    if os.environ.get(_QUIET, "").strip().lower() in _MEAN_NO:
        driver: Any = import_module("cuda.bindings.driver")
        major = environment().major
        status, number = driver.cuDriverGetVersion()
        if status:
            raise RuntimeError(f"cuDriverGetVersion failed: {status!r}")
        if number // 1000 < major:
            warnings.warn(
                f"the toolkit wheels that serve cuda.bindings are of CUDA {major}, and the driver here supports CUDA "
                f"{number // 1000} only: some of their functions may fail. Update the driver, or install the wheels of "
                f"CUDA {number // 1000}. ({_QUIET}=1 says that this is known.)",
                UserWarning,
                stacklevel=3,
            )
