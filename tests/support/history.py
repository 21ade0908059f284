# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a toolkit package tells of its names, against the registry.

A package's tests say which: `class TestHistory(HistoryTests): name = "nvrtc"`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from typing import Any, ClassVar

import pytest

from codegen.model.fold import fold

from .build import stub_library


class HistoryTests:
    name: ClassVar[str]

    @property
    def module(self) -> Any:
        return import_module(f"cuda.{self.name}")

    @property
    def major(self) -> int:
        return int(self.module._core.RELEASE // 1000)

    def test_every_function(self) -> None:
        api = fold(self.name, major=self.major)
        scopes = {False: "", True: "per_thread" if "per_thread" in self.module._core.scopes() else ""}
        seen = 0

        def shown(name: str) -> str:
            return str(self.module._core.lookup("", name).__name__)

        for function in api.functions:
            if function.platform == "windows":
                continue
            seen += 1
            versions = self.module.versions(function.name)
            mine = next(version for version in versions if shown(version.name) == shown(function.name))
            assert mine.introduced == self.module.required_cuda(function.name)
            assert mine.signature.split("(")[0].split()[-1] == mine.symbol.split()[0]
            for per_thread, scope in scopes.items():
                meant = self.module._core.lookup(scope, mine.name)
                assert self.module.resolve(mine.name, per_thread=per_thread) == meant.__name__
        assert seen > 10

    def test_every_default(self) -> None:
        """What the plain name of a base means is a version of it, and the only one that says so."""
        for base in sorted({row["base"] for row in self.module._core.functions()}):
            plain = getattr(self.module, base, None)
            defaults = [v.name for v in self.module.versions(base) if v.default_in and "_pt" not in v.name[-5:]]
            assert defaults == ([plain.__name__] if plain else [])
            assert all(v.default_in in ((), (self.major,)) for v in self.module.versions(base))

    def test_types(self) -> None:
        checked = 0
        for name in self.module._core.names(""):
            found = self.module._core.lookup("", name)
            if isinstance(found, type):
                (version,) = self.module.versions(name)
                assert (version.name, version.symbol) == (found.__name__, None)
                assert version.signature
                assert version.introduced == self.module.required_cuda(name)
                assert self.module.resolve(name) == found.__name__
                checked += 1
        assert checked

    def test_available_by_release(self) -> None:
        newest = max(self.module._core.functions(), key=lambda row: row["introduced"])
        oldest = min(self.module._core.functions(), key=lambda row: row["introduced"])
        names = oldest["name"], newest["name"]
        code = f"from cuda import {self.name} as m; print([m.is_available(x) for x in {names}])"
        at_first = [True, newest["introduced"] <= self.major * 1000]  # libNVVM of 12 got nothing after 12.0
        expected = {f"{self.major}.0": str(at_first), str(fold(self.name, major=self.major).release): "[True, True]"}
        for release, said in expected.items():
            library = str(stub_library(release, f"{self.name}{self.major}"))
            environment = {**os.environ, self.module._core.PATH_VARIABLE: library}
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
            assert done.stdout.strip() == said, done.stderr

    def test_bad_input(self) -> None:
        other = {12: 13, 13: 12}[self.major]
        with pytest.raises(ValueError, match=f"is of CUDA {self.major} here, and .* what CUDA {other} means"):
            self.module.resolve("anything", cuda=other)
        with pytest.raises(ValueError, match=f"CUDA {self.major} has no function or type of the name 'nothing'"):
            self.module.resolve("nothing")
        for call in (self.module.versions, self.module.required_cuda, self.module.is_available):
            with pytest.raises(ValueError, match=f"cuda.{self.name} has no function or type 'nothing'"):
                call("nothing")
