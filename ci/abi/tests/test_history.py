# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Wheels as of earlier releases, built from today's registry: each keeps what the earlier ones promised.

What has happened in CUDA's own headers between these releases is what will happen again.
"""

from __future__ import annotations

from itertools import combinations

import pytest
from ci.abi.compare import Comparison, compare, excuses
from ci.abi.ledgers import Ledgers
from ci.abi.tests.conftest import Run

from support import wheels

RELEASES = ("12.9", "13.0", "13.5")
PAIRS = tuple(combinations(RELEASES, 2))


@pytest.fixture(scope="module")
def comparisons(run_ledger: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Comparison]:
    folder = tmp_path_factory.mktemp("ledgers")
    for release in RELEASES:
        done = run_ledger("write", wheels.site(release), folder)
        assert done.returncode == 0, done.stderr
    ledgers = Ledgers(folder / "cuda-driver-stable")
    facts = {release: ledgers.facts(f"{release}.0") for release in RELEASES}
    return {(old, new): compare(facts[old], facts[new], f"{old}.0", excuses()) for old, new in PAIRS}


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_nothing_is_broken(comparisons: dict[tuple[str, str], Comparison], pair: tuple[str, str]) -> None:
    assert comparisons[pair].broken == ()


@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_much_is_new(comparisons: dict[tuple[str, str], Comparison], pair: tuple[str, str]) -> None:
    """A ledger that says nothing would pass any comparison."""
    assert len(comparisons[pair].added) > 1000
    assert any(key.startswith("capsule cydriver ") for key in comparisons[pair].added)


def test_records_grew(comparisons: dict[tuple[str, str], Comparison]) -> None:
    """As CUDA's headers had it: 12 to 20 bytes of one, 16 to 32 of the other."""
    grown = {finding.key for finding in comparisons["13.0", "13.5"].grown}
    assert {"record CUdevSmResource", "record CUDA_HOST_NODE_PARAMS_v2"} <= grown


def test_every_exception_is_needed(comparisons: dict[tuple[str, str], Comparison]) -> None:
    used = {excuse for comparison in comparisons.values() for excuse in comparison.used}
    assert [excuse.reason for excuse in excuses() if excuse not in used and not excuse.wheel] == []
