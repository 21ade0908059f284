# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The stub library of a toolkit package, for its conftest.py: loaded into this process in place of NVIDIA's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from codegen.model.api import Release

from .build import stub_library
from .stub import Stub


def stub_of(name: str) -> Any:
    """Load the stub of the release that the installed wheel is of, and make a fixture of it.

    cuda.runtime 12.9 gets a libcudart of 12.9, with nothing recorded and nothing programmed at each test's start.
    """
    core = import_module(f"cuda.{name}._core")
    release = Release.from_number(core.RELEASE)
    path = stub_library(str(release), f"{name}{release.major}")
    os.environ[core.PATH_VARIABLE] = str(path)
    loaded = Stub(path)

    @pytest.fixture
    def stub() -> Iterator[Stub]:
        core.library()  # loading it asks for its version, which is no call of the test's
        loaded.reset()
        yield loaded
        loaded.reset()

    return stub
