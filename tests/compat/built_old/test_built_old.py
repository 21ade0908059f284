# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What was compiled once keeps running on every later release of the package, and on an earlier one as far as it can.

On an earlier release, a consumer that uses only what existed then runs too; otherwise it fails with an error that names
the symbol and the release. All of it on the stub driver, which tells what it was called with.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support import wheels

from .conftest import Outcomes
from .consumers import CYTHONS, RELEASES, WHEELS, Binary, Case, binaries, cases, number
from .outcome import expected, run, simplified

NEWEST = RELEASES[-1]


@pytest.mark.parametrize("case", list(cases()), ids=str)
def test_what_was_compiled_runs(outcomes: Outcomes, case: Case) -> None:
    wanted = expected(case)
    assert simplified(outcomes[case].result(), wanted) == wanted


def test_nothing_is_refused_by_the_same_or_a_later_release() -> None:
    later = [
        case for case in cases() if case.binary.consumer.official or number(case.wheel) >= number(case.binary.built)
    ]
    refused = [case for case in later if case.refused or case.missing]
    # Consumers of the official 13.5.0 may use more than our 13.0 had.
    assert [str(case) for case in refused if not case.binary.consumer.official] == []


def test_every_pair_of_releases_is_there() -> None:
    pairs = {(case.binary.built, case.wheel) for case in cases() if not case.binary.consumer.official}
    assert pairs == {(built, wheel) for built in RELEASES for wheel in WHEELS}


def newest(name: str) -> Binary:
    """A Cython consumer, compiled with the newest of everything."""
    return [b for b in binaries() if b.consumer.name == name and b.tool == CYTHONS[-1]][-1]


@pytest.mark.parametrize(
    ("name", "scenario", "before"),
    [("permanent", "memory", ["cuInit"]), ("view13", "contexts", ["cuInit", "cuDeviceGet"])],
)
def test_a_function_that_the_driver_lacks_is_an_exception_in_the_consumer(
    name: str, scenario: str, before: list[str]
) -> None:
    found = run(Case(newest(name), NEWEST, driver="12.0"))
    kind, text = found[scenario]["error"]
    assert kind == "FunctionNotFoundError"
    assert "cuCtxCreate_v4" in text
    assert "CUDA 12.5" in text
    assert found[scenario]["symbols"] == [*before, "cuDriverGetVersion"]  # the error says what the driver supports


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ("del __pyx_capi__['cuMemAlloc_v2']", "ImportError", "cuMemAlloc_v2"),
        ("__pyx_capi__['cuMemAlloc_v2'] = __pyx_capi__['cuInit']", "TypeError", "wrong signature"),
    ],
)
def test_a_broken_promise_is_found(tmp_path: Path, change: str, kind: str, words: str) -> None:
    site = shutil.copytree(wheels.site(NEWEST), tmp_path / "site")
    with (site / "cuda" / "driver_stable" / "cydriver.py").open("a", encoding="utf-8") as file:
        file.write(f"\n{change}\n")
    case = Case(newest("permanent"), NEWEST)
    found = run(case, site)
    assert simplified(found, expected(case)) != expected(case)
    assert found["import"][0] == kind
    assert words in found["import"][1]
