# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The toolkit packages as things that are built and installed: of one tree, an sdist and a wheel for each CUDA major.

Which packages and majors there are is read from packages/*/pyproject.toml, so a new one needs no line here.
"""

from __future__ import annotations

import email
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from dataclasses import dataclass
from email.message import Message
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from support.build import ROOT

pytest.importorskip("hatchling", reason="hatchling is not installed, so nothing can be built")


@dataclass(frozen=True)
class Package:
    name: str  # cuda-nvrtc
    major: str
    version: str
    toolkit: str  # NVIDIA's wheel with the library, as the extra asks for it
    folder: Path

    @property
    def module(self) -> str:
        return self.name.replace("-", ".")

    @property
    def path(self) -> str:
        return self.name.replace("-", "/")

    def __str__(self) -> str:
        return f"{self.name}-{self.major}"


def packages() -> list[Package]:
    found = []
    for file in sorted(ROOT.glob("packages/*/pyproject.toml")):
        document = tomllib.loads(file.read_text())
        majors = document["tool"]["hatch"].get("metadata", {}).get("hooks", {}).get("custom", {}).get("majors", {})
        for major, facts in majors.items():
            (toolkit,) = facts["toolkit"]
            found.append(Package(document["project"]["name"], major, facts["version"], toolkit, file.parent))
    return found


def run(*command: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if name != "CUDA_MAJOR"}
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**inherited, **environment})


def hatchling(target: str, source: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Build without a build environment: nothing but hatchling and a C compiler. Warnings of the compiler count."""
    command = (sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder))
    return run(*command, cwd=source, **{"CFLAGS": "-Werror", **environment})


def built(target: str, source: Path, folder: Path, **environment: str) -> Path:
    done = hatchling(target, source, folder, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.iterdir()
    return path


class Wheel:
    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def files(self) -> dict[str, bytes]:
        with zipfile.ZipFile(self.path) as archive:
            assert archive.testzip() is None
            names = archive.namelist()
            assert len(set(names)) == len(names), "a file is there twice"
            return {name: archive.read(name) for name in names}

    @cached_property
    def metadata(self) -> Message:
        (name,) = (name for name in self.files if name.endswith(".dist-info/METADATA"))
        return email.message_from_bytes(self.files[name])


@pytest.fixture(scope="module", params=packages(), ids=str)
def package(request: pytest.FixtureRequest) -> Package:
    found: Package = request.param
    return found


@pytest.fixture(scope="module")
def sdist(package: Package, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built("sdist", package.folder, tmp_path_factory.mktemp("sdist"), CUDA_MAJOR=package.major)


@pytest.fixture(scope="module")
def source(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the sdist holds, as whoever builds from it has it."""
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


@pytest.fixture(scope="module")
def wheel(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    """Built from the sdist, which alone says of which major."""
    return Wheel(built("wheel", source, tmp_path_factory.mktemp("wheel")))


@pytest.fixture(scope="module")
def tree(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source tree that an editable install was made of."""
    tree = tmp_path_factory.mktemp("editable") / "source"
    shutil.copytree(source, tree)
    return tree


@pytest.fixture(scope="module")
def link(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Wheel:
    """Compiled in a hurry: it is not about the code."""
    return Wheel(built("wheel:editable", tree, tmp_path_factory.mktemp("link"), CFLAGS="-O0"))


def test_there_are_as_many_as_we_say() -> None:
    names = {"cuda-nvjitlink", "cuda-nvrtc", "cuda-nvvm", "cuda-runtime"}
    assert {(p.name, p.major) for p in packages()} >= {(name, major) for name in names for major in ("12", "13")}


class TestSdist:
    def test_carries_what_the_module_is_compiled_from(self, package: Package, source: Path) -> None:
        for path in ("hatch_build.py", "LICENSE", "README.md", "shared/engine/rows.h", "shared/buildkit/toolkit.py"):
            assert (source / path).is_file(), path
        for pattern in ("shared/engine/*.c", "shared/pykit/*.py", f"src/{package.path}/_generated/cuda*/*.c"):
            assert list(source.glob(pattern)), pattern

    def test_carries_its_major(self, package: Package, sdist: Path, source: Path) -> None:
        assert (source / "CUDA_MAJOR").read_text().strip() == package.major
        assert sdist.name == f"{package.name.replace('-', '_')}-{package.version}.tar.gz"

    def test_has_nothing_compiled_and_no_tests(self, source: Path) -> None:
        assert not [p for p in source.rglob("*") if p.suffix in (".so", ".pyd", ".o", ".pyc") or p.name == "tests"]

    def test_leaves_nothing_behind(self, package: Package, sdist: Path) -> None:
        assert not (package.folder / "CUDA_MAJOR").exists()

    def test_is_of_no_other_major(self, package: Package, source: Path, tmp_path: Path) -> None:
        other = {"12": "13", "13": "12"}[package.major]
        done = hatchling("wheel", source, tmp_path, CUDA_MAJOR=other)
        assert done.returncode != 0
        assert f"this sdist is of CUDA {package.major}; CUDA_MAJOR={other} cannot be built from it" in done.stderr

    def test_makes_the_same_sdist_again(self, sdist: Path, source: Path, tmp_path: Path) -> None:
        with tarfile.open(built("sdist", source, tmp_path)) as again, tarfile.open(sdist) as first:
            assert sorted(again.getnames()) == sorted(first.getnames())


class TestWheel:
    def test_is_for_every_python_from_3_11(self, package: Package, wheel: Wheel) -> None:
        assert wheel.path.name.startswith(f"{package.name.replace('-', '_')}-{package.version}-cp311-abi3-")

    def test_metadata(self, package: Package, wheel: Wheel) -> None:
        assert wheel.metadata["Name"] == package.name
        assert wheel.metadata["Version"] == package.version
        assert wheel.metadata["Requires-Python"] == ">=3.11"
        assert wheel.metadata["License-Expression"] == "Apache-2.0"

    def test_any_later_driver_wheel_will_do(self, package: Package, wheel: Wheel) -> None:
        """A floor and no cap; NVIDIA's library only for whoever asks, of this major, whatever its minor."""
        facts = LIBRARIES[f"{package.name.removeprefix('cuda-')}{package.major}"]
        assert wheel.metadata.get_all("Requires-Dist") == [
            "cuda-driver-stable>=13.5.0",
            "cuda-pathfinder>=1.2",
            f"{package.toolkit}; extra == 'toolkit'",
        ]
        assert package.toolkit == f"{facts.wheel}=={package.major}.*"

    def test_leaves_the_namespace_to_others(self, package: Package, wheel: Wheel) -> None:
        folders = {"/".join(name.split("/")[:2]) if name.startswith("cuda/") else "info" for name in wheel.files}
        assert folders == {package.path, "info"}
        assert all(".dist-info/" in name for name in wheel.files if not name.startswith("cuda/"))

    def test_has_modules_and_stubs_and_no_sources(self, package: Package, wheel: Wheel) -> None:
        names = {name.removeprefix(f"{package.path}/") for name in wheel.files if name.startswith("cuda/")}
        assert not {Path(name).suffix for name in names} & {".c", ".pyx", ".o", ".a", ".toml"}
        assert not [name for name in names if name.startswith("_generated")]
        assert {
            "__init__.py",
            "__init__.pyi",
            "_api.py",
            "_core.abi3.so",
            "_finder.py",
            "_scope.py",
            "py.typed",
        } <= names
        short = package.name.removeprefix("cuda-")
        assert {f"cy{short}.py", f"cy{short}.pxd", f"include/cuda_{short}_stable.h"} <= names

    def test_is_of_its_major(self, package: Package, wheel: Wheel) -> None:
        """The compiled module and the stub are those of the major, not of the other one in the same tree."""
        facts = LIBRARIES[f"{package.name.removeprefix('cuda-')}{package.major}"]
        core = wheel.files[f"{package.path}/_core.abi3.so"]
        assert facts.wheel.encode() + b"\0" in core
        generated = package.folder / "src" / package.path / facts.generated
        assert wheel.files[f"{package.path}/__init__.pyi"] == (generated / "__init__.pyi").read_bytes()

    def test_uses_only_the_stable_abi(self, wheel: Wheel) -> None:
        pytest.importorskip("abi3audit", reason="abi3audit is not installed")
        done = run(sys.executable, "-m", "abi3audit", "--strict", "--report", str(wheel.path))
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["specs"], "no module was audited"

    def test_says_what_it_was_made_of(self, package: Package, wheel: Wheel, source: Path) -> None:
        (name,) = (name for name in wheel.files if "/sboms/" in name)
        (module,) = json.loads(wheel.files[name])["components"]
        core = wheel.files[f"{package.path}/_core.abi3.so"]
        assert module["hashes"][0]["content"] == hashlib.sha256(core).hexdigest()
        compiled = {part["name"] for part in module["components"]}
        other = {"12": "cuda13", "13": "cuda12"}[package.major]
        assert compiled == {path.name for path in source.rglob("*.c") if other not in path.parts}


class TestEditable:
    def test_the_wheel_is_a_link(self, tree: Path, link: Wheel) -> None:
        (name,) = (name for name in link.files if name.endswith(".pth"))
        assert link.files[name].decode().strip() == str(tree / "src")
        assert not [name for name in link.files if name.endswith((".so", ".py"))]

    def test_runs_in_place(self, package: Package, tree: Path, link: Wheel) -> None:
        shown = "m._core.__file__, m._core.RELEASE, len(m.__all__), m.Version.__module__"
        code = f"import {package.module} as m; print({shown})"
        done = run(sys.executable, "-c", code, PYTHONPATH=str(tree / "src"))
        assert done.returncode == 0, done.stderr
        file, release, count, module = done.stdout.split()
        assert file == str(tree / "src" / package.path / "_core.abi3.so")
        assert int(release) == Release.parse(package.version.rpartition(".")[0]).number
        assert int(count) > 10
        assert module == f"{package.module}._api"

    def test_the_tree_makes_the_same_sdist(self, tree: Path, link: Wheel, sdist: Path, tmp_path: Path) -> None:
        with tarfile.open(built("sdist", tree, tmp_path)) as again, tarfile.open(sdist) as first:
            assert sorted(again.getnames()) == sorted(first.getnames())


def test_another_major_is_refused(tmp_path: Path) -> None:
    one: Any = packages()[0]
    done = hatchling("sdist", one.folder, tmp_path, CUDA_MAJOR="11")
    assert done.returncode != 0
    assert "CUDA_MAJOR=11: there is 12 and 13" in done.stderr
