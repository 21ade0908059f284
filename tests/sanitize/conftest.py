# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Runs programs under the sanitizers; what is measured in this process runs on a plain build."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sanitize.build import Unavailable, environment
from support import subject
from support.counts import pytest_terminal_summary as pytest_terminal_summary

HERE = Path(__file__).resolve().parent
LIBRARY = subject.PATH
# Forks, signals and the rest are the same code in each wheel; what converts and counts is measured in each.
collect_ignore = [] if subject.NAME == "driver" else ["test_found.py", "test_process.py"]

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    """Run a file of programs/, or a text, under a variant, and require that it ends well."""

    def runner(variant: str, program: str, *arguments: str, **added: str) -> subprocess.CompletedProcess[str]:
        try:
            surroundings = environment(variant)
        except Unavailable as why:
            pytest.skip(str(why))
        file = HERE / "programs" / program
        command = [str(file)] if program.endswith(".py") and "\n" not in program else ["-c", program]
        done = subprocess.run(
            [sys.executable, *command, *arguments],
            env={**os.environ, **surroundings, **added},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, f"status {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-8000:]}"
        return done

    return runner
