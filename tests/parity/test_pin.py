# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A program that uses the official binding calls the same of the driver after `pin` has rewritten it to ours."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuda.driver_stable._tools.pin import Choice, pin
from support.build import stub_library
from support.program import MEANT, calls, write

from .official import version

pytest.importorskip("libcst", reason="libcst, the extra `pin`, is not installed")
VERSION = version()
if VERSION is None:
    pytest.skip("no cuda-bindings to compare with: nox -s parity installs it", allow_module_level=True)
MAJOR, MINOR = map(int, VERSION.split(".")[:2])


def test_pinned_program_calls_what_it_called(tmp_path: Path) -> None:
    library, program = stub_library(f"{MAJOR}.{MINOR}"), write(tmp_path, MAJOR)
    before = calls(program, library)
    assert MEANT[MAJOR] <= {symbol for symbol, _, _ in before}
    (file,) = pin([program], Choice(MAJOR)).files
    assert not file.undecided
    file.write()
    assert "cuda.bindings" not in program.read_text()
    assert calls(program, library) == before
