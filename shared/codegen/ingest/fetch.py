# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Get the headers of a release: download what sources.toml names into a cache, unpack the headers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from dataclasses import dataclass
from pathlib import Path

from ..model.api import Release

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


def headers(release: Release, cache: Path = CACHE) -> Headers:
    """The folders of headers of a release, downloaded if the cache lacks them."""
    wanted = _wanted(release)
    folders: dict[str, Path] = {}
    names: list[str] = []
    for platform in ("linux", "windows"):
        if requirements := wanted.get(platform):
            folders[platform] = cache / "headers" / str(release) / platform
            names += [_wheel(r, platform, cache / "wheels", folders[platform]) for r in requirements]
    for requirement in wanted.get("debian", []):
        folders["linux"] = cache / "headers" / str(release) / "linux"
        names.append(_debian(requirement, wanted["suite"][0], cache / "debian", folders["linux"]))
    if "linux" not in folders:
        raise FetchError(f"sources.toml names nothing for CUDA {release} on Linux")
    return Headers(folders["linux"], folders.get("windows"), tuple(dict.fromkeys(names)))


def _wanted(release: Release) -> dict[str, list[str]]:
    document = tomllib.loads(SOURCES.read_text("utf-8"))
    listed: dict[str, list[str]] | None = document["release"].get(str(release))
    if listed is not None:
        return listed
    newest: dict[str, list[str]] = document["newest"]
    return {platform: [f"{name}=={release}.*" for name in names] for platform, names in newest.items()}


def _wheel(requirement: str, platform: str, cache: Path, target: Path) -> str:
    """Unpack the headers of a wheel; returns its name and version."""
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
    with zipfile.ZipFile(found[0]) as wheel:
        for member in wheel.namelist():
            _, found_include, rest = member.partition("/include/")
            if found_include and "/" not in rest and rest.endswith(".h"):
                _put(target / rest, wheel.read(member))
    return f"{name} {found[0].name.split('-')[1]}"


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
