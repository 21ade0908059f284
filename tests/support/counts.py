# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How much was tried: tests add to `counts`, and pytest says at its end what came together.

A conftest.py that imports `pytest_terminal_summary` from here has the line.
"""

from __future__ import annotations

from collections import Counter

import pytest

from .subject import NAME

counts: Counter[str] = Counter()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if counts:
        terminalreporter.write_line(f"{NAME}: " + "; ".join(f"{number:,} {what}" for what, number in counts.items()))
