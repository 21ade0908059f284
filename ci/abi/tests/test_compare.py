# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What counts as broken, as grown, as added and as excused."""

from __future__ import annotations

import pytest
from ci.abi.compare import Comparison, Excuse, compare, excuses
from ci.abi.facts import Facts

FACTS: Facts = {
    "callback CUhostFn": "void (void *userData) noexcept nogil",
    "capsule capi(12) cuInit": "CUresult (unsigned int)",
    "capsule capi(13) cuInit": "CUresult (unsigned int)",
    "capsule cydriver cuByValue": "CUresult (CUuuid, CUlocation const *)",
    "cython cycu12 CU_LIMIT_MAX": "CUlimit 3",
    "cython cycu13 CU_LIMIT_MAX": "CUlimit 3",
    "cython cydriver CUDA_ERROR_X": "CUresult 1",
    "exception cydriver cuByValue": "except? CUDA_ERROR_NOT_FOUND nogil",
    "field CUlocation.id": "at 4, 4 bytes, int",
    "field CUlocation.inner": "at 8, 16 bytes, CUuuid",
    "field CUlocation.reserved": "at 24, 8 bytes, char[8]",
    "field CUlocation.type": "at 0, 4 bytes, int",
    "field CUuuid.bytes": "at 0, 16 bytes, char[16]",
    "inline cuInit_v1": "7",
    "python cuda.driver_stable CUlocation": "record, 32 bytes",
    "python cuda.driver_stable CUlocation.reserved": "char",
    "python cuda.driver_stable cuInit": "(Flags: u32) -> (status)",
    "python cuda.driver_stable capi": "(major, *, per_thread=False)",
    "python cuda.driver_stable.cu12 cuInit": "cuInit",
    "python cuda.driver_stable.cu13 cuInit": "cuInit",
    "record CUlocation": "struct, 32 bytes, aligned to 8",
    "record CUuuid": "struct, 16 bytes, aligned to 1",
    "table 0007": "cuInit",
}


def changed(**values: str | None) -> Comparison:
    """Against FACTS with these values; None is removed."""
    new = {**FACTS, **values}
    return compare(FACTS, {key: value for key, value in new.items() if value is not None}, "13.5.0", excuses())


def one(key: str, value: str | None) -> Comparison:
    return changed(**{key: value})


def test_nothing_changed() -> None:
    found = compare(FACTS, FACTS, "13.5.0", excuses())
    assert (found.broken, found.excused, found.grown, found.added) == ((), (), (), ())


@pytest.mark.parametrize("key", [key for key in FACTS if "reserved" not in key])
def test_whatever_is_removed_is_broken(key: str) -> None:
    (finding,) = one(key, None).broken
    assert (finding.key, finding.new, finding.why) == (key, None, "removed")


@pytest.mark.parametrize(
    ("key", "value", "why"),
    [
        ("callback CUhostFn", "void (void *userData, int n) noexcept nogil", "changed"),
        ("capsule capi(13) cuInit", "CUresult (int)", "changed"),
        ("cython cydriver CUDA_ERROR_X", "CUresult 2", "changed"),
        ("exception cydriver cuByValue", "noexcept nogil", "changed"),
        ("field CUlocation.id", "at 8, 4 bytes, int", "changed"),
        ("field CUlocation.id", "at 4, 4 bytes, unsigned int", "changed"),
        ("field CUlocation.id", "at 4, 8 bytes, int", "changed"),
        ("field CUlocation.reserved", "at 20, 12 bytes, char[12]", "reserved bytes reach into what was in use"),
        ("inline cuInit_v1", "8", "changed"),
        ("python cuda.driver_stable CUlocation", "record, 24 bytes", "got smaller"),
        ("python cuda.driver_stable cuInit", "(flags: u32) -> (status)", "changed"),
        ("python cuda.driver_stable cuInit", "(Flags: u32) -> (status, more: u32)", "changed"),
        ("python cuda.driver_stable cuInit", "(Flags: u32, more: u32) -> (status)", "changed"),
        ("python cuda.driver_stable cuInit", "() -> (status)", "changed"),
        ("python cuda.driver_stable capi", "(major, *, per_thread=True)", "changed"),
        ("python cuda.driver_stable capi", "(major, *, other, per_thread=False)", "changed"),
        ("python cuda.driver_stable capi", "int 3", "changed"),
        ("python cuda.driver_stable.cu13 cuInit", "cuInit_v2", "changed"),
        ("record CUlocation", "struct, 24 bytes, aligned to 8", "got smaller"),
        ("record CUlocation", "struct, 40 bytes, aligned to 16", "changed"),
        ("record CUlocation", "union, 32 bytes, aligned to 8", "changed"),
        ("record CUuuid", "struct, 32 bytes, aligned to 1", "grew, but cuByValue takes it by value"),
        ("table 0007", "cuInit_v2", "changed"),
    ],
)
def test_what_is_broken(key: str, value: str, why: str) -> None:
    (finding,) = one(key, value).broken
    assert (finding.key, finding.old, finding.new, finding.why) == (key, FACTS[key], value, why)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("field CUlocation.inner", "at 8, 24 bytes, CUuuid"),  # its record grew, and what follows stays
        ("field CUlocation.reserved", "at 28, 4 bytes, char[4]"),
        ("field CUlocation.reserved", "at 24, 16 bytes, char[16]"),
        ("field CUlocation.reserved", None),
        ("python cuda.driver_stable CUlocation", "record, 40 bytes"),
        ("python cuda.driver_stable CUlocation.reserved", None),
        ("python cuda.driver_stable capi", "(major, *, per_thread=False, other=None)"),
        ("python cuda.driver_stable cuInit", "(Flags: u32, more: u32 = 0) -> (status)"),
        ("record CUlocation", "struct, 40 bytes, aligned to 8"),
    ],
)
def test_what_is_growth(key: str, value: str | None) -> None:
    found = one(key, value)
    assert not found.broken
    assert [finding.key for finding in found.grown] == [key]


@pytest.mark.parametrize(
    "key",
    [
        "capsule cydriver cuNew",
        "field CUlocation.other",
        "python cuda.driver_stable cuNew",
        "python cuda.driver_stable.cu13 cuNew",
        "python cuda.driver_stable.cu14 cuNew",
        "capsule capi(13,per_thread) cuNew",
        "cython cycu13_per_thread cuNew",
        "table 0008",
    ],
)
def test_what_is_new_is_listed(key: str) -> None:
    found = one(key, "something")
    assert not found.broken
    assert found.added == (key,)


@pytest.mark.parametrize(
    "key",
    [
        "python cuda.driver_stable.cu12 cuNew",
        "python cuda.driver_stable.cu12.per_thread cuNew",
        "capsule capi(12) cuNew",
        "capsule capi(12,per_thread) cuNew",
        "cython cycu12 cuNew",
        "cython cycu12_per_thread cuNew",
    ],
)
def test_the_view_of_a_finished_major_gets_nothing(key: str) -> None:
    (finding,) = one(key, "something").broken
    assert (finding.key, finding.old) == (key, None)
    assert "finished" in finding.why


def test_the_current_view_follows_its_header_and_a_finished_one_does_not() -> None:
    new = {**FACTS, "cython cycu12 CU_LIMIT_MAX": "CUlimit 4", "cython cycu13 CU_LIMIT_MAX": "CUlimit 4"}
    found = compare(FACTS, new, "13.5.0", excuses())
    assert [finding.key for finding in found.broken] == ["cython cycu12 CU_LIMIT_MAX"]
    assert [finding.key for finding in found.excused] == ["cython cycu13 CU_LIMIT_MAX"]


def test_an_excuse_has_an_end() -> None:
    allowed = [Excuse((), ("record CUlocation",), "because", (13, 5))]
    new = {**FACTS, "record CUlocation": "struct, 32 bytes, aligned to 16"}
    assert compare(FACTS, new, "13.4.0", allowed).excused
    assert compare(FACTS, new, "13.5.0", allowed).broken


def test_every_exception_has_a_reason() -> None:
    assert all(excuse.reason and (excuse.names or excuse.facts) for excuse in excuses())
