# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The stub driver of a release, built once and kept in .cache/ for as long as what it is made from stays the same."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

from codegen.emit import stub
from codegen.model.api import Release
from codegen.model.fold import fold

ROOT = Path(__file__).resolve().parents[2]
CODEGEN = ROOT / "shared" / "codegen"
CACHE = ROOT / ".cache" / "stub"


def stub_library(release: str) -> Path:
    digest = hashlib.sha256()
    sources = [*CODEGEN.glob("emit/stub*"), *CODEGEN.glob("model/*.py"), *CODEGEN.glob("registry/driver/**/*.toml")]
    for path in sorted(sources):
        digest.update(path.read_bytes())
    folder = CACHE / f"{release}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        # Built beside its final place, so that several processes can do it at once.
        work = CACHE / f"{folder.name}.{os.getpid()}"
        stub.write(fold("driver"), Release.parse(release), work)
        stub.build(work)
        try:
            work.rename(folder)
        except OSError:
            shutil.rmtree(work)
    return folder / stub.SONAME
