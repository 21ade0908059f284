# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What came of a row."""

from __future__ import annotations

from dataclasses import dataclass

from .matrix import Row


@dataclass(frozen=True)
class Outcome:
    row: Row
    passed: int = 0
    skipped: int = 0
    failed: tuple[str, ...] = ()  # what failed, by name
    why: str = ""  # of a row that was left out, why; of one that failed, what was said
    seconds: float = 0.0

    @property
    def left_out(self) -> bool:
        return not self.failed and not self.passed
