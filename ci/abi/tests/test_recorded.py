# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A ledger that was written for a release is not changed any more."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ci.abi.recorded import main

WHO = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
OLD, NEW = "ci/abi/cuda-runtime-13/13.5.0.txt", "ci/abi/cuda-runtime-13/13.6.0.txt"


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, env={**os.environ, **WHO})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / OLD).parent.mkdir(parents=True)
    (tmp_path / OLD).write_text("a fact\n" * 10)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "release")
    return tmp_path


def test_a_new_ledger_is_welcome(root: Path) -> None:
    assert main(root, "HEAD") == 0
    (root / NEW).write_text("more\n")
    (root / "ci/abi/README.txt").write_text("no ledger\n")
    git(root, "add", ".")
    assert main(root, "HEAD") == 0
    git(root, "commit", "-q", "-m", "next release")
    assert main(root, "HEAD~1") == 0


@pytest.mark.parametrize("how", ["changed", "removed", "renamed", "committed"])
def test_a_ledger_that_is_not_as_it_was_is_named(root: Path, capsys: pytest.CaptureFixture[str], how: str) -> None:
    since = "HEAD"
    if how == "changed":
        (root / OLD).write_text("another fact\n")
    elif how == "removed":
        (root / OLD).unlink()
    else:
        git(root, "mv", OLD, NEW)
    if how == "committed":
        git(root, "commit", "-q", "-m", "rename")
        since = "HEAD~1"
    assert main(root, since) == 1
    said = capsys.readouterr().out
    assert f"{OLD}: the ledger of a release is not as it is in {since}\n" in said
    assert f"git checkout {since} -- ci/abi" in said


def test_an_unknown_revision_is_an_error(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(root, "no-such-revision") == 2
    assert "no-such-revision" in capsys.readouterr().err
