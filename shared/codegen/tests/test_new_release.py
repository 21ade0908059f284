# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What has to be told of a release or a major that was read in: docs/add-a-release.md lists it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.ingest import fetch
from codegen.ingest.specs import SPECS
from codegen.model import registry as store
from codegen.model.overrides import DIRECTORY, load

PACKAGES = Path(__file__).resolve().parents[3] / "packages"
MAJORS = [(library, major) for library in SPECS for major in store.majors(library)]
NAMED = [key for key in MAJORS if store.load(store.folder_of(*key)).functions]


@pytest.mark.parametrize("library", sorted({library.name for library in LIBRARIES.values()}))
def test_overrides_are_written_for_the_newest_release(library: str) -> None:
    """Of each major that is generated, or of all in one."""
    majors = [entry.major or None for entry in LIBRARIES.values() if entry.name == library]
    newest = tuple(store.load(store.folder_of(library, major)).known[-1] for major in majors)
    assert load(DIRECTORY / f"{library}.toml").releases == newest


@pytest.mark.parametrize(("library", "major"), NAMED)
def test_a_major_with_names_is_generated_and_packed(library: str, major: int) -> None:
    entry = LIBRARIES.get(f"{library}{major}")
    assert entry, f"no {library} of CUDA {major} in codegen/emit/libraries.py"
    project = tomllib.loads((PACKAGES / f"cuda-{library}" / "pyproject.toml").read_text("utf-8"))
    packed = project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["majors"][str(major)]
    assert packed["version"].partition(".")[0] == str(major)
    (toolkit,) = packed["toolkit"]
    assert toolkit == f"{entry.wheel}=={major}.*"


def test_every_release_has_its_sources_pinned() -> None:
    folders = [store.folder_of(name) for name, spec in SPECS.items() if not spec.per_major]
    folders += [store.folder_of(*key) for key in MAJORS]
    known = {release for folder in folders for release in store.load(folder).known}
    listed = tomllib.loads(fetch.SOURCES.read_text("utf-8"))["release"]
    assert [str(release) for release in sorted(known) if str(release) not in listed] == []
