# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Enums and constants, as the C compiler has them with the oldest and the newest header of the major."""

from __future__ import annotations

from codegen.model.api import Release
from cuda import nvjitlink
from support.enums import EnumSuite, EnumTests, NumberTests

MAJOR = nvjitlink._core.RELEASE // 1000
RELEASES = {12: [Release(12, 9), Release(12, 0)], 13: [Release(13, 5), Release(13, 0)]}[MAJOR]
SUITE = EnumSuite(f"nvjitlink{MAJOR}", nvjitlink, RELEASES)


class TestEnums(EnumTests):
    suite = SUITE


class TestNumbers(NumberTests):
    suite = SUITE
