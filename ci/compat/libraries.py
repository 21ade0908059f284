# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a row loads in the place of NVIDIA's libraries, as variables for its processes."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from threading import Lock

from codegen.emit.libraries import LIBRARIES, Library
from support.build import stub_library

from .environment import UnavailableError
from .matrix import ROOT, Matrix, Toolkit

sys.path.insert(0, str(ROOT / "ci"))

import fetch_drivers

_LOCK = Lock()


def binding(toolkit: Toolkit, major: str) -> Library:
    """A library that breaks at majors has a name for each."""
    return LIBRARIES.get(f"{toolkit.library}{major}") or LIBRARIES[toolkit.library]


def variables(matrix: Matrix, library: str, installed: Mapping[str, str]) -> dict[str, str]:
    """`installed` tells which toolkit wheels there are, and of which major."""
    found = dict(driver(library)) if library else {}
    for toolkit in matrix.toolkits:
        version = installed.get(toolkit.distribution)
        if version:
            facts = binding(toolkit, version.partition(".")[0])
            found[facts.path_variable] = str(_stub(".".join(version.split(".")[:2]), facts.key))
    return found


def driver(name: str) -> Iterable[tuple[str, str]]:
    kind, _, which = name.partition("-")
    variable = LIBRARIES["driver"].path_variable
    if kind == "stub":
        yield variable, str(_stub(which, "driver"))
    else:
        fetched = _fetched(which)
        yield variable, str(fetched[0])
        yield "LD_LIBRARY_PATH", str(fetched[1])


def _stub(release: str, library: str) -> Path:
    with _LOCK:  # rows are run side by side, and the first that needs one builds it
        return stub_library(release, library)


@cache
def _fetch(name: str) -> tuple[Path, Path]:
    try:
        found = fetch_drivers.fetch([name])[name]
    except fetch_drivers.UnavailableError as error:
        raise UnavailableError(f"driver {name} cannot be had: {error}") from error
    return found.library, found.folder


def _fetched(name: str) -> tuple[Path, Path]:
    with _LOCK:
        return _fetch(name)
