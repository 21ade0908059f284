# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What no header says: the entries of overrides/<library>.toml, read and checked for form.

Every entry carries a reason. Whether an entry still fits the API is for `bind` to check.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .api import Release
from .fold import parameters_as_written
from .official import Extra, Official

DIRECTORY = Path(__file__).parent.parent / "overrides"


class OverrideError(ValueError):
    """An override, or the API without an override, does not add up."""


@dataclass(frozen=True)
class ParameterEntry:
    """How some parameters of some functions are offered. None stands for what the rules say."""

    functions: tuple[str, ...]  # versioned names without stream suffix: cuMemcpyDtoH_v2
    names: tuple[str, ...]
    reason: str
    formerly: tuple[str, ...] = ()  # what older headers call them
    kind: str | None = None
    flags: frozenset[str] = frozenset()
    link: str | int | None = None  # name of another parameter; a number of elements
    link2: str | None = None
    typed: str | None = None
    sized_by: str | None = None  # function that tells how much room the parameter needs
    pointee: str | None = None  # what a `void *` points to; "void": a `const char *` leads to bytes and not to text


@dataclass(frozen=True)
class ReleasedName:
    """A parameter that a header calls otherwise since we released it. Keyword arguments use what was released.

    Every other entry speaks of the released name too.
    """

    functions: tuple[str, ...]
    header: str  # what the newest header calls it
    name: str  # what it was called when it was released
    reason: str


@dataclass(frozen=True)
class FunctionEntry:
    functions: tuple[str, ...]
    reason: str
    majors: frozenset[int] = frozenset()  # the toolkit majors of which it is true; none named: all


@dataclass(frozen=True)
class PlainCountEntry:
    """Parameters that look like the number of elements of an array and are none."""

    functions: tuple[str, ...]
    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class FieldEntry:
    records: tuple[str, ...]
    names: tuple[str, ...]
    kind: str
    reason: str
    link: str | None = None


@dataclass(frozen=True)
class TypedEntry:
    """The C types of the values that the enumerators of one enum stand for."""

    name: str
    enum: str
    reason: str
    rows: Mapping[str, str]  # enumerator -> "unsigned int", "CUcontext", "char[1024]", "int[]"
    flags: frozenset[str] = frozenset()
    row_flags: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True)
class OfficialType:
    """What the official Cython module writes for a type, or for parameters of functions."""

    text: str
    reason: str
    name: str = ""
    functions: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    majors: frozenset[int] = frozenset()  # of which it is true; none named: all


@dataclass(frozen=True)
class OfficialEntry:
    module: str
    extern: tuple[str, ...]
    types: tuple[OfficialType, ...] = ()
    parameters: tuple[OfficialType, ...] = ()
    extras: tuple[tuple[Extra, frozenset[int]], ...] = ()  # with the majors that have it; none named: all

    def of(self, major: int) -> Official:
        return Official(
            module=self.module,
            extern=frozenset(self.extern),
            types={entry.name: entry.text for entry in self.types},
            parameters={
                (function, name): entry.text
                for entry in self.parameters
                if not entry.majors or major in entry.majors
                for function in entry.functions
                for name in entry.names
            },
            extras=tuple(extra for extra, majors in self.extras if not majors or major in majors),
        )


@dataclass(frozen=True)
class Overrides:
    """`releases` are those the entries were written for: the driver's newest, or the last of each toolkit major.

    From them on, a parameter has its newest name; where there is one only, an entry that does not fit is an error.
    """

    releases: tuple[Release, ...]
    parameters: tuple[ParameterEntry, ...] = ()
    released_names: tuple[ReleasedName, ...] = ()
    plain_counts: tuple[PlainCountEntry, ...] = ()
    keep_gil: tuple[FunctionEntry, ...] = ()
    outputs_on_error: tuple[FunctionEntry, ...] = ()
    fields: tuple[FieldEntry, ...] = ()
    typed: tuple[TypedEntry, ...] = ()
    equivalents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    casts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    streams: frozenset[str] = frozenset()
    official: OfficialEntry | None = None

    def written_for(self, release: Release) -> bool:
        """Whether the entries speak of this release, and not of a later one of its major."""
        own = [r for r in self.releases if r.major == release.major]
        return release >= max(own or self.releases)


def load(path: Path) -> Overrides:
    with path.open("rb") as file:
        return parse(tomllib.load(file), path.name)


def parse(data: Mapping[str, Any], source: str = "overrides") -> Overrides:
    top = _Table(data, source)
    overrides = Overrides(
        releases=tuple(Release.parse(text) for text in top.texts("releases")),
        parameters=tuple(_parameter(t) for t in top.tables("parameter")),
        released_names=tuple(
            ReleasedName(t.texts("functions"), t.text("header"), t.text("name"), t.text("reason"))
            for t in top.tables("released_name")
        ),
        plain_counts=tuple(
            PlainCountEntry(t.texts("functions"), t.texts("names"), t.text("reason")) for t in top.tables("plain_count")
        ),
        keep_gil=tuple(_function(t) for t in top.tables("keep_gil")),
        outputs_on_error=tuple(_function(t) for t in top.tables("outputs_on_error")),
        fields=tuple(
            FieldEntry(t.texts("records"), t.texts("names"), t.text("kind"), t.text("reason"), t.maybe("link", str))
            for t in top.tables("field")
        ),
        typed=tuple(_typed(t) for t in top.tables("typed")),
        equivalents={name: tuple(names) for name, names in top.mapping("equivalents", list).items()},
        casts={name: tuple(names) for name, names in top.mapping("casts", list).items()},
        streams=frozenset(top.maybe("streams", list) or ()),
        official=_official(top),
    )
    top.finish()
    return overrides


def _function(table: _Table) -> FunctionEntry:
    return FunctionEntry(table.texts("functions"), table.text("reason"), table.majors())


def _official(top: _Table) -> OfficialEntry | None:
    data = top.maybe("official", dict)
    if data is None:
        return None
    table = _Table(data, f"{top.where}: official")
    entry = OfficialEntry(
        module=table.text("module"),
        extern=table.texts("extern"),
        types=tuple(OfficialType(t.text("text"), t.text("reason"), t.text("name")) for t in table.tables("type")),
        parameters=tuple(
            OfficialType(
                t.text("text"),
                t.text("reason"),
                functions=t.texts("functions"),
                names=t.texts("names"),
                majors=t.majors(),
            )
            for t in table.tables("parameter")
        ),
        extras=tuple(_extra(t) for t in table.tables("function")),
    )
    table.finish()
    return entry


def _extra(table: _Table) -> tuple[Extra, frozenset[int]]:
    introduced = table.maybe("introduced", str)
    extra = Extra(
        name=table.text("name"),
        reason=table.text("reason"),
        result=table.maybe("result", str) or "",
        parameters=tuple(parameters_as_written(table.maybe("parameters", str) or "")),
        fields=tuple(table.maybe("fields", list) or ()),
        calls=table.maybe("calls", str) or "",
        introduced=Release.parse(introduced) if introduced else None,
    )
    if sum(map(bool, (extra.fields, extra.calls, extra.introduced))) != 1:
        raise OverrideError(f"{table.where}: {extra.name} needs one of fields, calls and introduced")
    if bool(extra.calls) == bool(extra.result):
        raise OverrideError(f"{table.where}: {extra.name} has the type of what it calls, or a result and parameters")
    return extra, table.majors()


def _parameter(table: _Table) -> ParameterEntry:
    link = table.maybe("link", str)
    fixed = table.maybe("fixed", int)
    if link is not None and fixed is not None:
        raise OverrideError(f"{table.where}: link and fixed exclude each other")
    return ParameterEntry(
        functions=table.texts("functions"),
        names=table.texts("names"),
        reason=table.text("reason"),
        formerly=table.texts("formerly") if "formerly" in table else (),
        kind=table.maybe("kind", str),
        flags=frozenset(table.maybe("flags", list) or ()),
        link=link if fixed is None else fixed,
        link2=table.maybe("link2", str),
        typed=table.maybe("typed", str),
        sized_by=table.maybe("sized_by", str),
        pointee=table.maybe("pointee", str),
    )


def _typed(table: _Table) -> TypedEntry:
    rows = table.mapping("rows", str)
    row_flags = {name: frozenset(flags) for name, flags in table.mapping("row_flags", list).items()}
    if strange := row_flags.keys() - rows.keys():
        raise OverrideError(f"{table.where}: row_flags for {', '.join(sorted(strange))}, which has no row")
    return TypedEntry(
        name=table.text("name"),
        enum=table.text("enum"),
        reason=table.text("reason"),
        rows=rows,
        flags=frozenset(table.maybe("flags", list) or ()),
        row_flags=row_flags,
    )


class _Table:
    """A TOML table that complains about what is missing, of the wrong type, or left over."""

    def __init__(self, data: Mapping[str, Any], where: str) -> None:
        self.where = where
        self._data = data
        self._used: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._data

    def maybe(self, key: str, kind: type) -> Any:
        self._used.add(key)
        value = self._data.get(key)
        if value is not None and not isinstance(value, kind):
            raise OverrideError(f"{self.where}: {key} is {value!r}, expected {kind.__name__}")
        return value

    def text(self, key: str) -> str:
        value = self.maybe(key, str)
        if not value:
            raise OverrideError(f"{self.where}: no {key}")
        return str(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.maybe(key, list)
        if not value or not all(isinstance(item, str) for item in value):
            raise OverrideError(f"{self.where}: {key} must be a list of names")
        if len(set(value)) != len(value):
            raise OverrideError(f"{self.where}: {key} names something twice")
        return tuple(value)

    def majors(self) -> frozenset[int]:
        value = self.maybe("majors", list) or ()
        if not all(isinstance(item, int) for item in value):
            raise OverrideError(f"{self.where}: majors must be a list of numbers")
        return frozenset(value)

    def mapping(self, key: str, kind: type) -> Mapping[str, Any]:
        value = self.maybe(key, dict) or {}
        for name, item in value.items():
            if not isinstance(item, kind):
                raise OverrideError(f"{self.where}: {key}.{name} is {item!r}, expected {kind.__name__}")
        return dict(value)

    def tables(self, key: str) -> Iterator[_Table]:
        for index, item in enumerate(self.maybe(key, list) or ()):
            table = _Table(item, f"{self.where}: {key}[{index}]")
            yield table
            table.finish()

    def finish(self) -> None:
        if strange := self._data.keys() - self._used:
            raise OverrideError(f"{self.where}: unknown {', '.join(sorted(strange))}")
