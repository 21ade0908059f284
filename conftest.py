# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Skips tests marked `gpu`, with the reason, where no GPU can be driven."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache

import pytest

pytest.register_assert_rewrite("support")


@cache
def gpu_problem() -> str | None:
    """Ask in a process of its own: this one may have loaded a stub, or must not have called cuInit."""
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_DRIVER_STABLE_LIBRARY"}
    command = [sys.executable, "-m", "cuda.driver_stable", "--json"]
    asked = subprocess.run(command, capture_output=True, text=True, env=environment)
    if not asked.stdout:
        raise RuntimeError(f"cuda.driver_stable cannot tell whether there is a GPU:\n{asked.stderr}")
    report = json.loads(asked.stdout)
    if report["problem"]:
        return f"no GPU: {report['problem']}"
    return None if report["devices"] else "no GPU: the driver knows no device"


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and (problem := gpu_problem()):
        pytest.skip(problem)
