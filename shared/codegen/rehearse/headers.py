# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Facts of a release in, C headers out: what `ingest.parse` reads, written backwards.

Read again, the headers say the facts that they were made of. They are for the parser and for nobody else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from ..ingest.specs import DRIVER
from ..model.api import CType
from ..model.names import KEYWORDS
from ..model.registry import Key, Scalar, Value

State = Mapping[Key, Value]
T = TypeVar("T")

_INTERNAL = "__CUDA_API_VERSION_INTERNAL"
_PER_THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"
_TYPES = ("enum", "record", "typedef", "callback")
# What a header of an interface needs beside <cuda.h>.
_INCLUDES = {"cudaGL.h": ("GL/gl.h",), "cudaEGL.h": ("EGL/egl.h", "EGL/eglext.h"), "cudaVDPAU.h": ("vdpau/vdpau.h",)}


class RehearsalError(Exception):
    """What cannot be written as a header."""


def write(state: State, headers: Iterable[str], folder: Path) -> Path:
    """Write the Linux headers that say `state`; `headers` are those that the release has."""
    folder.mkdir(parents=True, exist_ok=True)
    said = Headers(state)
    for name in headers:
        (folder / name).write_text(said.text(name), "utf-8")
    return folder


@dataclass(frozen=True)
class _Field:
    name: str
    offset: int
    size: int
    type: str
    count: int | None

    @property
    def end(self) -> int:
        return self.offset + self.size


@dataclass(frozen=True)
class Headers:
    state: State

    def text(self, header: str) -> str:
        lines = ["#pragma once"]
        if header == DRIVER.headers[0]:
            lines += ["#include <stddef.h>", "#include <stdint.h>"]
        elif (interface := header.replace("Typedefs.h", ".h")) != header and interface != DRIVER.headers[0]:
            lines += [f"#include <{interface}>"]
        else:
            lines += ["#include <cuda.h>", *(f"#include <{name}>" for name in _INCLUDES.get(header, ()))]
        for part in (self._types, self._prototypes, self._introduced, self._constants):
            lines += part(header)
        return "\n".join([*lines, ""])

    # -- facts

    def _of(self, kind: str, header: str | None = None) -> Iterator[tuple[str, Value]]:
        for key, value in self.state.items():
            if key[0] == kind and value.get("platform") != "windows" and header in (None, value.get("header")):
                yield key[1], value

    @cached_property
    def _fields(self) -> Mapping[str, tuple[_Field, ...]]:
        found: dict[str, list[_Field]] = {}
        for key, value in self.state.items():
            if key[0] == "field":
                count = value.get("count")
                field = _Field(
                    key[2],
                    _number(value["offset"]),
                    _number(value["size"]),
                    str(value["type"]),
                    None if count is None else _number(count),
                )
                found.setdefault(key[1], []).append(field)
        return {record: tuple(sorted(f, key=lambda f: (f.offset, -f.size, f.name))) for record, f in found.items()}

    @cached_property
    def _enumerators(self) -> Mapping[str, tuple[tuple[str, Value], ...]]:
        found: dict[str, list[tuple[str, Value]]] = {}
        for key, value in self.state.items():
            if key[0] == "enumerator":
                found.setdefault(key[1], []).append((key[2], value))
        return {enum: tuple(listed) for enum, listed in found.items()}

    # -- types

    def _types(self, header: str) -> Iterator[str]:
        """Enumerations, then names of types in the order in which they lean on each other, then records."""
        for name, value in self._of("enum", header):
            yield from _guarded(value, self._enum(name, value))
        named = {("typedef", name): value for name, value in self._of("typedef", header)}
        named |= {("callback", name): value for name, value in self._of("callback", header)}

        def named_in(key: tuple[str, str]) -> Iterator[tuple[str, str]]:
            texts = [str(named[key].get(part, "")) for part in ("type", "result")]
            for text in (*texts, *str(named[key].get("parameters", "")).split(", ")):
                for word in CType.parse(text).base.split():
                    yield from (other for kind in ("typedef", "callback") if (other := (kind, word)) != key)

        for key in _sorted(list(named), named_in):
            make = self._typedef if key[0] == "typedef" else self._callback
            yield from _guarded(named[key], make(key[1], named[key]))
        records = {name: value for name, value in self._of("record", header) if "." not in name}
        for name in _sorted(list(records), lambda name: self._held(name)):
            yield from _guarded(records[name], self._record(name, records[name]))

    def _held(self, record: str) -> Iterator[str]:
        """Records that a record holds by value."""
        for field in self._fields.get(record, ()):
            if field.type == f"{record}.{field.name}":
                yield from self._held(field.type)
            elif not CType.parse(field.type).depth:
                yield self._entity(field.type)

    def _entity(self, name: str) -> str:
        while (value := self.state.get(("typedef", name))) and str(value["type"]) != name:
            name = str(value["type"])
        return name

    def _c(self, text: str) -> str:
        """A type as C writes it: facts leave out `struct`, `union` and `enum`."""
        type_ = CType.parse(text)
        base = type_.base
        if base in KEYWORDS or ("typedef", base) in self.state or ("callback", base) in self.state:
            return str(type_)
        return str(CType(self._tag(base), type_.const))

    def _tag(self, name: str) -> str:
        if ("enum", name) in self.state:
            return f"enum {name}"
        union = self.state.get(("record", name), {}).get("union")
        known = ("record", name) in self.state or name.endswith("_st")
        return f"{'union' if union else 'struct'} {name}" if known else name

    def _enum(self, name: str, value: Value) -> Iterator[str]:
        yield "typedef enum {" if value.get("untagged") else f"enum {name} {{"
        for enumerator, fact in self._enumerators[name]:
            yield from _guarded(fact, [f"  {enumerator} = {fact['value']},"])
        yield f"}} {name};" if value.get("untagged") else "};"

    def _typedef(self, name: str, value: Value) -> Iterator[str]:
        target = CType.parse(str(value["type"]))
        if ("enum", name) in self.state and self.state["enum", name].get("untagged"):
            return  # its definition names it
        if target.base == name or ("typedef", target.base) not in self.state:
            target = CType(self._tag(target.base) if target.base not in KEYWORDS else target.base, target.const)
        if str(target) == "void" and "size" not in value:
            yield f"typedef struct {name} {name};"  # only ever pointed to
        else:
            yield f"typedef {_declared(str(target), name)};"

    def _callback(self, name: str, value: Value) -> Iterator[str]:
        parameters = self._parameters(str(value["parameters"]))
        yield f"typedef {self._c(str(value['result']))} (*{name})({parameters});"

    def _record(self, name: str, value: Value) -> Iterator[str]:
        yield f"{self._head(value)} {name} {{"
        yield from self._members(name)
        yield "};"

    @staticmethod
    def _head(value: Value) -> str:
        return f"{'union' if value.get('union') else 'struct'} __attribute__((aligned({value['align']})))"

    def _members(self, record: str) -> Iterator[str]:
        fields = self._fields.get(record, ())
        if self.state["record", record].get("union"):
            yield from self._alternatives(record, fields)
        else:
            yield from self._sequence(record, fields)

    def _sequence(self, record: str, fields: Sequence[_Field]) -> Iterator[str]:
        for group in _overlapping(fields):
            if len(group) == 1:
                yield from self._field(record, group[0])
            else:
                yield "union {"
                yield from self._alternatives(record, group)
                yield "};"

    def _alternatives(self, record: str, fields: Sequence[_Field]) -> Iterator[str]:
        """Fields that begin together are of different members; one that comes later follows the longest that fits."""
        start = min((field.offset for field in fields), default=0)
        chains: list[list[_Field]] = []
        for field in fields:
            fitting = [chain for chain in chains if field.offset > start and chain[-1].end <= field.offset]
            if fitting:
                max(fitting, key=lambda chain: chain[-1].end).append(field)
            elif field.offset == start:
                chains.append([field])
            else:
                raise RehearsalError(f"{record}.{field.name}: nothing lies before it")
        for chain in chains:
            if len(chain) == 1:
                yield from self._field(record, chain[0])
            else:
                yield "struct {"
                yield from self._sequence(record, chain)
                yield "};"

    def _field(self, record: str, field: _Field) -> Iterator[str]:
        name = f"{field.name}[{field.count}]" if field.count is not None else field.name
        if field.type == f"{record}.{field.name}":
            yield f"{self._head(self.state['record', field.type])} {{"
            yield from self._members(field.type)
            yield f"}} {name};"
        else:
            yield f"  {_declared(self._c(field.type), name)};"

    # -- functions

    def _prototypes(self, header: str) -> Iterator[str]:
        """Names that stand for another function are macros; what only old programs call, no program of today sees."""
        declared = dict(self._of("declared", header))
        yield f"#if defined({_INTERNAL})"
        yield from (self._prototype(symbol, value) for symbol, value in declared.items())
        for directive, mode in ((f"#elif defined({_PER_THREAD})", "per_thread"), ("#else", "legacy")):
            means = {name: str(value[mode]) for name, value in self._of("default") if mode in value}
            yield directive
            visible = sorted(set(means.values()) & declared.keys())
            yield from (self._prototype(symbol, declared[symbol]) for symbol in visible)
            yield from (f"#define {n} {symbol}" for n, symbol in means.items() if n != symbol and symbol in declared)
        yield "#endif"

    def _prototype(self, symbol: str, value: Value) -> str:
        result = self._c(str(value.get("result", DRIVER.usual_result)))
        return f"{_declared(result, symbol)}({self._parameters(str(value.get('parameters', '')))});"

    def _parameters(self, text: str) -> str:
        found = []
        for part in text.split(", ") if text else ():
            type_, star, name = part.rpartition("*")
            if not star:
                type_, _, name = part.rpartition(" ")
            if not type_ or part in KEYWORDS or name in ("int", "const"):
                type_, name = part, ""
            found.append(_declared(self._c(f"{type_}{star}" if star else type_), name.strip()))
        return ", ".join(found) or "void"

    def _introduced(self, header: str) -> Iterator[str]:
        for key, value in self.state.items():
            if key[0] == "introduced" and value.get("header") == header and value.get("platform") != "windows":
                base, stream, version = key[1:]
                yield f"typedef CUresult (*PFN_{base}_v{version}{stream and f'_{stream}'})(void);"

    # -- constants

    def _constants(self, header: str) -> Iterator[str]:
        for name, value in self._of("constant", header):
            yield f"#define {name} {value['alias'] if 'alias' in value else self._literal(value)}"

    def _literal(self, value: Value) -> str:
        given = value["value"]
        if isinstance(given, str):
            return '"' + "".join(f"\\{byte:03o}" for byte in given.encode("latin-1")) + '"'
        if str(value["type"]) == "int":
            return f"({given})"
        return f"(({self._c(str(value['type']))}){given})"


def _number(value: Scalar) -> int:
    assert isinstance(value, int)
    return value


def _declared(type_: str, name: str) -> str:
    return f"{type_}{'' if type_.endswith('*') else ' '}{name}".strip()


def _guarded(value: Value, lines: Iterable[str]) -> Iterator[str]:
    if value.get("internal"):
        yield f"#if defined({_INTERNAL})"
    yield from lines
    if value.get("internal"):
        yield "#endif"


def _overlapping(fields: Sequence[_Field]) -> Iterator[list[_Field]]:
    """Groups of fields that share bytes."""
    group: list[_Field] = []
    end = 0
    for field in fields:
        if group and field.offset >= end:
            yield group
            group = []
        group.append(field)
        end = max(end, field.end)
    if group:
        yield group


def _sorted(items: Sequence[T], needs: Callable[[T], Iterable[T]]) -> list[T]:
    """Each item after those that it needs."""
    known = set(items)
    done: dict[T, None] = {}

    def visit(item: T, above: tuple[T, ...]) -> None:
        if item in done:
            return
        for needed in needs(item):
            if needed in known and needed not in above:
                visit(needed, (*above, item))
        done[item] = None

    for item in items:
        visit(item, (item,))
    return list(done)
