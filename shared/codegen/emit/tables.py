# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""_generated/tables.c: the rows of shared/engine/rows.h."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from codegen.model.api import Constant, Function
from codegen.model.binding import Binding, BoundField, BoundFunction, BoundParameter, TypedTable

from . import names, thunks
from .abi import Abi
from .ctext import c_banner, c_signature, flags, int64, quoted
from .errors import EmitError, fits
from .libraries import Library

_STREAM = {"": 0, "ptds": 1, "ptsz": 2}
_NONE8, _NONE16 = "CS_NONE8", "CS_NONE16"
# Integers that say how many bits they have and nothing else: flags of many kinds are passed in them.
NUMBERS = {"cuuint32_t", "cuuint64_t"}


@dataclass
class Pool:
    """Strings, each once; offset 0 is the empty one."""

    offsets: dict[str, int] = field(default_factory=lambda: {"": 0})
    size: int = 1

    def __call__(self, text: str) -> int:
        if text not in self.offsets:
            if "\0" in text:
                raise EmitError(f"{text!r} holds a NUL")
            self.offsets[text] = self.size
            self.size += len(text.encode()) + 1
        return self.offsets[text]

    def emit(self, name: str) -> str:
        width = len(str(self.size))
        rows = "".join(f'/* {o:{width}} */ {quoted(s)} "\\0"\n' for s, o in self.offsets.items())
        return f"const char {name}[] =\n{rows};\n"


@dataclass(frozen=True)
class Row:
    cells: tuple[int | str, ...]
    comment: str = ""


def emit(binding: Binding, library: Library) -> str:
    return _Tables(binding, library).emit()


def table(c_type: str, name: str, rows: Iterable[Row]) -> str:
    """A C array of rows; an empty one gets a row of zeros, since C has no empty arrays, that no count counts."""
    lines = []
    for i, row in enumerate(rows):
        cells = ", ".join(map(str, row.cells))
        lines.append(f"    {{{cells}}}, /* {i}{': ' if row.comment else ''}{row.comment} */\n")
    return f"const {c_type} {name}[] = {{\n{''.join(lines) or '    {0},' + chr(10)}}};\n"


class _Tables:
    def __init__(self, binding: Binding, library: Library) -> None:
        self.binding = binding
        self.api = binding.api
        self.library = library
        self.abi = Abi(binding)
        self.plan = thunks.plan(binding)
        self.names = names.collect(binding)
        self.pool = Pool()
        self.type_rows: Mapping[str, Mapping[str, int]] = {
            "enum": {e.name: i for i, e in enumerate(self.api.enums)},
            "handle": {h.name: i for i, h in enumerate(self.api.handles)},
            "record": {r.name: i for i, r in enumerate(self.api.records)},
            "callback": {c.name: i for i, c in enumerate(self.api.callbacks)},
        }
        self.function_rows = {f.name: i for i, f in enumerate(self.api.functions)}
        self.typed_rows = {t.name: i for i, t in enumerate(binding.typed)}
        self.params: list[Row] = []
        self.param_lists: dict[tuple[Row, ...], int] = {}
        self.fields: list[Row] = []

    # What several tables need

    def _type(self, elem: str, type_name: str | None, what: str) -> int | str:
        rows = self.type_rows.get(elem)
        if rows is None:
            return _NONE16
        if type_name is None or type_name not in rows:
            raise EmitError(f"{what}: no {elem} named {type_name}")
        return rows[type_name]

    def _since(self, number: int, what: str) -> int:
        return fits(number, 16, f"release of {what}")

    def emit(self) -> str:
        tables = [
            self._functions(),
            table("struct cs_param", "cs_params", self.params),
            self._typed(),
            self._enums(),
            self._enumerators(),
            self._enum_views(),
            self._handles(),
            self._callbacks(),
            self._records(),
            table("struct cs_field", "cs_fields", self.fields),
            self._constants(),
            self._common_names(),
            self._scopes(),
        ]
        head = c_banner(self.api.release) + '\n#include "rows.h"\n'
        return "\n".join([head, self._library(), *tables, self.pool.emit("cs_strings")])

    def _library(self) -> str:
        api, library = self.api, self.library
        counts = {
            "release": api.release.number,
            "nfuncs": len(api.functions),
            "nparams": len(self.params),
            "nthunks": len(self.plan.signatures),
            "nenums": len(api.enums),
            "nenumerators": len(self.names.enumerators),
            "nhandles": len(api.handles),
            "ncallbacks": len(api.callbacks),
            "nrecords": len(api.records),
            "nfields": len(self.fields),
            "nconstants": len(self.names.constants),
            "nnames": len(self.names.common),
            "nscopes": len(self.names.scopes),
            "ntyped": len(self.binding.typed),
            "result_success": self._result(library.result_success),
            "result_not_found": self._result(library.result_not_found),
            "major": library.major,
            "version_in_parts": int(library.version_in_parts),
        }
        strings = {
            "module": library.module,
            "core": library.core,
            "title": library.title,
            "docs_url": library.docs_url,
            "soname": library.soname,
            "soname_windows": library.soname_windows,
            "version_symbol": self._version_symbols(),
            "not_found_error": library.not_found_error,
            "path_variable": library.path_variable,
            "wheel": library.wheel,
        }
        lines = [f"    .{name} = {quoted(text)},\n" for name, text in strings.items() if text]
        lines += [f"    .{name} = {fits(number, 16, name)},\n" for name, number in counts.items()]
        declared = ""
        if library.release_of:
            lines.append(f"    .release_of = {library.release_of},\n")
            declared = f"cs_release_of {library.release_of};\n"
        return f"{declared}const struct cs_library cs_library = {{\n{''.join(lines)}}};\n"

    def _version_symbols(self) -> str:
        """Every symbol under which a library of any minor has the call that tells its version."""
        named = (f for f in self.api.functions if (f.plain or f.name) == self.library.version_symbol)
        return next(map(_symbols, named), self.library.version_symbol)

    def _result(self, name: str) -> int:
        for owner, enumerator in self.names.enumerators:
            if (owner, enumerator.name) == (self.library.result, name):
                return enumerator.value
        raise EmitError(f"{self.library.result} has no {name}")

    # Functions

    def _functions(self) -> str:
        # Filled first, so that the rows have their final indices and the strings of functions lead the pool.
        rows = [self._function(bound) for bound in self.binding.functions]
        return table("struct cs_func", "cs_funcs", rows)

    def _function(self, bound: BoundFunction) -> Row:
        f = bound.function
        strings = [self.pool(text) for text in (f.name, f.plain or "", _symbols(f), f.base, f.header)]
        return Row(
            (
                *strings,
                self._parameters(bound),
                self.plan.row[f.name],
                self._type("enum", self.library.result, f.name),
                self._since(f.introduced.number, f.name),
                len(bound.parameters),
                fits(f.version, 8, f"version of {f.name}"),
                _STREAM[f.stream],
                _function_flags(bound),
            ),
            f.name,
        )

    def _parameters(self, bound: BoundFunction) -> int:
        rows = tuple(self._parameter(p, f"{bound.function.name}({p.name})") for p in bound.parameters)
        if rows not in self.param_lists:
            self.param_lists[rows] = fits(len(self.params), 16, "rows of parameters") if rows else 0
            self.params += rows
        return self.param_lists[rows]

    def _parameter(self, p: BoundParameter, what: str) -> Row:
        return Row(
            (
                self.pool(p.name),
                self.pool(str(p.ctype)),
                self.function_rows[p.sized_by] if p.sized_by else self._type(p.elem, p.type, what),
                f"CS_{p.kind.upper()}",
                f"CS_{p.elem.upper()}",
                flags("CS_", p.flags),
                _link(p.link, f"{what} link"),
                _link(p.link2, f"{what} link2"),
                self._typed_row(p.typed, what),
            ),
            f"{p.ctype} {p.name}",
        )

    def _typed_row(self, name: str | None, what: str) -> int | str:
        if name is None:
            return _NONE8
        if name not in self.typed_rows:
            raise EmitError(f"{what}: no typed table {name}")
        return fits(self.typed_rows[name], 8, "rows of cs_typed")

    def _typed(self) -> str:
        tables: list[Row] = []
        rows: list[Row] = []
        for typed in self.binding.typed:
            members = self._typed_members(typed)
            tables.append(Row((fits(len(rows), 16, "rows of cs_typed_rows"), len(members)), typed.name))
            rows += members
        return "\n".join(
            [
                table("struct cs_typed", "cs_typed", tables),
                table("struct cs_typed_row", "cs_typed_rows", rows),
            ]
        )

    def _typed_members(self, table: TypedTable) -> list[Row]:
        values = {e.name: e.value for enum in self.api.enums if enum.name == table.enum for e in enum.enumerators}
        found: dict[int, Row] = {}
        for row in table.rows:
            what = f"{table.name}: {row.enumerator}"
            if row.enumerator not in values:
                raise EmitError(f"{what} is not in {table.enum}")
            cells = (
                values[row.enumerator],
                self._type(row.elem, row.type, what),
                fits(row.count, 16, f"count of {what}"),
                f"CS_{row.elem.upper()}",
                flags("CS_TYPED_", row.flags),
            )
            known = found.setdefault(values[row.enumerator], Row(cells, row.enumerator))
            if known.cells != cells:
                raise EmitError(f"{what} and {known.comment} have one value and two types")
        return [found[value] for value in sorted(found)]

    # Types

    def _enums(self) -> str:
        rows, first = [], 0
        for enum in self.api.enums:
            count = len(enum.enumerators)
            since = self._since(enum.since.number, enum.name)
            elem = f"CS_{self.abi.enums[enum.name].upper()}"
            rows.append(Row((self.pool(enum.name), fits(first, 16, "enumerators"), count, since, elem, 0), enum.name))
            first += count
        return table("struct cs_enum", "cs_enums", rows)

    def _enumerators(self) -> str:
        rows = [
            Row(
                (
                    int64(e.value),
                    self.pool(e.name),
                    self.type_rows["enum"][owner],
                    self._since(e.since.number, e.name),
                ),
                e.name,
            )
            for owner, e in self.names.enumerators
        ]
        return table("struct cs_enumerator", "cs_enumerators", rows)

    def _enum_views(self) -> str:
        rows, first = [], 0
        owners = self.type_rows["enum"]
        for view in self.names.enum_views:
            rows.append(Row((owners[view.enum], fits(first, 16, "members"), len(view.members)), view.enum))
            first += len(view.members)
        members = [
            Row((int64(m.value), self.pool(m.name), owners[m.enum]), m.name)
            for m in names.members(self.names.enum_views)
        ]
        return "\n".join(
            [
                table("struct cs_enum_view", "cs_enum_views", rows),
                table("struct cs_enum_view_member", "cs_enum_view_members", members),
            ]
        )

    def _handles(self) -> str:
        rows = [
            Row(
                (
                    self.pool(h.name),
                    self.pool(" ".join(self.binding.accepted(h.name))),
                    self._since(h.since.number, h.name),
                    f"CS_{self.abi.handles[h.name].upper()}",
                    "CS_STREAM" if h.name in self.binding.streams else "CS_NUMBER" if h.name in NUMBERS else 0,
                ),
                h.name,
            )
            for h in self.api.handles
        ]
        return table("struct cs_handle", "cs_handles", rows)

    def _callbacks(self) -> str:
        rows = [
            Row((self.pool(c.name), self.pool(c_signature(c)), self._since(c.since.number, c.name)), c.name)
            for c in self.api.callbacks
        ]
        return table("struct cs_callback", "cs_callbacks", rows)

    def _records(self) -> str:
        rows = []
        for bound in self.binding.records:
            record = bound.record
            first = fits(len(self.fields), 16, "rows of fields")
            self.fields += [self._field(f, f"{record.name}.{f.field.name}") for f in bound.fields]
            cells = (
                self.pool(record.name),
                fits(record.size, 32, f"size of {record.name}"),
                fits(record.align, 16, f"alignment of {record.name}"),
                first,
                len(bound.fields),
                self._since(record.since.number, record.name),
                int(record.union),
                int(record.inline),
            )
            rows.append(Row(cells, record.name))
        return table("struct cs_record", "cs_records", rows)

    def _field(self, bound: BoundField, what: str) -> Row:
        f = bound.field
        cells = (
            self.pool(f.name),
            self.pool(str(f.type)),
            fits(f.offset, 32, f"offset of {what}"),
            self._type(bound.elem, bound.type, what),
            fits(1 if f.count is None else f.count, 16, f"count of {what}"),
            f"CS_FIELD_{bound.kind.upper()}",
            f"CS_{bound.elem.upper()}",
            _link(bound.link, f"{what} link"),
            " | ".join(self._field_flags(bound)) or 0,
            self._since(f.since.number if f.since else 0, what),
        )
        return Row(cells, what)

    @staticmethod
    def _field_flags(bound: BoundField) -> Iterator[str]:
        if bound.shares:
            yield "CS_FIELD_UNION"
        if bound.text:
            yield "CS_FIELD_TEXT"

    # Constants and names

    def _constants(self) -> str:
        return table("struct cs_constant", "cs_constants", map(self._constant, self.names.constants))

    def _constant(self, constant: Constant) -> Row:
        value, elem, type_name = self._constant_value(constant)
        return Row((int64(value), self.pool(constant.name), type_name, elem, 0), constant.name)

    def _constant_value(self, constant: Constant) -> tuple[int, str, int | str]:
        value = constant.value
        if isinstance(value, bytes):
            return self.pool(value.decode()), "CS_CSTR", _NONE16
        if isinstance(value, float):
            return int.from_bytes(struct.pack("<d", value), "little"), "CS_F64", _NONE16
        if constant.type in self.type_rows["handle"]:
            return value, "CS_HANDLE", self.type_rows["handle"][constant.type]
        if -(1 << 63) <= value < 1 << 63:
            return value, "CS_I64", _NONE16
        if value < 1 << 64:
            return value, "CS_U64", _NONE16
        raise EmitError(f"{constant.name}: {value} does not fit in 64 bits")

    def _common_names(self) -> str:
        rows = [
            Row(
                (
                    self.pool(c.name),
                    f"0x{fits(c.scopes, 16, 'scopes'):02x}",
                    fits(c.meaning.ref, 16, c.name),
                    f"CS_NAME_{c.meaning.kind.upper()}",
                ),
                c.name,
            )
            for c in self.names.common
        ]
        return table("struct cs_name", "cs_names", rows)

    def _scopes(self) -> str:
        scopes: list[Row] = []
        rows: list[Row] = []
        for scope, own in zip(self.names.scopes, self.names.own, strict=True):
            cells = (self.pool(scope.name), scope.major, int(scope.per_thread), len(rows), len(own))
            scopes.append(Row(cells, scope.name or "the module"))
            rows += [
                Row(
                    (self.pool(name), fits(m.ref, 16, name), f"CS_NAME_{m.kind.upper()}"),
                    f"{scope.name or 'the module'}: {name}",
                )
                for name, m in own
            ]
        return "\n".join(
            [
                table("struct cs_scope", "cs_scopes", scopes),
                table("struct cs_scope_name", "cs_scope_names", rows),
            ]
        )


def _function_flags(bound: BoundFunction) -> str:
    platform = bound.function.platform
    names = (
        ("keep_gil", bound.keep_gil),
        ("outputs_on_error", bound.outputs_on_error),
        ("returns_value", bound.returns_value),
        ("windows_only", platform == "windows"),
        ("linux_only", platform == "linux"),
    )
    return flags("CS_", frozenset(name for name, is_set in names if is_set))


def _symbols(function: Function) -> str:
    """What to look for in the library, newest first; a name of its own minor may be all that an older one has."""
    return " ".join(dict.fromkeys((function.symbol, *(symbol for _, symbol in function.symbols))))


def _link(index: int | None, what: str) -> int | str:
    return _NONE8 if index is None else fits(index, 8, what)
