# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""First uses from many threads at once, under each sanitizer."""

from __future__ import annotations

import json

import pytest

from sanitize.conftest import LIBRARY, Run
from support.counts import counts


@pytest.mark.parametrize("variant", ["plain", "address", "thread"])
def test_first_calls_from_many_threads(run: Run, variant: str) -> None:
    for _ in range(3 if variant == "plain" else 1):
        done = json.loads(run(variant, "first_calls.py", str(LIBRARY)).stdout)
        assert done["threads"] == 16
        counts["names looked up first by 16 threads"] += done["names"]
        counts["functions called first by 16 threads"] += done["functions"]
