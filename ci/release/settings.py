# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""release.toml and budgets.toml, read into what the other modules take."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
BUDGETS = HERE.parent / "budgets.toml"


@dataclass(frozen=True)
class Target:
    machine: str
    platform: str  # the tag, or several with dots between
    zig: str
    include: str = ""  # its Python.h, where that of the building Python does not serve
    compile: str = ""  # options of the compiler
    link: str = ""  # and of the linker


@dataclass(frozen=True)
class RootSpec:
    name: str
    suite: str
    script: str
    packages: tuple[str, ...]
    architecture: str = ""  # Debian's word for it, where it is not this machine's


@dataclass(frozen=True)
class Run:
    """The suites that each of these Pythons runs."""

    pythons: tuple[str, ...]
    driver: str
    others: str
    root: str = ""


@dataclass(frozen=True)
class Readme:
    """What the examples of a README leave to the reader."""

    before: str = ""  # Python
    skip: str = ""  # why they are not run


@dataclass(frozen=True)
class Budget:
    wheel: int
    installed: int
    sdist: int


@dataclass(frozen=True)
class Settings:
    targets: tuple[Target, ...]
    windows: Target
    roots: Mapping[str, RootSpec]
    runs: tuple[Run, ...]
    suites: Mapping[str, tuple[str, ...]]
    readmes: Mapping[str, Readme]
    always: tuple[str, ...]
    optional: tuple[str, ...]


def load(path: Path = HERE / "release.toml") -> Settings:
    document = tomllib.loads(path.read_text("utf-8"))
    return Settings(
        targets=tuple(Target(**row) for row in document["target"]),
        windows=Target(**document["windows"]),
        roots={
            name: RootSpec(name=name, **{**row, "packages": tuple(row["packages"])})
            for name, row in document["root"].items()
        },
        runs=tuple(Run(**{**row, "pythons": tuple(row["pythons"])}) for row in document["run"]),
        suites={name: tuple(paths) for name, paths in document["suite"].items()},
        readmes={name: Readme(**row) for name, row in document["readme"].items()},
        always=tuple(document["requirements"]["always"]),
        optional=tuple(document["requirements"]["optional"]),
    )


def budgets(path: Path = BUDGETS) -> dict[str, Budget]:
    return {name: Budget(**row) for name, row in tomllib.loads(path.read_text("utf-8")).items()}
