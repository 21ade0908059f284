# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cydriver.pxd and what it is made of: every type, value and function under its permanent name, for `cimport`.

All types are declared inside `cdef extern`. Cython puts a module's path into the spelling of a type that is declared
outside it, and then a capsule would fit only one place.

Views cannot give other names to the functions of cydriver.pxd: a module would then import all that the view names,
whatever it uses, because Cython takes `cimport X as Y` in a .pxd for a use of X. They name functions of the C header.

Modules are named from `cuda` on: Cython does not look for a relative cimport where packages are installed.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping

from codegen.model.api import Api, Callback, Constant, CType, Enum, Field, Function, Handle, Parameter, Record
from codegen.model.binding import Binding

from .cheader import ASKING, asking
from .cheader_types import is_foreign
from .ctext import declaration, own, passed, python_banner, quoted
from .errors import EmitError
from .libraries import Library

_RESERVED = frozenset(keyword.kwlist) | {"cdef", "cimport", "cpdef", "ctypedef", "exec", "include", "print"}
_INT_MAX = (1 << 31) - 1


TYPES = "_types"
CALLS = "_calls"


def modules(binding: Binding, library: Library) -> Mapping[str, str]:
    api = binding.api
    return {
        f"{TYPES}.pxd": "\n".join([*_head(api, _TYPES, library), *_type_lines(api, library), ""]),
        f"{CALLS}.pxd": "\n".join([*_head(api, _CALLS, library), *_calls(api, library), ""]),
        f"{library.cython}.pxd": "\n".join([*_head(api, _CAPSULES, library), *_functions(api, library), ""]),
    }


_TYPES = (
    "Types, enumerators and constants of {title} under their permanent names, for Cython.",
    "They are those of {header}, and {module}.get_include() says where that is.",
)
_CALLS = (
    "The functions of {title} as {header_api} calls them: a module that uses some of them looks for these and no",
    "others, each on its first call.",
)
_CAPSULES = (
    "Permanent names of {title}, for Cython. The types are those of {header}, and",
    "{module}.get_include() says where that is.",
    "",
    "A function that the library here lacks sets FunctionNotFoundError and returns",
    "{result_not_found}; one that returns this of its own accord sets nothing.",
)


def _head(api: Api, text: tuple[str, ...], library: Library) -> Iterator[str]:
    yield python_banner(api.release)
    values = {**vars(library), "header_api": library.header_api}
    yield from (f"# {line.format_map(values)}".rstrip() for line in text)
    yield ""


def _type_lines(api: Api, library: Library) -> Iterator[str]:
    yield f'cdef extern from "{library.header}" nogil:'
    yield from _indent(_types(api))
    yield ""
    yield from _indent_block("cdef extern from *:", _constants(api))


def moved(api: Api) -> frozenset[tuple[str, str]]:
    """(enum, enumerator) of those that some header gives another value, so that C may take the name otherwise."""
    permanent = {(e.name, m.name): m.value for e in api.enums for m in e.enumerators}
    seen = ((enum, name, value) for view in api.views for name, (enum, value) in view.enumerators.items())
    return frozenset((enum, name) for enum, name, value in seen if permanent[enum, name] != value)


def owners(api: Api) -> Mapping[str, str]:
    """The one enum that has an enumerator here: the later one, where it moved from one to another."""
    rows = sorted(((m.since, e.name, m.name) for e in api.enums for m in e.enumerators), key=lambda row: row[0])
    return {name: enum for _, enum, name in rows}


def unused(api: Api) -> frozenset[str]:
    """Types of other parties' headers that nothing of the library's uses; its header does not declare them."""
    used = {p.type.base for function in api.functions for p in function.parameters}
    used |= {p.type.base for callback in api.callbacks for p in callback.parameters}
    used |= {f.type.base for record in api.records for f in record.fields}
    return frozenset(h.name for h in api.handles if is_foreign(h) and h.name not in used)


def enumerator(enum: str, name: str, value: int) -> str:
    """A declaration that means this value, whatever header was included."""
    return f'const {enum} {name} "(({enum}){value})"'


def constant(api: Api, found: Constant) -> str:
    """A declaration that needs no macro to exist."""
    value, handles = found.value, {h.name for h in api.handles}
    enum = owners(api).get(found.alias or "")
    if enum and isinstance(value, int):
        return enumerator(enum, found.name, value)
    if isinstance(value, bytes):
        return f"const char *{found.name} {quoted(quoted(value))}"
    if isinstance(value, float):
        return f'const double {found.name} "{value!r}"'
    if found.type in handles or found.type.endswith("*"):
        space = "" if found.type.endswith("*") else " "
        return f'{found.type}{space}{found.name} "(({found.type}){value})"'
    if -_INT_MAX <= value <= _INT_MAX:
        return f'enum: {found.name} "{value}"'
    kind, suffix = ("unsigned int", "u") if 0 <= value < 1 << 32 else ("long long", "ll")
    if value >= 1 << 63:
        kind, suffix = "unsigned long long", "ull"
    return f'const {kind} {found.name} "{value}{suffix}"'


def _indent(lines: Iterator[str]) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in lines)


def _indent_block(head: str, lines: Iterator[str]) -> Iterator[str]:
    body = list(_indent(lines))
    yield from (head, *body) if body else ()


# -- types


def _types(api: Api) -> Iterator[str]:
    owner, literal, foreign, arrays = owners(api), moved(api), unused(api), arrays_of(api)
    for enum in api.enums:
        yield from _enum(enum, owner, literal)
    for handle in api.handles:
        if handle.name not in foreign:
            yield from _handle(handle)
    for compound in _in_order(api):
        yield from _callback(compound) if isinstance(compound, Callback) else _record(compound, arrays)
    for alias, target in api.aliases.items():
        yield f"ctypedef {target} {alias}"


def _enum(enum: Enum, owner: Mapping[str, str], literal: frozenset[tuple[str, str]]) -> Iterator[str]:
    members = [m for m in enum.enumerators if owner[m.name] == enum.name]
    yield f"ctypedef enum {enum.name}:"
    for member in members:
        if (enum.name, member.name) in literal:
            yield f'    {member.name} "(({enum.name}){member.value})"'
        else:
            yield f"    {member.name}"
    if not members:
        yield "    pass"


def _handle(handle: Handle) -> Iterator[str]:
    if handle.underlying == "void *" and not is_foreign(handle):
        # A type of its own, so that Cython tells one handle from another; nothing is ever written as that type.
        yield f'ctypedef struct {handle.name}_object "void":'
        yield "    pass"
        yield f"ctypedef {handle.name}_object *{handle.name}"
    else:
        yield f"ctypedef {declaration(CType.parse(handle.underlying), handle.name)}"


def _callback(callback: Callback) -> Iterator[str]:
    # Cython takes a function pointer of an extern block as one that raises nothing; the driver holds no GIL.
    name = own(callback.name)
    yield f"ctypedef {callback.result} (*{name})({_parameters(callback.parameters)}) noexcept nogil"


def _record(record: Record, arrays: frozenset[str]) -> Iterator[str]:
    keyword_ = "union" if record.union else "struct"
    yield f"ctypedef {keyword_} {own(record.name)}{_inline_c_name(record.name, arrays)}:"
    yield from (f"    {_field(field)}" for field in record.fields)
    if not record.fields:
        yield "    pass"


def arrays_of(api: Api) -> frozenset[str]:
    """Records inside others of which there are several in a row."""
    named = ((f"{record.name}.{field.name}", field) for record in api.records for field in record.fields)
    return frozenset(name for name, field in named if field.count is not None and field.type.base == name)


def place(name: str, arrays: frozenset[str]) -> str:
    """Where a record is in the one around it: `res.array`, `utilization[0]`."""
    parts = name.split(".")
    inside = range(1, len(parts))
    return ".".join(parts[i] + "[0]" * (".".join(parts[: i + 1]) in arrays) for i in inside)


def _inline_c_name(name: str, arrays: frozenset[str]) -> str:
    """A record inside another has no name in C, but it has a place."""
    where = place(name, arrays)
    return f' "__typeof__((({name.partition(".")[0]} *)0)->{where})"' if where else ""


def _field(field: Field) -> str:
    name = f'{field.name}_ "{field.name}"' if field.name in _RESERVED else field.name
    count = "" if field.count is None else f"[{field.count}]"
    return declaration(CType(own(field.type.base), field.type.const), name + count)


def _in_order(api: Api) -> Iterator[Record | Callback]:
    """Records and callbacks, each after what it names."""
    found: dict[str, Record | Callback] = {r.name: r for r in api.records} | {c.name: c for c in api.callbacks}
    done: dict[str, bool] = {}  # False while what it needs is being looked for

    def visit(name: str) -> Iterator[Record | Callback]:
        if name in done:
            if not done[name]:
                raise EmitError(f"{name} names itself by way of others, which a .pxd cannot say")
            return
        done[name] = False
        compound = found[name]
        used = compound.parameters if isinstance(compound, Callback) else compound.fields
        for base in (part.type.base for part in used):
            if base in found and base != name:
                yield from visit(base)
        done[name] = True
        yield compound

    for name in found:
        yield from visit(name)


def _constants(api: Api) -> Iterator[str]:
    enumerators = owners(api)
    return (constant(api, c) for c in api.constants if c.name not in enumerators)


# -- functions


def _calls(api: Api, library: Library) -> Iterator[str]:
    yield f"from {library.module}.{TYPES} cimport *"
    yield ""
    yield f'cdef extern from "{library.header_api}" nogil:'
    stem = library.header.removesuffix(".h")
    for f in api.functions:
        yield f'    {_result(f)}{f.name} "{stem}_{f.name}"{_prototype(f, library)}'
    for f in api.functions:
        if f.base in ASKING:
            yield f'    {_result(f)}{asking(f, "")} "{asking(f, f"{stem}_")}"{_prototype(f, library)}'


def _functions(api: Api, library: Library) -> Iterator[str]:
    yield f"from {library.module}.{TYPES} cimport *"
    yield ""
    for f in api.functions:
        for name in (f.name, f.plain):
            if name:
                yield f"cdef {_result(f)}{name}{_prototype(f, library)} nogil"


def _result(function: Function) -> str:
    return function.result if function.result.endswith("*") else f"{function.result} "


def _prototype(function: Function, library: Library) -> str:
    """What a function returns where the library lacks it; a record cannot be compared, so Python is asked each time."""
    result = CType.parse(function.result)
    missing = "? NULL" if result.depth else " *"
    if function.result == library.result:
        missing = f"? {library.result_not_found}"
    return f"({_parameters(function.parameters)}) except{missing}"


def _parameters(parameters: tuple[Parameter, ...]) -> str:
    named = ((p.type, f"{p.name}_" if p.name in _RESERVED else p.name) for p in parameters)
    return ", ".join(declaration(passed(CType(own(c_type.base), c_type.const)), name) for c_type, name in named)
