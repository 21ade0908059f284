# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Where a library of the toolkit lies: asked once, at the first call that needs it.

An environment can hold the libraries of several CUDA majors, and cuda-pathfinder answers with one of them. So NVIDIA's
wheels are searched for the file of our own major first; cuda-pathfinder then knows conda, CUDA_PATH and the system. It
prefers what the system has to the toolkit that CUDA_PATH names, of whatever major, so that is tried too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

_LIBRARIES = "nvidia/*/bin/**/" if sys.platform == "win32" else "nvidia/*/lib/"


def candidates(libname: str, core: ModuleType, needs: str = "", in_wheels: str = "") -> list[str]:
    """Paths to try, in order. `libname` is cuda-pathfinder's word for the library: "cudart".

    `in_wheels` is a pattern of what NVIDIA's wheels of this major have where it is not in their folder for libraries.
    `needs` is a pattern of files that the library loads by their name alone. They lie beside it, which not every
    release of it tells the loader (NVRTC 13.0 does not), so they are loaded here.
    """
    named = os.environ.get(core.PATH_VARIABLE)
    found = [named] if named else list(_in_wheels(in_wheels or _LIBRARIES + core.LIBRARY))
    if needs and sys.platform != "win32":
        for path in found:
            _load(sorted(Path(path).parent.glob(needs)))
    return found or [*_by_pathfinder(libname), *_in_toolkit(core.LIBRARY), core.LIBRARY]


def _in_wheels(pattern: str) -> Iterator[str]:
    for folder in sys.path:
        yield from map(str, sorted(Path(folder or ".").glob(pattern)))


def _in_toolkit(name: str) -> Iterator[str]:
    root = os.environ.get("CUDA_PATH") or os.environ.get("CUDA_HOME")
    for folder in ("lib64", "lib", "nvvm/lib64", "bin", "nvvm/bin"):
        if root and (path := Path(root, folder, name)).exists():
            yield str(path)


def _load(paths: list[Path]) -> None:
    from contextlib import suppress
    from ctypes import CDLL

    for path in paths:
        with suppress(OSError):  # where it is needed and cannot be had, the library says so
            CDLL(str(path))


def _by_pathfinder(libname: str) -> Iterator[str]:
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib

    try:
        path = load_nvidia_dynamic_lib(libname).abs_path
    except DynamicLibNotFoundError:
        return  # the error of the call that needed the library says what else was tried
    if path:
        yield path
