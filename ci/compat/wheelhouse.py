# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The wheels that rows install from, in one folder: what `nox -s build` made, driver wheels as of other releases, and
what the toolkit wheels need of others. And, in another folder, what runs the tests of a row without being installed.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from support import wheels

from .matrix import ROOT, Matrix

DIST = ROOT / "dist"
CACHE = ROOT / ".cache" / "compat"
# Every version of Python takes these: they are Python and nothing else.
TOOLS = ("pytest", "packaging")
OTHERS = ("cuda-pathfinder",)


class WheelhouseError(Exception):
    """A wheel that is not there."""


def make(folder: Path, matrix: Matrix) -> Path:
    built = [DIST / path.name for path in DIST.glob("*.whl")]
    missing = [
        f"{toolkit.distribution} {release}"
        for toolkit in matrix.toolkits
        for release in toolkit.releases.values()
        if not any(is_wheel(path, toolkit.distribution, release) for path in built)
    ]
    missing += [name for name in matrix.also if not any(is_wheel(path, name) for path in built)]
    if missing:
        raise WheelhouseError(f"no wheel of {', '.join(missing)} in {DIST}: `nox -s build` makes them")
    driver = [path for path in built if is_wheel(path, "cuda-driver-stable")]
    releases = {path.name.split("-")[1].removesuffix(".0") for path in driver}
    made = [wheels.wheel(release) for release in sorted(matrix.releases() - releases)]
    folder.mkdir(parents=True)
    for path in (*built, *made, *_others()):
        (folder / path.name).symlink_to(path)
    return folder


def is_wheel(path: Path, distribution: str, release: str = "") -> bool:
    return path.name.startswith(f"{distribution.replace('-', '_')}-{release}")


def replaced(wheelhouse: Path, folder: Path, wheel: Path) -> Path:
    """A copy with one wheel in the place of the one of its name and version."""
    folder.mkdir()
    for path in wheelhouse.iterdir():
        (folder / path.name).symlink_to(path.resolve())
    (folder / wheel.name).unlink()
    (folder / wheel.name).symlink_to(wheel)
    return folder


def tools() -> Path:
    """A folder for PYTHONPATH."""
    folder = CACHE / "tools"
    if not folder.exists():
        _made(folder, ["install", "--no-compile", "--target"], TOOLS)
    return folder


def _others() -> Iterable[Path]:
    folder = CACHE / "others"
    if not folder.exists():
        _made(folder, ["download", "--no-deps", "--only-binary=:all:", "--dest"], OTHERS)
    return folder.glob("*.whl")


def _made(folder: Path, command: list[str], what: Iterable[str]) -> None:
    """Beside the final place, so that a broken download never looks complete."""
    work = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(work, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *command, str(work), *what], check=True)
    work.rename(folder)
