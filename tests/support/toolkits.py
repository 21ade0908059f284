# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's own libraries of a CUDA release: downloaded once, and unpacked in .cache/ as pip would install them."""

from __future__ import annotations

import os
import shutil
import zipfile
from pathlib import Path

from codegen.emit.libraries import LIBRARIES
from codegen.ingest import fetch
from codegen.ingest.specs import SPECS
from codegen.model.api import Release

NAMES = ("runtime", "nvrtc", "nvjitlink")
CACHE = fetch.CACHE / "toolkits"


def site(release: Release) -> Path:
    """A folder for PYTHONPATH, or to link to, with the three libraries."""
    folder = CACHE / str(release)
    if not folder.exists():
        # Unpacked beside its final place, so that several processes can do it at once.
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        for name in NAMES:
            for wheel in fetch.headers(release, spec=SPECS[name]).wheels:
                _unpack(wheel, work)
        try:
            work.rename(folder)
        except OSError:
            shutil.rmtree(work)
    return folder


def library(release: Release, name: str) -> Path:
    (path,) = site(release).glob(f"nvidia/*/lib/{LIBRARIES[f'{name}{release.major}'].soname}")
    return path


def environment(release: Release) -> dict[str, str]:
    """Variables that make the packages load these libraries."""
    return {LIBRARIES[f"{name}{release.major}"].path_variable: str(library(release, name)) for name in NAMES}


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.rpartition("/")[2]
            # The other NVRTC that some wheels have, and what is there to link statically, are 100 MB that nobody loads.
            if "/lib/" in member and ".so." in name and ".alt." not in name:
                archive.extract(member, folder)
