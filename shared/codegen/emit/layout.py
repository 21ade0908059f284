# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""C definitions of records that are passed by value.

A calling convention looks at the size, the alignment and the class (integer, float) of what lies at each offset. The
registry has the members of anonymous unions and structs flattened into their record, so the definition is rebuilt:
fields that share bytes become a union of structs. No padding members are added, since they would count as integers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from codegen.model.binding import BoundField, BoundRecord

from .abi import SCALARS, SIZES, Abi
from .errors import EmitError


@dataclass(frozen=True)
class Definition:
    c_name: str  # struct cs_CUmemLocation
    text: str


@dataclass(frozen=True)
class Member:
    name: str
    c_type: str
    offset: int
    size: int
    align: int
    count: int | None

    @property
    def end(self) -> int:
        return self.offset + self.size

    @property
    def declaration(self) -> str:
        space = "" if self.c_type.endswith("*") else " "
        return f"{self.c_type}{space}{self.name}{'' if self.count is None else f'[{self.count}]'};"


def define(abi: Abi, names: Iterable[str]) -> Mapping[str, Definition]:
    """Definitions of the named records and of the records in them, each before its first use."""
    found: dict[str, Definition] = {}
    for name in names:
        _define(abi, name, found)
    return found


def c_name(record: BoundRecord) -> str:
    keyword = "union" if record.record.union else "struct"
    return f"{keyword} cs_{record.record.name.replace('.', '_')}"


def _define(abi: Abi, name: str, found: dict[str, Definition]) -> None:
    if name in found:
        return
    bound = abi.records[name]
    members = [_member(abi, bound, field, found) for field in bound.fields]
    whole, record = c_name(bound), bound.record
    lines = [f"{whole} {{"]
    if record.union:
        lines += [f"    {m.declaration}" for m in members]
    else:
        lines += struct_body(members, record.name)
    lines.append("};")
    natural = max((m.align for m in members), default=1)
    if record.align != natural:
        lines[1] = f"    _Alignas({record.align}) {lines[1].lstrip()}"
    where = f'"layout of {record.name}"'
    lines.append(f"_Static_assert(sizeof({whole}) == {record.size}, {where});")
    lines.append(f"_Static_assert(_Alignof({whole}) == {record.align}, {where});")
    lines += [f"_Static_assert(offsetof({whole}, {m.name}) == {m.offset}, {where});" for m in members]
    found[name] = Definition(whole, "\n".join(lines) + "\n")


def _member(abi: Abi, bound: BoundRecord, field: BoundField, found: dict[str, Definition]) -> Member:
    raw = field.field
    what = f"{bound.record.name}.{raw.name}"
    pointer = raw.type.depth > 0 or field.kind in ("list", "kernel_params")
    value = "ptr" if pointer else abi.value(field.elem, field.type, what)
    if value in SCALARS:
        c_type = "char" if field.elem == "char" else SCALARS[value][0]
        align = SIZES[value]
    else:
        inner = value.removeprefix("record:")
        _define(abi, inner, found)
        c_type, align = found[inner].c_name, abi.records[inner].record.align
    return Member(raw.name, c_type, raw.offset, raw.size, align, raw.count)


def struct_body(members: Sequence[Member], record: str) -> list[str]:
    lines: list[str] = []
    for cluster in _clusters(members):
        alternatives = _alternatives(cluster, record)
        if len(alternatives) == 1:
            lines += [f"    {m.declaration}" for m in cluster]
            continue
        lines.append("    union {")
        for alternative in alternatives:
            if len(alternative) == 1:
                lines.append(f"        {alternative[0].declaration}")
            else:
                lines.append("        struct {")
                lines += [f"            {m.declaration}" for m in alternative]
                lines.append("        };")
        lines.append("    };")
    return lines


def _clusters(members: Sequence[Member]) -> list[list[Member]]:
    """Runs of members that share bytes, in the order of the header."""
    clusters: list[list[Member]] = []
    end = 0
    for member in members:
        if clusters and member.offset < end:
            clusters[-1].append(member)
        else:
            clusters.append([member])
        end = max(end, member.end)
    return clusters


def _alternatives(cluster: Sequence[Member], record: str) -> list[list[Member]]:
    alternatives: list[list[Member]] = []
    for member in cluster:
        if alternatives and member.offset >= alternatives[-1][-1].end:
            alternatives[-1].append(member)
        elif member.offset == cluster[0].offset:
            alternatives.append([member])
        else:
            raise EmitError(f"{record}.{member.name}: cannot tell the union that holds it from its offset")
    return alternatives
