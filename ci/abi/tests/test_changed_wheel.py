# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A wheel with one deliberate change of each kind: each is found, and nothing else.

Both wheels are built here, from the sources as they are and from a copy with the changes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from ci.abi.compare import Comparison, compare, excuses
from ci.abi.facts import load
from ci.abi.tests.conftest import Run

from support import wheels

RELEASE = "13.5"
VIEWS = ("cycu11", "cycu11_per_thread", "cycu12", "cycu12_per_thread", "cycu13", "cycu13_per_thread")


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} has {text.count(old)} times {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def change(package: Path) -> None:
    module = package / wheels.MODULE
    generated, header = module / "_generated", module / "include" / "cuda_driver_stable.h"
    # a capsule less, and one that is spelled differently
    with (module / "cydriver.py").open("a", encoding="utf-8") as file:
        file.write("\ndel __pyx_capi__['cuInit_v1']\n")
    replace(generated / "entries.c", '"CUresult (CUmipmappedArray)"', '"CUresult (CUmipmappedArrai)"')
    # what a caller learns of an exception
    name = "cdef CUresult cuDriverGetVersion_v1(int *driverVersion) "
    replace(module / "cydriver.pxd", f"{name}except? CUDA_ERROR_NOT_FOUND nogil", f"{name}noexcept nogil")
    # two fields change places, and an enumerator its value
    first, second = "    int sharedMemPerBlock;\n", "    int totalConstantMemory;\n"
    replace(header, first + second, second + first)
    replace(header, "    CUDA_ERROR_INVALID_VALUE = 1,\n", "    CUDA_ERROR_INVALID_VALUE = 9998,\n")
    # a Python name less, a parameter renamed and another added
    replace(module / "__init__.py", '    "required_cuda": "_api",\n', "")
    replace(generated / "tables.c", '"ordinal" "\\0"', '"number_" "\\0"')
    replace(module / "_capi.py", "def get_include()", "def get_include(more: int)")
    # two positions of the function table, for C and in the header
    replace(generated / "table.c", "    0, /* 0: ", "    1, /* 0: ")
    replace(module / "include" / "cuda_driver_stable_api.h", 'CALL(41, "cuDeviceGet"', 'CALL(42, "cuDeviceGet"')


EXPECTED = {
    "capsule cydriver cuInit_v1": "removed",
    **{
        f"capsule {where} cuMipmappedArrayDestroy": "changed"
        for where in ("cydriver", *(f"capi({major}{twin})" for major in (11, 12, 13) for twin in ("", ",per_thread")))
    },
    "capsule cydriver cuMipmappedArrayDestroy_v1": "changed",
    **{f"cython {module} CUDA_ERROR_INVALID_VALUE": "changed" for module in ("cydriver", *VIEWS)},
    "exception cydriver cuDriverGetVersion_v1": "changed",
    "field CUdevprop_v1.sharedMemPerBlock": "changed",
    "field CUdevprop_v1.totalConstantMemory": "changed",
    "inline cuDeviceGet_v1": "changed",
    "python cuda.driver_stable cuDeviceGet": "changed",
    "python cuda.driver_stable cuDeviceGet_v1": "changed",
    "python cuda.driver_stable get_include": "changed",
    "python cuda.driver_stable required_cuda": "removed",
    "table 0000": "changed",
}


@pytest.fixture(scope="module")
def released(run_ledger: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the ledger of the wheel as it is."""
    folder = tmp_path_factory.mktemp("ledgers")
    done = run_ledger("write", wheels.site(RELEASE), folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def changed() -> Path:
    return wheels.site(RELEASE, change, "changed")


def test_the_wheel_keeps_its_own_promises(run_ledger: Run, released: Path) -> None:
    done = run_ledger("check", wheels.site(RELEASE), released)
    assert done.returncode == 0, done.stderr
    assert "against 13.5.0: 0 broken, 0 excused, 0 grown, 0 added" in done.stdout


def test_each_change_is_found_and_nothing_else(run_ledger: Run, released: Path, changed: Path) -> None:
    done = run_ledger("print", changed, released)
    assert done.returncode == 0, done.stderr
    old = load((released / "cuda-driver-stable" / "13.5.0.txt").read_text(encoding="utf-8"))
    found: Comparison = compare(old, load(done.stdout), "13.5.0", excuses())
    assert {finding.key: finding.why for finding in found.broken} == EXPECTED


def test_the_check_fails_and_says_what_was_and_what_is(run_ledger: Run, released: Path, changed: Path) -> None:
    done = run_ledger("check", changed, released)
    assert done.returncode == 1
    assert f"{len(EXPECTED)} promises are broken" in done.stderr
    assert "  BROKEN  capsule cydriver cuInit_v1 (removed)" in done.stdout
    lines = done.stdout.splitlines()
    moved = lines.index("  BROKEN  field CUdevprop_v1.sharedMemPerBlock (changed)")
    assert lines[moved + 1 : moved + 3] == ["    was at 28, 4 bytes, int", "    is  at 32, 4 bytes, int"]
