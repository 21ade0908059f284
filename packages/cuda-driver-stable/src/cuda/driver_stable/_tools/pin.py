# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Makes sources say which version of a function they mean: what is decided here, for Python and for Cython alike.

Names that one import brings in are decided together. Where each of them has a permanent name, the import is changed to
the module with these. Where something is known only when the program runs, as in `getattr(driver, name)`, the import is
changed to the view of the CUDA major, in which every name means what it did. Where the view lacks a name, nothing is
changed. Both of the latter are told.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from . import read_cython, read_python
from .audit import fits
from .library import Source, driver, library_of
from .uses import CYTHON, Doubt, Place, UnreadableError, Use, exact_text_of, found, text_of


class Level(IntEnum):
    """How far a name can be pinned; of several, the least decides."""

    LEFT = 0  # as it is
    VIEW = 1
    PERMANENT = 2


@dataclass(frozen=True)
class Decision:
    level: Level
    name: str  # what to write
    why: str | None = None  # no permanent name will do


@dataclass(frozen=True)
class Choice:
    """What the caller says of sources that do not say it themselves."""

    cuda: int | None  # what names of the official binding mean
    per_thread: bool = False

    def scope(self, source: Source) -> str | None:
        if source.scope is not None:
            return source.scope
        library = library_of(source)
        return library.scope(self.cuda, per_thread=self.per_thread) if self.cuda in library.majors else None


@dataclass
class Pinned:
    """A file before and after."""

    path: str
    before: str
    after: str
    encoding: str
    undecided: list[Doubt] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        return self.before != self.after

    def write(self) -> None:
        Path(self.path).write_bytes(self.after.encode(self.encoding))

    def diff(self) -> str:
        before, after = (re.findall(r"[^\n]*\n|[^\n]+", text) for text in (self.before, self.after))
        made = difflib.unified_diff(before, after, f"a/{self.path}", f"b/{self.path}")
        return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in made)


@dataclass
class Result:
    files: list[Pinned] = field(default_factory=list)  # in which something was changed or remained undecided
    read: int = 0
    unread: list[tuple[str, str]] = field(default_factory=list)


def decide(use: Use, choice: Choice, member: str | None = None) -> Decision:
    """What to write for a name; `member` is an enumerator that is asked of it."""
    library, scope = library_of(use.source), choice.scope(use.source)
    if scope is None:
        if choice.cuda is None:
            return Decision(Level.LEFT, use.name, "depends on the CUDA major: say which with --cuda")
        return Decision(Level.LEFT, use.name, f"is of {library.module}, here for CUDA {library.majors[0]}")
    meaning = library.meaning(scope, use.name)
    if use.source.permanent:
        return Decision(Level.PERMANENT, use.name)
    if meaning is None:
        return Decision(Level.LEFT, use.name, f"is not in {library.module_of(scope, cython=False)}")
    if not fits(library, use, meaning):
        return Decision(Level.VIEW, use.name, f"is called with other arguments than {meaning.permanent} takes")
    if meaning.permanent:
        return Decision(Level.PERMANENT, meaning.permanent)
    # An enum of which some enumerator has another value in another major: C has one type for all of them, and in
    # Python what is asked of it may be the same.
    if library.member(scope, use.name, member) if member else use.source.cython and meaning.kind == "type":
        return Decision(Level.PERMANENT, meaning.object.__name__)
    return Decision(Level.VIEW, use.name, "differs from major to major and has no permanent name")


def module_for(source: Source, level: Level, choice: Choice) -> str:
    """The module to take names from."""
    library = library_of(source)
    if level is Level.PERMANENT:
        return f"{library.module}.{library.cython}" if source.cython else library.module
    scope = choice.scope(source)
    assert scope is not None
    return library.module_of(scope, cython=source.cython)


def told(doubt: Doubt, level: Level, choice: Choice) -> Doubt:
    """A doubt, with what was done about it."""
    done = f"now comes from the view of CUDA {choice.cuda}" if level is Level.VIEW else "was left as it is"
    return Doubt(doubt.place, f"{doubt.text}; what it is imported with {done}")


def _check(choice: Choice) -> None:
    library = driver()
    if choice.cuda is not None and choice.cuda not in library.majors:
        known = ", ".join(map(str, library.majors))
        raise ValueError(f"{library.module} has no view of CUDA {choice.cuda}; there are views of {known}")


def pin(paths: Sequence[Path], choice: Choice) -> Result:
    _check(choice)
    result = Result()
    units: dict[Path, list[Path]] = {}  # a .pyx sees what its .pxd imports, so what becomes of the one is of the other
    for path in found(paths):
        units.setdefault(path.with_suffix("") if path.suffix in CYTHON else path, []).append(path)
    parsed: list[tuple[list[Path], list[read_python.Parsed] | list[read_cython.Parsed]]] = []
    for files in units.values():
        try:
            parsed.append((files, _parse(files)))
        except UnreadableError as error:
            result.unread.extend((str(path), str(error)) for path in files)
    result.read = sum(len(files) for files, _ in parsed)
    outside = frozenset(name for _, each in parsed for one in each for name in one.seen.outside)
    for files, each in parsed:
        if any(one.touched for one in each):
            pinned = _rewrite(files, each, choice, outside)
            result.files += [one for one in pinned if one.changed or one.undecided]
    return result


def _parse(files: Sequence[Path]) -> list[read_python.Parsed] | list[read_cython.Parsed]:
    if files[0].suffix not in CYTHON:
        return [read_python.parse(text_of(path), str(path)) for path in files]
    found: list[read_cython.Parsed] = []
    for path in sorted(files):  # .pxd, .pxi, .pyx
        outer = found[0] if found and path.suffix == ".pyx" and found[0].seen.path.endswith(".pxd") else None
        found.append(read_cython.parse(exact_text_of(path), str(path), outer))
    module = files[0].with_suffix(".pyx")
    if found[0].seen.path.endswith(".pxd") and module not in files and module.is_file():
        _note_users(found[0], read_cython.parse(exact_text_of(module), str(module), found[0]))
    return found


def _note_users(pxd: read_cython.Parsed, pyx: read_cython.Parsed) -> None:
    """A module that is not to be changed goes on finding every name."""
    for local in dict.fromkeys(reference.local for reference in pyx.references):
        doubt = Doubt(Place(pxd.seen.path, 1, 1), f"{local} is used by {pyx.seen.path}, which was not named")
        pxd.seen.doubts.append(doubt)
        pxd.unclear.append(read_cython.Unclear(doubt, local, True))


def _rewrite(
    files: Sequence[Path],
    parsed: list[read_python.Parsed] | list[read_cython.Parsed],
    choice: Choice,
    outside: frozenset[str],
) -> list[Pinned]:
    cython = [one for one in parsed if isinstance(one, read_cython.Parsed)]
    if cython:
        from . import pin_cython

        return pin_cython.rewrite(cython, choice, outside)
    from . import pin_python

    return [
        pin_python.rewrite(path, one, choice, outside)
        for path, one in zip(files, parsed, strict=True)
        if isinstance(one, read_python.Parsed)
    ]
