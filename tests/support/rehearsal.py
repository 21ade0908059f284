# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The made-up CUDA 14.0 (codegen.rehearse): made once, kept in .cache/ while what it is made from stays the same."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from functools import cache
from pathlib import Path

from codegen.model.api import Release

ROOT = Path(__file__).resolve().parents[2]
CODEGEN = ROOT / "shared" / "codegen"
CACHE = ROOT / ".cache" / "rehearsal"
RELEASE = "14.0"

_SOURCES = ("rehearse/*", "ingest/*.py", "model/*.py", "registry/driver/**/*.toml", "overrides/driver.toml")


def is_rehearsed(release: str | Release) -> bool:
    return str(release) == RELEASE


@cache
def folder() -> Path:
    """Holds `registry` and `overrides`. Where it is not there yet, libclang has to be."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in _SOURCES for path in CODEGEN.glob(pattern) if path.is_file()):
        digest.update(f"{path.relative_to(CODEGEN)}\0".encode() + path.read_bytes())
    found = CACHE / digest.hexdigest()[:16]
    if not found.exists():
        from codegen.rehearse.release import rehearse

        # Made beside its final place, so that several processes can do it at once.
        work = found.with_name(f"{found.name}.{os.getpid()}")
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        with (work / "report.txt").open("w", encoding="utf-8") as report, contextlib.redirect_stdout(report):
            made = rehearse(work)
        if not is_rehearsed(made.release):
            raise AssertionError(f"codegen.rehearse is of {made.release}, and this of {RELEASE}")
        try:
            work.rename(found)
        except OSError:  # another process was first
            if not found.exists():
                raise
            shutil.rmtree(work)
    return found


def registry(release: str | Release) -> Path | None:
    """The folder of facts that knows a release: None for that of this tree."""
    return folder() / "registry" if is_rehearsed(release) else None


def overrides(release: str | Release) -> Path | None:
    return folder() / "overrides" if is_rehearsed(release) else None
