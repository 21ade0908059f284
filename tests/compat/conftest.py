# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What suites share that make environments of their own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def matrix() -> Any:
    from ci.compat.matrix import load

    return load()


@pytest.fixture(scope="session")
def wheels_here(matrix: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that rows install from."""
    from ci.compat.wheelhouse import make

    return make(tmp_path_factory.mktemp("wheels") / "here", matrix)
