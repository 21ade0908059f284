# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The stub library of a release, built once and kept in .cache/ for as long as what it is made from stays the same."""

from __future__ import annotations

import hashlib
import os
import shutil
import tomllib
from pathlib import Path

from codegen.emit import stub
from codegen.emit.libraries import LIBRARIES
from codegen.model import registry as store
from codegen.model.api import Release
from codegen.model.fold import fold

from . import rehearsal

ROOT = Path(__file__).resolve().parents[2]
CODEGEN = ROOT / "shared" / "codegen"
CACHE = ROOT / ".cache" / "stub"


def newest(library: str = "driver") -> str:
    """The newest release that was read in of a library, or of its major."""
    facts = LIBRARIES[library]
    releases = store.folder_of(facts.name, facts.major or None) / "releases.toml"
    return str(max(Release.parse(row["at"]) for row in tomllib.loads(releases.read_text("utf-8"))["release"]))


def stub_library(release: str, library: str = "driver") -> Path:
    """`library` is the generator's word for it: "driver", "nvrtc13"."""
    facts = LIBRARIES[library]
    made_up = rehearsal.registry(release) if not facts.major else None
    digest = hashlib.sha256()
    for place, pattern in (
        (CODEGEN, "emit/stub*"),
        (CODEGEN, "model/*.py"),
        (made_up or CODEGEN / "registry", f"{facts.name}/**/*.toml"),
    ):
        for path in sorted(place.glob(pattern)):
            digest.update(path.read_bytes())
    folder = CACHE / library / f"{release}-{digest.hexdigest()[:16]}"
    if not folder.exists():
        # Built beside its final place, so that several processes can do it at once.
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        stub.write(fold(facts.name, registry=made_up, major=facts.major or None), Release.parse(release), work, facts)
        stub.build(work, soname=facts.soname)
        try:
            work.rename(folder)
        except OSError:
            shutil.rmtree(work)
    return folder / facts.soname
