# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The contract is broken on purpose, one promise at a time: the rows that are about it fail, by name."""

from __future__ import annotations

import shutil
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from ci.compat.matrix import Matrix
from ci.compat.outcome import Outcome
from ci.compat.run import Runner
from ci.compat.wheelhouse import replaced

from support import wheels

PYTHON = f"py{sys.version_info.major}.{sys.version_info.minor}"
ROW = f"13.5-cu13-stub-13.5-{PYTHON}"
Rows = Callable[[str, Path], Outcome]


@pytest.fixture(scope="session")
def rows(matrix: Matrix, tmp_path_factory: pytest.TempPathFactory) -> Rows:
    def one(name: str, wheelhouse: Path) -> Outcome:
        (row,) = matrix.chosen(names=[name])
        return Runner(matrix, wheelhouse, tmp_path_factory.mktemp("row")).one(row)

    return one


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.name} has {text.count(old)} times {old!r}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def change_a_view(registry: Path) -> None:
    """CUDA 12 and 11 would mean another symbol by a name than their headers do."""
    old = 'at = "11.2", legacy = "cuCtxCreate_v2", per_thread = "cuCtxCreate_v2"'
    path = registry / "functions" / "cuCtxCreate.toml"
    line = f'{{ name = "cuCtxCreate", {old} }}'
    replace(path, line, line.replace("cuCtxCreate_v2", "cuCtxCreate_v3"))


def drop_a_name(registry: Path) -> None:
    replace(registry / "names.toml", ', name = "cuInit_v1", plain = "cuInit" }', ', name = "cuInit_v1" }')


def shrink_a_record(registry: Path) -> None:
    """As it was before its last field came."""
    folder = registry / "records"
    path = folder / "CUdevSmResource.toml"
    replace(path, 'at = "13.4", size = 20', 'at = "13.4", size = 16')
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(line for line in lines if '"localityDomainId"' not in line), encoding="utf-8")
    replace(folder / "CUdevResource.toml", 'at = "13.4", offset = 96, size = 20', 'at = "13.4", offset = 96, size = 16')


def test_nothing_fails_as_it_is(rows: Rows, wheels_here: Path) -> None:
    outcome = rows(ROW, wheels_here)
    assert outcome.failed == (), outcome.why
    assert outcome.passed > 20


@pytest.mark.parametrize(
    ("facts", "failing"),
    [
        (
            change_a_view,
            {
                "test_promises::test_a_view_is_as_it_was[cu11]",
                "test_promises::test_a_view_is_as_it_was[cu12]",
                "test_stub::test_view[cu11-legacy]",
                "test_stub::test_view[cu11-per_thread]",
                "test_stub::test_view[cu12-legacy]",
                "test_stub::test_view[cu12-per_thread]",
            },
        ),
        (drop_a_name, {"test_promises::test_every_permanent_name_is_there_and_means_its_symbol"}),
        (shrink_a_record, {"test_promises::test_no_record_shrank_or_moved_a_field"}),
    ],
    ids=lambda value: value.__name__ if callable(value) else "",
)
def test_driver_wheel(
    rows: Rows, wheels_here: Path, tmp_path: Path, facts: Callable[[Path], None], failing: set[str]
) -> None:
    broken = wheels.wheel("13.5", name=facts.__name__, facts=facts)
    outcome = rows(ROW, replaced(wheels_here, tmp_path / "wheels", broken))
    assert failing <= set(outcome.failed), outcome.why
    # What the change is not about goes on.
    assert "test_stub::test_the_driver_is_the_stub" not in outcome.failed
    assert "test_stub::test_view[cu13-legacy]" not in outcome.failed or facts is shrink_a_record


@pytest.mark.parametrize(
    ("row", "failing"), [(f"14.0-cu13-stub-14.0-{PYTHON}", "pip installs"), ("newest-cu13", "what pip resolved")]
)
def test_upper_limit(rows: Rows, wheels_here: Path, tmp_path: Path, row: str, failing: str) -> None:
    """A toolkit wheel that says `<14` would hold back the driver wheel of the next major."""
    (wheel,) = wheels_here.glob("cuda_runtime-13.5*.whl")
    changed = tmp_path / wheel.name
    _with_limit(wheel, changed)
    outcome = rows(row, replaced(wheels_here, tmp_path / "wheels", changed))
    assert outcome.failed == (failing,), outcome.why
    assert "cuda-driver-stable" in outcome.why


def _with_limit(wheel: Path, changed: Path) -> None:
    line = "Requires-Dist: cuda-driver-stable>=13.5.0\n"
    with zipfile.ZipFile(wheel) as source, zipfile.ZipFile(changed, "w") as target:
        for item in source.infolist():
            with source.open(item) as old, target.open(item, "w") as new:
                if item.filename.endswith(".dist-info/METADATA"):
                    text = old.read().decode()
                    assert text.count(line) == 1
                    new.write(text.replace(line, line.replace("\n", ",<14\n")).encode())
                else:
                    shutil.copyfileobj(old, new)
