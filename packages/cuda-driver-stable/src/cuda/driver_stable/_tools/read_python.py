# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what a Python source uses of CUDA, by its syntax tree; nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from .library import Source, library_of, sources
from .uses import Doubt, Place, Seen, Shape, UnreadableError, Use, packages

_ASKING = {"getattr", "hasattr"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


Origin = tuple[int, int]  # line and column of the alias in an import
Span = tuple[int, int, int, int]  # line and column of the start and of the end


@dataclass(frozen=True)
class Module:
    """What a name is bound to: a module of CUDA, or a package with such in it."""

    name: str
    origin: Origin | None = None

    @property
    def source(self) -> Source | None:
        return sources().get(self.name)


@dataclass(frozen=True)
class Member:
    """What a name is bound to: something out of a module of CUDA."""

    source: Source
    name: str
    origin: Origin | None = None


@dataclass(frozen=True)
class Imported:
    """An alias of an import that binds something of CUDA."""

    module: str | None  # after `from`; None for `import …`
    name: str
    asname: str | None
    mixed: bool  # the same scope binds the name to something else too

    @property
    def local(self) -> str:
        return self.asname or (self.name if self.module else self.name.partition(".")[0])


@dataclass(frozen=True)
class Reference:
    """Where a name of CUDA stands in the text."""

    use: Use
    origin: Origin
    span: Span  # with the module before it, where there is one
    module: str | None  # before it; None for a name that was imported itself
    steps: int  # attributes from the local name to the module: 0 for `driver.cuInit`
    member: str | None = None  # an enumerator that is asked of it
    literal: bool = False  # it is the text of a string


@dataclass(frozen=True)
class Handed:
    """Where a module of CUDA goes out of sight."""

    doubt: Doubt
    origin: Origin
    module: str


@dataclass
class Parsed:
    """A file with all that is needed to change it."""

    seen: Seen
    origins: dict[Origin, Imported] = field(default_factory=dict)
    references: list[Reference] = field(default_factory=list)
    handed: list[Handed] = field(default_factory=list)
    stars: list[Handed] = field(default_factory=list)
    bound: set[str] = field(default_factory=set)  # every name that any scope binds
    strings: set[str] = field(default_factory=set)  # every string that could be a name
    shared: set[str] = field(default_factory=set)  # names of `global` and `nonlocal`

    @property
    def touched(self) -> bool:
        """Whether anything of CUDA is in it."""
        return bool(self.origins) or not self.seen.empty


Bound = Module | Member
Scope = Mapping[str, tuple[Bound, ...]]  # an empty tuple: something that is not CUDA's


def read(text: str, path: str) -> Seen:
    return parse(text, path).seen


def parse(text: str, path: str) -> Parsed:
    try:
        tree = ast.parse(text, path)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        what = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UnreadableError(f"not Python{line}: {what}") from None
    reader = _Reader(path)
    try:
        reader.run(tree)
    except RecursionError:
        raise UnreadableError("nested too deeply") from None
    # A name that is imported in two ways, the one if the other fails, is used once.
    reader.seen.uses = list(dict.fromkeys(reader.seen.uses))
    reader.seen.doubts = list(dict.fromkeys(reader.seen.doubts))
    return reader.parsed


class _Reader(ast.NodeVisitor):
    def __init__(self, path: str) -> None:
        self.seen = Seen(path)
        self.parsed = Parsed(self.seen)
        self.guards: frozenset[str] = frozenset()
        self.scopes: list[tuple[Scope, bool]] = []  # and whether it is a class's, which functions in it do not see

    def run(self, tree: ast.Module) -> None:
        cuda = False
        for node in ast.walk(tree):
            if isinstance(node, (ast.Global, ast.Nonlocal)):
                self.parsed.shared.update(node.names)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                if node.value.isidentifier():
                    self.parsed.strings.add(node.value)
                cuda = cuda or _names_a_module(node.value)
            elif isinstance(node, ast.Import):
                cuda = cuda or any(_known(alias.name) for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                if node.level or str(node.module).partition(".")[0] != "cuda":
                    self.seen.outside.update(alias.name for alias in node.names)
                elif node.module:
                    cuda = cuda or _known(node.module)
        if cuda:  # most files have nothing of it, and need no second look
            self._within(tree, tree.body, ())

    # -- scopes

    def _within(self, owner: ast.AST, body: list[ast.stmt] | list[ast.expr], names: tuple[str, ...]) -> None:
        scope: dict[str, tuple[Bound, ...]] = dict.fromkeys(names, ())
        others = set(names)
        for node in body:
            for name, bound in _bindings(node):
                scope[name] = (*scope.get(name, ()), *([bound] if bound else []))
                if bound is None:
                    others.add(name)
        self.parsed.bound.update(scope)
        for imported_ in (node for statement in body for node in _imports(statement)):
            self._note_origins(imported_, others)
        if not isinstance(owner, ast.Module):
            for name in _declared_elsewhere(body):
                scope.pop(name, None)
        self.scopes.append((scope, isinstance(owner, ast.ClassDef)))
        self._visit_block(body)
        self.scopes.pop()

    def _note_origins(self, node: ast.Import | ast.ImportFrom, others: set[str]) -> None:
        if isinstance(node, ast.ImportFrom) and node.level:
            return
        module = (node.module or "") if isinstance(node, ast.ImportFrom) else None
        for alias in node.names:
            known = imported(module, alias.name) if module else _known(alias.name)
            if known and alias.name != "*":
                found = Imported(module, alias.name, alias.asname, False)
                self.parsed.origins[_origin(alias)] = replace(found, mixed=found.local in others)

    def _look_up(self, name: str) -> tuple[Bound, ...]:
        for depth, (scope, of_class) in enumerate(reversed(self.scopes)):
            if name in scope and (depth == 0 or not of_class):
                return scope[name]
        return ()

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outer in (*node.decorator_list, *_outside(node.args), *filter(None, [node.returns])):
            self.visit(outer)
        self._within(node, node.body, _parameters(node.args))

    visit_FunctionDef = _visit_function  # noqa: N815
    visit_AsyncFunctionDef = _visit_function  # noqa: N815

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for outer in _outside(node.args):
            self.visit(outer)
        self._within(node, [node.body], _parameters(node.args))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outer in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outer)
        self._within(node, node.body, ())

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _COMPREHENSIONS):
            names = tuple(n for generator in node.generators for n in _targets(generator.target))
            self.scopes.append((dict.fromkeys(names, ()), False))
            super().generic_visit(node)
            self.scopes.pop()
        else:
            super().generic_visit(node)

    # -- what is asked of the driver before it is used

    def _visit_block(self, body: Sequence[ast.stmt] | Sequence[ast.expr]) -> None:
        before = self.guards
        for node in body:
            self.visit(node)
            if isinstance(node, ast.If) and _leaves(node.body):  # `if not is_available("cuX"): return`
                self.guards |= self._asked(node.test, False)
        self.guards = before

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        before = self.guards
        for body, outcome in ((node.body, True), (node.orelse, False)):
            self.guards = before | self._asked(node.test, outcome)
            self._visit_block(body)
        self.guards = before

    def visit_IfExp(self, node: ast.IfExp) -> None:
        self.visit(node.test)
        before = self.guards
        for value, outcome in ((node.body, True), (node.orelse, False)):
            self.guards = before | self._asked(node.test, outcome)
            self.visit(value)
        self.guards = before

    def _asked(self, test: ast.expr, outcome: bool) -> frozenset[str]:
        """Functions that the driver has where a test has that outcome."""
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._asked(test.operand, not outcome)
        if isinstance(test, ast.BoolOp):
            # All of `a and b` hold where it does, all of `a or b` fail where it does not.
            decides = isinstance(test.op, ast.And) is outcome
            return (
                frozenset().union(*(self._asked(value, outcome) for value in test.values)) if decides else frozenset()
            )
        if not outcome or not isinstance(test, ast.Call) or len(test.args) != 1:
            return frozenset()
        (name,) = test.args
        asks = any(isinstance(b, Member) and b.name == "is_available" for b in self._resolve(test.func))
        return frozenset([str(name.value)]) if asks and isinstance(name, ast.Constant) else frozenset()

    # -- imports

    def visit_Import(self, node: ast.Import) -> None:
        """What it binds is known from the scope; importing a module uses no name of it."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        source = sources().get(node.module or "") if node.level == 0 else None
        for alias in node.names:
            if source is None:
                continue
            if alias.name == "*":
                doubt = self._doubt(node, f"takes every name of {node.module}")
                self.parsed.stars.append(Handed(doubt, _origin(alias), str(node.module)))
            elif f"{node.module}.{alias.name}" not in sources():
                self._use(alias, source, alias.name, imported=True)

    # -- uses

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in _ASKING and node.args:
            found = [bound for bound in self._resolve(node.args[0]) if isinstance(bound, Module) and bound.source]
            asked = node.args[1] if len(node.args) > 1 else None
            if found and isinstance(asked, ast.Constant) and isinstance(asked.value, str):
                for bound in found:
                    assert bound.source
                    use = self._use(asked, bound.source, asked.value)
                    self._refer(use, bound, asked, bound.name, _depth(node.args[0]), literal=True)
                for rest in node.args[2:]:
                    self.visit(rest)
                return
        if any(isinstance(a, ast.Constant) and _names_a_module(a.value) for a in node.args):
            self._doubt(node, "imports or names a module of CUDA by a string")
        if not self._reference(function, _shape(node)):
            self.visit(function)
        for argument in (*node.args, *node.keywords):
            self.visit(argument)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if not self._reference(node, None):
            self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        self._reference(node, None)

    def _reference(self, node: ast.expr, call: Shape | None) -> bool:
        """Note what a name or an attribute refers to; False where that is nothing of CUDA."""
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            return False
        found = self._resolve(node)
        for bound in found:
            if isinstance(bound, Member):
                self._named(node, bound, call)
            elif bound.source and bound.origin:
                text = f"hands on {bound.name} as an object: what is done with it is not seen"
                self.parsed.handed.append(Handed(self._doubt(node, text), bound.origin, bound.name))
        if found or not isinstance(node, ast.Attribute):
            return bool(found)
        return self._enumerator(node)

    def _enumerator(self, node: ast.Attribute) -> bool:
        """driver.CUresult.CUDA_SUCCESS: both are names of CUDA."""
        owners = [bound for bound in self._resolve(node.value) if isinstance(bound, Member)]
        for owner in owners:
            inner = library_of(owner.source).pattern.fullmatch(node.attr)
            self._named(node.value, owner, None, node.attr if inner else None)
            if inner:
                self._use(node, owner.source, node.attr, member=True)
        return bool(owners)

    def _named(self, node: ast.expr, bound: Member, call: Shape | None, inner: str | None = None) -> None:
        use = self._use(node, bound.source, bound.name, call)
        if isinstance(node, ast.Name):
            self._refer(use, bound, node, None, 0, inner)
            return
        assert isinstance(node, ast.Attribute)
        for owner in self._resolve(node.value):
            if isinstance(owner, Module) and owner.source is bound.source and owner.origin == bound.origin:
                self._refer(use, bound, node, owner.name, _depth(node.value), inner)

    def _refer(
        self,
        use: Use,
        bound: Bound,
        node: ast.expr,
        module: str | None,
        steps: int,
        inner: str | None = None,
        *,
        literal: bool = False,
    ) -> None:
        assert bound.origin is not None
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        span = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        self.parsed.references.append(Reference(use, bound.origin, span, module, steps, inner, literal))

    def _resolve(self, node: ast.expr) -> tuple[Bound, ...]:
        """What an expression is known to be, if that is CUDA's."""
        if isinstance(node, ast.Name):
            return self._look_up(node.id)
        if not isinstance(node, ast.Attribute):
            return ()
        owners = self._resolve(node.value)
        return tuple(bound for owner in owners if isinstance(owner, Module) and (bound := member(owner, node.attr)))

    def _use(
        self,
        node: ast.expr | ast.alias,
        source: Source,
        name: str,
        call: Shape | None = None,
        *,
        imported: bool = False,
        member: bool = False,
    ) -> Use:
        use = Use(self._place(node), source, name, call, imported, member, self.guards)
        self.seen.uses.append(use)
        return use

    def _doubt(self, node: ast.stmt | ast.expr, text: str) -> Doubt:
        doubt = Doubt(self._place(node), text)
        self.seen.doubts.append(doubt)
        return doubt

    def _place(self, node: ast.expr | ast.stmt | ast.alias) -> Place:
        return Place(self.seen.path, node.lineno, node.col_offset + 1)


def member(owner: Module, name: str) -> Bound | None:
    """What an attribute of a module of CUDA, or of a package with such, is."""
    dotted = f"{owner.name}.{name}"
    if dotted in sources() or dotted in packages():
        return Module(dotted, owner.origin)
    return Member(owner.source, name, owner.origin) if owner.source else None


def imported(module: str, name: str, origin: Origin | None = None) -> Bound | None:
    """What `from module import name` binds."""
    return member(Module(module, origin), name) if module in sources() or module in packages() else None


def _bindings(node: ast.AST) -> Iterator[tuple[str, Bound | None]]:
    """Names that a statement binds in its own scope, and what of CUDA to."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            known = _known(alias.name)
            yield alias.asname or whole, Module(whole, _origin(alias)) if known else None
        return
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name != "*":
                found = imported(node.module or "", alias.name, _origin(alias)) if not node.level else None
                yield alias.asname or alias.name, found
        return
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, None
        return
    if isinstance(node, (ast.Lambda, *_COMPREHENSIONS)):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id, None
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name, None
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest, None
    for child in ast.iter_child_nodes(node):
        yield from _bindings(child)


def _imports(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Imports of a statement's own scope."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield node
    elif not isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _imports(child)


def _leaves(body: Sequence[ast.stmt]) -> bool:
    return isinstance(body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _origin(alias: ast.alias) -> Origin:
    return alias.lineno, alias.col_offset


def _depth(node: ast.expr) -> int:
    return 1 + _depth(node.value) if isinstance(node, ast.Attribute) else 0


def _known(module: str) -> bool:
    return module in sources() or module in packages()


def _names_a_module(value: object) -> bool:
    """A string such as "cuda.bindings.driver.cuInit"."""
    if not isinstance(value, str) or not value.startswith("cuda."):
        return False
    return any(value == name or value.startswith(f"{name}.") for name in sources())


def _declared_elsewhere(body: list[ast.stmt] | list[ast.expr]) -> set[str]:
    return {
        name
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, (ast.Global, ast.Nonlocal))
        for name in node.names
    }


def _targets(node: ast.expr) -> Iterator[str]:
    return (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))


def _parameters(arguments: ast.arguments) -> tuple[str, ...]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return tuple(a.arg for a in (*found, *filter(None, [arguments.vararg, arguments.kwarg])))


def _outside(arguments: ast.arguments) -> Iterator[ast.expr]:
    """Defaults and annotations are read in the scope around the function."""
    yield from arguments.defaults
    yield from (default for default in arguments.kw_defaults if default)
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    for argument in (*found, *filter(None, [arguments.vararg, arguments.kwarg])):
        if argument.annotation:
            yield argument.annotation


def _shape(node: ast.Call) -> Shape | None:
    if any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords):
        return None
    return Shape(len(node.args), tuple(k.arg for k in node.keywords if k.arg))
