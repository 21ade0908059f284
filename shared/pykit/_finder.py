# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Where a library of the toolkit lies: asked once, at the first call that needs it.

An environment can hold the libraries of several CUDA majors, and cuda-pathfinder answers with one of them. So NVIDIA's
wheels are searched for the soname of our own major first; cuda-pathfinder then knows conda, CUDA_PATH and the system.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path


def candidates(libname: str, soname: str) -> list[str]:
    """Paths to try, in order. `libname` is cuda-pathfinder's word for the library: "cudart"."""
    found = list(_in_wheels(soname))
    return found or [*_by_pathfinder(libname), soname]


def _in_wheels(soname: str) -> Iterator[str]:
    pattern = "nvidia/*/bin/**/" if sys.platform == "win32" else "nvidia/*/lib/"
    for folder in sys.path:
        yield from map(str, sorted(Path(folder or ".").glob(pattern + soname)))


def _by_pathfinder(libname: str) -> Iterator[str]:
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        path = load_nvidia_dynamic_lib(libname).abs_path
    except DynamicLibNotFoundError:
        return  # the error of the call that needed the library says what else was tried
    if path:
        yield path
