# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How the fields of records are offered."""

from __future__ import annotations

from .api import Api, Field, Record
from .bind_types import Element, Types
from .binding import BoundField, BoundRecord
from .overrides import FieldEntry, OverrideError, Overrides


def bind_records(api: Api, types: Types, overrides: Overrides, problems: list[str]) -> tuple[BoundRecord, ...]:
    entries: dict[tuple[str, str], FieldEntry] = {}
    for entry in overrides.fields:
        for record_name in entry.records:
            for name in entry.names:
                if (record_name, name) in entries:
                    problems.append(f"override: {record_name}, field {name}: two entries")
                entries[record_name, name] = entry
    return tuple(_record(record, types, entries, problems) for record in api.records)


def _record(
    record: Record, types: Types, entries: dict[tuple[str, str], FieldEntry], problems: list[str]
) -> BoundRecord:
    bound = []
    for field in record.fields:
        try:
            bound.append(_field(record, field, types, entries.get((record.name, field.name))))
        except OverrideError as error:
            problems.append(f"{record.name}, field {field.name} ({field.type}): {error}")
        except KeyError as error:
            problems.append(f"{record.name}, field {field.name} ({field.type}): nobody knows the type {error}")
    return BoundRecord(record, tuple(bound))


def _field(record: Record, field: Field, types: Types, entry: FieldEntry | None) -> BoundField:
    shares = _shares(record, field)
    value = types.value(field.type)
    base = types.base(field.type)
    if value is None and field.type.depth == 2 and base.elem == "void":
        value = Element("ptr")
    if entry is None:
        if value is None:
            raise OverrideError("a pointer to one, to several, or the driver's own?")
        return BoundField(field, "value" if field.count is None else "array", value.elem, value.type, None, shares)
    if entry.kind == "text":
        if field.count is None or value is None or value.elem != "char":
            raise OverrideError("the override is for a field that is no array of char")
        return BoundField(field, "array", value.elem, value.type, None, shares, text=True)
    if field.count is not None or not field.type.depth:
        raise OverrideError("the override is for a field that is no pointer")
    if entry.kind == "value":
        if value is not None:
            raise OverrideError("the override says what the rules say")
        return BoundField(field, "value", "ptr", None, None, shares)
    if entry.kind == "kernel_params":
        return BoundField(field, "kernel_params", "ptr", None, None, shares)
    if entry.kind != "list":
        raise OverrideError(f"fields have no kind {entry.kind}")
    element = types.value(field.type.pointee)
    if element is None:
        raise OverrideError("no list can be made of the type")
    link = None
    if entry.link is not None:
        names = [other.name for other in record.fields]
        if entry.link not in names:
            raise OverrideError(f"the override is linked to {entry.link}, which the record does not have")
        link = names.index(entry.link)
    return BoundField(field, "list", element.elem, element.type, link, shares)


def _shares(record: Record, field: Field) -> bool:
    return any(
        other is not field and other.offset < field.offset + field.size and field.offset < other.offset + other.size
        for other in record.fields
    )
