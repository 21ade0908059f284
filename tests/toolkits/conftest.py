# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Tests on NVIDIA's own libraries, which need no GPU: those of one CUDA release, which TOOLKIT names, in one process.

`@pytest.mark.since("12.8")` is for what only libraries of that release and later can do, `before` for its counterpart.
"""

from __future__ import annotations

import os

import pytest

import cuda.runtime as runtime
from codegen.model.api import Release
from support import toolkits

MAJOR = runtime._core.RELEASE // 1000
RELEASE = Release.parse(os.environ.get("TOOLKIT") or str(Release.from_number(runtime._core.RELEASE)))
if RELEASE.major != MAJOR:
    raise pytest.UsageError(f"TOOLKIT={RELEASE}, and the installed wheels are for CUDA {MAJOR}")
os.environ.update(toolkits.environment(RELEASE))


def pytest_report_header() -> str:
    return f"libraries of CUDA {RELEASE}, wheels of {Release.from_number(runtime._core.RELEASE)}"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "since(release): for libraries of that CUDA release and later")
    config.addinivalue_line("markers", "before(release): for libraries that are older than that CUDA release")


def pytest_runtest_setup(item: pytest.Item) -> None:
    for name, wanted in (("since", True), ("before", False)):
        for mark in item.iter_markers(name):
            if (Release.parse(mark.args[0]) <= RELEASE) is not wanted:
                pytest.skip(f"for libraries {name} CUDA {mark.args[0]}")


@pytest.fixture(scope="session")
def release() -> Release:
    return RELEASE
