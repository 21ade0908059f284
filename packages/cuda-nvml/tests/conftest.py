# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Loads the stub of the newest library into this process, before anything asks for a library."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from support.build import newest, stub_library
from support.stub import Stub

LIBRARY = stub_library(newest("nvml"), "nvml")
os.environ["CUDA_NVML_LIBRARY"] = str(LIBRARY)


@pytest.fixture(scope="session")
def _stub() -> Stub:
    return Stub(LIBRARY)


@pytest.fixture
def stub(_stub: Stub) -> Iterator[Stub]:
    """The stub library that is loaded, with nothing recorded and nothing programmed."""
    _stub.reset()
    yield _stub
    _stub.reset()
