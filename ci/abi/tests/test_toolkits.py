# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The toolkit wheels as of earlier releases of their major: the newest keeps what each of them promised."""

from __future__ import annotations

from pathlib import Path

import pytest
from ci.abi.compare import Comparison, compare, excuses
from ci.abi.facts import Facts
from ci.abi.ledgers import Ledgers
from ci.abi.tests.conftest import Run

from support import wheels

# A release of each major that came before its newest one.
RELEASES = {12: ("12.4", "12.9"), 13: ("13.0", "13.5")}
NAMES = ("runtime", "nvrtc", "nvjitlink", "nvvm")
# What each got between these releases, so that a ledger that says nothing does not pass.
NEW = {
    "runtime12": "capsule cyruntime cudaEventElapsedTime_v2",
    "runtime13": "capsule cyruntime cudaLaunchHostFunc_v2",
    "nvrtc12": "capsule cynvrtc nvrtcGetPCHHeapSize",
    "nvrtc13": "capsule cynvrtc nvrtcInstallBundledHeaders",
    "nvjitlink12": "cython cynvjitlink NVJITLINK_ERROR_FINALIZE",
    "nvvm12": "",
    "nvjitlink13": "",
    "nvvm13": "capsule cynvvm nvvmLLVMVersion",
}


@pytest.fixture(scope="module", params=[(name, major) for name in NAMES for major in RELEASES], ids=str)
def ledgers(
    request: pytest.FixtureRequest, run_ledger: Run, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Facts, Facts]:
    name, major = request.param
    folder = tmp_path_factory.mktemp("ledgers")
    for release in RELEASES[major]:
        done = run_ledger("write", site(name, release), folder, f"cuda-{name}")
        assert done.returncode == 0, done.stderr
    series = Ledgers(folder / f"cuda-{name}-{major}")
    older, newer = RELEASES[major]
    return f"{name}{major}", series.facts(f"{older}.0"), series.facts(f"{newer}.0")


def site(name: str, release: str) -> Path:
    return wheels.site(release, library=f"{name}{release.partition('.')[0]}")


def test_nothing_is_broken(ledgers: tuple[str, Facts, Facts]) -> None:
    library, older, newer = ledgers
    release = f"{RELEASES[int(library[-2:])][0]}.0"
    found: Comparison = compare(older, newer, release, excuses())
    assert found.broken == ()
    if library == "runtime12":
        assert {excuse for excuse in excuses() if excuse.wheel} <= found.used
    assert not NEW[library] or NEW[library] in found.added
    for kind in ("capsule", "c permanent", "cython", "exception", "inline", "python", "table", "type"):
        assert any(key.startswith(kind) for key in older), kind


def test_majors_are_not_compared(run_ledger: Run, tmp_path: Path) -> None:
    """A wheel of 13 may drop what one of 12 has."""
    for release in ("12.9", "13.5"):
        assert run_ledger("write", site("nvrtc", release), tmp_path, "cuda-nvrtc").returncode == 0
    done = run_ledger("check", site("nvrtc", "13.5"), tmp_path, "cuda-nvrtc")
    assert done.returncode == 0, done.stderr
    assert "against 13.5.0: 0 broken, 0 excused, 0 grown, 0 added" in done.stdout
    assert "against 12.9.0" not in done.stdout


def test_a_capsule_that_is_gone_is_found(run_ledger: Run, tmp_path: Path) -> None:
    assert run_ledger("write", site("nvrtc", "13.5"), tmp_path, "cuda-nvrtc").returncode == 0
    changed = wheels.site("13.5", drop_a_capsule, "changed", library="nvrtc13")
    done = run_ledger("check", changed, tmp_path, "cuda-nvrtc")
    assert done.returncode == 1
    assert "BROKEN  capsule cynvrtc nvrtcVersion (removed)" in done.stdout


def drop_a_capsule(package: Path) -> None:
    with (package / "src/cuda/nvrtc/cynvrtc.py").open("a", encoding="utf-8") as file:
        file.write("\ndel __pyx_capi__['nvrtcVersion']\n")
