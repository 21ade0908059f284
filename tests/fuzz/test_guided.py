# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What coverage of the C code leads a fuzzer to; guided.py says how. A process of its own, for a crash ends it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fuzz.conftest import EXAMPLES
from sanitize.build import Unavailable, environment
from support.counts import counts as tried
from support.subject import NAME

RUNS = (30 if NAME == "driver" else 6) * EXAMPLES  # the engine is the same in each wheel
GUIDED = Path(__file__).with_name("guided.py")


def test_inputs_that_coverage_leads_to() -> None:
    try:
        added = environment("coverage")
    except Unavailable as reason:
        pytest.skip(str(reason))
    done = subprocess.run(
        [sys.executable, str(GUIDED), str(RUNS)],
        env={**os.environ, **added},
        capture_output=True,
        text=True,
        errors="replace",
        timeout=60 + RUNS // 100,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-8000:]
    counts = json.loads(done.stdout.splitlines()[-1])
    tried["inputs of atheris"] += RUNS
    assert counts["arguments"] + counts.get("records", 0) == RUNS
    assert min(counts.values()) > RUNS // 100, counts
    # The edges of the C code: of the first inputs, and of what was made from them.
    first, *_, last = [int(edges) for edges in re.findall(r"^#\d+\s.*\bcov: (\d+)", done.stderr, re.MULTILINE)]
    assert 0 < first < last, "libFuzzer had nothing to go by"
