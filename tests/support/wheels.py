# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver wheel as of another CUDA release, built from today's sources: of an earlier one, or of a made-up 14.0.

Built once, as the real wheel is built, and kept in .cache/ for as long as what it is made from stays the same.

`python -m support.wheels 14.0 DIR` puts such a wheel into a folder.
"""

from __future__ import annotations

import argparse
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

from . import rehearsal

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / "shared"
PACKAGE = ROOT / "packages" / "cuda-driver-stable"
CACHE = ROOT / ".cache" / "wheels-as-of"
MODULE = Path("src/cuda/driver_stable")
# The folders of shared/ that an sdist has.
PARTS = ("engine", "buildkit", "pykit")

_SOURCES = (
    *(f"{part}/*.*" for part in PARTS),
    *("codegen/*.py", "codegen/emit/*", "codegen/model/*.py", "codegen/overrides/driver.toml"),
    "codegen/registry/driver/**/*.toml",
)
_VERSIONED = ("pyproject.toml", "src/cuda/driver_stable/__init__.py")

Change = Callable[[Path], None]


class BuildError(Exception):
    """What a command said that failed."""


def site(release: str, change: Change | None = None, name: str = "", facts: Change | None = None) -> Path:
    """A folder for PYTHONPATH with the wheel as of `release` unpacked in it."""
    return _built(release, change, name, facts) / "site"


def wheel(release: str, change: Change | None = None, name: str = "", facts: Change | None = None) -> Path:
    """The file itself.

    `change` may edit the package's folder before it is built, `facts` the copy of the registry that it is generated
    from; `name` says what that is good for.
    """
    (found,) = _built(release, change, name, facts).glob("*.whl")
    return found


def _built(release: str, change: Change | None, name: str, facts: Change | None) -> Path:
    folder = CACHE / f"{release}{name and f'-{name}'}-{_digest(release, change, facts)}"
    if not folder.exists():
        # Built beside its final place, so that several processes can do it at once.
        work = CACHE / f"{folder.name}.{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        _build(release, change, facts, work)
        try:
            (work / "built").rename(folder)
        except OSError:  # another process was first
            if not folder.exists():
                raise
        shutil.rmtree(work)
    return folder


@cache
def _digest(release: str, *changes: Change | None) -> str:
    digest = hashlib.sha256("\0".join(inspect.getsource(change) for change in changes if change).encode())
    if rehearsal.is_rehearsed(release):
        digest.update(rehearsal.folder().name.encode())
    shared = (path for pattern in _SOURCES for path in SHARED.glob(pattern) if path.is_file())
    for path in sorted({*_files(PACKAGE), *shared}):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(package: Path) -> Iterator[Path]:
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and "tests" not in path.parts and path.suffix != ".so":
            yield path


def _build(release: str, change: Change | None, facts: Change | None, work: Path) -> None:
    package = work / PACKAGE.name
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("tests", "*.so", "__pycache__", "dist"))
    for part in PARTS:
        shutil.copytree(SHARED / part, package / "shared" / part, ignore=shutil.ignore_patterns("__pycache__"))
    command = ["-m", "codegen", "--library", "driver", "--as-of", release, "--out", str(package / MODULE)]
    registry, overrides = rehearsal.registry(release), rehearsal.overrides(release)
    if facts:
        shutil.copytree((registry or SHARED / "codegen" / "registry") / "driver", work / "registry" / "driver")
        facts(work / "registry" / "driver")
        registry = work / "registry"
    for option, folder in (("--registry", registry), ("--overrides", overrides)):
        command += [option, str(folder)] if folder else []
    _run(command, work)
    for path in (package / name for name in _VERSIONED):
        text, count = re.subn(r'^((?:__)?version(?:__)? = )".*"$', rf'\g<1>"{release}.0"', path.read_text(), flags=re.M)
        if count != 1:
            raise BuildError(f"{path}: {count} versions instead of one")
        path.write_text(text)
    if change:
        change(package)
    _run(["-m", "hatchling", "build", "-t", "wheel", "-d", str(work / "built")], package)
    (wheel,) = (work / "built").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(work / "built" / "site")


def _run(arguments: list[str], folder: Path) -> None:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(SHARED)}
    )
    if done.returncode:
        raise BuildError(f"{shlex.join(command)}\n{done.stdout}{done.stderr}")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m support.wheels", description=__doc__)
    parser.add_argument("release", metavar="X.Y", help=f"the CUDA release; {rehearsal.RELEASE} is made up")
    parser.add_argument("folder", type=Path, metavar="DIR")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    print(shutil.copy(wheel(options.release), options.folder))


if __name__ == "__main__":
    main()
