# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver wheel as it would have been at an earlier CUDA release, built from today's registry and today's sources.

Built once, as the real wheel is built, and kept in .cache/ for as long as what it is made from stays the same.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / "shared"
PACKAGE = ROOT / "packages" / "cuda-driver-stable"
CACHE = ROOT / ".cache" / "wheels-as-of"
MODULE = Path("src/cuda/driver_stable")

_SOURCES = ("engine/*.[ch]", "buildkit/*.py", "codegen/**/*.py", "codegen/**/*.txt", "codegen/**/*.toml")
_VERSIONED = ("pyproject.toml", "src/cuda/driver_stable/__init__.py")


class BuildError(Exception):
    """What a command said that failed."""


def site(release: str, change: Callable[[Path], None] | None = None, name: str = "") -> Path:
    """A folder for PYTHONPATH with the wheel as of `release` unpacked in it.

    `change` may edit the package's folder before it is built; `name` says what that is good for.
    """
    folder = CACHE / f"{release}{name and f'-{name}'}-{_digest(change)}"
    if not folder.exists():
        # Built beside its final place, so that several processes can do it at once.
        work = CACHE / f"{folder.name}.{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        _build(release, change, work)
        try:
            (work / "site").rename(folder)
        except OSError:  # another process was first
            if not folder.exists():
                raise
        shutil.rmtree(work)
    return folder


@cache
def _digest(change: Callable[[Path], None] | None) -> str:
    digest = hashlib.sha256(inspect.getsource(change).encode() if change else b"")
    for path in sorted({*_files(PACKAGE), *(path for pattern in _SOURCES for path in SHARED.glob(pattern))}):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(package: Path) -> Iterator[Path]:
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and "tests" not in path.parts and path.suffix != ".so":
            yield path


def _build(release: str, change: Callable[[Path], None] | None, work: Path) -> None:
    package = work / PACKAGE.name
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("tests", "*.so", "__pycache__", "dist"))
    for part in ("engine", "buildkit"):  # where an sdist has them
        shutil.copytree(SHARED / part, package / "shared" / part, ignore=shutil.ignore_patterns("__pycache__"))
    _run(["-m", "codegen", "--library", "driver", "--as-of", release, "--out", str(package / MODULE)], work)
    for path in (package / name for name in _VERSIONED):
        text, count = re.subn(r'^((?:__)?version(?:__)? = )".*"$', rf'\g<1>"{release}.0"', path.read_text(), flags=re.M)
        if count != 1:
            raise BuildError(f"{path}: {count} versions instead of one")
        path.write_text(text)
    if change:
        change(package)
    _run(["-m", "hatchling", "build", "-t", "wheel", "-d", str(work / "dist")], package)
    (wheel,) = (work / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(work / "site")


def _run(arguments: list[str], folder: Path) -> None:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SHARED)}
    )
    if done.returncode:
        raise BuildError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")
