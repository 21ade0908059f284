# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What other compiled modules get: capsules, cynvvm.pxd and the C headers."""

from __future__ import annotations

from cuda import nvvm
from support.clevel import CLevelTests, suite_of


class TestCLevel(CLevelTests):
    suite = suite_of("nvvm", nvvm)
