# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Runs the ledger on a wheel that is not installed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.build import newest, stub_library

ROOT = Path(__file__).resolve().parents[3]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def run_ledger() -> Run:
    """Takes a command, the folder of a wheel, the folder of the ledgers and the wheel's name."""
    driver = stub_library(newest())

    def run(
        command: str, site: Path, ledgers: Path, name: str = "cuda-driver-stable"
    ) -> subprocess.CompletedProcess[str]:
        paths = (site, ROOT, ROOT / "shared", ROOT / "tests")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "CUDA_DRIVER_STABLE_LIBRARY": str(driver),
        }
        arguments = [sys.executable, "-m", "ci.abi", command, "--ledgers", str(ledgers), "--wheel", name]
        return subprocess.run(arguments, capture_output=True, text=True, env=environment)

    return run
