# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The rows that ci/matrix.toml stands for. It needs nothing but the standard library: a plan is made of it, too."""

from __future__ import annotations

import itertools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "ci" / "matrix.toml"
DRIVER = "cuda-driver-stable"
AXES = ("wheel", "toolkit", "library", "python")
ROWS = "tests/compat/rows"  # what a row of the product runs
KINDS = ("stub", "real")


class MatrixError(ValueError):
    """What ci/matrix.toml cannot mean."""


@dataclass(frozen=True)
class Toolkit:
    distribution: str
    library: str  # the generator's word
    releases: Mapping[str, str]  # CUDA major -> the release that the wheel of that major is of


@dataclass(frozen=True)
class Row:
    name: str
    group: str  # rows that go together where each group is a job of its own
    always: bool
    python: str = ""  # none: the oldest; of a suite, the session's own
    install: tuple[str, ...] = ()  # what pip is asked for; nothing: a suite that runs in the session's environment
    gets: Mapping[str, str] = field(default_factory=dict)  # distribution -> what its version has to begin with
    refused: tuple[str, ...] = ()  # words of what pip has to say instead of installing
    instead: tuple[str, ...] = ()  # what is installed after that
    library: str = ""  # stub-13.5, real-470
    tests: tuple[str, ...] = ()
    select: str = ""  # of the tests, as pytest's -k has it

    @property
    def is_suite(self) -> bool:
        return not self.install


@dataclass(frozen=True)
class Matrix:
    axes: Mapping[str, tuple[str, ...]]
    needed: tuple[str, ...]  # Pythons that a CI has to have
    toolkits: tuple[Toolkit, ...]
    floor: str
    also: Mapping[str, str]  # other wheels of ours -> the module
    beside: Mapping[str, tuple[str, ...]]  # version of cuda-bindings -> what else of NVIDIA's is installed with it
    rows: tuple[Row, ...]  # those that are run always first

    def releases(self) -> set[str]:
        """Those of the driver wheels that rows ask for."""
        return set(self.axes["wheel"])

    def chosen(
        self, *, full: bool = False, names: Sequence[str] = (), groups: Sequence[str] = (), suites: bool = True
    ) -> tuple[Row, ...]:
        known = {row.name for row in self.rows} | {row.group for row in self.rows}
        if unknown := sorted({*names, *groups} - known):
            raise MatrixError(f"no row and no group of the matrix is called {', '.join(unknown)}")
        if names:
            return tuple(row for row in self.rows if row.name in names)
        return tuple(
            row
            for row in self.rows
            if (full or row.always) and (not groups or row.group in groups) and (suites or not row.is_suite)
        )


def load(path: Path = DATA) -> Matrix:
    data = tomllib.loads(path.read_text("utf-8"))
    axes = {axis: tuple(data["axes"][axis]) for axis in AXES}
    toolkits = tuple(
        Toolkit(distribution, facts["library"], facts["releases"]) for distribution, facts in data["toolkit"].items()
    )
    floor = data["floor"]["wheel"]
    always = {values: None for pairs in data["always"] for values in _product(axes, pairs)}
    every = {**always, **dict.fromkeys(_product(axes, {}))}
    rows = [_product_row(values, toolkits, floor, values in always) for values in every]
    rows += [_row(facts, axes) for facts in data["row"]]
    names = [row.name for row in rows]
    if twice := {name for name in names if names.count(name) > 1}:
        raise MatrixError(f"two rows are called {', '.join(sorted(twice))}")
    beside = {version: tuple(others) for version, others in data["beside"].items()}
    return Matrix(
        axes=axes,
        needed=tuple(data["needed"]["python"]),
        toolkits=toolkits,
        floor=floor,
        also=data["also"],
        beside=beside,
        rows=tuple(sorted(rows, key=lambda row: not row.always)),
    )


def _product(axes: Mapping[str, tuple[str, ...]], pairs: Mapping[str, list[str]]) -> Iterator[tuple[str, ...]]:
    if unknown := sorted(pairs.keys() - axes.keys()):
        raise MatrixError(f"no axis is called {', '.join(unknown)}; there are {', '.join(axes)}")
    for axis, values in pairs.items():
        # A library may be one that the whole product leaves out: it comes from ci/drivers.toml.
        if strange := [v for v in values if v not in axes[axis] and not (axis == "library" and _is_library(v))]:
            raise MatrixError(f"the axis {axis} has no {', '.join(strange)}")
    yield from itertools.product(*(pairs.get(axis, axes[axis]) for axis in axes))


def _is_library(name: str) -> bool:
    return name.partition("-")[0] in KINDS and bool(name.partition("-")[2])


def _product_row(values: tuple[str, ...], toolkits: Sequence[Toolkit], floor: str, always: bool) -> Row:
    wheel, major, library, python = values
    driver = f"{DRIVER}=={wheel}.*"
    releases = {t.distribution: t.releases[major] for t in toolkits if major in t.releases}
    both = (driver, *(f"{distribution}=={release}.*" for distribution, release in releases.items()))
    works = _number(wheel) >= _number(floor)
    return Row(
        name=f"{wheel}-cu{major}-{library}-py{python}",
        group=f"driver-{wheel}-py{python}",
        always=always,
        python=python,
        install=both,
        gets={DRIVER: wheel, **(releases if works else {})},
        refused=() if works else (driver, f"{DRIVER}>={floor}"),
        instead=() if works else (driver,),
        library=library,
        tests=(ROWS,),
    )


def _row(facts: Mapping[str, Any], axes: Mapping[str, tuple[str, ...]]) -> Row:
    known = ("name", "python", "install", "gets", "refused", "library", "tests", "select", "group", "always")
    if unknown := sorted(set(facts) - set(known)):
        raise MatrixError(f"row {facts['name']}: unknown {', '.join(unknown)}")
    name = str(facts["name"])
    install = tuple(facts.get("install", ()))
    library = str(facts.get("library", ""))
    if library and not _is_library(library):
        raise MatrixError(f"row {name}: the library is {library}, and not stub-… or real-…")
    return Row(
        name=name,
        group=str(facts.get("group", name if not install else "environments")),
        always=bool(facts.get("always", True)),
        python=str(facts.get("python", axes["python"][0] if install else "")),
        install=install,
        gets=facts.get("gets", {}),
        refused=tuple(facts.get("refused", ())),
        library=library,
        tests=tuple(facts.get("tests", ())),
        select=str(facts.get("select", "")),
    )


def _number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))
