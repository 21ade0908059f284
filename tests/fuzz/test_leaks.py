# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile arguments leave nothing behind: each call again and again, with what CPython has allocated counted."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Callable

import pytest

from fuzz.conftest import EXAMPLES, watch
from fuzz.test_arguments import WITH_INPUTS, attempt
from support import subject
from support.counts import counts
from support.stub import Stub
from support.subject import BY_NAME


def leaks(work: Callable[[], None]) -> bool:
    """Whether every run leaves a block; a run makes its own objects from one seed.

    A few runs tell as a rule. Classes that a run made may wait for a later round of the collector, so a suspicion is
    looked at for longer.
    """
    return _growth(work, 60) > 60 and _growth(work, 4000) > 4000


def _growth(work: Callable[[], None], runs: int) -> int:
    for _ in range(3):
        work()
    gc.collect()
    before = sys.getallocatedblocks()
    for _ in range(runs):
        work()
    counts["hostile calls and fields without a leak"] += runs
    gc.collect()
    return sys.getallocatedblocks() - before


@pytest.fixture(scope="module")
def counted() -> None:
    if not sys.getallocatedblocks():
        pytest.skip("this allocator does not count blocks")
    gc.collect()
    gc.freeze()


@pytest.mark.usefixtures("counted")
def test_calls(stub: Stub) -> None:
    rng = random.Random(0)
    found = []
    for seed in range(max(20, EXAMPLES // 10)):
        watch()
        name = rng.choice(WITH_INPUTS)
        if leaks(lambda name=name, seed=seed: attempt(stub, BY_NAME[name], random.Random(seed))):  # type: ignore[misc]
            found.append((name, seed))
        if seed % 50 == 0:
            stub.reset()
    assert not found


@pytest.mark.usefixtures("counted")
@pytest.mark.skipif(not subject.RECORDS, reason="the library has no records")
def test_fields() -> None:
    from fuzz.test_records import FIELDS
    from fuzz.test_records import attempt as attempt_field

    rng = random.Random(0)
    found = []
    for seed in range(max(20, EXAMPLES // 10)):
        watch()
        record, name = rng.choice(FIELDS)
        if leaks(lambda r=record, n=name, s=seed: attempt_field(r, n, random.Random(s))):  # type: ignore[misc]
            found.append((record.__name__, name, seed))
    assert not found
