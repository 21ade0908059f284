# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What other compiled modules get: capsules, cynvml.pxd and the C headers, under permanent names."""

from __future__ import annotations

from cuda import nvml
from support.clevel import EveryNameTests
from support.symbols import Suite


class TestCLevel(EveryNameTests):
    suite = Suite("nvml", nvml)
    flags = ("-Wno-pedantic",)  # an enumerator needs 32 bits, which every compiler takes and ISO C does not
    parts = ("_core", "_errors", "_generated", "_generated.names")
