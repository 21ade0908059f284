# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Puts the table into docs/compat.md, between two marks; what stands around them is written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import table
from .matrix import ROOT, Matrix
from .outcome import Outcome

PAGE = ROOT / "docs" / "compat.md"
BEGIN = "<!-- Written by `nox -s compat -- --full --write`. -->"
END = "<!-- End of what is written. -->"


def write(matrix: Matrix, outcomes: Sequence[Outcome], seconds: float, page: Path = PAGE) -> None:
    text = page.read_text("utf-8")
    head, begin, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no place for the table: {BEGIN} … {END}")
    lines = "\n".join(table.markdown(matrix, outcomes, seconds))
    page.write_text(f"{head}{BEGIN}\n\n{lines}\n\n{END}{tail}", "utf-8")
