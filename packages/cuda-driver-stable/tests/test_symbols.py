# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every symbol of a Linux driver, called through its permanent name, to the bit."""

from __future__ import annotations

from cuda import driver_stable
from support.symbols import Suite, SymbolTests, TypedTests

SUITE = Suite("driver", driver_stable)


class TestSymbols(SymbolTests):
    suite = SUITE

    def test_there_are_as_many_as_we_say(self) -> None:
        assert len(self.suite.functions) == 723


class TestTyped(TypedTests):
    suite = SUITE
