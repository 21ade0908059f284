# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's packages and ours in one environment: none is in the other's way, while they are there or when they go.

The libraries are stubs, under the names that NVIDIA's packages look for.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from ci.compat.environment import Environment
from ci.compat.libraries import binding
from ci.compat.matrix import DRIVER, Matrix, load
from ci.compat.wheelhouse import CACHE

from codegen.emit.libraries import LIBRARIES
from support.build import stub_library

PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
BESIDE = load().beside
OFFICIAL = "cuda-bindings"


class Both:
    """An environment with both. `ours` and `theirs` are the distributions that were asked for."""

    def __init__(self, matrix: Matrix, version: str, wheels: Path, folder: Path) -> None:
        self.version = version
        self.major = version.partition(".")[0]
        toolkits = [t for t in matrix.toolkits if self.major in t.releases]
        self.release = toolkits[0].releases[self.major]
        self.ours = (DRIVER, *(t.distribution for t in toolkits), *matrix.also)
        self.theirs = (OFFICIAL, *matrix.beside[version])
        self.folder = folder
        everything = folder / "wheels"
        everything.mkdir()
        for path in (*wheels.iterdir(), *official(version, matrix.beside[version]).iterdir()):
            target = everything / path.name
            if not target.exists():
                target.symlink_to(path.resolve())
        self.environment = Environment(folder / "environment", PYTHON, everything)
        self._asked = [f"{DRIVER}==13.5.*", *(f"{t.distribution}=={t.releases[self.major]}.*" for t in toolkits)]
        self._asked += matrix.also
        self.install(*self._asked, f"{OFFICIAL}=={version}", *matrix.beside[version])
        libraries = folder / "lib"
        libraries.mkdir()
        stubs = {"driver": "13.5", **{binding(t, self.major).key: t.releases[self.major] for t in toolkits}}
        for key, release in stubs.items():
            (libraries / LIBRARIES[key].soname).symlink_to(stub_library(release, key))
        self.libraries = libraries

    def install(self, *requirements: str) -> None:
        said = self.environment.install(requirements)
        assert said is None, said

    def install_ours_again(self) -> None:
        self.install(*self._asked)

    def uninstall(self, *distributions: str) -> None:
        self.environment.uninstall(distributions)

    def files(self) -> dict[str, set[str]]:
        """By distribution, the files that its RECORD names and that are there, without what Python itself writes."""
        program = """
import importlib.metadata as m, json
print(json.dumps({
    d.metadata["Name"]: [str(f) for f in d.files or () if not str(f).endswith(".pyc")] for d in m.distributions()
}))
"""
        return {name: set(listed) for name, listed in json.loads(self.run(program)).items()}

    def run(self, program: str) -> str:
        clean = {k: v for k, v in os.environ.items() if not k.endswith("_LIBRARY") and k != "PYTHONPATH"}
        environment = {**clean, "LD_LIBRARY_PATH": str(self.libraries), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [str(self.environment.python), "-W", "ignore", "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return done.stdout


def official(version: str, beside: tuple[str, ...]) -> Path:
    """NVIDIA's wheels and what they need, downloaded once."""
    folder = CACHE / f"official-{version}-py{PYTHON}"
    if not folder.exists():
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary=:all:", "--dest", str(work)]
        subprocess.run([*command, f"{OFFICIAL}=={version}", *beside], check=True)
        try:
            work.rename(folder)
        except OSError:  # another process was first
            shutil.rmtree(work)
    return folder


@pytest.fixture(scope="module", params=sorted(BESIDE))
def both(
    request: pytest.FixtureRequest, matrix: Matrix, wheels_here: Path, tmp_path_factory: pytest.TempPathFactory
) -> Both:
    return Both(matrix, request.param, wheels_here, tmp_path_factory.mktemp("both"))


# The shim serves cuda.bindings where NVIDIA's own is not there; here it is, and wins.
OURS = "from cuda import driver_stable, runtime, nvrtc, nvjitlink, nvvm, nvml, core_shim"
THEIRS = "from cuda.bindings import driver, nvrtc as their_nvrtc; import cuda.core, cuda.pathfinder"
USE = """
import json
assert driver.cuInit(0)[0] == 0
err, device = driver_stable.cuDeviceGet(0)
assert err == 0
err, context = driver_stable.cu12.cuCtxCreate(0, device)
assert err == 0
err, current = driver.cuCtxGetCurrent()
assert err == 0
print(json.dumps({
    "same context": int(current) == int(context) != 0,
    "drivers": [driver.cuDriverGetVersion()[1], driver_stable.cuDriverGetVersion()[1]],
    "compilers": [list(their_nvrtc.nvrtcVersion()[1:]), list(nvrtc.nvrtcVersion()[1:])],
    "runtime": runtime.cudaRuntimeGetVersion()[1] // 1000,
    "ours": [m.__name__ for m in (driver_stable, runtime, nvrtc, nvjitlink)],
    "bindings": "core_shim" in (driver.__file__ or "core_shim"),
}))
"""


def test_pip_is_content(both: Both) -> None:
    installed = both.environment.installed()
    assert installed[OFFICIAL] == both.version
    assert {*both.ours, *(name.partition("=")[0] for name in both.theirs)} <= installed.keys()
    assert both.environment.conflicts() == ""


def test_no_file_in_common(both: Both) -> None:
    files = both.files()
    ours = {name: files[name] for name in both.ours}
    theirs = {path: name for name, listed in files.items() if name not in both.ours for path in listed}
    common = {path: (name, theirs[path]) for name, listed in ours.items() for path in listed if path in theirs}
    assert not common
    assert sum(map(len, ours.values())) > 50
    assert not [path for listed in files.values() for path in listed if path == "cuda/__init__.py"]


@pytest.mark.parametrize("first", ["ours", "theirs"])
def test_both_work_in_one_process(both: Both, first: str) -> None:
    order = [OURS, THEIRS] if first == "ours" else [THEIRS, OURS]
    found = json.loads(both.run("\n".join([*order, USE])))
    major = int(both.major)
    compiler = [major, int(both.release.partition(".")[2])]
    assert found == {
        "same context": True,
        "drivers": [13050, 13050],
        "compilers": [compiler, compiler],
        "runtime": major,
        "ours": ["cuda.driver_stable", "cuda.runtime", "cuda.nvrtc", "cuda.nvjitlink"],
        "bindings": False,
    }


def test_legacy_modules(both: Both) -> None:
    """cuda-bindings 12.9 has modules beside cuda.bindings, one of them of the name of ours."""
    program = """
import importlib, json, importlib.util
print(json.dumps({
    "legacy": [n for n in ("cuda.cuda", "cuda.cudart") if importlib.util.find_spec(n) and importlib.import_module(n)],
    "nvrtc": hasattr(importlib.import_module("cuda.nvrtc"), "_core"),
}))
"""
    found = json.loads(both.run(program))
    assert found == {"legacy": ["cuda.cuda", "cuda.cudart"] if both.major == "12" else [], "nvrtc": True}


# The order matters from here on: each leaves the environment as the next one needs it.


def test_uninstalling_ours_leaves_theirs_whole(both: Both) -> None:
    before = both.files()
    both.uninstall(*both.ours)
    after = both.files()
    assert after == {name: listed for name, listed in before.items() if name not in both.ours}
    both.run(f"{THEIRS}\nassert driver.cuInit(0)[0] == 0\nassert their_nvrtc.nvrtcVersion()[0] == 0")
    missing = _missing(both, after)
    assert not missing
    both.install_ours_again()


def test_uninstalling_theirs_leaves_ours_whole(both: Both) -> None:
    before = both.files()
    theirs = [name.partition("=")[0] for name in both.theirs if name != "cuda-pathfinder"]
    both.uninstall(*theirs)
    after = both.files()
    assert after == {name: listed for name, listed in before.items() if name not in theirs}
    assert not _missing(both, after)
    both.run(f"{OURS}\nassert driver_stable.cuInit(0) == (0,)\nassert nvrtc.nvrtcVersion()[0] == 0")
    assert both.environment.conflicts() == ""


def _missing(both: Both, files: dict[str, set[str]]) -> list[str]:
    """Files that are named and are not there."""
    (site,) = (both.folder / "environment" / "lib").glob("python*/site-packages")
    return [path for listed in files.values() for path in listed if not (site / path).exists()]
