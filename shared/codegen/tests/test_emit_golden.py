# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is emitted for a made-up library, to the letter."""

from __future__ import annotations

import difflib

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.emit.outputs import outputs
from codegen.tests.emit_sample import BINDING, golden

EMITTED = outputs(BINDING, LIBRARIES["driver"])


@pytest.mark.parametrize("name", sorted(EMITTED))
def test_output_is_golden(name: str) -> None:
    path = golden(name)
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    diff = difflib.unified_diff(kept.splitlines(), EMITTED[name].splitlines(), str(path), "emitted", lineterm="")
    assert kept == EMITTED[name], "python -m codegen.tests.emit_sample rewrites it:\n" + "\n".join(diff)


def test_no_golden_file_is_left_over() -> None:
    root = golden("x").parent
    kept = {str(path.relative_to(root)).removesuffix(".txt") for path in root.rglob("*.txt")}
    assert kept == set(EMITTED)


def test_emitting_twice_gives_the_same() -> None:
    assert outputs(BINDING, LIBRARIES["driver"]) == EMITTED
