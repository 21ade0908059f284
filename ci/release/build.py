# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Build every file of a release from a clean clone: sdists, and from those the wheels of every target."""

from __future__ import annotations

import shlex
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .commands import ReleaseError, run
from .distributions import Distribution, distributions
from .settings import Target

# A pure wheel is the same for every machine.
ANY = Target("any", "any", "")


@dataclass(frozen=True)
class Built:
    distribution: Distribution
    path: Path
    target: Target | None  # None of an sdist

    @property
    def name(self) -> str:
        return self.path.name


def clone(repository: Path, folder: Path) -> Path:
    """The committed state, alone in a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    run(["git", "clone", "--quiet", "--no-hardlinks", str(repository), str(folder)])
    return folder


def build(source: Path, out: Path, targets: Sequence[Target], zig_cache: Path) -> tuple[Built, ...]:
    """`source` is a clone. The time of its last commit is the time of every file that is built."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    epoch = run(["git", "log", "-1", "--format=%ct"], folder=source).stdout.strip()
    everywhere = {"SOURCE_DATE_EPOCH": epoch, "ZIG_GLOBAL_CACHE_DIR": str(zig_cache)}
    built = []
    for distribution in distributions(source):
        sdist = _hatchling("sdist", source / distribution.folder, out, {**everywhere, **distribution.environment})
        built.append(Built(distribution, sdist, None))
        with tempfile.TemporaryDirectory(prefix="sdist-") as scratch:
            unpacked = unpack(sdist, Path(scratch))
            for target in targets if distribution.compiled else (ANY,):
                wheel = _hatchling("wheel", unpacked, out, {**everywhere, **(cross(target) if target.zig else {})})
                built.append(Built(distribution, wheel, target))
    return tuple(built)


def cross(target: Target) -> dict[str, str]:
    """What makes shared/buildkit build for that target."""
    environment = {"CC": shlex.join([*zig("cc"), "-target", target.zig]), "WHEEL_PLATFORM": target.platform}
    optional = {"WHEEL_INCLUDE": target.include, "CFLAGS": target.compile, "LDFLAGS": target.link}
    return {**environment, **{name: value for name, value in optional.items() if value}}


def zig(tool: str) -> list[str]:
    return [sys.executable, "-m", "ziglang", tool]


def unpack(sdist: Path, folder: Path) -> Path:
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (unpacked,) = folder.iterdir()
    return unpacked


def _hatchling(kind: str, folder: Path, out: Path, environment: dict[str, str]) -> Path:
    with tempfile.TemporaryDirectory(prefix="built-") as scratch:
        run(
            [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", scratch],
            folder=folder,
            environment=environment,
        )
        (path,) = Path(scratch).iterdir()
        return Path(shutil.move(path, out / path.name))


def compare(one: Sequence[Built], other: Sequence[Built]) -> None:
    """Two builds have to be the same files."""
    names, others = ({built.name: built.path for built in builds} for builds in (one, other))
    if names.keys() != others.keys():
        raise ReleaseError(f"two builds made other files: {sorted(names.keys() ^ others.keys())}")
    different = [name for name, path in names.items() if path.read_bytes() != others[name].read_bytes()]
    if different:
        raise ReleaseError(f"two builds of the same commit differ: {', '.join(different)}")
