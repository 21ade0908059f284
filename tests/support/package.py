# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A toolkit package as a thing that is imported, and that finds its library or says why it cannot.

A package's tests say which: `class TestPackage(PackageTests): name = "nvrtc"`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any, ClassVar

import pytest

from codegen.emit.libraries import LIBRARIES, Library

from .build import stub_library


class PackageTests:
    name: ClassVar[str]

    @property
    def module(self) -> Any:
        return import_module(f"cuda.{self.name}")

    @property
    def major(self) -> int:
        return int(self.module._core.RELEASE // 1000)

    @property
    def library(self) -> Library:
        return LIBRARIES[f"{self.name}{self.major}"]

    def python(self, code: str, **environment: str) -> subprocess.CompletedProcess[str]:
        clean = {name: value for name, value in os.environ.items() if name != self.library.path_variable}
        command = [sys.executable, "-c", code]
        return subprocess.run(command, capture_output=True, text=True, env={**clean, **environment})

    def first_call(self, **environment: str) -> str:
        """What the first call of a function of the library says in a fresh process, and the CUDA release it found."""
        call = f"print(m.{self.library.version_symbol}(), m._core.library()['version'])"
        done = self.python(f"from cuda import {self.name} as m; {call}", **environment)
        return done.stdout + done.stderr

    def test_import_loads_nothing(self) -> None:
        code = (
            f"import sys; before = set(sys.modules); import cuda.{self.name}; print(sorted(set(sys.modules) - before));"
            f"print({self.library.soname.partition('.')[0]!r} in open('/proc/self/maps').read())"
        )
        done = self.python(code)
        loaded = ["__future__", "cuda", *(f"cuda.{self.name}{part}" for part in ("", "._core", "._scope"))]
        assert done.stderr == ""
        assert done.stdout.splitlines() == [str(loaded), "False"]

    def test_all_and_dir_are_whole(self) -> None:
        names = set(self.module._core.names(""))
        assert names
        assert names <= set(self.module.__all__) <= set(dir(self.module))
        assert len(set(self.module.__all__)) == len(self.module.__all__)
        for name in self.module.__all__:
            assert hasattr(self.module, name), name

    def test_distribution(self) -> None:
        name = f"cuda-{self.name}"
        assert version(name) == self.module.__version__
        assert version(name).startswith(f"{self.module._core.RELEASE // 1000}.")
        assert set(requires(name) or ()) == {
            "cuda-driver-stable>=13.5.0",
            "cuda-pathfinder>=1.2",
            f"{self.library.wheel}=={self.major}.*; extra == 'toolkit'",
        }

    def test_library_that_is_not_there(self, tmp_path: Path) -> None:
        path = str(tmp_path / self.library.soname)
        said = self.first_call(**{self.library.path_variable: path})
        assert (
            f"cuda.{self.name}.LibraryNotFoundError: {self.library.version_symbol} needs {self.library.title}" in said
        )
        assert f"{path}: " in said
        assert f"Install NVIDIA's wheel {self.library.wheel}>={self.major}.0,<{self.major + 1}." in said
        assert f"({self.library.path_variable} names a file to load instead.)" in said

    def test_library_of_another_major(self) -> None:
        other = {12: "13.5", 13: "12.9"}[self.major]
        path = stub_library(other, f"{self.name}{other[:2]}")
        said = self.first_call(**{self.library.path_variable: str(path)})
        assert "LibraryNotFoundError" in said
        assert f"{path}: the file was loaded but is of CUDA {other}, and this package is for CUDA {self.major}" in said

    def test_file_that_is_another_library(self) -> None:
        said = self.first_call(**{self.library.path_variable: "libm.so.6"})
        assert f"libm.so.6: the file was loaded but is not {self.library.title}" in said

    def test_library_in_an_environment_of_several_majors(self, tmp_path: Path) -> None:
        """NVIDIA's wheels of both majors lie in one environment: the one of our own is taken."""
        for release, folder in (("13.5", "cu13"), ("12.9", "old")):
            facts = LIBRARIES[f"{self.name}{release[:2]}"]
            target = tmp_path / "nvidia" / folder / facts.in_wheel
            target.parent.mkdir(parents=True)
            target.symlink_to(stub_library(release, facts.key))
        said = self.first_call(PYTHONPATH=str(tmp_path))
        assert re.search(rf"^\(<[\w.]+: 0>, .*\) {self.major}\d\d0$", said), said

    def test_symbol_of_a_later_release(self) -> None:
        oldest = f"{self.major}.0"
        path = str(stub_library(oldest, self.library.key))
        row = max(
            (f for f in self.module._core.functions() if f["platform"] != "windows" and not f["stream"]),
            key=lambda f: f["introduced"],
        )
        if row["introduced"] <= self.major * 1000:
            pytest.skip(f"{self.library.title} got no function after CUDA {oldest}")
        since = f"{row['introduced'] // 1000}.{row['introduced'] % 1000 // 10}"
        arguments = ", ".join("None" for p in row["parameters"] if not p[2].startswith("out"))
        code = f"from cuda import {self.name} as m; m.{row['name']}({arguments})"
        done = self.python(code, **{self.library.path_variable: path})
        last = done.stderr.strip().splitlines()[-1]
        assert last.startswith(f"cuda.{self.name}.FunctionNotFoundError: "), done.stderr
        assert f"was introduced with CUDA {since}; " in last
        assert f"supports CUDA {oldest} and has no symbol " in last
        assert f"nstall {self.library.wheel}>={since},<{self.major + 1}." in last
