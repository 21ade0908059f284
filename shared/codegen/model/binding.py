# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How each C parameter and field is offered in Python: what `bind` returns and what `emit` writes as rows.

The words for kinds, elements and flags are those of shared/engine/rows.h, in lower case without prefix.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .api import Api, CType, Field, Function, Record
from .official import Official
from .spelling import Spelling

INPUT_KINDS = frozenset(
    {"in", "in_record", "in_array", "in_handle_ref", "in_typed", "kernel_params", "option_values", "inout"}
)
OUTPUT_KINDS = frozenset(
    {"out", "out_record", "out_array", "out_borrowed", "out_typed", "out_typed_list", "out_size", "inout"}
)


@dataclass(frozen=True)
class BoundParameter:
    name: str  # Python's name: the header's, with "_" appended to keywords
    ctype: CType
    kind: str  # cs_kind: "in", "out_record", …
    elem: str  # cs_elem: "i32", "enum", …
    type: str | None = None  # permanent name of the enum, handle, record or callback
    flags: frozenset[str] = frozenset()  # cs_param_flag: "optional", "writable", …
    link: int | None = None  # index of another C parameter; the number itself with "fixed"
    link2: int | None = None  # index of another C parameter; its meaning depends on the kind
    typed: str | None = None  # name of a typed table
    # "sized": Function.name of the function that tells how many elements or bytes the parameter takes. It has this
    # function's parameters up to this one, and the size behind them.
    sized_by: str | None = None

    @property
    def is_input(self) -> bool:
        return self.kind in INPUT_KINDS

    @property
    def is_output(self) -> bool:
        return self.kind in OUTPUT_KINDS


@dataclass(frozen=True)
class BoundFunction:
    function: Function
    parameters: tuple[BoundParameter, ...]  # one for each C parameter, in C order
    keep_gil: bool = False
    outputs_on_error: bool = False  # the outputs are returned when the call fails too
    # The C function gives back a value and no status: it is bound as one parameter more, "out" or "out_record", as if
    # the function wrote it through a last pointer; the status is always success.
    returns_value: bool = False

    @property
    def inputs(self) -> tuple[BoundParameter, ...]:
        return tuple(p for p in self.parameters if p.is_input)

    @property
    def outputs(self) -> tuple[BoundParameter, ...]:
        return tuple(p for p in self.parameters if p.is_output)


@dataclass(frozen=True)
class BoundField:
    field: Field
    kind: str  # cs_field_kind: "value", "array", "list", "kernel_params"
    elem: str
    type: str | None = None
    link: int | None = None  # index of the field with the count
    shares: bool = False  # shares bytes with another field
    text: bool = False  # an array of char that is cut at the first NUL


@dataclass(frozen=True)
class BoundRecord:
    record: Record
    fields: tuple[BoundField, ...]


@dataclass(frozen=True)
class TypedRow:
    """The type of the value that one attribute or option stands for."""

    enumerator: str
    elem: str
    type: str | None = None
    count: int = 1  # n values; 0: as many as the byte size holds
    flags: frozenset[str] = frozenset()  # cs_typed_flag: "by_value", "bytes", "writable"


@dataclass(frozen=True)
class TypedTable:
    name: str
    enum: str  # permanent name of the attribute's enum
    rows: tuple[TypedRow, ...]


@dataclass(frozen=True)
class Binding:
    api: Api
    functions: tuple[BoundFunction, ...]  # same order as api.functions, Windows-only ones included
    records: tuple[BoundRecord, ...]  # same order as api.records
    typed: tuple[TypedTable, ...]
    equivalents: Mapping[str, tuple[str, ...]]  # handle -> names of equal classes of other packages
    casts: Mapping[str, tuple[str, ...]]  # handle -> names of other handles that C programs cast to it
    streams: frozenset[str]  # handles that objects with __cuda_stream__ may stand for
    official: Official | None = None  # the official Cython module; None where there is none to stand in for
    spelling: Spelling | None = None  # how headers write it; None where the API comes from no registry

    def accepted(self, handle: str) -> tuple[str, ...]:
        """Names of the classes that a handle is taken from, beside its own."""
        return (*self.equivalents.get(handle, ()), *self.casts.get(handle, ()))

    @cached_property
    def by_name(self) -> Mapping[str, BoundFunction]:
        found = {b.function.name: b for b in self.functions}
        found.update((b.function.plain, b) for b in self.functions if b.function.plain)
        return found
