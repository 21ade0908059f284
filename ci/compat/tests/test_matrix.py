# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The matrix as it is read, its table, and what reads it."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from ci.compat import __main__ as command
from ci.compat import document, table, wheelhouse
from ci.compat.matrix import DATA, DRIVER, ROOT, MatrixError, Row, load
from ci.compat.outcome import Outcome
from ci.compat.run import Runner

MATRIX = load()
PRODUCT = [row for row in MATRIX.rows if row.group.startswith("driver-")]


def changed(folder: Path, old: str, new: str) -> Path:
    text = DATA.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = folder / "matrix.toml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return path


def test_the_whole_product_is_there() -> None:
    rows = [row for row in PRODUCT if row.library in MATRIX.axes["library"]]
    assert len(rows) == math.prod(map(len, MATRIX.axes.values()))


@pytest.mark.parametrize("axis", ["wheel", "library", "python"])
def test_every_value_of_an_axis_is_run_always(axis: str) -> None:
    always = [row for row in PRODUCT if row.always]
    found = {
        "wheel": {row.name.split("-")[0] for row in always},
        "library": {row.library for row in always},
        "python": {row.python for row in always},
    }
    assert set(MATRIX.axes[axis]) <= found[axis]


def test_both_majors_with_each_wheel_that_takes_them() -> None:
    always = {tuple(row.name.split("-")[:2]) for row in PRODUCT if row.always}
    assert {(wheel, f"cu{major}") for wheel in ("13.5", "14.0") for major in ("12", "13")} <= always


def test_wheels_below_the_floor_are_refused() -> None:
    for row in PRODUCT:
        below = float(row.name.split("-")[0]) < float(MATRIX.floor)
        assert bool(row.refused) == bool(row.instead) == below, row.name
        assert DRIVER in row.gets
        assert (len(row.gets) == 1) == below


def test_a_new_toolkit_wheel_is_a_table_more(tmp_path: Path) -> None:
    new = '[toolkit.cuda-new]\nlibrary = "new"\nreleases = { 13 = "13.5" }\n\n[toolkit.cuda-runtime]'
    rows = load(changed(tmp_path, "[toolkit.cuda-runtime]", new)).rows
    with_it = [row for row in rows if "cuda-new==13.5.*" in row.install]
    assert {"-cu13-" in row.name for row in with_it} == {True}
    assert len(with_it) == len([row for row in PRODUCT if "-cu13-" in row.name])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('python = ["3.12"]', 'snake = ["3.12"]', "no axis is called snake"),
        ('python = ["3.12"]', 'python = ["2.7"]', "the axis python has no 2.7"),
        (
            '"stub-11.8", "stub-12.2", "stub-12.9", "stub-13.0", "stub-14.0",',
            '"mock-1",',
            "the axis library has no mock-1",
        ),
        ('name = "newest-cu13"', 'name = "newest-cu12"', "two rows are called newest-cu12"),
        ('name = "mixed-majors"\n', 'name = "mixed-majors"\nnovelty = 1\n', "unknown novelty"),
    ],
)
def test_what_it_cannot_mean(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(MatrixError, match=words):
        load(changed(tmp_path, old, new))


def test_rows_are_chosen() -> None:
    always = MATRIX.chosen()
    assert MATRIX.chosen(full=True) == MATRIX.rows
    assert MATRIX.rows[: len(always)] == always
    assert {row.always for row in always} == {True}
    assert {row.is_suite for row in MATRIX.chosen(suites=False)} == {False}
    assert [row.name for row in MATRIX.chosen(names=["rehearsal"])] == ["rehearsal"]
    assert {row.group for row in MATRIX.chosen(groups=["environments"])} == {"environments"}
    with pytest.raises(MatrixError, match="no row and no group of the matrix is called nothing"):
        MATRIX.chosen(names=["nothing"])


def test_every_test_that_a_row_names_is_there() -> None:
    assert not [path for row in MATRIX.rows for path in row.tests if not (ROOT / path).exists()]
    suites = {path.parent for path in (ROOT / "tests" / "compat").glob("*/test_*.py")}
    named = {(ROOT / path).parent if path.endswith(".py") else ROOT / path for row in MATRIX.rows for path in row.tests}
    assert suites == named


def test_listing(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [row["row"] for row in listed["rows"]] == [row.name for row in MATRIX.chosen()]
    assert set(listed["group"]) == {row["group"] for row in listed["rows"]}
    assert command.main(["--list", "--full"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(MATRIX.rows)


def test_the_workflow_has_no_knowledge_of_its_own() -> None:
    """Its jobs are sessions that exist, and it asks the session for the groups."""
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    sessions = set(re.findall(r"^def (\w+)\(session: nox\.Session", (ROOT / "noxfile.py").read_text(), re.M))
    (listed,) = re.findall(r"session: \[(.*)\]", text)
    assert {name.strip().replace("-", "_") for name in listed.split(",")} <= sessions
    assert "nox -s compat -- --list --json" in text
    words = {*MATRIX.axes["library"], *(row.name for row in MATRIX.rows), *(row.group for row in MATRIX.rows)}
    assert not [word for word in words if re.search(rf"\b{re.escape(word)}\b", text)]


def outcome(name: str, passed: int, *failed: str, why: str = "") -> Outcome:
    (row,) = MATRIX.chosen(names=[name])
    return Outcome(row, passed, 0, failed, why, 1.0)


OUTCOMES = (
    outcome("13.5-cu13-stub-13.5-py3.11", 20),
    outcome("13.5-cu13-stub-13.5-py3.12", 22),
    outcome("13.5-cu13-stub-13.5-py3.14", 0, why="no Python 3.14 here"),
    outcome("13.5-cu12-real-470-py3.11", 5, "a::b", why="text"),
    outcome("rehearsal", 7),
)


def test_table() -> None:
    lines = table.text(OUTCOMES, 61.2).splitlines()
    assert lines[-1] == "5 rows: 3 passed, 1 failed, 1 left out; 54 checks passed; 61 s"
    assert lines[2].startswith("left out  13.5-cu13-stub-13.5-py3.14")
    assert lines[2].endswith("no Python 3.14 here")
    assert lines[3].startswith("FAILED")
    assert lines[3].endswith("a::b")
    assert [row["failed"] for row in json.loads(table.as_json(OUTCOMES))] == [[], [], [], ["a::b"], []]


def test_a_row_without_checks_has_not_passed() -> None:
    assert Outcome(Row("x", "x", True)).left_out


@pytest.mark.parametrize(("ci", "python", "fails"), [("true", "9.9", True), ("true", "9.8", False), ("", "9.9", False)])
def test_a_python_that_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ci: str, python: str, fails: bool
) -> None:
    monkeypatch.setattr(wheelhouse, "tools", lambda: tmp_path)
    monkeypatch.setenv("CI", ci)
    runner = Runner(replace(MATRIX, needed=("9.9",)), tmp_path, tmp_path)
    found = runner.one(replace(PRODUCT[0], python=python))
    assert bool(found.failed) == fails
    assert found.left_out != fails
    assert found.why == f"no Python {python} here"


def test_document(tmp_path: Path) -> None:
    page = tmp_path / "compat.md"
    page.write_text(f"before\n{document.BEGIN}\nold\n{document.END}\nafter\n", encoding="utf-8")
    document.write(MATRIX, OUTCOMES, 61.2, page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "| stub 13.5 | – | – | – | – | – | 42 on 3.11 3.12 | – | – |" in text
    assert "| real 470 | – | – | – | – | **1 failed**, 5 on 3.11 | – | – | – |" in text
    assert "| rehearsal | 7 | 0 | 0 |" in text
    document.write(MATRIX, OUTCOMES, 61.2, page)
    assert page.read_text(encoding="utf-8") == text
    page.write_text("no place", encoding="utf-8")
    with pytest.raises(ValueError, match="no place for the table"):
        document.write(MATRIX, OUTCOMES, 61.2, page)


def test_the_page_has_a_place_for_the_table() -> None:
    text = document.PAGE.read_text(encoding="utf-8")
    assert document.BEGIN in text
    assert document.END in text
