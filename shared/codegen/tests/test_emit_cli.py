# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m codegen`: writing, checking, and mending."""

from __future__ import annotations

from pathlib import Path

import pytest

from codegen import __main__ as cli
from codegen.emit.errors import EmitError
from codegen.emit.libraries import LIBRARIES, Library
from codegen.emit.outputs import outputs
from codegen.model.api import Release
from codegen.model.binding import Binding
from codegen.model.overrides import OverrideError
from codegen.tests.emit_sample import BINDING

DRIVER = ("--library", "driver")  # the sample is of a library that has no majors


@pytest.fixture(autouse=True)
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Release | None]:
    """The releases that bindings were asked for; the answer is always the sample."""
    releases: list[Release | None] = []

    def load(library: Library, as_of: Release | None, *folders: Path | None) -> Binding:
        releases.append(as_of)
        return BINDING

    monkeypatch.setattr(cli, "load", load)
    return releases


def test_what_was_written_passes_the_check(tmp_path: Path) -> None:
    assert cli.main([*DRIVER, "--check", "--out", str(tmp_path)]) == 1
    assert cli.main([*DRIVER, "--out", str(tmp_path)]) == 0
    assert cli.main([*DRIVER, "--check", "--out", str(tmp_path)]) == 0
    written = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert written == set(outputs(BINDING, LIBRARIES["driver"]))


def test_the_check_prints_a_diff_and_what_mends_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([*DRIVER, "--out", str(tmp_path)])
    path = tmp_path / "_generated" / "thunks.c"
    path.write_text(path.read_text().replace("args[0].u32", "args[1].u32"))
    capsys.readouterr()
    assert cli.main([*DRIVER, "--check", "--out", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    assert f"--- {path} (on disk)\n+++ {path} (generated)\n" in out
    assert "-    return ((int (*)(unsigned int))function)(args[1].u32);\n" in out
    assert "+    return ((int (*)(unsigned int))function)(args[0].u32);\n" in out
    assert "nox -s codegen" in err
    assert "args[1].u32" in path.read_text(), "a check must write nothing"


def test_a_file_that_is_no_longer_generated_is_found_and_removed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cli.main([*DRIVER, "--out", str(tmp_path)])
    old, own = tmp_path / "cu9" / "__init__.py", tmp_path / "_views.py"
    old.parent.mkdir()
    old.write_text((tmp_path / "cu13" / "__init__.py").read_text())
    own.write_text("# written by hand\n")
    capsys.readouterr()
    assert cli.main([*DRIVER, "--check", "--out", str(tmp_path)]) == 1
    assert f"--- {old} (on disk)\n+++ /dev/null\n" in capsys.readouterr().out
    cli.main([*DRIVER, "--out", str(tmp_path)])
    assert own.exists()
    assert not old.exists()
    assert cli.main([*DRIVER, "--check", "--out", str(tmp_path)]) == 0


def test_a_file_that_is_right_is_not_written_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([*DRIVER, "--out", str(tmp_path)])
    capsys.readouterr()
    cli.main([*DRIVER, "--out", str(tmp_path)])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("error", [OverrideError("2 things do not bind:\n  one\n  two"), EmitError("it does not fit")])
def test_what_cannot_be_generated_is_an_error_of_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def load(*_: object) -> Binding:
        raise error

    monkeypatch.setattr(cli, "load", load)
    assert cli.main([*DRIVER, "--out", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"error: driver: {error}\n"
    assert list(tmp_path.iterdir()) == []


def test_an_older_release_goes_elsewhere(tmp_path: Path, asked: list[Release | None]) -> None:
    assert cli.main(["--as-of", "12.9", "--out", str(tmp_path), "--library", "driver"]) == 0
    assert asked == [Release(12, 9)]
    with pytest.raises(SystemExit):
        cli.main([*DRIVER, "--as-of", "12.9"])
