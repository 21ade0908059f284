# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The examples of the toolkit packages, as a user runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.model.api import Release

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_lto(arch: str) -> None:
    example = ROOT / "packages" / "cuda-nvjitlink" / "examples" / "lto.py"
    command = [sys.executable, str(example), "--arch", arch]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr
    said = re.fullmatch(rf"(\d+) bytes for {arch}\n", done.stdout)
    assert said
    assert int(said[1]) > 1000


def test_lto_for_what_does_not_exist(release: Release) -> None:
    example = ROOT / "packages" / "cuda-nvjitlink" / "examples" / "lto.py"
    done = subprocess.run([sys.executable, str(example), "--arch", "sm_1"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "invalid value for --gpu-architecture" in done.stderr, release
