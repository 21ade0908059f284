# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Types, enumerators and constants of cuda_driver_stable.h.

C11 and C++ let a typedef be repeated that says the same, so typedefs are written always. What may be there only once,
the body of an enum or a record, is written where no header that was included has it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from codegen.model.api import Api, Callback, Constant, CType, Enum, Enumerator, Handle, Parameter, Record
from codegen.model.names import STANDARD
from codegen.model.spelling import Era, Span, Spelling

from . import layout
from .cheader_conditions import ALWAYS, both, grouped, lacking, present
from .ctext import declaration, own, quoted
from .errors import EmitError

_SIZES = {
    "char": 1,
    "signed char": 1,
    "unsigned char": 1,
    "short": 2,
    "unsigned short": 2,
    "int": 4,
    "unsigned int": 4,
    "float": 4,
    "long": 8,  # as on Linux
    "unsigned long": 8,
    "long long": 8,
    "unsigned long long": 8,
    "double": 8,
    "size_t": 8,
}
_VARYING = frozenset({"long", "unsigned long"})  # of 4 bytes on Windows
# Macros of this prefix are the API's; what else its headers define could be anybody's.
_OWN = ("CU_", "CUDA_", "NVML_")
_VERSIONS = frozenset({"CUDA_VERSION", "NVML_API_VERSION", "NVML_API_VERSION_STR"})  # those of the header
# Defined as a guard around CUuuid by every header of CUDA that has it.
_SHARED_GUARDS = {"CUuuid": "CU_UUID_HAS_BEEN_DEFINED"}
# Not defined where another header has the type already; its own typedef may be of another kind there.
_FOREIGN_GUARDS = {"HGPUNV": "WGL_NV_gpu_affinity"}
_VDPAU = "VdpGetProcAddress"
TARGET = "CUDA_DRIVER_STABLE_TARGET"
VDPAU_FUNCTION = "CUDA_DRIVER_STABLE_VdpGetProcAddress"


def is_own(constant: str) -> bool:
    """Whether a constant may be defined without a target."""
    return constant.startswith(_OWN) and constant not in _VERSIONS


def is_foreign(handle: Handle) -> bool:
    """Whether the header of another library has it."""
    return "/" in handle.header


@dataclass(frozen=True)
class Types:
    api: Api
    spelling: Spelling
    # Constants to leave out of a library that breaks at majors; None: it does not, and `is_own` tells its own.
    macros: frozenset[str] | None = None

    @cached_property
    def records(self) -> Mapping[str, Record]:
        return {record.name: record for record in self.api.records}

    @cached_property
    def aligns(self) -> Mapping[str, int]:
        """Size and alignment of what is no record."""
        found = dict(_SIZES)
        found.update((name, _SIZES[target]) for name, target in STANDARD.items())
        found.update((enum.name, 4) for enum in self.api.enums)
        found.update((handle.name, handle.size) for handle in self.api.handles)
        found.update((callback.name, 8) for callback in self.api.callbacks)
        return found

    @cached_property
    def renamed(self) -> Mapping[str, str]:
        """Enums that another one has taken the place of, with all their enumerators, which C can declare only once."""
        owners: dict[str, Enum] = {}
        for enum in sorted(self.api.enums, key=lambda e: e.since):
            owners.update((e.name, enum) for e in enum.enumerators)
        found = {}
        for enum in self.api.enums:
            others = {owners[e.name].name for e in enum.enumerators} - {enum.name}
            if not others:
                continue
            if len(others) > 1 or any(owners[e.name] is enum for e in enum.enumerators):
                raise EmitError(f"{enum.name}: some of its enumerators are in {', '.join(sorted(others))} too")
            found[enum.name] = others.pop()
        return found

    def emit(self) -> str:
        return "\n".join(
            "".join(part)
            for part in (
                self._foreign(),
                self._opaque(),
                self._enums(),
                self._renamed_enums(),
                self._enumerators(),
                self._aliases("enum"),
                self._handles(),
                self._record_names(),
                self._aliases("struct", "union"),
                self._callbacks(),
                self._records(),
                self._constants(),
            )
        )

    # Names and tags

    def _tag(self, name: str) -> Era | None:
        eras = self.spelling.eras.get(name, ())
        return eras[-1] if eras else None

    def _lacking(self, name: str, header: str) -> str:
        """Whether the body of an enum or record has to be written, whatever tag it had."""
        eras = self.spelling.eras.get(name, ())
        if not eras:
            return lacking(self.spelling.of("type", name), header)
        condition = ALWAYS
        for era in eras:
            condition = both(condition, lacking(self.spelling.of("tag", era.tag), header))
        return condition

    def _named(self, name: str, newest: str, header: str) -> str:
        """`typedef struct X_st X;`, with the tag of the header that was included; `newest` is what it is otherwise."""
        earlier = [era for era in self.spelling.eras.get(name, ()) if f"{era.keyword} {era.tag}" != newest]
        lines = []
        for keyword, era in zip(["if", *["elif"] * len(earlier)], earlier, strict=False):
            condition = present(self.spelling.of("tag", era.tag), header)
            lines.append(f"#{keyword} {condition}\ntypedef {era.keyword} {era.tag} {name};\n")
        typedef = f"typedef {newest} {name};\n"
        return "".join([*lines, "#else\n", typedef, "#endif\n"]) if lines else typedef

    def _aliases(self, *keywords: str) -> Iterator[str]:
        """Names of another type's, which were types of their own in older headers."""
        for alias, target in self.api.aliases.items():
            tag = self._tag(target)
            if tag and tag.keyword in keywords:
                yield self._named(alias, target, self._header(target))

    def _header(self, name: str) -> str:
        for kind in (self.api.enums, self.api.records):
            for item in kind:
                if item.name == name:
                    return item.header
        raise EmitError(f"no type {name}")

    # Types of other libraries

    def _foreign(self) -> Iterator[str]:
        """Those that a function takes; repeated as their own header has them."""
        used = {p.type.base for parameters in self.spelling.parameters.values() for p in parameters}
        used |= {t.base for t in self.spelling.fields.values()}
        for handle in self.api.handles:
            if is_foreign(handle) and handle.name in used:
                guard = _FOREIGN_GUARDS.get(handle.name)
                text = f"typedef {declaration(self.spelling.handles[handle.name], handle.name)};\n"
                yield f"#ifndef {guard}\n{text}#endif\n" if guard else text

    def _opaque(self) -> Iterator[str]:
        if windows := sorted(self.spelling.opaque.keys() - {_VDPAU}):
            yield from ("#ifdef _WIN32\n", *(f"typedef struct {name} {name};\n" for name in windows), "#endif\n")
        if _VDPAU in self.spelling.opaque:
            # A type of functions, which only VDPAU's own header can name in full.
            yield f"#ifdef CUDAVDPAU_H\n#define {VDPAU_FUNCTION} {_VDPAU}\n"
            yield f"#else\n#define {VDPAU_FUNCTION} void\n#endif\n"

    # Enums

    def _enums(self) -> Iterator[str]:
        parts = []
        for enum in self.api.enums:
            if enum.name in self.renamed:
                continue
            condition = self._lacking(enum.name, enum.header)
            for old in (old for old, new in self.renamed.items() if new == enum.name):
                condition = both(condition, self._lacking(old, enum.header))
            parts.append((condition, self._enum(enum)))
        return grouped(parts)

    def _renamed_enums(self) -> Iterator[str]:
        for old, new in self.renamed.items():
            if self.spelling.eras.get(old) or self.spelling.eras.get(new):
                raise EmitError(f"{old} and {new}: a renamed enum that has a tag")
            spans, newer = self.spelling.of("type", old), self.spelling.of("type", new)
            yield f"#if {both(present(spans), lacking(newer))}\ntypedef {old} {new};\n"
            yield f"#elif {lacking(spans)}\ntypedef {new} {old};\n#endif\n"

    def _enum(self, enum: Enum) -> str:
        tag = self._tag(enum.name)
        members = "".join(self._member(enum, e) for e in enum.enumerators)
        return f"enum {tag.tag} {{\n{members}}};\n" if tag else f"typedef enum {{\n{members}}} {enum.name};\n"

    def _member(self, enum: Enum, enumerator: Enumerator) -> str:
        """A name that an older major has with another value has that value where that major is the target."""
        line = f"    {enumerator.name} = {_integer(enumerator.value)},\n"
        others = self._other_values(enum, enumerator)
        if not others:
            return line
        lines = [
            f"#{keyword} defined({TARGET}) && {TARGET} == {major}\n    {enumerator.name} = {_integer(value)},\n"
            for keyword, (major, value) in zip(["if", *["elif"] * len(others)], others.items(), strict=False)
        ]
        return "".join([*lines, "#else\n", line, "#endif\n"])

    def _other_values(self, enum: Enum, enumerator: Enumerator) -> Mapping[int, int]:
        found = {}
        for view in self.api.views:
            owner, value = view.enumerators.get(enumerator.name, (enum.name, enumerator.value))
            if owner == enum.name and value != enumerator.value:
                found[view.major] = value
        return found

    def _enumerators(self) -> Iterator[str]:
        """Typedefs of enums, and the enumerators that the included header's enum lacks."""
        for enum in self.api.enums:
            tag = self._tag(enum.name)
            if tag:
                yield self._named(enum.name, f"enum {tag.tag}", enum.header)
        parts: dict[str, list[str]] = {}
        for enum in (e for e in self.api.enums if e.name not in self.renamed):
            eras = self.spelling.eras.get(enum.name, ())
            spans = [s for era in eras for s in self.spelling.of("tag", era.tag)]
            spans = spans if eras else list(self.spelling.of("type", enum.name))
            there = present(spans, enum.header)
            for e in enum.enumerators:
                had = self.spelling.of("enumerator", e.name)
                if not _covers(had, spans):
                    text = f"#define {e.name} (({enum.name}){_integer(e.value)})\n"
                    parts.setdefault(both(there, lacking(had)), []).append(text)
        yield "\n"
        yield from grouped((condition, line) for condition, lines in parts.items() for line in lines)

    # Handles and callbacks

    def _handles(self) -> Iterator[str]:
        done: set[str] = set()
        by_name = {h.name: h for h in self.api.handles if not is_foreign(h)}

        def visit(handle: Handle) -> Iterator[str]:
            if handle.name in done:
                return
            done.add(handle.name)
            target = self.spelling.handles[handle.name]
            if target.base in by_name:
                yield from visit(by_name[target.base])
            # A pointer is to a struct that only the driver knows.
            opaque = target.depth and target.base != "void"
            written = CType(f"struct {target.base}", target.const) if opaque else target
            yield f"typedef {declaration(written, handle.name)};\n"

        for handle in by_name.values():
            yield from visit(handle)

    def _callbacks(self) -> Iterator[str]:
        for callback in self.api.callbacks:
            yield f"typedef {self.callback(callback)};\n"

    def callback(self, callback: Callback) -> str:
        parameters = parameter_list(self.spelling.parameters[callback.name])
        name = own(callback.name)
        return f"{callback.result}{'' if callback.result.endswith('*') else ' '}(CUDA_CB *{name})({parameters})"

    # Records

    def _record_names(self) -> Iterator[str]:
        return grouped(self._record_typedefs())

    def _record_typedefs(self) -> Iterator[tuple[str, str]]:
        for record in self.api.records:
            tag = self._tag(record.name)
            if tag and not record.inline:
                # The runtime's headers call some of their types deprecated, and then a typedef of them is a warning.
                spans = () if self.macros is None else self.spelling.of("type", record.name)
                yield lacking(spans, record.header), self._named(record.name, f"{tag.keyword} {tag.tag}", record.header)

    def _records(self) -> Iterator[str]:
        return grouped((self._record_lacking(r), self._record(r)) for r in self._in_order() if not r.inline)

    def _in_order(self) -> Iterator[Record]:
        """A record without a tag has no name before its body, so it comes before those that only point to it, too."""
        done: set[str] = set()

        def visit(record: Record) -> Iterator[Record]:
            if record.name not in done:
                done.add(record.name)
                for field in record.fields:
                    type_ = self.spelling.fields[record.name, field.name]
                    used = self.records.get(type_.base)
                    if used and (used.inline or not type_.depth or not self._tag(used.name)):
                        yield from visit(used)
                yield record

        for record in self.api.records:
            yield from visit(record)

    def _record_lacking(self, record: Record) -> str:
        """Where structs have typedefs, one without is defined inside another, which C++ does not see from outside."""
        condition = self._lacking(record.name, record.header)
        nested = self.macros is None and record.name not in self.spelling.typedefs
        return f"defined(__cplusplus) || {condition}" if nested else condition

    def _record(self, record: Record) -> str:
        tag = self._tag(record.name)
        body = self._body(record, "")
        varying = any(self.spelling.fields[record.name, f.name].base in _VARYING for f in record.fields)
        check = "" if varying else f"CUDA_DRIVER_STABLE_SIZE({record.name}, {record.size});\n"
        text = f"{tag.keyword} {tag.tag} {body};\n" if tag else f"typedef {_keyword(record)} {body} {record.name};\n"
        guard = _SHARED_GUARDS.get(record.name)
        return f"#ifndef {guard}\n#define {guard}\n{text}{check}#endif\n" if guard else text + check

    def _body(self, record: Record, indent: str) -> str:
        members = [self._field(record, i, indent) for i in range(len(record.fields))]
        union = [f"    {m.declaration}" for m in members]
        lines = union if record.union else layout.struct_body(members, record.name)
        natural = max((m.align for m in members), default=1)
        if record.align > natural:
            lines[0] = f"    CUDA_DRIVER_STABLE_ALIGN({record.align}) {lines[0].lstrip()}"
        elif record.align < natural:
            raise EmitError(f"{record.name}: aligned to {record.align}, but a member needs {natural}")
        return "{\n" + "".join(f"{indent}{line}\n" for line in lines) + f"{indent}}}"

    def _field(self, record: Record, index: int, indent: str) -> layout.Member:
        field = record.fields[index]
        type_ = self.spelling.fields[record.name, field.name]
        inner = self.records.get(type_.base)
        if type_.depth:
            spelled, align = str(type_), 8
        elif inner and inner.inline:
            spelled, align = f"{_keyword(inner)} {self._body(inner, indent + '    ')}", inner.align
        elif inner:
            spelled, align = str(type_), inner.align
        elif type_.base in self.aligns:
            spelled, align = str(type_), self.aligns[type_.base]
        else:
            target = self.api.aliases.get(type_.base, "")
            if target not in self.records:
                raise EmitError(f"{record.name}.{field.name}: no type {type_.base}")
            spelled, align = str(type_), self.records[target].align
        return layout.Member(field.name, spelled, field.offset, field.size, align, field.count)

    # Constants

    def _constants(self) -> Iterator[str]:
        for constant in self.api.constants:
            own = is_own(constant.name) if self.macros is None else constant.name not in self.macros
            if own:
                yield self.constant(constant)

    def constant(self, constant: Constant) -> str:
        """Not where a header has it, be it as an enumerator."""
        text = f"#ifndef {constant.name}\n#define {constant.name} {self._value(constant)}\n#endif\n"
        spans = self.spelling.of("enumerator", constant.name)
        return f"#if {lacking(spans)}\n{text}#endif\n" if spans else text

    def _value(self, constant: Constant) -> str:
        if constant.alias:
            return constant.alias
        value = constant.value
        if isinstance(value, bytes):
            return quoted(value)
        if isinstance(value, float):
            return repr(value)
        if constant.type in ("int", "unsigned int", "long long", "unsigned long long"):
            suffix = {"unsigned int": "u", "long long": "ll", "unsigned long long": "ull"}.get(constant.type, "")
            return f"({value}{suffix})" if value < 0 else f"{value}{suffix}"
        return f"(({constant.type}){value})"


def parameter_list(parameters: Iterable[Parameter]) -> str:
    return ", ".join(declaration(_written(p.type), p.name) for p in parameters) or "void"


def _written(type_: CType) -> CType:
    return CType(VDPAU_FUNCTION if type_.base == _VDPAU else own(type_.base), type_.const)


def _keyword(record: Record) -> str:
    return "union" if record.union else "struct"


def _integer(value: int) -> str:
    """An enumerator's value; C11 has enumerators of type int only, but compilers take what needs the top bit."""
    return f"0x{value:x}" if value > 0x7FFFFFFF else str(value) if value >= 0 else f"({value})"


def _covers(wide: Iterable[Span], narrow: Iterable[Span]) -> bool:
    """Whether what was there in `wide` was there in all of `narrow`."""
    return all(
        any(w.first <= n.first and (w.gone is None or (n.gone is not None and w.gone >= n.gone)) for w in wide)
        for n in narrow
    )
