# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Records, field by field, at the offsets and sizes that the C compiler gives them."""

from __future__ import annotations

from codegen.model.api import Release
from cuda import runtime
from support.records import RecordSuite, RecordTests

MAJOR = runtime._core.RELEASE // 1000
RELEASES = {12: [Release(12, 9), Release(12, 0)], 13: [Release(13, 5), Release(13, 0)]}[MAJOR]


class TestRecords(RecordTests):
    suite = RecordSuite(f"runtime{MAJOR}", runtime, RELEASES)
