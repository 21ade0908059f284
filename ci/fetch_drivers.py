# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Fetch real driver libraries (ci/drivers.toml) into a cache folder: `python ci/fetch_drivers.py [NAME…]`.

A driver comes in parts, which Debian packs apart: `cuda` is libcuda, `nvml` libnvidia-ml.

The packages are downloaded with apt-get under a sources file of our own and unpacked with dpkg-deb; nothing is
installed and the machine's own package state is neither read nor written, except that its apt configuration
tells which Debian mirror to use (the environment variable DEBIAN_MIRROR goes before it).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "ci" / "drivers.toml"
CACHE = ROOT / ".cache" / "drivers"
TIMEOUT = 600
PARTS = {"cuda": "libcuda.so", "nvml": "libnvidia-ml.so"}


class UnavailableError(Exception):
    """A driver cannot be had here; the message says why."""


@dataclass(frozen=True)
class Driver:
    name: str
    suite: str
    version: str
    cuda: str
    packages: Mapping[str, tuple[str, ...]]  # of each part


@dataclass(frozen=True)
class Fetched:
    driver: Driver
    library: Path  # libcuda.so.1, libnvidia-ml.so.1
    folder: Path  # what LD_LIBRARY_PATH needs, for what the library is linked against


def drivers(data: Path = DATA) -> dict[str, Driver]:
    found = {}
    for name, row in tomllib.loads(data.read_text())["driver"].items():
        packages = {part: tuple(row[f"{part}_packages"]) for part in PARTS}
        found[name] = Driver(name, row["suite"], row["version"], row["cuda"], packages)
    return found


def fetch(names: Sequence[str], cache: Path = CACHE, part: str = "cuda") -> dict[str, Fetched]:
    """Fetch what the cache lacks. Raises UnavailableError."""
    known = drivers()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise UnavailableError(f"{DATA.name} has no driver {', '.join(unknown)}; it has {', '.join(known)}")
    missing = [known[name] for name in names if not _unpacked(known[name], cache, part)]
    if missing:
        archive = Archive.open(cache / "apt", sorted({driver.suite for driver in missing}))
        for driver in missing:
            _fetch_one(archive, driver, cache, part)
    found = {}
    for name in names:
        fetched = _unpacked(known[name], cache, part)
        if fetched is None:
            raise UnavailableError(f"the packages of driver {name} hold no {PARTS[part]}.1")
        found[name] = fetched
    return found


def _folder(driver: Driver, cache: Path, part: str) -> Path:
    return cache / "-".join((driver.name, driver.version, *((part,) if part != "cuda" else ())))


def _unpacked(driver: Driver, cache: Path, part: str) -> Fetched | None:
    folder = _folder(driver, cache, part)
    if not folder.is_dir():
        return None
    for library in sorted(folder.rglob(f"{PARTS[part]}.1")):
        return Fetched(driver, library, library.parent)
    return None


def _fetch_one(archive: Archive, driver: Driver, cache: Path, part: str) -> None:
    """Unpack beside the final place and rename, so that a broken download never looks complete."""
    target = _folder(driver, cache, part)
    work = cache / f"{target.name}.{os.getpid()}"
    shutil.rmtree(work, ignore_errors=True)
    for package in driver.packages[part]:
        deb = archive.download(package, driver.version, work / "debs")
        _run(["dpkg-deb", "-x", str(deb), str(work / "root")])
    root = work / "root"
    libraries = sorted(path for path in root.rglob("lib*.so*") if path.is_file() and not path.is_symlink())
    flat = work / "lib"
    flat.mkdir()
    for path in libraries:
        shutil.copy2(path, flat / path.name)
    (flat / f"{PARTS[part]}.1").symlink_to(f"{PARTS[part]}.{driver.version}")
    shutil.rmtree(root)
    shutil.rmtree(work / "debs")
    shutil.rmtree(target, ignore_errors=True)
    work.rename(target)


@dataclass(frozen=True)
class Archive:
    """A Debian archive seen through apt-get with a state of its own."""

    state: Path

    @classmethod
    def open(cls, state: Path, suites: Sequence[str]) -> Archive:
        for tool in ("apt-get", "apt-cache", "dpkg-deb"):
            if shutil.which(tool) is None:
                raise UnavailableError(f"{tool} is not installed: the drivers come as Debian packages")
        data = tomllib.loads(DATA.read_text())
        keyring = Path(data["keyring"])
        if not keyring.is_file():
            raise UnavailableError(f"{keyring} is missing (package debian-archive-keyring)")
        mirror = debian_mirror()
        (state / "lists" / "partial").mkdir(parents=True, exist_ok=True)
        (state / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
        (state / "sources.list").write_text(
            "".join(f"deb [arch=amd64 signed-by={keyring}] {mirror} {suite} {data['component']}\n" for suite in suites)
        )
        archive = cls(state)
        archive.apt("apt-get", "update", "-q")
        return archive

    def apt(self, tool: str, *arguments: str, cwd: Path | None = None) -> str:
        state = self.state.resolve()
        options = {
            "Dir::Etc::sourcelist": state / "sources.list",
            "Dir::Etc::sourceparts": "-",
            "Dir::State": state,
            "Dir::State::lists": state / "lists",
            "Dir::State::status": "/dev/null",
            "Dir::Cache": state / "cache",
            "APT::Architecture": "amd64",
            "APT::Architectures": "amd64",
            "APT::Sandbox::User": "",
            "APT::Update::Error-Mode": "any",
        }
        settings = [f"-o{key}={value}" for key, value in options.items()]
        return _run([tool, *settings, *arguments], cwd=cwd)

    def download(self, package: str, version: str, folder: Path) -> Path:
        offered = [line.split("|")[1].strip() for line in self.apt("apt-cache", "madison", package).splitlines()]
        match = next((full for full in offered if full.partition("-")[0] == version), None)
        if match is None:
            raise UnavailableError(f"Debian has no {package} {version} (offered: {', '.join(offered) or 'none'})")
        folder.mkdir(parents=True, exist_ok=True)
        self.apt("apt-get", "download", "-q", f"{package}={match}", cwd=folder)
        return next(iter(folder.glob(f"{package}_*.deb")))


def debian_mirror() -> str:
    """The mirror that this machine's own apt uses for Debian."""
    mirror = os.environ.get("DEBIAN_MIRROR") or next(_configured_mirrors(Path("/etc/apt")), None)
    if mirror is None:
        raise UnavailableError("apt is not configured for a Debian mirror here: set DEBIAN_MIRROR")
    return mirror


def _configured_mirrors(etc: Path) -> Iterator[str]:
    """URIs whose path ends in /debian: so Debian's archive is told from its security archive and from others'."""
    lists = [etc / "sources.list", *sorted((etc / "sources.list.d").glob("*.list"))]
    for path in (path for path in lists if path.is_file()):
        for line in path.read_text().splitlines():
            words = [word for word in line.split("#")[0].split() if "://" in word]
            if line.startswith("deb ") and words:
                yield from _debian_only(words)
    for path in sorted((etc / "sources.list.d").glob("*.sources")):
        for line in path.read_text().splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() == "uris":
                yield from _debian_only(value.split())


def _debian_only(uris: Sequence[str]) -> Iterator[str]:
    return (uri for uri in uris if uri.rstrip("/").endswith("/debian"))


def _run(command: Sequence[str], cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired as error:
        raise UnavailableError(f"{command[0]} took more than {TIMEOUT} s") from error
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.startswith("E:")] or done.stderr.splitlines()
        raise UnavailableError(f"{command[0]} failed: {' '.join(lines)}")
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(drivers())}; all when none is given")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--part", choices=PARTS, default="cuda")
    options = parser.parse_args(arguments)
    failed = False
    for name in options.names or drivers():
        try:
            print(f"{name}: {fetch([name], options.cache, options.part)[name].library}")
        except UnavailableError as error:
            print(f"{name}: not available: {error}", file=sys.stderr)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
