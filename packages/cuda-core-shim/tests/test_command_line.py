# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""enable, disable and status, in an environment made for the test."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from importlib.metadata import version
from pathlib import Path

import pytest
from conftest import VERSION

import cuda.core_shim


class Scratch:
    """An environment that sees the packages of this one."""

    def __init__(self, folder: Path) -> None:
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
        self.python = str(folder / "bin" / "python")
        self.packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
        # Of an editable install, where its sources are.
        source = Path(str(cuda.core_shim.__file__)).parents[2]
        self.path = os.pathsep.join((sysconfig.get_path("purelib"), str(source)))

    def run(self, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, (path, self.path)))}
        return subprocess.run([self.python, *arguments], capture_output=True, text=True, env=variables)

    def shim(self, *arguments: str, path: str = "") -> subprocess.CompletedProcess[str]:
        return self.run("-m", "cuda.core_shim", *arguments, path=path)


@pytest.fixture
def scratch(tmp_path: Path) -> Scratch:
    return Scratch(tmp_path / "environment")


WHO = ("-c", "import cuda.bindings; print(cuda.bindings.__version__)")


def test_enable_and_disable(scratch: Scratch) -> None:
    file = scratch.packages / "cuda_core_shim.pth"
    assert scratch.run(*WHO).returncode == 1
    done = scratch.shim("enable")
    assert (done.stdout, done.stderr, done.returncode) == (f"enabled: {file}\n", "", 0)
    assert scratch.run(*WHO).stdout == f"{VERSION}\n"
    assert scratch.shim("enable").returncode == 0
    assert scratch.shim("disable").stdout == f"disabled: removed {file}\n"
    assert not file.exists()
    assert scratch.run(*WHO).returncode == 1
    assert scratch.shim("disable").stdout == "it was not enabled\n"


def test_start_of_python_imports_little(scratch: Scratch) -> None:
    scratch.shim("enable")
    code = "import sys; print(sorted(m for m in sys.modules if m.startswith('cuda')))"
    assert scratch.run("-c", code).stdout == "['cuda', 'cuda.core_shim', 'cuda.core_shim._finder']\n"


def test_uninstalled_without_disabling(scratch: Scratch) -> None:
    scratch.shim("enable")
    done = subprocess.run([scratch.python, "-c", "print(1)"], capture_output=True, text=True, env={})
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_official_package_is_installed(scratch: Scratch, official: str) -> None:
    done = scratch.shim("enable", path=official)
    assert "The official cuda-bindings 13.0.99 is installed and wins" in done.stdout
    assert scratch.run(*WHO, path=official).stdout == "13.0.99\n"
    said = scratch.shim("status", path=official).stdout
    assert "cuda.bindings is the official cuda-bindings 13.0.99, which is installed and wins" in said
    assert "cuda.bindings.driver                cuda-bindings 13.0.99" in said
    assert scratch.shim("enable", "--force", path=official).returncode == 0
    assert scratch.run(*WHO, path=official).stdout == f"{VERSION}\n"


def test_status(scratch: Scratch) -> None:
    first, second, *rest = scratch.shim("status").stdout.splitlines()
    assert first == f"cuda.bindings {VERSION} is served by cuda-core-shim, with the legacy default stream"
    assert second.startswith("not enabled")
    assert f"cuda.bindings.driver                cuda-driver-stable {version('cuda-driver-stable')}" in rest
    scratch.shim("enable")
    assert scratch.shim("status").stdout.splitlines()[1].startswith("enabled whenever Python starts, by /")


def test_status_for_programs(scratch: Scratch) -> None:
    found = json.loads(scratch.shim("status", "--json").stdout)
    assert found["server"] == "cuda-core-shim"
    assert found["version"] == VERSION
    assert found["problem"] == found["enabled_by"] == ""
    assert {"module": "cuda.bindings.cyruntime", "wheel": "cuda-runtime", "version": version("cuda-runtime")} in found[
        "modules"
    ]


def test_nothing_to_serve(scratch: Scratch) -> None:
    """Only the shim is there, and nothing that it could serve."""
    source = Path(str(cuda.core_shim.__file__)).parent
    alone = scratch.packages / "cuda"
    alone.mkdir()
    (alone / "core_shim").symlink_to(source)
    for command in ("enable", "status"):
        done = subprocess.run([scratch.python, "-m", "cuda.core_shim", command], capture_output=True, text=True, env={})
        assert done.returncode == 1
        assert "the wheel cuda-driver-stable is not installed" in done.stdout + done.stderr
    assert not (scratch.packages / "cuda_core_shim.pth").exists()


def test_folder_that_cannot_be_written(
    scratch: Scratch, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cuda.core_shim import _permanent
    from cuda.core_shim.__main__ import main

    monkeypatch.setattr(_permanent, "FILE", "no/such/folder.pth")
    assert main(["enable"]) == 1
    assert "folder.pth: No such file or directory. Nothing was enabled" in capsys.readouterr().err
    cuda.core_shim.deactivate()
