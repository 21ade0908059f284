# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles Cython modules with several releases of Cython, as users do: with the .pxd files of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

import cuda.driver_stable as driver

from .cythons import folder_name, usable

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "cython"
USABLE = usable(sys.version_info[:2])
OLDEST_AND_NEWEST = (USABLE[0], USABLE[-1])
SITE = Path(str(driver.__file__)).resolve().parents[2]
LIMITED = "-DPy_LIMITED_API=0x030B0000"
# What runs Cython's translator. Its output is the same wherever it runs, and an emulated Python takes minutes for it.
TRANSLATOR = os.environ.get("CYTHON_PYTHON", sys.executable)
# Cython looks where its own Python has packages, as it does for users; another Python has to be told.
FOLDERS = () if sys.executable == TRANSLATOR else (SITE,)


@cache
def cython(release: str) -> Path:
    """The folder that has that release; skips the test where it cannot be had, but fails it in CI."""
    folder = CACHE / folder_name(release, sysconfig.get_config_var("SOABI"))
    if folder.exists():
        return folder
    work = folder.with_name(f"{folder.name}.{os.getpid()}")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:", f"--target={work}"]
    done = subprocess.run([*pip, f"cython=={release}"], capture_output=True, text=True)
    if done.returncode:
        problem = f"Cython {release} cannot be installed:\n{done.stderr.strip()}"
        if os.environ.get("CI"):
            pytest.fail(problem, pytrace=False)
        pytest.skip(problem)
    try:
        work.rename(folder)
    except OSError:  # another process was first
        shutil.rmtree(work)
    return folder


def compile_module(
    release: str,
    source: Path,
    folder: Path,
    *,
    cplus: bool = False,
    flags: Sequence[str] = (),
    pxd_folders: Sequence[Path] = FOLDERS,
    include_folders: Sequence[Path] | None = None,
) -> Path:
    """The extension module of a .pyx file, without warnings of either compiler; its C source stays beside it."""
    translated = folder / (source.stem + (".cpp" if cplus else ".c"))
    includes = [argument for path in pxd_folders for argument in ("-I", str(path))]
    options = ["-3", *(["--cplus"] if cplus else []), *includes, "-o", str(translated)]
    _run(
        [TRANSLATOR, "-m", "cython", "--warning-errors", *options, str(source)],
        {**os.environ, "PYTHONPATH": str(cython(release))},
    )
    output = folder / (source.stem + str(sysconfig.get_config_var("EXT_SUFFIX")))
    includes = [driver.get_include()] if include_folders is None else [str(path) for path in include_folders]
    include_dirs = [f"-I{path}" for path in (*includes, sysconfig.get_path("include"))]
    command = ["g++", "-std=c++17"] if cplus else ["gcc", "-std=c11"]
    # Cython's own code is not free of warnings, but none must come from ours.
    quiet = ["-Wall", "-Werror", "-Wno-unused", "-Wno-deprecated-declarations", "-Wno-unreachable-code"]
    _run([*command, "-O1", "-shared", "-fPIC", *quiet, *flags, *include_dirs, str(translated), "-o", str(output)])
    return output


def _run(command: Sequence[str], environment: dict[str, str] | None = None) -> None:
    if not shutil.which(command[0]):
        if os.environ.get("CI"):
            pytest.fail(f"{command[0]} is not installed", pytrace=False)
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
