# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compile an extension module for the limited API from C files, with the C compiler that fits this Python.

Or for another machine, where these variables say so:

    CC              the compiler of that machine, with its options: "zig cc -target aarch64-linux-gnu.2.17"
    WHEEL_PLATFORM  the platform tag of the wheel: "manylinux_2_17_aarch64", "win_amd64"
    WHEEL_INCLUDE   the folder of that machine's Python.h; without it the headers of the Python that runs the build are
                    taken, and refused where that machine's types differ
    CFLAGS, LDFLAGS options that are added, as always
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

LIMITED_API = 0x030B0000
WHEEL_TAG = "cp311-abi3"

_COMPILE = ("-std=c11", "-O2", "-g0", "-DNDEBUG", "-fvisibility=hidden", "-Wall", "-Wextra")
_COMPILE_ELF = ("-fPIC", "-fno-semantic-interposition")
_LINK = ("-shared", "-Wl,-s")

# Under the limited API this is all that the headers take from their machine, and with it every layout is the same.
_SAME_TYPES = """\
#include <Python.h>
_Static_assert(SIZEOF_VOID_P == sizeof(void *), "pointers");
_Static_assert(SIZEOF_LONG == sizeof(long), "long");
_Static_assert(SIZEOF_SIZE_T == sizeof(size_t), "size_t");
_Static_assert(SIZEOF_WCHAR_T == sizeof(wchar_t), "wchar_t");
"""


class BuildError(Exception):
    """Why there is no extension module; the text is meant for whoever runs the build."""


@dataclass(frozen=True)
class Extension:
    module: str  # "cuda.driver_stable._core"
    sources: tuple[Path, ...]
    include_dirs: tuple[Path, ...]

    @property
    def path(self) -> str:
        """Where the module goes, seen from the folder that holds the top-level package."""
        return self.module.replace(".", "/") + (".pyd" if for_windows() else ".abi3.so")


def check_interpreter() -> None:
    """The headers of the Python that runs the build decide what comes out, so refuse those that give something else."""
    if sys.implementation.name != "cpython":
        raise BuildError(f"this package needs CPython; {sys.implementation.name} has no limited API")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        raise BuildError("free-threaded builds of CPython cannot load abi3 modules, so there is no wheel for them yet")
    if sys.platform == "darwin":
        raise BuildError("there is no CUDA driver for macOS")


def platform_tag() -> str:
    return os.environ.get("WHEEL_PLATFORM") or sysconfig.get_platform().replace("-", "_").replace(".", "_")


def for_windows() -> bool:
    return platform_tag().startswith("win")


def compiler() -> list[str]:
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")


def compile_extension(extension: Extension, folder: Path) -> Path:
    """Compile and link in `folder`, all sources at once; returns the module's file."""
    if not extension.sources:
        raise BuildError(f"{extension.module}: no C source found")
    output = folder / Path(extension.path).name
    if sys.platform == "win32":
        _compile_msvc(extension, folder, output)
    else:
        _compile_cc(extension, folder, output)
    return output


def _compile_cc(extension: Extension, folder: Path, output: Path) -> None:
    include = os.environ.get("WHEEL_INCLUDE") or sysconfig.get_path("include")
    flags = [
        *_COMPILE,
        *(() if for_windows() else _COMPILE_ELF),
        f"-DPy_LIMITED_API={LIMITED_API:#x}",
        *shlex.split(os.environ.get("CFLAGS", "")),
        *(f"-I{path}" for path in (*extension.include_dirs, include)),
    ]
    if os.environ.get("WHEEL_PLATFORM"):
        _check_headers(include, flags, folder)

    def compile_one(source: Path) -> str:
        target = folder / f"{source.stem}.o"
        _run([*compiler(), *flags, "-c", str(source), "-o", str(target)])
        return str(target)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile_one, extension.sources))
    libraries = [] if for_windows() else ["-ldl"]
    options = shlex.split(os.environ.get("LDFLAGS", ""))
    _run([*compiler(), *_LINK, *options, *objects, *libraries, "-o", str(output)])


def _check_headers(include: str, flags: Sequence[str], folder: Path) -> None:
    source = folder / "same_types.c"
    source.write_text(_SAME_TYPES, encoding="utf-8")
    try:
        _run([*compiler(), *flags, "-c", str(source), "-o", str(source.with_suffix(".o"))])
    except BuildError as error:
        raise BuildError(f"the headers in {include} are not for {platform_tag()}; set WHEEL_INCLUDE\n{error}") from None


def _compile_msvc(extension: Extension, folder: Path, output: Path) -> None:
    # Written after setuptools' documentation; no Windows machine has run it yet.
    from setuptools._distutils.ccompiler import new_compiler

    compiler = new_compiler()
    compiler.initialize()
    objects = compiler.compile(
        [str(source) for source in extension.sources],
        output_dir=str(folder),
        include_dirs=[*map(str, extension.include_dirs), sysconfig.get_path("include")],
        macros=[("Py_LIMITED_API", f"{LIMITED_API:#x}")],
        extra_postargs=["/std:c11", "/O2"],
    )
    libraries = Path(sys.base_prefix) / "libs"
    init = "PyInit_" + extension.module.rpartition(".")[2]
    compiler.link_shared_object(objects, str(output), library_dirs=[str(libraries)], export_symbols=[init])


def _run(command: Sequence[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError as error:
        raise BuildError(f"no C compiler: {command[0]} was not found; set CC to one") from error
    if done.returncode:
        raise BuildError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
    if done.stderr:
        print(done.stderr, file=sys.stderr, end="")
