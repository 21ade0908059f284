# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Emitted C compiles without a warning, links, and means what the binding says."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from codegen.emit import tables, thunks
from codegen.emit.libraries import LIBRARIES
from codegen.tests.emit_sample import BINDING

HERE = Path(__file__).parent
ENGINE = HERE.parents[1] / "engine"
STRICT = ["-std=c11", "-Wall", "-Wextra", "-Werror", f"-I{ENGINE}"]


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_rows_and_thunks_mean_what_the_binding_says(compiler: str, tmp_path: Path) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    (tmp_path / "tables.c").write_text(tables.emit(BINDING, LIBRARIES["driver"]))
    (tmp_path / "thunks.c").write_text(thunks.emit(BINDING))
    sources = [tmp_path / "tables.c", tmp_path / "thunks.c", HERE / "emit_check.c"]
    program = tmp_path / "check"
    built = subprocess.run([compiler, *STRICT, *sources, "-o", program], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    ran = subprocess.run([program], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
