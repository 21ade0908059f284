# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Types and prototypes as Cython writes them into the name of a capsule.

Cython compares that name with what a consumer was compiled for, letter by letter, so it follows Cython's own habits:
`const` comes after the type, `long long` is a macro of its, and a type that a module declares outside `cdef extern`
carries the module's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from codegen.model.api import Api, CType, Function, View
from codegen.model.bind_stale import key
from codegen.model.names import KEYWORDS, STANDARD
from codegen.model.official import Extra, Official

from .ctext import own, passed


def signature(result: str, types: Iterable[CType], name: Callable[[str], str] | None = None) -> str:
    """`CUresult (char const *, unsigned PY_LONG_LONG)`; `name` says how a type is called there."""
    called = name or own
    return _function(_spell(CType.parse(result), called), (_spell(passed(t), called) for t in types))


def _function(result: str, types: Iterable[str]) -> str:
    return f"{result}{'' if result.endswith('*') else ' '}({', '.join(types) or 'void'})"


def _spell(c_type: CType, name: Callable[[str], str]) -> str:
    text = name(c_type.base).replace("long long", "PY_LONG_LONG")
    if c_type.const[0]:
        text += " const"
    if c_type.depth:
        text += " " + "".join("*const " if const else "*" for const in c_type.const[1:]).rstrip()
    return text


class OfficialSpelling:
    """How the official module of a major writes what the header of that major says."""

    def __init__(self, api: Api, view: View, official: Official) -> None:
        kinds = (api.enums, api.records, api.handles, api.callbacks)
        self._headers = {x.name: x.header for kind in kinds for x in kind}
        self._keywords = _keywords(api)
        self._view = view
        self._official = official

    def function(self, function: Function) -> str | None:
        """None where the header does not declare it."""
        types = self._view.spelled.get(function.name)
        if types is None:
            return None
        names = [p.name for p in function.parameters]
        parameters = (self._parameter(function, n, t) for n, t in zip(names, types, strict=True))
        return _function(self.type(CType.parse(function.result)), parameters)

    def extra(self, extra: Extra) -> str:
        return _function(self.type(CType.parse(extra.result)), (self.type(p.type) for p in extra.parameters))

    def type(self, c_type: CType) -> str:
        """It writes no const but the first one."""
        return _spell(CType(c_type.base, (c_type.const[0], *(False for _ in c_type.const[1:]))), self.name)

    def name(self, written: str) -> str:
        if written in self._official.types:
            return self._official.types[written].format(own=self._official.prefix)
        if written in KEYWORDS or written in STANDARD:
            return written
        permanent = self._view.types.get(written, written)
        extern = self._headers.get(permanent) in self._official.extern
        called = written if extern else self._official.prefix + written
        # C knows it by its tag only, and so does Cython.
        return f"{self._keywords[permanent]} {called}" if written in self._view.tags else called

    def _parameter(self, function: Function, name: str, c_type: CType) -> str:
        text = self._official.parameters.get((key(function), name))
        return self.type(c_type) if text is None else text.format(own=self._official.prefix)


def _keywords(api: Api) -> Mapping[str, str]:
    found = {enum.name: "enum" for enum in api.enums}
    return found | {record.name: "union" if record.union else "struct" for record in api.records}
