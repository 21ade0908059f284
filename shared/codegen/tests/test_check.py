# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A recorded fact may not be removed or changed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from codegen.ingest import check

_FILE = """
enumerator = [
  { enum = "CUa_enum", name = "CU_A", at = "14.0", value = 1 },
  { enum = "CUa_enum", name = "CU_B", at = "14.0", value = 2 },
]
"""
_LIBRARIES = """
[[library]]
version = "600.1"
cuda = "14.0"
count = 2
exports = ["cuA", "cuB"]
lacks = []
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    registry = tmp_path / "deep" / "registry"
    (registry / "enums").mkdir(parents=True)
    (registry / "enums" / "CUa.toml").write_text(_FILE)
    (registry / "libraries.toml").write_text(_LIBRARIES)
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "facts"]):
        subprocess.run(["git", *arguments], cwd=tmp_path, check=True, env={**os.environ, **who})
    return registry


def _edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_nothing_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.run(folder, "HEAD") == 0
    assert "nothing recorded in HEAD was removed or changed" in capsys.readouterr().out


def test_inserting_is_allowed(folder: Path) -> None:
    file = folder / "enums" / "CUa.toml"
    _edit(file, "enumerator = [", 'enumerator = [\n  { enum = "CUa_enum", name = "CU_A", at = "13.0", value = 9 },')
    (folder / "enums" / "CUnew.toml").write_text("")
    _edit(folder / "libraries.toml", '"cuB"]', '"cuB", "cuC"]')
    assert check.run(folder, "HEAD") == 0


def test_another_order_and_layout_is_no_change(folder: Path) -> None:
    (folder / "enums" / "CUa.toml").write_text(
        'enumerator = [\n{ value = 2, at = "14.0", name = "CU_B", enum = "CUa_enum" },\n'
        '{ enum = "CUa_enum", name = "CU_A", value = 1, at = "14.0" }]\n'
    )
    assert check.run(folder, "HEAD") == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("value = 2", "value = 3"),
        ('  { enum = "CUa_enum", name = "CU_B", at = "14.0", value = 2 },\n', ""),
        ('name = "CU_B", at = "14.0"', 'name = "CU_B", at = "13.0"'),
    ],
)
def test_a_changed_or_removed_fact_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str], old: str, new: str
) -> None:
    _edit(folder / "enums" / "CUa.toml", old, new)
    assert check.run(folder, "HEAD") == 1
    said = capsys.readouterr().out
    assert "enums/CUa.toml: enumerator { at = '14.0', enum = 'CUa_enum', name = 'CU_B', value = 2 }" in said
    assert "CU_A" not in said
    assert "git checkout HEAD -- " in said


def test_a_removed_file_and_export_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "enums" / "CUa.toml").unlink()
    _edit(folder / "libraries.toml", '"cuA", ', "")
    assert check.run(folder, "HEAD") == 1
    said = capsys.readouterr().out
    assert "CU_A" in said
    assert "CU_B" in said
    assert "exports 'cuA'" in said
    assert "cuB'" not in said


def test_an_unknown_revision_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check.run(folder, "no-such-revision") == 2
    assert "no-such-revision" in capsys.readouterr().err
