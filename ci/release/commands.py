# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Run commands, and say what one said when it failed."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path


class ReleaseError(Exception):
    """What is wrong with a release; the text is for whoever makes it."""


class UnavailableError(Exception):
    """What a step needs is not to be had on this machine; the text says why."""


def run(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    check: bool = True,
) -> subprocess.CompletedProcess[str]:
    """`environment` is added to that of this process."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, **(environment or {})}
    )
    if check and done.returncode:
        raise ReleaseError(failure(done))
    return done


def failure(done: subprocess.CompletedProcess[str]) -> str:
    return f"{shlex.join(done.args)}\nleft with {done.returncode}:\n{done.stdout[-8000:]}{done.stderr[-8000:]}"
