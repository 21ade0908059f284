# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every symbol of the library, called through its permanent name, to the bit."""

from __future__ import annotations

from cuda import nvvm
from support.symbols import SizedTests, Suite, SymbolTests

MAJOR = nvvm._core.RELEASE // 1000
SUITE = Suite(f"nvvm{MAJOR}", nvvm)


class TestSymbols(SymbolTests):
    suite = SUITE

    def test_there_are_as_many_as_we_say(self) -> None:
        assert len(self.suite.functions) == {12: 13, 13: 14}[MAJOR]


class TestSized(SizedTests):
    suite = SUITE
