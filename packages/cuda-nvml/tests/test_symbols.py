# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every symbol of a Linux library, called through its permanent name, to the bit."""

from __future__ import annotations

from cuda import nvml
from support.symbols import Suite, SymbolTests

SUITE = Suite("nvml", nvml)


class TestSymbols(SymbolTests):
    suite = SUITE

    def test_there_are_as_many_as_we_say(self) -> None:
        assert len(self.suite.functions) == 441
