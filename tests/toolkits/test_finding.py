# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Each package finds NVIDIA's library of its own major, or says what it found instead; in a process of its own."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codegen.emit.libraries import LIBRARIES, Library
from codegen.model.api import Release
from support import toolkits

OTHER = {12: Release(13, 5), 13: Release(12, 9)}

each = pytest.mark.parametrize("name", toolkits.NAMES)


def facts(name: str, release: Release) -> Library:
    return LIBRARIES[f"{name}{release.major}"]


def ask(name: str, *sites: Path, **variables: str) -> dict[str, Any]:
    """What the package says of its library, with NVIDIA's wheels in these folders and no other variable set."""
    named = {key: value for key, value in os.environ.items() if not key.endswith("_LIBRARY")}
    code = f"import json; from cuda import {name} as m; print(json.dumps(m._core.library()))"
    environment = {**named, "PYTHONPATH": os.pathsep.join(map(str, sites)), **variables}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def refused(name: str, release: Release, path: Path) -> str:
    """What is said of a file that the variable names."""
    found = ask(name, **{facts(name, release).path_variable: str(path)})
    assert not found["loaded"]
    ((tried, why),) = found["tried"]
    assert tried == str(path)
    return str(why)


@each
def test_in_wheels(name: str, release: Release) -> None:
    found = ask(name, toolkits.site(release))
    assert (found["path"], found["version"]) == (str(toolkits.library(release, name).resolve()), release.number)
    assert found["tried"] == []


@each
def test_among_wheels_of_both_majors(name: str, release: Release) -> None:
    for sites in ((OTHER[release.major], release), (release, OTHER[release.major])):
        found = ask(name, *map(toolkits.site, sites))
        assert (found["path"], found["version"]) == (str(toolkits.library(release, name).resolve()), release.number)


@each
def test_library_of_another_major(name: str, release: Release) -> None:
    other = OTHER[release.major]
    said = refused(name, release, toolkits.library(other, name))
    assert said == f"the file was loaded but is of CUDA {other}, and this package is for CUDA {release.major}"


@each
def test_another_library(name: str, release: Release) -> None:
    other = toolkits.library(release, "nvrtc" if name != "nvrtc" else "runtime")
    library = facts(name, release)
    said = refused(name, release, other)
    assert said.startswith(f"the file was loaded but is not {library.title}: it has no symbol ")


@each
def test_part_of_a_library(name: str, release: Release, tmp_path: Path) -> None:
    """Opening what a download left unfinished would end the process."""
    part = tmp_path / "part.so"
    with toolkits.library(release, name).open("rb") as whole:
        part.write_bytes(whole.read(300_000))
    assert refused(name, release, part) == "the file is truncated: it is shorter than its own headers say"


@each
def test_no_library_at_all(name: str, release: Release, tmp_path: Path) -> None:
    text = tmp_path / "text.so"
    text.write_text("neither fish nor fowl")
    for path in (text, tmp_path, tmp_path / "missing.so"):
        assert refused(name, release, path)


@each
def test_where_cuda_pathfinder_looks(name: str, release: Release, tmp_path: Path) -> None:
    """A toolkit that CUDA_HOME names; also where the system has the library of another major."""
    library = facts(name, release)
    folder = tmp_path / ("nvvm/lib64" if name == "nvvm" else "lib64")
    folder.mkdir(parents=True)
    real = toolkits.library(release, name)
    for file in real.parent.glob("lib*.so*"):
        (folder / (library.soname if file == real else file.name)).symlink_to(file)
    found = ask(name, CUDA_HOME=str(tmp_path), CUDA_PATH=str(tmp_path), PYTHONWARNINGS="ignore")
    if found["path"] != str(real.resolve()) and is_on_the_system(library.soname):
        assert found["version"] // 1000 == release.major
        pytest.skip(f"the system has a {library.soname} of this major, which cuda-pathfinder prefers")
    assert (found["path"], found["version"]) == (str(real.resolve()), release.number)


def is_on_the_system(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True
