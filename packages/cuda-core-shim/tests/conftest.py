# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Each test runs in a process of its own: what is served there is decided by what was imported first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

import pytest

from codegen.model.api import Release
from cuda.core_shim._wheels import SERVES, environment
from support.build import stub_library

MAJOR = environment().major
VERSION = SERVES[MAJOR]


class Python(Protocol):
    def __call__(self, code: str, variables: Mapping[str, str] = {}, *, fails: bool = False) -> str:
        """What a program prints, on both streams."""


@pytest.fixture
def python(tmp_path: Path) -> Python:
    def run(code: str, variables: Mapping[str, str] = {}, *, fails: bool = False) -> str:
        switches = ("CUDA_PYTHON_", "PYTHONPATH")
        clean = {name: value for name, value in os.environ.items() if not name.startswith(switches)}
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env={**clean, **variables}, cwd=tmp_path
        )
        assert bool(done.returncode) == fails, done.stdout + done.stderr
        return (done.stdout + done.stderr).strip()

    return run


@pytest.fixture(scope="session")
def stub() -> str:
    """A driver of the newest release of the major that is served."""
    return str(stub_library(str(Release.of_version(VERSION))))


@pytest.fixture
def official(tmp_path: Path) -> str:
    """A folder for PYTHONPATH that has what looks like the official package."""
    package = tmp_path / "site" / "cuda" / "bindings"
    package.mkdir(parents=True)
    package.joinpath("__init__.py").write_text('__version__ = "13.0.99"\n')
    record = tmp_path / "site" / "cuda_bindings-13.0.99.dist-info"
    record.mkdir()
    record.joinpath("METADATA").write_text("Metadata-Version: 2.1\nName: cuda-bindings\nVersion: 13.0.99\n")
    return str(tmp_path / "site")


@pytest.fixture(scope="session")
def old_stub() -> str:
    """A driver of an older major than what is served."""
    return str(stub_library({12: "11.8", 13: "12.0"}[MAJOR]))


@pytest.fixture(scope="session")
def support() -> str:
    """A folder for PYTHONPATH with the module `support`."""
    return str(Path(__file__).resolve().parents[3] / "tests")
