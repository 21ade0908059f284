# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's own libraries of a CUDA release: downloaded once, and unpacked in .cache/ as pip would install them."""

from __future__ import annotations

import hashlib
import os
import shutil
import zipfile
from functools import cache
from pathlib import Path

from codegen.emit.libraries import LIBRARIES
from codegen.ingest import fetch
from codegen.ingest.specs import SPECS
from codegen.model.api import Release

NAMES = ("runtime", "nvrtc", "nvjitlink", "nvvm")
CACHE = fetch.CACHE / "toolkits"


@cache
def site(release: Release) -> Path:
    """A folder for PYTHONPATH, or to link to, with all of these libraries."""
    wheels = [wheel for name in NAMES for wheel in fetch.headers(release, spec=SPECS[name]).wheels]
    folder = CACHE / f"{release}-{hashlib.sha256(' '.join(w.name for w in wheels).encode()).hexdigest()[:8]}"
    if not folder.exists():
        # Unpacked beside its final place, so that several processes can do it at once.
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        for wheel in wheels:
            _unpack(wheel, work)
        try:
            work.rename(folder)
        except OSError:
            shutil.rmtree(work)
    return folder


def library(release: Release, name: str) -> Path:
    (path,) = site(release).glob(f"nvidia/*/{LIBRARIES[f'{name}{release.major}'].in_wheel}")
    return path


def libdevice(release: Release) -> Path:
    """What NVVM IR calls for sinf and the like."""
    (path,) = site(release).glob("nvidia/*/nvvm/libdevice/libdevice.10.bc")
    return path


def environment(release: Release) -> dict[str, str]:
    """Variables that make the packages load these libraries."""
    return {LIBRARIES[f"{name}{release.major}"].path_variable: str(library(release, name)) for name in NAMES}


def _unpack(wheel: Path, folder: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = member.rpartition("/")[2]
            # The other NVRTC that some wheels have, and what is there to link statically, are 100 MB that nobody loads.
            is_library = ("/lib/" in member or "/lib64/" in member) and ".so" in name and ".alt." not in name
            if is_library or name.endswith(".bc"):
                archive.extract(member, folder)
