# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compiles consumers, and keeps what comes out in .cache/ for as long as what went in stays the same."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from functools import cache
from pathlib import Path

from codegen.ingest import fetch
from codegen.model.api import Release
from support import wheels
from support.cython import cython

from .consumers import Binary

CACHE = wheels.ROOT / ".cache" / "built-old"
SOURCES = Path(__file__).with_name("consumers")
SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
_C_COMPILERS = {"c11": ("CC", "gcc", "c"), "c++17": ("CXX", "g++", "c++")}


class BuildError(Exception):
    """What a command said that failed."""


def folder(binary: Binary) -> Path:
    """The folder with the compiled module."""
    source = _source(binary)
    command = _compile(binary)
    things = (source, *command, binary.tool, _interface(binary).name, sys.version)
    digest = hashlib.sha256("\0".join(things).encode()).hexdigest()[:16]
    found = CACHE / f"{binary}-{digest}"
    if not found.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        # Built beside its final place, so that several processes can do it at once.
        work = Path(tempfile.mkdtemp(prefix=f"{found.name}.", dir=CACHE))
        path = work / binary.consumer.source
        path.write_text(source, encoding="utf-8")
        if path.suffix == ".pyx":
            path = _cythonize(binary, path)
        _run([*command, str(path), "-o", str(work / f"{binary.consumer.module}{SUFFIX}")])
        try:
            work.rename(found)
        except OSError:  # another process was first
            if not found.exists():
                raise
            shutil.rmtree(work)
    return found


def _source(binary: Binary) -> str:
    text = (SOURCES / binary.consumer.source).read_text(encoding="utf-8")
    if binary.consumer.official:
        # The same program, as somebody wrote it who knows the official package only.
        text, count = re.subn(
            r"^from cuda\.driver_stable\.\w+ cimport", "from cuda.bindings.cydriver cimport", text, flags=re.M
        )
        assert count == 1, binary
    return text


def _interface(binary: Binary) -> Path:
    """The folder with the .pxd files and headers of the package that a consumer is compiled against."""
    return official(binary.built) if binary.consumer.official else wheels.site(binary.built)


def _cythonize(binary: Binary, path: Path) -> Path:
    target = path.with_suffix(".cpp" if _language(binary) == "c++" else ".c")
    options = ["--cplus"] if _language(binary) == "c++" else []
    arguments = ["-m", "cython", "-3", *options, "-I", str(_interface(binary)), str(path), "-o", str(target)]
    _run([sys.executable, *arguments], {"PYTHONPATH": str(cython(binary.tool))})
    return target


def _language(binary: Binary) -> str:
    """What the official .pxd files include is C++."""
    return "c++" if binary.consumer.official or "c++" in binary.tool else "c"


def _compile(binary: Binary) -> list[str]:
    standard = "c++17" if _language(binary) == "c++" else "c11"
    variable, compiler, language = _C_COMPILERS[standard]
    includes = [sysconfig.get_path("include")]
    if binary.consumer.official:
        includes.append(str(fetch.headers(Release.parse(binary.built)).linux))
    else:
        includes.append(str(_interface(binary) / "cuda" / "driver_stable" / "include"))
    command = [*shlex.split(os.environ.get(variable, compiler)), f"-std={standard}", "-O1", "-w", "-shared", "-fPIC"]
    command += [f"-I{path}" for path in includes] + [f"-D{text}" for text in binary.consumer.defines]
    return [*command, "-x", language]


@cache
def official(version: str) -> Path:
    """A folder with the .pxd files of the official package, and with nothing of it that could be imported."""
    found = CACHE / f"official-{version}"
    if not found.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            options = ["--no-deps", "--only-binary=:all:", "--quiet", "--dest", work]
            _run([sys.executable, "-m", "pip", "download", *options, f"cuda-bindings=={version}"])
            (wheel,) = Path(work).glob("*.whl")
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(Path(work, "pxd"), [name for name in archive.namelist() if name.endswith(".pxd")])
            Path(work, "pxd").rename(found)
    return found


def _run(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **(environment or {})})
    if done.returncode:
        raise BuildError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
