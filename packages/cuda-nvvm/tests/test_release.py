# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Of which CUDA release a library is: read from what it compiles, and from nothing else that it says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cuda import nvvm

CORE = nvvm._core
MAJOR = CORE.RELEASE // 1000

VERSION = "int nvvmVersion(int *major, int *minor) { return *major = 2, *minor = 0, 0; }\n"
COMPILER = r"""
#include <stddef.h>
#include <string.h>
static int programs;
int nvvmCreateProgram(void **program) { return *program = &programs, programs++, 0; }
int nvvmDestroyProgram(void **program) { return *program = NULL, programs--, 0; }
int nvvmAddModuleToProgram(void *program, const char *buffer, size_t size, const char *name) {
  return strlen(buffer) == size && !strcmp(name, "release") ? 0 : 4;
}
int nvvmCompileProgram(void *program, int count, const char **options) { return STATUS; }
int nvvmGetCompiledResultSize(void *program, size_t *size) { return *size = SIZE, 0; }
int nvvmGetCompiledResult(void *program, char *out) { return memcpy(out, SAID, sizeof SAID), 0; }
int nvvmGetProgramLogSize(void *program, size_t *size) { return *size = (size_t)programs, 0; }
"""


def build(folder: Path, source: str, **macros: str) -> Path:
    compiler = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    if compiler is None:
        pytest.skip("a C compiler is needed to make libraries")
    path = folder / "libnvvm.so.4"
    command = [compiler, "-shared", "-fPIC", "-w", "-x", "c", "-", "-o", str(path)]
    command += [f"-D{name}={value}" for name, value in {"SIZE": "sizeof SAID", **macros}.items()]
    subprocess.run(command, input=source, text=True, check=True)
    return path


def ask(path: Path, code: str) -> str:
    environment = {**os.environ, CORE.PATH_VARIABLE: str(path)}
    run = [sys.executable, "-c", f"from cuda import nvvm\n{code}"]
    done = subprocess.run(run, capture_output=True, text=True, env=environment)
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


KNOWN = "print(nvvm.nvvmVersion()[1:], nvvm._core.library()['version'], nvvm.nvvmGetProgramLogSize(1)[1])"


@pytest.mark.parametrize(
    ("said", "version"),
    [
        (f"// Cuda compilation tools, release {MAJOR}.7, V{MAJOR}.7.99", f"{MAJOR}070"),
        (f"// Cuda compilation tools, release {MAJOR}.12, V{MAJOR}.12.1", f"{MAJOR}120"),
        ("// compiled by something new", "None"),
        ("// release candidate", "None"),
        (f"// release {MAJOR}000000000.1", "None"),
        ("", "None"),
    ],
)
def test_what_is_compiled_says_it(tmp_path: Path, said: str, version: str) -> None:
    """A library that says nothing of its release is taken as it is. No program is left behind."""
    path = build(tmp_path, VERSION + COMPILER, SAID=f'"{said}"', STATUS="0")
    assert ask(path, KNOWN) == f"(2, 0) {version} 0"


def test_a_library_that_does_not_compile_it(tmp_path: Path) -> None:
    path = build(tmp_path, VERSION + COMPILER, SAID='"release 12.9"', STATUS="9")
    assert ask(path, KNOWN) == "(2, 0) None 0"


@pytest.mark.parametrize("size", ["(size_t)-1", "(size_t)1 << 40", "0x80000000u"])
def test_a_size_that_is_not_believed(tmp_path: Path, size: str) -> None:
    """One more than the largest number would be no memory at all, for a text that is written all the same."""
    path = build(tmp_path, VERSION + COMPILER, SAID=f'"release {MAJOR}.7"', STATUS="0", SIZE=size)
    assert ask(path, KNOWN) == "(2, 0) None 0"


def test_a_size_that_is_too_small(tmp_path: Path) -> None:
    """What is written all the same has room."""
    path = build(tmp_path, VERSION + COMPILER, SAID=f'"{" " * 4000}release {MAJOR}.7"', STATUS="0", SIZE="4")
    assert ask(path, KNOWN) == f"(2, 0) {MAJOR}070 0"


def test_a_library_with_nothing_else(tmp_path: Path) -> None:
    path = build(tmp_path, VERSION)
    assert ask(path, "print(nvvm.version(), nvvm._core.library()['version'])") == "(2, 0) None"
    said = ask(path, "nvvm.create_program()")
    assert said.startswith("cuda.nvvm.FunctionNotFoundError: nvvmCreateProgram was introduced with CUDA ")
    assert f"{path} supports an unknown version and has no symbol nvvmCreateProgram." in said


def test_another_major(tmp_path: Path) -> None:
    other = {12: 13, 13: 12}[MAJOR]
    path = build(tmp_path, VERSION + COMPILER, SAID=f'"release {other}.3, V"', STATUS="0")
    said = ask(path, "print(nvvm._core.library()['tried'])")
    assert f"the file was loaded but is of CUDA {other}.3, and this package is for CUDA {MAJOR}" in said
