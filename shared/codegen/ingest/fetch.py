# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Get the headers of a release: download what sources.toml names into a cache, unpack the headers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ..model.api import Release
from .specs import DRIVER, Spec

SOURCES = Path(__file__).with_name("sources.toml")
CACHE = Path(__file__).resolve().parents[3] / ".cache"
PLATFORMS = {"linux": "manylinux2014_x86_64", "windows": "win_amd64"}

_KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


class FetchError(Exception):
    """Headers could not be had."""


@dataclass(frozen=True)
class Headers:
    linux: Path
    windows: Path | None
    sources: tuple[str, ...]  # "nvidia-cuda-runtime 13.5.37"
    wheels: tuple[Path, ...] = ()  # those of Linux, which hold the library too
    pins: Mapping[str, list[str]] = field(default_factory=dict)  # what sources.toml would say of what was read


def headers(release: Release, cache: Path = CACHE, spec: Spec = DRIVER) -> Headers:
    """The folders of headers of a release, downloaded if the cache lacks them."""
    wanted = _wanted(release)
    folders: dict[str, Path] = {}
    wheels: dict[str, list[Path]] = {}
    pins: dict[str, list[str]] = {}
    names: list[str] = []
    for platform, key in spec.sources.items():
        if requirements := wanted.get(key):
            folders[platform] = cache / "headers" / str(release) / key
            wheels[platform] = [_wheel(r, platform, cache / "wheels") for r in requirements]
            pins[key] = []
            for requirement, wheel in zip(requirements, wheels[platform], strict=True):
                name, version = requirement.partition("==")[0], _version(wheel)
                _unpack(wheel, folders[platform])
                names.append(f"{name} {version}")
                pins[key].append(f"{name}=={version}")
    for requirement in wanted.get("debian", []) if spec is DRIVER else []:
        folders["linux"] = cache / "headers" / str(release) / "linux"
        names.append(_debian(requirement, wanted["suite"][0], cache / "debian", folders["linux"]))
    if "linux" not in folders:
        raise FetchError(f"sources.toml names nothing for the {spec.name} of CUDA {release} on Linux")
    sources = tuple(dict.fromkeys(names))
    return Headers(folders["linux"], folders.get("windows"), sources, tuple(wheels.get("linux", ())), pins)


@contextmanager
def library(headers: Headers, spec: Spec) -> Iterator[tuple[Path, str]]:
    """The real library that came with the headers, for as long as it is read, and its version."""
    found = [(wheel, name) for wheel in headers.wheels for name in _members(wheel) if _is_library(name, spec)]
    if len(found) != 1:
        raise FetchError(f"{len(found)} libraries of the {spec.name} in {[wheel.name for wheel in headers.wheels]}")
    ((wheel, name),) = found
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        yield Path(archive.extract(name, folder)), _version(wheel)


def has(release: Release, spec: Spec) -> bool:
    """Whether a release has the library at all, as far as is known."""
    return spec.sources["linux"] in _wanted(release) or (spec is DRIVER and "debian" in _wanted(release))


def unpinned(release: Release, pins: Mapping[str, list[str]]) -> str:
    """What to write into sources.toml, where that does not name the release yet."""
    if str(release) in tomllib.loads(SOURCES.read_text("utf-8"))["release"]:
        return ""
    rows = "".join(f"{key} = {json.dumps(names)}\n" for key, names in pins.items())
    return f'\nWhat was read, for {SOURCES.name}:\n\n[release."{release}"]\n{rows}'


def _members(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def _is_library(member: str, spec: Spec) -> bool:
    folder, _, name = member.rpartition("/")
    return spec.library is not None and folder.endswith(("/lib", "/lib64")) and spec.library.fullmatch(name) is not None


def _wanted(release: Release) -> dict[str, list[str]]:
    document = tomllib.loads(SOURCES.read_text("utf-8"))
    listed: dict[str, list[str]] | None = document["release"].get(str(release))
    if listed is not None:
        return listed
    newest: dict[str, list[str]] = document["newest"]
    return {key: [f"{name}=={release}.*" for name in names] for key, names in newest.items()}


def _wheel(requirement: str, platform: str, cache: Path) -> Path:
    name, _, version = requirement.partition("==")
    folder = cache / PLATFORMS[platform]
    folder.mkdir(parents=True, exist_ok=True)
    pattern = f"{name.replace('-', '_')}-{version}-*.whl" if "*" not in version else None
    found = sorted(folder.glob(pattern)) if pattern else []
    if not found:
        with tempfile.TemporaryDirectory() as download:
            _pip(requirement, PLATFORMS[platform], download)
            found = [Path(shutil.move(wheel, folder / wheel.name)) for wheel in Path(download).glob("*.whl")]
    if len(found) != 1:
        raise FetchError(f"{requirement} for {platform}: {len(found)} wheels")
    return found[0]


def _version(wheel: Path) -> str:
    return wheel.name.split("-")[1]


def _unpack(wheel: Path, target: Path) -> None:
    """The headers of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            _, found_include, rest = member.partition("/include/")
            if found_include and "/" not in rest and rest.endswith(".h"):
                _put(target / rest, archive.read(member))


def _pip(requirement: str, platform: str, folder: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(
        [*command, f"--platform={platform}", f"--dest={folder}", requirement], capture_output=True, text=True
    )
    if done.returncode:
        raise FetchError(f"pip cannot download {requirement} for {platform}:\n{done.stderr.strip()}")


def _debian(requirement: str, suite: str, cache: Path, target: Path) -> str:
    """Unpack the headers of a Debian package, without installing it and without touching the system's apt."""
    name, _, version = requirement.partition("=")
    found = sorted(cache.glob(f"{name}_*.deb"))
    if not found:
        for sub in ("lists/partial", "cache/archives/partial"):
            (cache / "apt" / sub).mkdir(parents=True, exist_ok=True)
        (cache / "apt" / "status").touch()
        (cache / "apt" / "sources.list").write_text(f"deb [signed-by={_KEYRING}] {_mirror()} {suite} non-free\n")
        options = [
            f"Dir::Etc::sourcelist={cache}/apt/sources.list",
            "Dir::Etc::sourceparts=/dev/null",
            f"Dir::State::lists={cache}/apt/lists",
            f"Dir::State::status={cache}/apt/status",
            f"Dir::Cache={cache}/apt/cache",
            "APT::Architecture=amd64",
            "APT::Sandbox::User=root",
            "Acquire::Check-Valid-Until=false",
        ]
        apt = ["apt-get", "-qq", *(f"-o={option}" for option in options)]
        _run([*apt, "update"], cache)
        _run([*apt, "download", f"{name}={version}"], cache)
        found = sorted(cache.glob(f"{name}_*.deb"))
    if len(found) != 1:
        raise FetchError(f"{requirement} from Debian {suite}: {len(found)} packages")
    with tempfile.TemporaryDirectory() as unpacked:
        _run(["dpkg-deb", "-x", str(found[0]), unpacked], cache)
        for header in Path(unpacked).glob("usr/include/*.h"):
            _put(target / header.name, header.read_bytes())
    return f"{name} {version}"


def _mirror() -> str:
    """The Debian mirror of DEBIAN_MIRROR, or else the one that this machine's apt is configured for."""
    if named := os.environ.get("DEBIAN_MIRROR"):
        return named
    listed = _run(["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"], Path("/"))
    for uri in sorted(set(listed.split())):
        if uri.rstrip("/").endswith("/debian"):
            return uri
    raise FetchError("apt is not configured for a Debian mirror here: set DEBIAN_MIRROR")


def _run(command: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    except FileNotFoundError:
        raise FetchError(f"{command[0]} is needed to read a Debian package, and is not installed") from None
    if done.returncode:
        raise FetchError(f"{' '.join(command)}:\n{done.stderr.strip()}")
    return done.stdout


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
