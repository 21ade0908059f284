# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Pins a Python source. What a name is was read from the syntax tree; the text is changed through libcst, which keeps
every space and comment of what it does not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from .library import Source, sources
from .pin import Choice, Decision, Level, Pinned, decide, module_for, told
from .read_python import Imported, Member, Origin, Parsed, Reference, Span, imported
from .uses import Doubt, Place, Use

LINE = 88  # an import that is made anew is broken where it would be longer


@dataclass(frozen=True)
class NewImport:
    """What an alias of an import becomes."""

    module: str | None  # after `from`; None for `import name`
    name: str
    asname: str | None


@dataclass(frozen=True)
class Written:
    """What a name becomes."""

    prefix: str | None  # the module before it; None: as it is
    name: str


@dataclass(frozen=True)
class Alias:
    """An alias of an import, and what it brings in."""

    origin: Origin
    imported: Imported
    source: Source | None  # None for a package
    whole: bool  # the module itself, not a name out of it

    @classmethod
    def of(cls, origin: Origin, found: Imported) -> Alias:
        module = found.name if found.module is None else f"{found.module}.{found.name}"
        if module in sources():
            return cls(origin, found, sources()[module], True)
        bound = imported(found.module, found.name) if found.module else None
        return cls(origin, found, bound.source if isinstance(bound, Member) else None, False)

    @property
    def dotted(self) -> bool:
        """`import cuda.bindings.driver`, which binds `cuda`."""
        return self.imported.module is None and self.imported.asname is None

    @property
    def official(self) -> bool:
        return self.source is not None and self.source.official

    def reaches(self, reference: Reference) -> bool:
        """Whether a change of this import moves the reference."""
        if self.dotted and reference.module:
            return reference.module == self.imported.name or reference.module.startswith(f"{self.imported.name}.cu")
        return self.source is not None


@dataclass
class Group:
    """Imports that references share, so that what becomes of one has to become of all."""

    aliases: list[Alias]
    references: list[tuple[Reference, Decision]] = field(default_factory=list)
    level: Level = Level.PERMANENT
    doubts: list[Doubt] = field(default_factory=list)

    def lower(self, level: Level, place: Place, text: str) -> None:
        self.level = min(self.level, level)
        self.doubts.append(Doubt(place, text))


def rewrite(path: Path, parsed: Parsed, choice: Choice, outside: frozenset[str]) -> Pinned:
    module = cst.parse_module(path.read_bytes())
    before = module.code
    plan = _Plan(parsed, choice, outside)
    columns = _Columns(before)
    texts = {(*columns.of(span[:2]), *columns.of(span[2:])): text for span, text in plan.texts.items()}
    imports = {columns.of(origin): new for origin, new in plan.imports.items()}
    after = MetadataWrapper(module, unsafe_skip_copy=True).visit(_Rewriter(texts, imports)).code
    return Pinned(str(path), before, after, module.encoding, plan.undecided)


class _Plan:
    """What becomes of each import and each name."""

    def __init__(self, parsed: Parsed, choice: Choice, outside: frozenset[str]) -> None:
        self.parsed = parsed
        self.choice = choice
        self.outside = outside
        self.texts: dict[Span, Written] = {}
        self.imports: dict[Origin, NewImport] = {}
        handed = {handed.doubt for handed in parsed.handed}
        undecided = [doubt for doubt in parsed.seen.doubts if doubt not in handed]
        for group in self._groups():
            self._judge(group)
            undecided += [told(doubt, group.level, choice) for doubt in group.doubts]
            if group.level is not Level.LEFT:
                for alias in group.aliases:
                    self._change(group, alias)
        self.undecided = sorted(dict.fromkeys(undecided), key=lambda doubt: doubt.place)

    def _groups(self) -> Sequence[Group]:
        used = {reference.origin for reference in self.parsed.references}
        used |= {handed.origin for handed in self.parsed.handed}
        aliases = [Alias.of(origin, found) for origin, found in self.parsed.origins.items()]
        of: dict[Origin, Group] = {a.origin: Group([a]) for a in aliases if a.source or a.origin in used}
        first: dict[object, Origin] = {}
        for alias in aliases:
            if alias.dotted and alias.origin in of:
                _join(of, first.setdefault(alias.imported.name, alias.origin), alias.origin)
        for reference in self.parsed.references:
            _join(of, first.setdefault(reference.span, reference.origin), reference.origin)
        for reference in self.parsed.references:
            decision = decide(reference.use, self.choice, reference.member)
            of[reference.origin].references.append((reference, decision))
        for handed in self.parsed.handed:
            if not sources()[handed.module].permanent:
                of[handed.origin].lower(Level.VIEW, handed.doubt.place, handed.doubt.text)
        return list({id(group): group for group in of.values()}.values())

    def _judge(self, group: Group) -> None:
        """How far all names of a group can be pinned."""
        aliases = {alias.origin: alias for alias in group.aliases}
        for reference, decision in group.references:
            name, place = reference.use.name, reference.use.place
            if decision.why:
                group.lower(decision.level, place, f"{name} {decision.why}")
            elif not aliases[reference.origin].reaches(reference):
                group.lower(Level.LEFT, place, f"{name} is reached through a package")
        for alias in group.aliases:
            asked = [reference for reference, _ in group.references if reference.origin == alias.origin]
            name = alias.imported.name
            if alias.official and alias.whole and not asked and not group.doubts:
                group.lower(Level.LEFT, self._place(alias), f"{name} is imported and not used here")
            elif alias.official and alias.whole and not alias.dotted and alias.imported.local in self.outside:
                group.lower(Level.VIEW, self._place(alias), f"{name} is imported from here by others")
            if alias.whole or alias.source is None or (asked and all(reference.member for reference in asked)):
                continue  # no name is imported, or all that is asked of it was judged one by one
            decision = self._imported(alias)
            if decision.why:
                group.lower(decision.level, self._place(alias), f"{name} {decision.why}")
        if group.level is Level.VIEW and not any(alias.official for alias in group.aliases):
            group.level = Level.LEFT  # it is a view already

    def _imported(self, alias: Alias) -> Decision:
        assert alias.source
        return decide(Use(self._place(alias), alias.source, alias.imported.name, imported=True), self.choice)

    def _place(self, alias: Alias) -> Place:
        return Place(self.parsed.seen.path, alias.origin[0], alias.origin[1] + 1)

    # -- changes

    def _change(self, group: Group, alias: Alias) -> None:
        if alias.source is None:
            return
        module = module_for(alias.source, group.level, self.choice)
        references = [(r, decision) for r, decision in group.references if r.origin == alias.origin]
        if alias.whole:
            prefix = self._change_module(alias, module)
            for reference, decision in references:
                name = decision.name if group.level is Level.PERMANENT else reference.use.name
                written = reference.module if alias.dotted else alias.imported.local if not reference.steps else None
                kept = reference.module is None or reference.literal or prefix == written
                self.texts[reference.span] = Written(None if kept else prefix, name)
        elif not alias.source.permanent:
            name = alias.imported.name
            if group.level is Level.PERMANENT:
                name = references[0][1].name if references else self._imported(alias).name
            self._change_member(alias, NewImport(module, name, None), references)

    def _change_module(self, alias: Alias, module: str) -> str:
        """How references have to begin from now on."""
        found = alias.imported
        if alias.source and alias.source.permanent:
            return found.name if alias.dotted else found.local
        if found.module is None:
            self.imports[alias.origin] = NewImport(None, module, found.asname)
            return found.asname or module
        parent, _, name = module.rpartition(".")
        # `cu12` would be a wrong name for what is no view any more; `driver` is as good as it was.
        local = name if not alias.official and found.asname is None and self._free(alias, name) else found.local
        self.imports[alias.origin] = NewImport(parent, name, local if local != name else None)
        return local

    def _change_member(self, alias: Alias, new: NewImport, references: Sequence[tuple[Reference, Decision]]) -> None:
        found = alias.imported
        if found.asname or new.name == found.name:
            self.imports[alias.origin] = replace(new, asname=found.asname)
        elif references and self._free(alias, new.name):
            self.imports[alias.origin] = new
            for reference, _ in references:
                self.texts[reference.span] = Written(None, new.name)
        else:
            self.imports[alias.origin] = replace(new, asname=found.name)

    def _free(self, alias: Alias, name: str) -> bool:
        """Whether a local name can be changed: all that refers to it is in sight, and the new one is not taken."""
        parsed, local = self.parsed, alias.imported.local
        elsewhere = local in parsed.strings or local in parsed.shared or local in self.outside or alias.imported.mixed
        return not elsewhere and name not in parsed.bound and not parsed.seen.path.endswith("__init__.py")


def _join(of: dict[Origin, Group], one: Origin, other: Origin) -> None:
    kept, gone = of[one], of[other]
    if kept is not gone:
        kept.aliases += gone.aliases
        for alias in gone.aliases:
            of[alias.origin] = kept


class _Columns:
    """Columns as libcst counts them: in characters, where the syntax tree counts bytes."""

    def __init__(self, text: str) -> None:
        self.lines = re.split(r"\r\n|\r|\n", text)

    def of(self, origin: Origin) -> Origin:
        line, column = origin
        return line, len(self.lines[line - 1].encode()[:column].decode())


class _Rewriter(cst.CSTTransformer):
    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(self, texts: Mapping[Span, Written], imports: Mapping[Origin, NewImport]) -> None:
        super().__init__()
        self.texts = texts
        self.imports = imports

    def _range(self, node: cst.CSTNode) -> Span:
        found = self.get_metadata(PositionProvider, node)
        assert isinstance(found, CodeRange)
        return found.start.line, found.start.column, found.end.line, found.end.column

    # -- names

    def _named(self, original: cst.BaseExpression, updated: cst.BaseExpression) -> cst.BaseExpression:
        new = self.texts.get(self._range(original))
        if new is None:
            return updated
        if isinstance(updated, cst.Name):
            return updated.with_changes(value=new.name)
        assert isinstance(updated, cst.Attribute)
        value = updated.value if new.prefix is None else _dotted(new.prefix)
        return updated.with_changes(value=value, attr=updated.attr.with_changes(value=new.name))

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:  # noqa: N802
        return self._named(original_node, updated_node)

    def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:  # noqa: N802
        return self._named(original_node, updated_node)

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.BaseExpression:  # noqa: N802
        new = self.texts.get(self._range(original_node))
        if new is None:
            return updated_node
        before = updated_node.prefix + updated_node.quote
        return updated_node.with_changes(value=f"{before}{new.name}{updated_node.quote}")

    # -- imports

    def leave_Import(self, original_node: cst.Import, updated_node: cst.Import) -> cst.Import:  # noqa: N802
        pairs = zip(original_node.names, updated_node.names, strict=True)
        return updated_node.with_changes(names=[self._alias(old, new) for old, new in pairs])

    def leave_SimpleStatementLine(  # noqa: N802
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.FlattenSentinel[cst.SimpleStatementLine]:
        body: list[cst.BaseSmallStatement] = []
        comments: list[str] = []
        for old, new in zip(original_node.body, updated_node.body, strict=True):
            if isinstance(old, cst.ImportFrom) and isinstance(new, cst.ImportFrom):
                made, lost = self._import_from(old, new)
                body += made
                comments += lost
            else:
                body.append(new)
        if len(original_node.body) == 1 and len(body) > 1:
            first = updated_node.with_changes(body=[body[0]])
            lines = [cst.EmptyLine(comment=cst.Comment(text)) for text in comments]
            rest = [cst.SimpleStatementLine(body=[statement]) for statement in body[1:]]
            rest[0] = rest[0].with_changes(leading_lines=lines)
            return cst.FlattenSentinel([first, *rest])
        return updated_node.with_changes(body=body)

    def _import_from(self, old: cst.ImportFrom, new: cst.ImportFrom) -> tuple[list[cst.BaseSmallStatement], list[str]]:
        """The statements that it becomes, what stays where it was first; and comments that lost their place."""
        if isinstance(old.names, cst.ImportStar) or isinstance(new.names, cst.ImportStar):
            return [new], []
        here = cst.Module([]).code_for_node(new.module) if new.module else ""
        modules: dict[str, list[cst.ImportAlias]] = {}
        for one, other in zip(old.names, new.names, strict=True):
            change = self.imports.get(self._range(one)[:2])
            _append(modules.setdefault((change.module or "") if change else here, []), self._alias(one, other))
        if not new.lpar:
            for names in modules.values():
                names[-1] = names[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        if len(modules) == 1:
            (module,) = modules
            changed = new if module == here else new.with_changes(module=_dotted(module))
            return [changed.with_changes(names=next(iter(modules.values())))], []
        kept = modules.pop(here, None)
        made: list[cst.BaseSmallStatement] = [_made(m, names, new.semicolon) for m, names in modules.items()]
        if kept is None:
            return made, _comments(n for names in modules.values() for n in names)
        kept[-1] = kept[-1].with_changes(comma=_last_comma(kept[-1], new.names[-1]))
        return [new.with_changes(names=kept), *made], _comments(n for names in modules.values() for n in names)

    def _alias(self, old: cst.ImportAlias, new: cst.ImportAlias) -> cst.ImportAlias:
        change = self.imports.get(self._range(old)[:2])
        if change is None:
            return new
        asname = new.asname
        if change.asname is None:
            asname = None
        elif asname is None:
            asname = cst.AsName(cst.Name(change.asname))
        return new.with_changes(name=_dotted(change.name), asname=asname)


def _dotted(name: str) -> cst.Name | cst.Attribute:
    head, _, tail = name.rpartition(".")
    return cst.Attribute(_dotted(head), cst.Name(tail)) if head else cst.Name(tail)


def _append(names: list[cst.ImportAlias], alias: cst.ImportAlias) -> None:
    """Two names may have become one."""
    if not any((alias.evaluated_name, alias.evaluated_alias) == (n.evaluated_name, n.evaluated_alias) for n in names):
        names.append(alias)


def _made(module: str, names: Sequence[cst.ImportAlias], semicolon: object) -> cst.ImportFrom:
    plain = [name.with_changes(comma=cst.MaybeSentinel.DEFAULT) for name in names]
    one = cst.ImportFrom(module=_dotted(module), names=plain)
    if len(cst.Module([]).code_for_node(one)) <= LINE or not isinstance(semicolon, cst.MaybeSentinel):
        return one
    texts = [cst.Module([]).code_for_node(name) for name in plain]
    text = f"from {module} import (\n" + "".join(f"    {name},\n" for name in texts) + ")"
    line = cst.ensure_type(cst.parse_statement(text), cst.SimpleStatementLine)
    return cst.ensure_type(line.body[0], cst.ImportFrom)


def _last_comma(name: cst.ImportAlias, was_last: cst.ImportAlias) -> cst.Comma | cst.MaybeSentinel:
    """A list that ended without a comma still does; comments that stand behind one are kept."""
    if name is was_last or not isinstance(was_last.comma, cst.MaybeSentinel):
        return name.comma
    return name.comma if _comments([name]) else cst.MaybeSentinel.DEFAULT


def _comments(nodes: Iterable[cst.CSTNode]) -> list[str]:
    found: list[str] = []

    class Finder(cst.CSTVisitor):
        def visit_Comment(self, node: cst.Comment) -> None:  # noqa: N802
            found.append(node.value)

    for node in nodes:
        node.visit(Finder())
    return found
