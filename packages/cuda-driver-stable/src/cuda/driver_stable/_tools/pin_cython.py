# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Pins Cython sources, as text: what is known of them are tokens, so only names and imports are touched."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .library import Source, sources
from .pin import Choice, Decision, Level, Pinned, decide, module_for, told
from .read_cython import Import, Parsed, Reference, Taken
from .read_python import Member, Module
from .uses import Doubt, Place, Use, encoding_of

Key = tuple[str, str]  # the local name, and for `cimport cuda.bindings.cydriver` the module


@dataclass
class Group:
    """Everything that goes by one local name."""

    level: Level = Level.PERMANENT
    references: list[tuple[Parsed, Reference, Decision]] = field(default_factory=list)
    taken: list[tuple[Parsed, Import, Taken]] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)

    def lower(self, level: Level, doubt: Doubt) -> None:
        self.level = min(self.level, level)
        self.doubts.append(doubt)


@dataclass(frozen=True)
class New:
    """What one name of an import becomes."""

    module: str | None  # after `from`
    name: str
    alias: str | None

    def __str__(self) -> str:
        return f"{self.name} as {self.alias}" if self.alias else self.name


def rewrite(files: Sequence[Parsed], choice: Choice, outside: frozenset[str]) -> list[Pinned]:
    """The files of one module, which share their names."""
    plan = _Plan(files, choice, outside)
    found = []
    for parsed in files:
        path = parsed.seen.path
        mine = [doubt for doubt in plan.undecided if doubt.place.path == path]
        after = _applied(parsed.text, plan.edits(parsed))
        found.append(Pinned(path, parsed.text, after, encoding_of(Path(path)), mine))
    return found


class _Plan:
    def __init__(self, files: Sequence[Parsed], choice: Choice, outside: frozenset[str]) -> None:
        self.files = files
        self.choice = choice
        self.outside = outside
        self.names: dict[tuple[int, tuple[int, int]], str] = {}  # of a file, by the span in its text
        self.imports: dict[tuple[int, int], New] = {}  # of a file, by the start of the name
        unclear = {one.doubt for parsed in files for one in parsed.unclear}
        undecided = [doubt for parsed in files for doubt in parsed.seen.doubts if doubt not in unclear]
        for group in self._groups().values():
            self._judge(group)
            undecided += [told(doubt, group.level, choice) for doubt in group.doubts]
            if group.level is not Level.LEFT:
                for parsed, statement, taken in group.taken:
                    self._change(group, parsed, statement, taken)
        self.undecided = sorted(dict.fromkeys(undecided), key=lambda doubt: doubt.place)

    def _groups(self) -> dict[Key, Group]:
        found: dict[Key, Group] = {}
        for parsed in self.files:
            for statement in parsed.imports:
                for taken in statement.taken:
                    if taken.bound and self._source(statement, taken, parsed):
                        key = self._key(statement, taken, parsed)
                        found.setdefault(key, Group()).taken.append((parsed, statement, taken))
        for parsed in self.files:
            for reference in parsed.references:
                decision = decide(reference.use, self.choice, reference.member)
                for key in ((reference.local, ""), (reference.local, reference.module or "")):
                    if key in found:
                        found[key].references.append((parsed, reference, decision))
                        break
                else:
                    doubt = Doubt(reference.use.place, f"{reference.use.name} is reached through a package")
                    found.setdefault((reference.local, "?"), Group(Level.LEFT)).doubts.append(doubt)
            for one in parsed.unclear:
                for key, group in found.items():
                    if key[0] == one.local:
                        group.lower(Level.VIEW if one.handed else Level.LEFT, one.doubt)
        return found

    @staticmethod
    def _key(statement: Import, taken: Taken, parsed: Parsed) -> Key:
        dotted = statement.module is None and taken.alias is None
        return (taken.name.text if dotted else taken.local, _written(taken, parsed) if dotted else "")

    @staticmethod
    def _source(statement: Import, taken: Taken, parsed: Parsed) -> Source | None:
        if statement.module is None:
            return sources().get(_written(taken, parsed))
        return taken.bound.source if isinstance(taken.bound, (Module, Member)) else None

    def _judge(self, group: Group) -> None:
        official = False
        for parsed, statement, taken in group.taken:
            source = self._source(statement, taken, parsed)
            official = official or bool(source and source.official)
            if isinstance(taken.bound, Member):
                place = Place(parsed.seen.path, taken.name.line, taken.name.column)
                asked = [reference for _, reference, _ in group.references]
                if asked and all(reference.member for reference in asked):
                    continue
                decision = decide(Use(place, taken.bound.source, taken.bound.name, imported=True), self.choice)
                if decision.why:
                    group.lower(decision.level, Doubt(place, f"{taken.bound.name} {decision.why}"))
        for _, reference, decision in group.references:
            if decision.why:
                group.lower(decision.level, Doubt(reference.use.place, f"{reference.use.name} {decision.why}"))
        if group.level is Level.VIEW and not official:
            group.level = Level.LEFT

    # -- changes

    def _change(self, group: Group, parsed: Parsed, statement: Import, taken: Taken) -> None:
        source = self._source(statement, taken, parsed)
        if source is None or source.permanent:
            return
        module = module_for(source, group.level, self.choice)
        key = (id(parsed), taken.name.start)
        if isinstance(taken.bound, Member):
            decision = decide(Use(Place("", 0, 0), source, taken.bound.name, imported=True), self.choice)
            name = taken.bound.name
            if group.level is Level.PERMANENT:
                name = group.references[0][2].name if group.references else decision.name
            renamed = taken.alias is None and self._free(group, taken, name)
            local = name if renamed else taken.local
            self.imports[key] = New(module, name, local if local != name else None)
            if renamed:
                for file, reference, _ in group.references:
                    self.names[id(file), reference.whole] = name
            return
        parent, _, name = module.rpartition(".")
        if statement.module is None:
            self.imports[key] = New(None, module, taken.alias.text if taken.alias else None)
            prefix = taken.alias.text if taken.alias else module
        else:
            ours = not source.official and taken.alias is None and self._free(group, taken, name)
            prefix = name if ours else taken.local
            self.imports[key] = New(parent, name, prefix if prefix != name else None)
        for file, reference, decision in group.references:
            written = decision.name if group.level is Level.PERMANENT else reference.use.name
            self.names[id(file), reference.whole] = f"{prefix}.{written}"

    def _free(self, group: Group, taken: Taken, name: str) -> bool:
        """Whether a local name can be changed: it is used, only here, and the new one is not taken."""
        if taken.local in self.outside or len(group.taken) > 1:
            return False
        return bool(group.references) and not any(name in parsed.names for parsed in self.files)

    def edits(self, parsed: Parsed) -> Iterator[tuple[int, int, str]]:
        for (file, span), text in self.names.items():
            if file == id(parsed) and parsed.text[span[0] : span[1]] != text:
                yield (*span, text)
        for statement in parsed.imports:
            changed = {t.name.start: self.imports.get((id(parsed), t.name.start)) for t in statement.taken}
            if any(changed.values()):
                yield from _import_edits(parsed.text, statement, changed)


def _import_edits(text: str, statement: Import, changed: dict[int, New | None]) -> Iterator[tuple[int, int, str]]:
    if statement.module is None or statement.module_span is None:
        for taken in statement.taken:
            new = changed[taken.name.start]
            if new:
                yield taken.name.start, taken.name_end, new.name
        return
    modules: dict[str, list[Taken]] = {}
    for taken in statement.taken:
        new = changed[taken.name.start]
        modules.setdefault(str(new.module) if new else statement.module, []).append(taken)
    stays = statement.module if statement.module in modules else next(iter(modules))
    yield (*statement.module_span, stays)
    for taken in modules.pop(stays):
        new = changed[taken.name.start]
        if new:
            yield taken.name.start, taken.end, str(new)
    if not modules:
        return
    gone = [taken for names in modules.values() for taken in names]
    yield from _removed(text, statement, gone)
    line = text.rfind("\n", 0, statement.span[0]) + 1
    indent = text[line : statement.span[0]]
    between = f"{_newline(text)}{indent}" if not indent.strip() else "; "
    word = statement.word.text
    made = [f"from {module} {word} {', '.join(str(changed[t.name.start]) for t in n)}" for module, n in modules.items()]
    yield statement.span[0], statement.span[0], "".join(f"{one}{between}" for one in made)


def _removed(text: str, statement: Import, gone: Iterable[Taken]) -> Iterator[tuple[int, int, str]]:
    """Each name with the comma behind it; where the last names go, the comma before them goes too."""
    left = [taken for taken in statement.taken if taken not in gone]
    for taken in gone:
        comma = re.compile(r"[ \t]*,[ \t]*").match(text, taken.end)
        if comma and comma.end() <= statement.span[1]:
            yield taken.name.start, comma.end(), ""
        else:
            yield taken.name.start, taken.end, ""
    if left and statement.taken[-1] not in left:
        comma = re.compile(r"[ \t]*,[ \t]*").match(text, left[-1].end)
        if comma and "(" not in text[statement.word.end : left[0].name.start]:
            yield left[-1].end, comma.end(), ""


def _applied(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    pieces, last = [], 0
    for start, end, new in sorted(dict.fromkeys(edits)):
        pieces += [text[last:start], new]
        last = end
    return "".join([*pieces, text[last:]])


def _newline(text: str) -> str:
    found = re.search(r"\r?\n", text)
    return found[0] if found else "\n"


def _written(taken: Taken, parsed: Parsed) -> str:
    return re.sub(r"\s+", "", parsed.text[taken.name.start : taken.name_end])
