# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A ledger is read as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest
from ci.abi.facts import NOT_COVERED, LedgerError, dump, load
from ci.abi.ledgers import Ledgers

FACTS = {
    "capsule capi(13) cuInit": "CUresult (unsigned int)",
    "capsule capi(13) cuLaunch": "CUresult (CUfunction)",
    "capsule capi(13) cuMemcpy": "CUresult (CUdeviceptr, CUdeviceptr, size_t)",
    "capsule capi(13,per_thread) cuInit": "CUresult (unsigned int)",
    "capsule capi(13,per_thread) cuMemcpy": "CUresult (CUdeviceptr, CUdeviceptr, unsigned long)",
    "capsule capi(13,per_thread) cuMemcpy_ptds": "CUresult (CUdeviceptr, CUdeviceptr, size_t)",
    "field CUuuid.bytes": "at 0, 16 bytes, char[16]",
    "python cuda.driver_stable __version__": "str '13.5.0'",
}


def test_lines_are_sorted_and_read_back() -> None:
    text = dump(FACTS, "title")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines == sorted(lines)
    assert load(text) == FACTS


def test_a_twin_is_written_by_its_differences() -> None:
    lines = [line for line in dump(FACTS, "title").splitlines() if "per_thread" in line]
    assert lines == [
        "capsule capi(13,per_thread) *: as in capsule capi(13), but:",
        "capsule capi(13,per_thread) cuLaunch: (absent)",
        "capsule capi(13,per_thread) cuMemcpy: CUresult (CUdeviceptr, CUdeviceptr, unsigned long)",
        "capsule capi(13,per_thread) cuMemcpy_ptds: CUresult (CUdeviceptr, CUdeviceptr, size_t)",
    ]


def test_it_says_what_it_is_and_what_it_does_not_cover() -> None:
    text = dump(FACTS, "cuda-driver-stable 13.5.0")
    assert "# cuda-driver-stable 13.5.0" in text.splitlines()
    assert all(sentence in text for sentence in NOT_COVERED)


@pytest.mark.parametrize(
    "text",
    [
        "no fact",
        "novelty cuInit: 1",
        "type CUdevice: 4 bytes, int\ntype CUdevice: 4 bytes, int",
        "continues: 13.5.0",  # with nothing to look it up in
    ],
)
def test_what_is_no_ledger_is_an_error(text: str) -> None:
    with pytest.raises(LedgerError):
        load(text)


def test_a_later_ledger_has_only_what_is_new(tmp_path: Path) -> None:
    ledgers = Ledgers(tmp_path / "wheel")
    ledgers.write("13.5.0", "title", FACTS)
    later = {**FACTS, "type CUdevice": "4 bytes, int", "python cuda.driver_stable __version__": "str '13.6.0'"}
    del later["capsule capi(13) cuLaunch"]
    path = ledgers.write("13.6.0", "title", later)
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    assert lines == [
        "continues: 13.5.0",
        "capsule capi(13) cuLaunch: (absent)",
        "python cuda.driver_stable __version__: str '13.6.0'",
        "type CUdevice: 4 bytes, int",
    ]
    again = Ledgers(tmp_path / "wheel")
    assert again.releases == ["13.5.0", "13.6.0"]
    assert again.facts("13.5.0") == FACTS
    assert again.facts("13.6.0") == later


def test_releases_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    ledgers = Ledgers(tmp_path)
    for release in ("13.10.0", "13.5.0", "13.9.1"):
        ledgers.write(release, "title", FACTS)
    assert ledgers.releases == ["13.5.0", "13.9.1", "13.10.0"]
