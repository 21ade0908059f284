# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a name means in which namespace: the module with the permanent names, then each view and its per-thread twin.

A name that means the same wherever it exists is written once, with the scopes that have it; what a scope says otherwise
is written for that scope. So a hundred changed meanings cost a hundred rows and not seven whole tables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from codegen.model.api import Api, Callback, Constant, Enum, Enumerator, Handle, Record, View
from codegen.model.binding import Binding

from .errors import EmitError
from .libraries import LIBRARIES

T = TypeVar("T")

STABLE = frozenset(library.name for library in LIBRARIES.values() if not library.major)


@dataclass(frozen=True)
class Meaning:
    kind: str  # cs_name_kind
    ref: int  # a row of that kind's table


@dataclass(frozen=True)
class Member:
    """An enumerator as a view has it."""

    enum: str
    name: str
    value: int


@dataclass(frozen=True)
class EnumView:
    enum: str
    members: tuple[Member, ...]


@dataclass(frozen=True)
class Scope:
    name: str  # "", "cu12", "cu12.per_thread"
    major: int
    per_thread: bool
    names: Mapping[str, Meaning]


@dataclass(frozen=True)
class Common:
    name: str
    meaning: Meaning
    scopes: int  # bit i: scope i


@dataclass(frozen=True)
class Names:
    scopes: tuple[Scope, ...]
    common: tuple[Common, ...]
    own: tuple[tuple[tuple[str, Meaning], ...], ...]  # for each scope what it says otherwise
    enumerators: tuple[tuple[str, Enumerator], ...]  # rows: (Enum.name, enumerator), enum by enum
    enum_views: tuple[EnumView, ...]
    constants: tuple[Constant, ...]


def by_bytes(names: Iterable[str]) -> list[str]:
    """strcmp's order."""
    return sorted(names, key=str.encode)


def ordered(api: Api, enum: Enum) -> list[Enumerator]:
    """Ascending by value. The first name of a value is that of the object which all its names share: one that the
    newest header still has, and of those the newest.
    """
    current = api.views[-1].enumerators if api.views else {}
    return sorted(enum.enumerators, key=lambda e: (e.value, e.name not in current, -e.since.number, e.name))


def collect(binding: Binding) -> Names:
    return _Collector(binding.api).names()


class _Collector:
    def __init__(self, api: Api) -> None:
        self.api = api
        self.enumerators = [(enum.name, e) for enum in api.enums for e in ordered(api, enum)]
        self.enumerator_row = {(enum, e.name): i for i, (enum, e) in enumerate(self.enumerators)}
        self.row_of_enumerator = self._newest()
        self.function_row = {f.name: i for i, f in enumerate(api.functions)}
        self.types = self._types()
        self.enum_views: list[EnumView] = []
        self.members: dict[Member, int] = {}
        self.constants: dict[tuple[str, int | float | bytes, str], int] = {}
        self.constant_rows: list[Constant] = []

    def names(self) -> Names:
        stable = self.api.library in STABLE
        scopes = [Scope("", 0, False, self._module())] if stable else self._one_major()
        for view in self.api.views if stable else ():
            shared = self._view(view)
            for per_thread, functions in ((False, view.functions), (True, view.per_thread)):
                if per_thread and not functions:
                    continue
                name = f"cu{view.major}" + (".per_thread" if per_thread else "")
                meanings = self._gather(name, shared, self._functions(functions))
                scopes.append(Scope(name, view.major, per_thread, meanings))
        common, own = split([s.names for s in scopes])
        return Names(
            tuple(scopes), common, own, tuple(self.enumerators), tuple(self.enum_views), tuple(self.constant_rows)
        )

    def _one_major(self) -> list[Scope]:
        """Of a library that breaks at majors the module is the view: its names, and the permanent ones beside them."""
        (view,) = self.api.views
        shared = {**self._module(), **self._view(view)}
        scopes = [Scope("", view.major, False, {**shared, **self._functions(view.functions)})]
        if view.per_thread:
            scopes.append(Scope("per_thread", view.major, True, {**shared, **self._functions(view.per_thread)}))
        return scopes

    def _types(self) -> Mapping[str, Meaning]:
        """Types under their permanent names and under those that stand for another's."""
        kinds: tuple[tuple[str, Sequence[Enum | Handle | Callback | Record]], ...] = (
            ("enum", self.api.enums),
            ("handle", self.api.handles),
            ("callback", self.api.callbacks),
            ("record", self.api.records),
        )
        named = ((x.name, Meaning(kind, i)) for kind, found in kinds for i, x in enumerate(found))
        found = _unique("the types", ((name, meaning) for name, meaning in named if "." not in name))
        aliases = ((name, found[target]) for name, target in self.api.aliases.items())
        return _unique("the types", (*found.items(), *aliases))

    def _newest(self) -> Mapping[str, int]:
        """An enumerator that moved from one enum to another is the module's as the later one has it."""
        rows = sorted(range(len(self.enumerators)), key=lambda i: self.enumerators[i][1].since)
        return {self.enumerators[i][1].name: i for i in rows}

    def _module(self) -> Mapping[str, Meaning]:
        functions = [(f.name, f.name) for f in self.api.functions]
        functions += [(f.plain, f.name) for f in self.api.functions if f.plain]
        constants = ((c.name, self._constant(c)) for c in self.api.constants)
        return self._gather(
            "the module",
            self._functions(dict(functions)),
            self.types,
            ((name, Meaning("enumerator", row)) for name, row in self.row_of_enumerator.items()),
            constants,
        )

    def _gather(
        self, scope: str, *parts: Mapping[str, Meaning] | Iterable[tuple[str, Meaning]]
    ) -> Mapping[str, Meaning]:
        return _unique(
            scope, (pair for part in parts for pair in (part.items() if isinstance(part, Mapping) else part))
        )

    def _functions(self, names: Mapping[str, str]) -> Mapping[str, Meaning]:
        return {name: Meaning("function", self.function_row[function]) for name, function in names.items()}

    def _view(self, view: View) -> Mapping[str, Meaning]:
        """What a view and its twin have in common: everything but the functions."""
        changed = self._changed_enums(view)
        types = ((name, changed.get(target, self.types[target])) for name, target in view.types.items())
        enumerators = ((name, self._enumerator(name, enum, value)) for name, (enum, value) in view.enumerators.items())
        constants = ((name, self._constant(constant)) for name, constant in view.constants.items())
        return self._gather(f"cu{view.major}", types, enumerators, constants)

    def _changed_enums(self, view: View) -> Mapping[str, Meaning]:
        """Rows for the enums of which this view has another value under some name."""
        members: dict[str, list[Member]] = {}
        for name, (enum, value) in view.enumerators.items():
            members.setdefault(enum, []).append(Member(enum, name, value))
        found: dict[str, Meaning] = {}
        for enum in (e.name for e in self.api.enums if e.name in members):
            if all(self._permanent_value(m) == m.value for m in members[enum]):
                continue
            position = {e.name: i for i, (owner, e) in enumerate(self.enumerators) if owner == enum}
            rows = tuple(sorted(members[enum], key=lambda m: (m.value, position[m.name])))
            for row in rows:
                self.members[row] = sum(len(v.members) for v in self.enum_views) + rows.index(row)
            found[enum] = Meaning("enum_view", len(self.enum_views))
            self.enum_views.append(EnumView(enum, rows))
        return found

    def _permanent_value(self, member: Member) -> int:
        try:
            return self.enumerators[self.enumerator_row[member.enum, member.name]][1].value
        except KeyError:
            raise EmitError(f"{member.name} is in a view but not in {member.enum}") from None

    def _enumerator(self, name: str, enum: str, value: int) -> Meaning:
        member = Member(enum, name, value)
        if self._permanent_value(member) == value:
            return Meaning("enumerator", self.enumerator_row[enum, name])
        return Meaning("member", self.members[member])

    def _constant(self, constant: Constant) -> Meaning:
        """A macro that stands for an enumerator is that enumerator."""
        for name in (constant.name, constant.alias):
            row = self.row_of_enumerator.get(name or "")
            if row is not None and self.enumerators[row][1].value == constant.value:
                return Meaning("enumerator", row)
        key = (constant.name, constant.value, constant.type)
        if key not in self.constants:
            self.constants[key] = len(self.constant_rows)
            self.constant_rows.append(constant)
        return Meaning("constant", self.constants[key])


def _unique(where: str, pairs: Iterable[tuple[str, Meaning]]) -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    for name, meaning in pairs:
        if found.setdefault(name, meaning) != meaning:
            raise EmitError(f"{where}: {name} means both {found[name]} and {meaning}")
    return found


def split(
    scopes: Sequence[Mapping[str, Meaning]],
) -> tuple[tuple[Common, ...], tuple[tuple[tuple[str, Meaning], ...], ...]]:
    """Names with their most frequent meaning, and for each scope the names that it gives another one."""
    common = []
    own: list[list[tuple[str, Meaning]]] = [[] for _ in scopes]
    for name in by_bytes({name for names in scopes for name in names}):
        meaning = _most_frequent(names[name] for names in scopes if name in names)
        mask = 0
        for i, names in enumerate(scopes):
            if names.get(name) == meaning:
                mask |= 1 << i
            elif name in names:
                own[i].append((name, names[name]))
        common.append(Common(name, meaning, mask))
    return tuple(common), tuple(map(tuple, own))


def _most_frequent(items: Iterable[T]) -> T:
    """The first of the most frequent ones."""
    return Counter(items).most_common(1)[0][0]


def members(views: Iterable[EnumView]) -> Iterator[Member]:
    for view in views:
        yield from view.members
