# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel as of another CUDA release, built from today's sources: of an earlier one, or the driver's of a made-up 14.0.

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

from codegen.emit.libraries import LIBRARIES

from . import rehearsal

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / "shared"
PACKAGE = ROOT / "packages" / "cuda-driver-stable"
CACHE = ROOT / ".cache" / "wheels-as-of"
MODULE = Path("src/cuda/driver_stable")
# The folders of shared/ that an sdist has.
PARTS = ("engine", "buildkit", "pykit")

_SOURCES = (
    *(f"{part}/**/*.*" for part in PARTS),
    *("codegen/*.py", "codegen/emit/*", "codegen/model/*.py", "codegen/overrides/{}.toml"),
    "codegen/registry/{}/**/*.toml",
)
# Where a version stands, and what is before it.
_VERSIONED = {
    "driver": {"pyproject.toml": "version = ", "src/cuda/driver_stable/__init__.py": "__version__ = "},
    "toolkit": {"pyproject.toml": "[tool.hatch.metadata.hooks.custom.majors.{}]\nversion = "},
}

Change = Callable[[Path], None]


class BuildError(Exception):
    """What a command said that failed."""


def site(
    release: str, change: Change | None = None, name: str = "", facts: Change | None = None, library: str = "driver"
) -> Path:
    """A folder for PYTHONPATH with the wheel as of `release` unpacked in it.

    `library` is the generator's word for it: "driver", "nvrtc13".
    """
    return _built(release, change, name, facts, library) / "site"


def wheel(
    release: str, change: Change | None = None, name: str = "", facts: Change | None = None, library: str = "driver"
) -> Path:
    """The file itself.

    `change` may edit the package's folder before it is built, `facts` the copy of the registry that it is generated
    from; `name` says what that is good for.
    """
    (found,) = _built(release, change, name, facts, library).glob("*.whl")
    return found


def _built(release: str, change: Change | None, name: str, facts: Change | None, library: str) -> Path:
    said = "-".join(filter(None, ("" if library == "driver" else library, release, name)))
    folder = CACHE / f"{said}-{_digest(release, library, change, facts)}"
    if not folder.exists():
        # Built beside its final place, so that several processes can do it at once.
        work = CACHE / f"{folder.name}.{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        _build(release, change, facts, work, library)
        try:
            (work / "built").rename(folder)
        except OSError:  # another process was first
            if not folder.exists():
                raise
        shutil.rmtree(work)
    return folder


def _package(library: str) -> tuple[Path, Path]:
    """The package's folder, and the module's in it."""
    top, folder, *inside = LIBRARIES[library].package.parts
    return ROOT / top / folder, Path(*inside)


@cache
def _digest(release: str, library: str, *changes: Change | None) -> str:
    digest = hashlib.sha256("\0".join(inspect.getsource(change) for change in changes if change).encode())
    if rehearsal.is_rehearsed(release):
        digest.update(rehearsal.folder().name.encode())
    patterns = (pattern.format(LIBRARIES[library].name) for pattern in _SOURCES)
    shared = (path for pattern in patterns for path in SHARED.glob(pattern) if path.is_file())
    for path in sorted({*_files(_package(library)[0]), *shared}):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(package: Path) -> Iterator[Path]:
    for path in package.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and "tests" not in path.parts and path.suffix != ".so":
            yield path


def _build(release: str, change: Change | None, facts: Change | None, work: Path, library: str) -> None:
    source, module = _package(library)
    major = LIBRARIES[library].major
    package = work / source.name
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("tests", "*.so", "__pycache__", "dist"))
    for part in PARTS:
        shutil.copytree(SHARED / part, package / "shared" / part, ignore=shutil.ignore_patterns("__pycache__"))
    command = ["-m", "codegen", "--library", library, "--as-of", release, "--out", str(package / module)]
    registry, overrides = rehearsal.registry(release), rehearsal.overrides(release)
    if facts:
        folder = (registry or SHARED / "codegen" / "registry") / LIBRARIES[library].name
        shutil.copytree(folder, work / "registry" / folder.name)
        facts(work / "registry" / folder.name)
        registry = work / "registry"
    for option, path in (("--registry", registry), ("--overrides", overrides)):
        command += [option, str(path)] if path else []
    _run(command, work)
    for name, before in _VERSIONED["toolkit" if major else "driver"].items():
        pattern = rf'^({re.escape(before.format(major))})".*"$'
        text, count = re.subn(pattern, rf'\g<1>"{release}.0"', (package / name).read_text(), flags=re.M)
        if count != 1:
            raise BuildError(f"{package / name}: {count} versions instead of one")
        (package / name).write_text(text)
    if change:
        change(package)
    _run(["-m", "hatchling", "build", "-t", "wheel", "-d", str(work / "built")], package, CUDA_MAJOR=str(major or ""))
    (wheel,) = (work / "built").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(work / "built" / "site")


def _run(arguments: list[str], folder: Path, **variables: str) -> None:
    command = [sys.executable, *arguments]
    environment = {**os.environ, "PYTHONPATH": str(SHARED), **variables}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
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
