# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What sources need of a driver, and what in them does not mean one thing.

A name from a permanent module or from a view means one function. One from the official binding means what the release
means that is installed with it, so it is judged for each CUDA major.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from .._api import CudaVersion
from . import read_binary, read_cython, read_python
from .library import Library, Meaning, driver, library_of, library_with
from .uses import CYTHON, Doubt, Place, Seen, Shape, UnreadableError, Use, found, text_of

Problem = Literal["unknown", "differs", "mismatch", "too new"]


@dataclass(frozen=True)
class Finding:
    problem: Problem
    place: Place
    name: str
    text: str


@dataclass(frozen=True)
class Need:
    """The newest thing that is asked of a library, and so the oldest release of it that will do."""

    library: str
    cuda: int | None  # where names mean what this major means; None: as they are written
    version: CudaVersion
    name: str  # the permanent name that asks for it
    place: Place


@dataclass(frozen=True)
class Lack:
    """A major of the official binding that the sources cannot run with."""

    cuda: int
    name: str
    place: Place


@dataclass
class Audit:
    files: int = 0  # that were read
    using: int = 0  # of them with something of CUDA
    needs: list[Need] = field(default_factory=list)
    lacks: list[Lack] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)


def read(path: Path) -> Seen:
    text = text_of(path)
    if path.suffix not in CYTHON:
        return read_python.read(text, str(path))
    outer = path.with_suffix(".pxd")
    shared = read_cython.parse(text_of(outer), str(outer)) if path.suffix == ".pyx" and outer.is_file() else None
    return read_cython.read(text, str(path), shared)


def audit(
    paths: Sequence[Path],
    binaries: Sequence[Path] = (),
    *,
    majors: Sequence[int] = (),
    per_thread: bool = False,
    limit: CudaVersion | None = None,
) -> Audit:
    """`majors` are those of the official binding that the sources are meant for; without, all that have their names."""
    result = Audit()
    uses: list[Use] = []
    for reader, each in ((read, found(paths)), (read_binary.read, binaries)):
        for path in each:
            try:
                seen = reader(path)
            except UnreadableError as error:
                result.unread.append((str(path), str(error)))
                continue
            result.files += 1
            result.using += not seen.empty
            uses += seen.uses
            result.doubts += seen.doubts
    _judge(result, uses, majors, per_thread)
    if limit:
        result.findings += [
            Finding("too new", need.place, need.name, f"{need.name} needs CUDA {need.version}, newer than {limit}")
            for need in result.needs
            if need.library == driver().module and need.version > limit
        ]
    result.findings.sort(key=lambda finding: (finding.place, finding.name))
    result.doubts.sort(key=lambda doubt: doubt.place)
    return result


def _judge(result: Audit, uses: Sequence[Use], majors: Sequence[int], per_thread: bool) -> None:
    exact = [use for use in uses if not use.source.official]
    official = [use for use in uses if use.source.official]
    needed: dict[Library, list[tuple[CudaVersion, str, Place]]] = {}
    for use in exact:
        library = library_of(use.source)
        meaning = library.meaning(str(use.source.scope), use.name)
        if meaning is None:
            if library.pattern.fullmatch(use.name):
                result.findings.append(Finding("unknown", use.place, use.name, _unknown(library, use)))
            continue
        needed.setdefault(library, []).extend(_needed(library, use, meaning))
        if not fits(library, use, meaning):
            text = f"{_call(use)} does not fit {library.signature(str(meaning.permanent))}"
            result.findings.append(Finding("mismatch", use.place, use.name, text))
    for library, each in needed.items():
        if each:
            result.needs.append(Need(library.module, None, *max(each, key=lambda need: need[0])))
    for library in dict.fromkeys(library_of(use.source) for use in official):
        mine = [use for use in official if use.source.library == library.module]
        _judge_official(result, library, mine, majors, per_thread)


def _judge_official(
    result: Audit, library: Library, uses: Sequence[Use], majors: Sequence[int], per_thread: bool
) -> None:
    for major in set(majors) - set(library.majors):
        if library is driver():
            raise ValueError(f"no view of CUDA {major}; there are views of {', '.join(map(str, library.majors))}")
        text = f"{library.module} here is of CUDA {library.majors[0]}, so this was not judged for CUDA {major}"
        result.doubts.append(Doubt(min(use.place for use in uses), text))
    if majors and not set(majors) & set(library.majors):
        return
    majors = [major for major in majors if major in library.majors]
    known = [use for use in uses if any(_meanings(library, use, library.majors, per_thread))]
    result.findings += [
        Finding("unknown", use.place, use.name, _unknown(library, use))
        for use in uses
        if use not in known and library.pattern.fullmatch(use.name)
    ]
    possible = []
    for major in majors or library.majors:
        missing = [use for use in known if not any(_meanings(library, use, [major], per_thread))]
        if missing:
            result.lacks.append(Lack(major, missing[0].name, missing[0].place))
        else:
            possible.append(major)
    judged = possible or list(majors or library.majors)
    for major in judged:
        needed = [
            need
            for use in known
            for meaning in _meanings(library, use, [major], per_thread)
            for need in _needed(library, use, meaning)
        ]
        if needed:
            result.needs.append(Need(library.module, major, *max(needed, key=lambda need: need[0])))
    seen_names = {(use.place.path, use.name) for use in known if not use.imported}
    for use in known:
        if not use.imported or (use.place.path, use.name) not in seen_names:
            _compare(result, library, use, judged, per_thread)


def _compare(result: Audit, library: Library, use: Use, majors: Sequence[int], per_thread: bool) -> None:
    """Whether a use means the same in all majors, and whether a call fits what it means."""
    meanings = {m: found for m in majors for found in _meanings(library, use, [m], per_thread)}
    fitting = [m for m, meaning in meanings.items() if fits(library, use, meaning)]
    different = {meaning.identity for meaning in meanings.values()}
    if not meanings:
        return
    if not fitting:
        told = "; ".join(dict.fromkeys(library.signature(str(m.permanent)) for m in meanings.values()))
        result.findings.append(Finding("mismatch", use.place, use.name, f"{_call(use)} does not fit {told}"))
    elif len(different) > 1 and {m.kind for m in meanings.values()} == {"value"}:
        told = ", ".join(f"{m.object!r} in CUDA {major}" for major, m in meanings.items())
        result.doubts.append(Doubt(use.place, f"{use.name} is {told}"))
    elif len(different) > 1:
        told = ", ".join(f"{m.identity} in CUDA {major}" for major, m in meanings.items())
        only = f"; the arguments fit CUDA {', '.join(map(str, fitting))} only" if len(fitting) < len(meanings) else ""
        result.findings.append(Finding("differs", use.place, use.name, f"{use.name} is {told}{only}"))


def _meanings(library: Library, use: Use, majors: Iterable[int], per_thread: bool) -> list[Meaning]:
    scopes = (library.scope(major, per_thread=per_thread) for major in majors)
    return [meaning for scope in scopes if (meaning := library.meaning(scope, use.name))]


def _needed(library: Library, use: Use, meaning: Meaning) -> Iterator[tuple[CudaVersion, str, Place]]:
    if meaning.kind == "function" and not use.imported and meaning.permanent not in use.guards:
        assert meaning.permanent is not None
        yield library.introduced(meaning.permanent), meaning.permanent, use.place


def fits(library: Library, use: Use, meaning: Meaning) -> bool:
    """Whether the arguments of a call, where they can be counted, are those of a function."""
    if use.call is None or meaning.kind != "function":
        return True
    if use.source.cython:
        return use.call == Shape(len(library.rows[str(meaning.permanent)]["parameters"]))
    try:
        inspect.signature(meaning.object).bind(*[None] * use.call.positional, **dict.fromkeys(use.call.keywords))
    except TypeError:
        return False
    return True


def _call(use: Use) -> str:
    assert use.call is not None
    count = use.call.positional + len(use.call.keywords)
    named = f" ({', '.join(use.call.keywords)} by name)" if use.call.keywords else ""
    return f"a call with {count} argument{'s' if count != 1 else ''}{named}"


def _unknown(library: Library, use: Use) -> str:
    if use.source.permanent and use.name in library.bases:
        majors = ((m, library.meaning(library.scope(m), use.name)) for m in library.majors)
        told = ", ".join(f"{found.permanent} in CUDA {major}" for major, found in majors if found)
        return f"{use.name} has several versions and no permanent name; it is {told}"
    if library is not driver():
        where = f"{library.module} of CUDA {library.majors[0]}"
        where += " does not know" if use.source.official else " has no"
        return f"{where} {use.name}" + _near(library, use.name)
    where = "no CUDA driver" if use.source.official or use.source.permanent else f"the view {use.source.scope}"
    return f"{where} has {use.name}{_near(library, use.name)}"


def _near(library: Library, name: str) -> str:
    near = [known for known in library.near(name) if known != name]
    return f"; did you mean {', '.join(near)}?" if near else ""


# -- as text


def describe(result: Audit) -> Iterator[str]:
    for path, problem in result.unread:
        yield f"{path}: cannot be read: {problem}"
    for finding in result.findings:
        yield f"{finding.place}: {finding.problem}: {finding.text}"
    for doubt in result.doubts:
        yield f"{doubt.place}: undecided: {doubt.text}"
    for need in result.needs:
        where = f"with cuda-bindings {need.cuda}" if need.cuda else "as written"
        what = library_with(need.library).title
        yield f"{where}: needs {what} CUDA {need.version}, for {need.name} at {need.place}"
    for lack in result.lacks:
        yield f"with cuda-bindings {lack.cuda}: cannot run, it has no {lack.name}, as at {lack.place}"
    if not result.using:
        yield "nothing of CUDA is used"
    counted = (
        (result.files, "files read"),
        (result.using, "use CUDA"),
        (len(result.findings), "findings"),
        (len(result.doubts), "undecided"),
        (len(result.unread), "unreadable"),
    )
    yield ", ".join(f"{count} {what}" for count, what in counted)
