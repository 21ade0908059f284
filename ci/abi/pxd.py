# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Reads the generated .pxd files: a declaration a line, blocks by indentation.

A line of another form is an error: what this does not understand would be missing from the ledger.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

_NAME = r"[A-Za-z_]\w*"
_C_NAME = r'(?: "(?P<c>(?:[^"\\]|\\.)*)")?'
_EXTERN = re.compile(r'cdef extern from (?:"(?P<header>[^"]+)"|\*)(?: nogil)?:')
_CIMPORT = re.compile(r"from (?P<module>\.*[\w.]*) cimport (?P<names>.+)")
_COMPOUND = re.compile(rf"ctypedef (?P<kind>enum|struct|union) (?P<name>{_NAME}){_C_NAME}:")
_CALLBACK = re.compile(rf"ctypedef (?P<result>.+?) ?\(\*(?P<name>{_NAME})\)\((?P<parameters>.*)\)(?P<clause>.*)")
_CONSTANT = re.compile(rf'enum: (?P<name>{_NAME}) "(?P<c>[^"]+)"')
_FUNCTION = re.compile(rf"(?P<result>.+?[ *])(?P<name>{_NAME}){_C_NAME} ?\((?P<parameters>[^()]*)\)(?P<clause>.*)")
_VARIABLE = re.compile(rf"(?P<type>.+?[ *])(?P<name>{_NAME})(?P<count>\[\w+\])?{_C_NAME}")
_MEMBER = re.compile(rf"(?P<name>{_NAME}){_C_NAME}")


class PxdError(Exception):
    """A line that the ledger cannot read."""


@dataclass(frozen=True)
class Variable:
    """A field, a constant, an enumerator (of type "")."""

    name: str
    type: str
    c_name: str  # what it is in C: a name or an expression


@dataclass(frozen=True)
class Compound:
    kind: str  # enum, struct, union
    name: str
    c_name: str
    members: tuple[Variable, ...]


@dataclass(frozen=True)
class Function:
    name: str
    signature: str
    clause: str  # except? CUDA_ERROR_NOT_FOUND nogil
    c_name: str | None  # of a function that a C header defines; None where it is a capsule


@dataclass
class Pxd:
    functions: list[Function] = field(default_factory=list)
    compounds: list[Compound] = field(default_factory=list)
    callbacks: list[Function] = field(default_factory=list)
    types: list[Variable] = field(default_factory=list)  # a type with a name of its own
    constants: list[Variable] = field(default_factory=list)
    aliases: dict[str, dict[str, str]] = field(default_factory=dict)  # by module: names here, and there
    stars: list[str] = field(default_factory=list)  # modules whose names are all this one's


def read(text: str) -> Pxd:
    found = Pxd()
    for line, body in _blocks(_statements(text)):
        if _EXTERN.fullmatch(line):
            for inner, members in _blocks(body):
                _extern(found, inner, members)
        elif match := _CIMPORT.fullmatch(line):
            _cimport(found, match["module"], match["names"])
        elif line.startswith("cdef ") and (match := _FUNCTION.fullmatch(line.removeprefix("cdef "))):
            found.functions.append(_function(match, None))
        else:
            raise PxdError(f"not understood: {line}")
    return found


def _extern(found: Pxd, line: str, body: Sequence[str]) -> None:
    if match := _COMPOUND.fullmatch(line):
        members = tuple(_member(match["kind"], text.strip()) for text in body if text.strip() != "pass")
        found.compounds.append(Compound(match["kind"], match["name"], match["c"] or match["name"], members))
    elif match := _CALLBACK.fullmatch(line):
        signature = f"{match['result']} ({match['parameters']})"
        found.callbacks.append(Function(match["name"], signature, match["clause"].strip(), None))
    elif match := _CONSTANT.fullmatch(line):
        found.constants.append(Variable(match["name"], "int", match["c"]))
    elif line.startswith("ctypedef ") and (match := _VARIABLE.fullmatch(line.removeprefix("ctypedef "))):
        found.types.append(_variable(match))
    elif match := _FUNCTION.fullmatch(line):
        found.functions.append(_function(match, match["c"] or match["name"]))
    elif match := _VARIABLE.fullmatch(line):
        found.constants.append(_variable(match))
    else:
        raise PxdError(f"not understood: {line}")


def _member(kind: str, line: str) -> Variable:
    match = (_MEMBER if kind == "enum" else _VARIABLE).fullmatch(line)
    if match is None:
        raise PxdError(f"not understood: {line}")
    return Variable(match["name"], "", match["c"] or match["name"]) if kind == "enum" else _variable(match)


def _variable(match: re.Match[str]) -> Variable:
    return Variable(match["name"], match["type"].strip() + (match["count"] or ""), match["c"] or match["name"])


def _function(match: re.Match[str], c_name: str | None) -> Function:
    signature = f"{match['result'].strip()} ({match['parameters']})"
    return Function(match["name"], signature, match["clause"].strip(), c_name)


def _cimport(found: Pxd, module: str, names: str) -> None:
    if names == "*":
        found.stars.append(module.rpartition(".")[2])
        return
    aliases = found.aliases.setdefault(module.rpartition(".")[2], {})
    for text in filter(None, (part.strip() for part in names.strip("()").split(","))):
        target, _, name = text.partition(" as ")
        aliases[name or target] = target


def _statements(text: str) -> Iterator[str]:
    """Lines without comments; what stands in parentheses over several lines is one."""
    joined = ""
    for raw in text.splitlines():
        line = raw if '"' in raw else raw.partition("#")[0].rstrip()
        if not line.strip():
            continue
        joined = f"{joined} {line.strip()}" if joined else line
        if joined.count("(") <= joined.count(")"):
            yield joined
            joined = ""


def _blocks(lines: Iterable[str]) -> Iterator[tuple[str, list[str]]]:
    """Lines of the lowest indentation, and those below each."""
    head, body, depth = "", list[str](), -1
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if depth < 0 or indent <= depth:
            if head:
                yield head, body
            head, body, depth = line.strip(), [], indent
        else:
            body.append(line)
    if head:
        yield head, body
