# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A module of the official `cuda.bindings`, read from the signatures and docstrings of what is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property
from importlib import import_module, metadata
from typing import Any

from .shape import NUMBERS, Function, Input

_REFERENCE = re.compile(r":py:obj:`~?\.?([\w.]+)`|~\.(\w+)")
_ITEM = re.compile(r"^\s*(\w+) : (.+?)\s*$")
_DECLARED = re.compile(r"^(?:(?P<ctype>[\w ]+?(?: \*|\s))\s*)?(?P<name>\w+)(?:: (?P<hint>.+?))?(?:=(?P<default>.+))?$")
_ARRAY = re.compile(r"tuple\[(\w+)\] \| list\[\w+\]")


def version() -> str | None:
    try:
        return metadata.version("cuda-bindings")
    except metadata.PackageNotFoundError:
        return None


class Official:
    """The side of the official wheel. Where a signature and the docstring disagree, the signature is right."""

    def __init__(self, module: str) -> None:
        self._module: Any = import_module(f"cuda.bindings.{module}")

    def functions(self) -> Mapping[str, Function]:
        found = {}
        for name, value in vars(self._module).items():
            doc = getattr(value, "__doc__", None) or ""
            if (
                callable(value)
                and not isinstance(value, type)
                and not name.startswith("_")
                and doc.startswith(f"{name}(")
            ):
                found[name] = function(doc)
        return found

    def enums(self) -> Mapping[str, Mapping[str, int]]:
        return {
            name: {member.name: int(member) for member in value}
            for name, value in self._classes.items()
            if _is_enum(value)
        }

    def records(self) -> Mapping[str, Mapping[str, str]]:
        """Those without a name in C, too: the official names of these are only good to look them up here."""
        return {name: _fields(value) for name, value in self._classes.items() if _is_record(value)}

    def other_types(self) -> frozenset[str]:
        return frozenset(name for name, value in self._classes.items() if not _is_enum(value) and not _is_record(value))

    def constants(self) -> Mapping[str, int]:
        return {
            name: int(value)
            for name, value in vars(self._module).items()
            if isinstance(value, int) and not isinstance(value, Enum) and not name.startswith("_")
        }

    def accepts(self, name: str, other: str) -> bool:
        return name == other

    def same(self, name: str) -> str:
        return name

    @cached_property
    def _classes(self) -> Mapping[str, Any]:
        return {
            name: value
            for name, value in vars(self._module).items()
            if isinstance(value, type) and value.__module__ == self._module.__name__ and not name.startswith("_")
        }


def is_nameless(name: str) -> bool:
    """Whether a class stands for a struct or union that has no name in C."""
    return bool(re.match(r"anon_(struct|union)\d+$", name))


def _is_enum(value: Any) -> bool:
    return issubclass(value, int)


def _is_record(value: Any) -> bool:
    return not _is_enum(value) and hasattr(value, "getPtr") and bool(_attributes(value))


def _attributes(value: type) -> frozenset[str]:
    return frozenset(
        name for name in dir(value) if not name.startswith("__") and not callable(getattr(value, name, None))
    )


def _fields(value: type) -> Mapping[str, str]:
    documented = {name: _type(text) for name, text in _items(value.__doc__ or "", "Attributes")}
    return {name: documented.get(name, "") for name in sorted(_attributes(value))}


def function(doc: str) -> Function:
    declared = doc.split("\n", 1)[0]
    types = dict(_items(doc, "Parameters"))
    inputs = tuple(_input(text, types) for text in _split(declared[declared.index("(") + 1 : declared.rindex(")")]))
    # The status comes first. What has no name is written as its type alone.
    outputs = [_ITEM.match(line) or line for line in _lines(doc, "Returns")][1:]
    return Function(inputs, tuple(_type(item if isinstance(item, str) else item[2]) for item in outputs))


def _input(text: str, types: Mapping[str, str]) -> Input:
    match = _DECLARED.match(text)
    if match is None:
        raise ValueError(f"cannot read the official parameter {text!r}")
    name, ctype, hint = match["name"], (match["ctype"] or "").strip(), match["hint"]
    optional = match["default"] is not None
    if array := _ARRAY.search(hint or ""):
        return Input(name, f"list[{_plain(array[1])}]", optional)
    if hint and (bare := re.fullmatch(r"(?:Optional\[)?(\w+)\]?", hint)):
        return Input(name, _plain(bare[1]), optional)
    if hint:
        return Input(name, "list[any]" if "Any" in hint else hint, optional)
    if ctype:
        return Input(name, {"char *": "bytes", "void_ptr": "any"}.get(ctype, ctype), optional)
    described = _type(types.get(name, "Any"))
    # An untyped parameter that is described as a number takes any object: the C type is a handle or an address.
    return Input(name, "any" if described in NUMBERS else described, optional)


def _items(doc: str, section: str) -> Iterator[tuple[str, str]]:
    for line in _lines(doc, section):
        if match := _ITEM.match(line):
            yield match[1], match[2]


def _lines(doc: str, section: str) -> Iterator[str]:
    """The lines of a section that are not indented within it."""
    lines = doc.split("\n")
    underlined = [i for i in range(len(lines) - 1) if lines[i].strip() and re.fullmatch(r"\s*-{3,}", lines[i + 1])]
    for position, start in enumerate(underlined):
        if lines[start].strip() == section:
            end = underlined[position + 1] if position + 1 < len(underlined) else len(lines)
            indent = len(lines[start]) - len(lines[start].lstrip())
            for line in lines[start + 2 : end]:
                if line.strip() and len(line) - len(line.lstrip()) == indent:
                    yield line


def _type(text: str) -> str:
    """`:py:obj:`~.CUstream` or :py:obj:`~.cudaStream_t`` -> CUstream or cudaStream_t"""
    text = _REFERENCE.sub(lambda match: match[1] or match[2], text).strip()
    if match := re.fullmatch(r"list\[(.+)\]", text):
        return f"list[{_plain(match[1])}]"
    return " or ".join(_plain(part.strip()) for part in text.split(" or "))


def _plain(text: str) -> str:
    return "any" if text == "Any" else text


def _split(text: str) -> Iterator[str]:
    """At the commas that are not inside brackets."""
    depth, start = 0, 0
    for i, character in enumerate(text):
        depth += character in "[("
        depth -= character in "])"
        if character == "," and not depth:
            yield text[start:i].strip()
            start = i + 1
    if text[start:].strip():
        yield text[start:].strip()
