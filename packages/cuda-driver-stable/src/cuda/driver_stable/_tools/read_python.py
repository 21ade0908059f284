# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Reads what a Python source uses of CUDA, by its syntax tree; nothing of it is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .library import Source, library_of, sources
from .uses import Doubt, Place, Seen, Shape, UnreadableError, Use, packages

_ASKING = {"getattr", "hasattr"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Module:
    """What a name is bound to: a module of CUDA, or a package with such in it."""

    name: str

    @property
    def source(self) -> Source | None:
        return sources().get(self.name)


@dataclass(frozen=True)
class Member:
    """What a name is bound to: something out of a module of CUDA."""

    source: Source
    name: str


Bound = Module | Member
Scope = Mapping[str, tuple[Bound, ...]]  # an empty tuple: something that is not CUDA's


def read(text: str, path: str) -> Seen:
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
    return reader.seen


class _Reader(ast.NodeVisitor):
    def __init__(self, path: str) -> None:
        self.seen = Seen(path)
        self.scopes: list[tuple[Scope, bool]] = []  # and whether it is a class's, which functions in it do not see

    def run(self, tree: ast.Module) -> None:
        self._within(tree, tree.body, ())

    # -- scopes

    def _within(self, owner: ast.AST, body: list[ast.stmt] | list[ast.expr], names: tuple[str, ...]) -> None:
        scope: dict[str, tuple[Bound, ...]] = dict.fromkeys(names, ())
        for node in body:
            for name, bound in _bindings(node):
                scope[name] = (*scope.get(name, ()), *([bound] if bound else []))
        if not isinstance(owner, ast.Module):
            for name in _declared_elsewhere(body):
                scope.pop(name, None)
        self.scopes.append((scope, isinstance(owner, ast.ClassDef)))
        for node in body:
            self.visit(node)
        self.scopes.pop()

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

    # -- imports

    def visit_Import(self, node: ast.Import) -> None:
        """What it binds is known from the scope; importing a module uses no name of it."""

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        source = sources().get(node.module or "") if node.level == 0 else None
        for alias in node.names:
            if source is None:
                if node.level or (node.module or "").split(".")[0] != "cuda":
                    self.seen.outside.add(alias.name)
            elif alias.name == "*":
                self._doubt(node, f"takes every name of {node.module}")
            elif f"{node.module}.{alias.name}" not in sources():
                self._use(alias, source, alias.name, imported=True)

    # -- uses

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Name) and function.id in _ASKING and node.args:
            found = [bound.source for bound in self._resolve(node.args[0]) if isinstance(bound, Module)]
            asked = node.args[1] if len(node.args) > 1 else None
            if found and any(found) and isinstance(asked, ast.Constant) and isinstance(asked.value, str):
                for source in filter(None, found):
                    self._use(asked, source, asked.value)
                for rest in node.args[2:]:
                    self.visit(rest)
                return
        if any(isinstance(a, ast.Constant) and isinstance(a.value, str) and a.value in sources() for a in node.args):
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
                self._use(node, bound.source, bound.name, call)
            elif bound.source:
                self._doubt(node, f"hands on {bound.name} as an object: what is done with it is not seen")
        if found or not isinstance(node, ast.Attribute):
            return bool(found)
        return self._enumerator(node)

    def _enumerator(self, node: ast.Attribute) -> bool:
        """driver.CUresult.CUDA_SUCCESS: both are names of CUDA."""
        owners = [bound for bound in self._resolve(node.value) if isinstance(bound, Member)]
        for owner in owners:
            self._use(node.value, owner.source, owner.name)
            if library_of(owner.source).pattern.fullmatch(node.attr):
                self._use(node, owner.source, node.attr, member=True)
        return bool(owners)

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
    ) -> None:
        self.seen.uses.append(Use(self._place(node), source, name, call, imported, member))

    def _doubt(self, node: ast.stmt | ast.expr, text: str) -> None:
        self.seen.doubts.append(Doubt(self._place(node), text))

    def _place(self, node: ast.expr | ast.stmt | ast.alias) -> Place:
        return Place(self.seen.path, node.lineno, node.col_offset + 1)


def member(owner: Module, name: str) -> Bound | None:
    """What an attribute of a module of CUDA, or of a package with such, is."""
    dotted = f"{owner.name}.{name}"
    if dotted in sources() or dotted in packages():
        return Module(dotted)
    return Member(owner.source, name) if owner.source else None


def imported(module: str, name: str) -> Bound | None:
    """What `from module import name` binds."""
    return member(Module(module), name) if module in sources() or module in packages() else None


def _bindings(node: ast.AST) -> Iterator[tuple[str, Bound | None]]:
    """Names that a statement binds in its own scope, and what of CUDA to."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            whole = alias.name if alias.asname else alias.name.partition(".")[0]
            known = alias.name in sources() or alias.name in packages()
            yield alias.asname or whole, Module(whole) if known else None
        return
    if isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name != "*":
                yield alias.asname or alias.name, imported(node.module or "", alias.name) if not node.level else None
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
