# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a file uses of CUDA: what the readers give, and what `audit` and `pin` judge."""

from __future__ import annotations

import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from .library import Source, sources

PYTHON = frozenset({".py", ".pyi"})
CYTHON = frozenset({".pyx", ".pxd", ".pxi"})


class UnreadableError(ValueError):
    """A file that cannot be read as what its name says it is."""


@dataclass(frozen=True, order=True)
class Place:
    path: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.line else self.path


@dataclass(frozen=True)
class Shape:
    """The arguments of a call, where their number can be seen."""

    positional: int
    keywords: tuple[str, ...] = ()


@dataclass(frozen=True)
class Use:
    """A name of CUDA in a file."""

    place: Place
    source: Source
    name: str
    call: Shape | None = None
    imported: bool = False  # only brought in here; what is done with it are uses of their own
    member: bool = False  # an enumerator, asked of its enum
    guards: frozenset[str] = frozenset()  # permanent names that the driver was asked for before


@dataclass(frozen=True)
class Doubt:
    """What reading alone cannot decide."""

    place: Place
    text: str


@dataclass
class Seen:
    """All that one file uses."""

    path: str
    uses: list[Use] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    outside: set[str] = field(default_factory=set)  # names that it takes from modules that are not CUDA's

    @property
    def empty(self) -> bool:
        return not self.uses and not self.doubts


@cache
def packages() -> frozenset[str]:
    """Modules that have modules of CUDA in them."""
    return frozenset(".".join(parts[:count]) for parts in map(_split, sources()) for count in range(1, len(parts)))


def found(paths: Iterable[Path]) -> Iterator[Path]:
    """Sources under the paths, in order; a file that is named itself is taken whatever it is called."""
    for path in paths:
        if path.is_dir():
            yield from sorted(
                inner
                for inner in path.rglob("*")
                if inner.suffix in PYTHON | CYTHON and inner.is_file() and not _hidden(inner.relative_to(path))
            )
        else:
            yield path


def text_of(path: Path) -> str:
    """As Python would decode it."""
    try:
        with tokenize.open(path) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise UnreadableError(str(getattr(error, "strerror", None) or error)) from None


def exact_text_of(path: Path) -> str:
    """With the ends of lines that it has."""
    text_of(path)
    with path.open(encoding=encoding_of(path), newline="") as file:
        return file.read()


def encoding_of(path: Path) -> str:
    with path.open("rb") as file:
        return tokenize.detect_encoding(file.readline)[0]


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") or part == "__pycache__" for part in path.parts)


def _split(module: str) -> list[str]:
    return module.split(".")
