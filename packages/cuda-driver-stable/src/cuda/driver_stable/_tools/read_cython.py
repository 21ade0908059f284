# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Reads Cython sources as far as names of CUDA go: tokens, imports, cimports, and what follows them.

There is no parser of Cython outside of Cython, and this is none. It knows where strings, comments and statements are,
reads the imports, and takes every later use of an imported name for that name, whatever the scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .library import sources
from .read_python import Bound, Member, Module, imported, member
from .uses import Doubt, Place, Seen, Shape, UnreadableError, Use, packages

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>[A-Za-z]{0,2}(?:
        \"{3}(?:\\.|[^\\])*?\"{3} | '{3}(?:\\.|[^\\])*?'{3}
      | "(?!"")(?:\\.|[^"\\\n])*" | '(?!'')(?:\\.|[^'\\\n])*'))
  | (?P<open>[A-Za-z]{0,2}(?:\"{3}|'{3}))
  | (?P<name>[^\W\d]\w*)
  | (?P<number>\d[\w.]*)
  | (?P<joined>\\\r?\n)
  | (?P<newline>\r?\n)
  | (?P<space>[ \t\f\ufeff]+)
  | (?P<other>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_OPENING, _CLOSING = "([{", ")]}"


@dataclass(frozen=True)
class Token:
    kind: str  # name, string, number, newline, other
    text: str
    start: int
    line: int
    column: int
    first: bool = False  # of a statement

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Taken:
    """One name of an import."""

    name: Token
    alias: Token | None
    bound: Bound | None
    name_end: int  # where the name ends, which may have dots in it
    end: int  # where its alias does

    @property
    def local(self) -> str:
        return (self.alias or self.name).text


@dataclass(frozen=True)
class Import:
    """`from module import …`, `from module cimport …`, `import …` or `cimport …`."""

    module: str | None  # after `from`
    module_span: tuple[int, int] | None
    word: Token  # import or cimport
    taken: tuple[Taken, ...]
    star: Token | None
    span: tuple[int, int]  # the text of the statement
    simple: bool  # names are separated by commas alone: no comment and no line break between them


@dataclass(frozen=True)
class Reference:
    """A name of CUDA in the text."""

    use: Use
    token: Token  # the name itself
    whole: tuple[int, int]  # with the module before it, where there is one
    local: str  # what it begins with
    module: str | None  # before it; None for a name that was imported itself
    member: str | None = None  # an enumerator that is asked of it


@dataclass(frozen=True)
class Unclear:
    """What makes a local name uncertain."""

    doubt: Doubt
    local: str
    handed: bool  # a module goes out of sight; else the name is bound to something else too


@dataclass
class Parsed:
    seen: Seen
    text: str
    imports: list[Import] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    unclear: list[Unclear] = field(default_factory=list)
    bound: dict[str, list[Bound]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)  # every name in the text

    @property
    def touched(self) -> bool:
        """Whether anything of CUDA is in it."""
        return bool(self.bound) or not self.seen.empty


def read(text: str, path: str, outer: Parsed | None = None) -> Seen:
    return parse(text, path, outer).seen


def parse(text: str, path: str, outer: Parsed | None = None) -> Parsed:
    """`outer` is the .pxd of the same name, whose imports the .pyx sees."""
    tokens = tokens_of(text)
    result = Parsed(Seen(path), text)
    result.names = {token.text for token in tokens if token.kind == "name"}
    result.imports = list(_imports(tokens))
    inside: set[int] = set()
    for statement in result.imports:
        inside.update(t.start for t in tokens if statement.span[0] <= t.start < statement.span[1])
        _take(result, statement)
    for name, bound in (outer.bound if outer else {}).items():
        result.bound.setdefault(name, bound)
    _follow(result, [t for t in tokens if t.start not in inside and t.kind != "newline"])
    return result


def tokens_of(text: str) -> list[Token]:
    found: list[Token] = []
    depth, line, start_of_line, fresh = 0, 1, 0, True
    for match in _TOKEN.finditer(text):
        kind, word = str(match.lastgroup), match[0]
        if kind == "open":
            raise UnreadableError(f"not Cython, line {line}: a string that does not end")
        if kind in ("name", "string", "number", "other"):
            token = Token(kind, word, match.start(), line, match.start() - start_of_line + 1, fresh and depth == 0)
            found.append(token)
            fresh = kind == "other" and word in ";:" and depth == 0
            depth = max(0, depth + (word in _OPENING) - (word in _CLOSING)) if kind == "other" else depth
        elif kind == "newline" and depth == 0:
            found.append(Token("newline", word, match.start(), line, match.start() - start_of_line + 1))
            fresh = True
        if "\n" in word:
            line += word.count("\n")
            start_of_line = match.start() + word.rindex("\n") + 1
    if depth:
        raise UnreadableError("not Cython: a bracket that does not close")
    return found


def _imports(tokens: Sequence[Token]) -> Iterator[Import]:
    for i, token in enumerate(tokens):
        if not (token.first and token.kind == "name"):
            continue
        if token.text == "from":
            module, after = _dotted(tokens, i + 1)
            if module and after < len(tokens) and tokens[after].text in ("import", "cimport"):
                yield _import(tokens, i, after, module, (tokens[i + 1].start, tokens[after - 1].end))
        elif token.text in ("import", "cimport"):
            yield _import(tokens, i, i, None, None)


def _import(
    tokens: Sequence[Token], first: int, word: int, module: str | None, module_span: tuple[int, int] | None
) -> Import:
    i, taken, star = word + 1, [], None
    simple = True
    while i < len(tokens) and tokens[i].kind != "newline" and tokens[i].text != ";":
        token = tokens[i]
        if token.text == "*":
            star = token
        if token.text in "()":
            simple = False
        if token.kind != "name":
            i += 1
            continue
        name, i = _dotted(tokens, i)
        name_end, alias = tokens[i - 1].end, None
        if i + 1 < len(tokens) and tokens[i].text == "as":
            alias = tokens[i + 1]
            i += 2
        bound = imported(module, name) if module else _whole(name, alias)
        taken.append(Taken(token, alias, bound, name_end, tokens[i - 1].end))
    last = tokens[i - 1]
    return Import(module, module_span, tokens[word], tuple(taken), star, (tokens[first].start, last.end), simple)


def _whole(name: str, alias: Token | None) -> Bound | None:
    if name not in sources() and name not in packages():
        return None
    return Module(name if alias else name.partition(".")[0])


def _dotted(tokens: Sequence[Token], i: int) -> tuple[str, int]:
    """A dotted name, relative ones too, and where the text after it is."""
    start = i
    while i < len(tokens) and tokens[i].text == ".":
        i += 1
    while i < len(tokens) and tokens[i].kind == "name" and tokens[i].text not in ("import", "cimport"):
        i += 1
        if i + 1 < len(tokens) and tokens[i].text == "." and tokens[i + 1].kind == "name":
            i += 1
        else:
            break
    return "".join(token.text for token in tokens[start:i]), i


def _take(result: Parsed, statement: Import) -> None:
    source = sources().get(statement.module or "")
    if statement.star and source:
        _doubt(result, statement.star, f"takes every name of {statement.module}")
    for taken in statement.taken:
        if taken.bound:
            result.bound.setdefault(taken.local, []).append(taken.bound)
            if isinstance(taken.bound, Member):
                place = _place(result, taken.name)
                result.seen.uses.append(Use(place, taken.bound.source, taken.bound.name, imported=True))
        elif statement.module and statement.module.split(".")[0] != "cuda":
            result.seen.outside.add(taken.name.text)


def _follow(result: Parsed, tokens: Sequence[Token]) -> None:
    i = 0
    while i < len(tokens):
        token = tokens[i]
        before = tokens[i - 1] if i else None
        if token.first and token.text == "cdef" and _is_extern_of_cuda(tokens[i : i + 4]):
            _doubt(
                result, token, f"declares names of {tokens[i + 3].text} itself: the C compiler decides what they mean"
            )
        if token.first and token.text == "include" and i + 1 < len(tokens) and tokens[i + 1].kind == "string":
            doubt = _doubt(
                result, token, f"includes {tokens[i + 1].text}: what that does with names from here is not seen"
            )
            result.unclear += [Unclear(doubt, name, True) for name in result.bound]
        if token.kind != "name" or token.text not in result.bound or (before and before.text == "."):
            i += 1
            continue
        i = _reference(result, tokens, i, result.bound[token.text])


def _reference(result: Parsed, tokens: Sequence[Token], i: int, owners: Sequence[Bound]) -> int:
    """Note what begins at a name that is bound to something of CUDA; where to go on reading."""
    local, last = tokens[i], i
    for owner in owners:
        found: Bound | None = owner
        module: str | None = None
        end = i
        while isinstance(found, Module) and end + 2 < len(tokens) and tokens[end + 1].text == ".":
            module = found.name
            found, end = member(found, tokens[end + 2].text), end + 2
        last = max(last, end)
        if isinstance(found, Module) and found.source:
            text = f"hands on {found.name} as an object: what is done with it is not seen"
            result.unclear.append(Unclear(_doubt(result, local, text), local.text, True))
        if not isinstance(found, Member):
            continue
        if isinstance(owner, Member) and _binds(tokens, i):
            text = f"{local.text} is bound to something else here, and this reader knows no scopes"
            result.unclear.append(Unclear(_doubt(result, local, text), local.text, False))
        _note(result, tokens, (i, end), found, module)
    return last + 1


def _note(result: Parsed, tokens: Sequence[Token], span: tuple[int, int], found: Member, module: str | None) -> None:
    start, end = tokens[span[0]], tokens[span[1]]
    use = Use(_place(result, end), found.source, found.name, _shape(tokens, span[1] + 1))
    result.seen.uses.append(use)
    dot, inner = [*tokens[span[1] + 1 : span[1] + 3], end, end][:2]
    asked = found.name.startswith("CU") and dot.text == "." and inner.text.startswith(("CU_", "CUDA_"))
    whole = (start.start, end.end)
    result.references.append(Reference(use, end, whole, start.text, module, inner.text if asked else None))
    if asked:
        result.seen.uses.append(Use(_place(result, inner), found.source, inner.text, member=True))


def _binds(tokens: Sequence[Token], i: int) -> bool:
    """Whether a name is given a meaning here: assigned, or defined as a function or class."""
    after = tokens[i + 1].text if i + 1 < len(tokens) else ""
    twice = tokens[i + 2].text if i + 2 < len(tokens) else ""
    before = tokens[i - 1].text if i else ""
    return before in ("def", "class", "cpdef") or (tokens[i].first and after == "=" and twice != "=")


def _is_extern_of_cuda(tokens: Sequence[Token]) -> bool:
    return [t.text for t in tokens[1:3]] == ["extern", "from"] and len(tokens) > 3 and "cuda" in tokens[3].text


def _shape(tokens: Sequence[Token], i: int) -> Shape | None:
    """How many arguments a call has; None where this is no call, or the number cannot be seen."""
    if i >= len(tokens) or tokens[i].text != "(" or tokens[i].first:
        return None
    keywords: list[str] = []
    depth, count, empty = 0, 0, True
    for k in range(i, len(tokens)):
        text = tokens[k].text
        if tokens[k].kind == "other" and text in _OPENING:
            depth += 1
        elif tokens[k].kind == "other" and text in _CLOSING:
            depth -= 1
            if depth == 0:
                return Shape(count + (not empty) - len(keywords), tuple(keywords))
        elif depth == 1 and text == ",":
            count, empty = count + 1, True
            continue
        elif depth == 1 and text == "*" and empty:
            return None
        elif depth == 1 and text == "=" and tokens[k - 2].text in "(," and tokens[k + 1].text != "=":
            keywords.append(tokens[k - 1].text)
        if k > i:
            empty = False
    return None


def _place(result: Parsed, token: Token) -> Place:
    return Place(result.seen.path, token.line, token.column)


def _doubt(result: Parsed, token: Token, text: str) -> Doubt:
    doubt = Doubt(_place(result, token), text)
    result.seen.doubts.append(doubt)
    return doubt
