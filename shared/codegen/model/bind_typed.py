# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The types of values that an attribute or option stands for."""

from __future__ import annotations

import re

from .api import Api, CType
from .bind_types import Types
from .binding import TypedRow, TypedTable
from .overrides import OverrideError, Overrides, TypedEntry

_ARRAY = re.compile(r"^(?P<type>[^\[\]]+?)\s*(?:\[(?P<count>\d*)\])?$")


def bind_typed(api: Api, types: Types, overrides: Overrides, problems: list[str]) -> tuple[TypedTable, ...]:
    tables = []
    used = {entry.typed for entry in overrides.parameters}
    for entry in overrides.typed:
        if entry.name not in used:
            problems.append(f"override: no parameter uses the typed table {entry.name}")
        enum = next((e for e in api.enums if e.name == entry.enum), None)
        if enum is None:
            continue
        values = {e.name: e.value for e in enum.enumerators}
        rows: dict[int, TypedRow] = {}
        for name, text in entry.rows.items():
            where = f"override: typed table {entry.name}: {name}"
            if name not in values:
                continue
            if values[name] in rows:
                problems.append(f"{where} has the value of {rows[values[name]].enumerator}")
                continue
            try:
                rows[values[name]] = _row(types, entry, name, text)
            except OverrideError as error:
                problems.append(f"{where}: {error}")
        tables.append(TypedTable(entry.name, entry.enum, tuple(rows[value] for value in sorted(rows))))
    return tuple(tables)


def _row(types: Types, entry: TypedEntry, name: str, text: str) -> TypedRow:
    match = _ARRAY.match(text)
    if match is None:
        raise OverrideError(f"{text!r} is no type")
    count = 1 if match["count"] is None else int(match["count"] or 0)
    try:
        element = types.value(CType.parse(match["type"]))
    except KeyError as error:
        raise OverrideError(f"nobody knows the type {error}") from None
    if element is None:
        raise OverrideError(f"{text!r} may mean several things")
    flags = entry.row_flags.get(name, entry.flags)
    return TypedRow(name, element.elem, element.type, count, flags)
