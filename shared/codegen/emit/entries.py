# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""_generated/entries.c: what other compiled modules call, one typed C function a symbol, and what its capsules say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from codegen.model.api import CType, View
from codegen.model.bind_types import Types
from codegen.model.binding import Binding, BoundFunction
from codegen.model.official import Extra

from . import cytypes
from .abi import RETURNS, SCALARS, Abi, is_pointer
from .ctext import c_banner
from .errors import EmitError
from .layout import Definition, define
from .tables import Pool

# Until a target is known it is the function that looks for it: a call through it costs one jump more than one through
# the driver's own address. Acquire, because another thread may have loaded the library just now.
_MACRO = r"""
#define FUNCTION(row, parameters, arguments)                                                          \
    static int miss_##row parameters {                                                                \
        cs_address function = cs_capsule_resolve(row, &targets[row]);                                 \
        return function ? ((int(*) parameters)function)arguments : cs_library.result_not_found;       \
    }                                                                                                 \
    static int call_##row parameters {                                                                \
        cs_address target = atomic_load_explicit(&targets[row], memory_order_acquire);                \
        return ((int(*) parameters)target)arguments;                                                  \
    }
"""

# A function that returns a value has no status to return where the library lacks it: the value is zero.
_VALUE = r"""
#define VALUE(row, type, parameters, arguments)                                                       \
    static type miss_##row parameters {                                                               \
        cs_address function = cs_capsule_resolve(row, &targets[row]);                                 \
        type none;                                                                                    \
        memset(&none, 0, sizeof none);                                                                \
        return function ? ((type(*) parameters)function)arguments : none;                             \
    }                                                                                                 \
    static type call_##row parameters {                                                               \
        cs_address target = atomic_load_explicit(&targets[row], memory_order_acquire);                \
        return ((type(*) parameters)target)arguments;                                                 \
    }
"""


def emit(binding: Binding) -> str:
    abi = Abi(binding)
    signatures = [abi.signature(bound) for bound in binding.functions]
    extras = _Extras(binding, abi)
    values = {c.removeprefix(RETURNS) for s in signatures for c in s} | extras.values()
    records = define(abi, sorted(v.removeprefix("record:") for v in values if v.startswith("record:")))
    count = len(binding.functions)
    pool = Pool()
    extra_cells = list(extras.cells(pool))
    tables = [
        _array("const cs_str cs_signatures[]", _own(binding, pool)),
        _array("const cs_str cs_spellings[]", _spelled(binding, pool)),
        _array("const struct cs_extra cs_extras[]", extra_cells or ("{0}",)),
        f"const uint16_t cs_extras_count = {len(extra_cells)};\n",
    ]
    parts = [
        c_banner(binding.api.release),
        '#include "engine.h"\n\n#include <stdatomic.h>\n',
        *(d.text for d in records.values()),
        f"static _Atomic(cs_address) targets[{count}];\n{_MACRO}",
        *([_VALUE] if any(bound.returns_value for bound in binding.functions) else []),
        "".join(_functions(binding.functions, signatures, records)),
        *extras.functions(records),
        _array(f"static _Atomic(cs_address) targets[{count}]", (f"(cs_address)miss_{row}" for row in range(count))),
        _array("const cs_address cs_entries[]", (f"(cs_address)call_{row}" for row in range(count))),
        *tables,
        pool.emit("cs_capsule_strings"),
    ]
    return "\n".join(parts)


def _functions(
    functions: Iterable[BoundFunction], signatures: Iterable[tuple[str, ...]], records: Mapping[str, Definition]
) -> Iterator[str]:
    for row, (bound, signature) in enumerate(zip(functions, signatures, strict=True)):
        values = [c.removeprefix(RETURNS) for c in signature]
        types = [SCALARS[c][0] if c in SCALARS else records[c.removeprefix("record:")].c_name for c in values]
        returned = types.pop(0) if bound.returns_value else None
        parameters = ", ".join(f"{t}{'' if t.endswith('*') else ' '}a{i}" for i, t in enumerate(types)) or "void"
        arguments = ", ".join(f"a{i}" for i in range(len(types)))
        if returned:
            yield f"VALUE({row}, {returned}, ({parameters}), ({arguments})) /* {bound.function.name} */\n"
        else:
            yield f"FUNCTION({row}, ({parameters}), ({arguments})) /* {bound.function.name} */\n"


def _array(declaration: str, cells: Iterable[str]) -> str:
    return f"{declaration} = {{\n{''.join(f'    {cell},' + chr(10) for cell in cells)}}};\n"


def _own(binding: Binding, pool: Pool) -> Iterator[str]:
    """Over permanent types, so that none ever has to change."""
    for f in binding.api.functions:
        text = cytypes.signature(f.result, (p.type for p in f.parameters))
        yield f"{pool(text)} /* {f.name} */"


def _spelled(binding: Binding, pool: Pool) -> Iterator[str]:
    """View by view, a row a function: as the official module of that major says it, 0 where it cannot have it."""
    for view in binding.api.views:
        _check(view)
        official = binding.official and cytypes.OfficialSpelling(binding.api, view, binding.official)
        for f in binding.api.functions:
            text = official.function(f) if official else None
            yield f"{pool(text or '')} /* {view.major}: {f.name} */"


class _Extras:
    """Functions that the official module has and the library does not."""

    def __init__(self, binding: Binding, abi: Abi) -> None:
        self._binding = binding
        self._abi = abi
        self._types = Types(binding.api)
        self._extras = binding.official.extras if binding.official else ()
        if self._extras and len(binding.api.views) != 1:
            raise EmitError(f"{binding.api.library}: functions beside the library's own, for several majors")

    def values(self) -> set[str]:
        return {v for extra in self._extras if not extra.calls for v in self._signature(extra)}

    def functions(self, records: Mapping[str, Definition]) -> Iterator[str]:
        for number, extra in enumerate(self._extras):
            if extra.calls:
                continue
            result, *types = (self._c_type(v, records) for v in self._signature(extra))
            parameters = ", ".join(f"{t} a{i}" for i, t in enumerate(types)) or "void"
            if extra.introduced:
                unused = "".join(f"    (void)a{i};\n" for i in range(len(types)))
                body = (
                    f'{unused}    cs_capsule_absent("{extra.name}", {extra.introduced.number});\n'
                    "    return cs_library.result_not_found;\n"
                )
            else:
                cells = ", ".join(f".{name} = a{i}" for i, name in enumerate(extra.fields))
                body = f"    return ({result}){{{cells}}};\n"
            yield f"static {result} extra_{number}({parameters}) {{ /* {extra.name} */\n{body}}}\n"

    def cells(self, pool: Pool) -> Iterator[str]:
        official = self._binding.official
        if official is None:
            return
        (view,) = self._binding.api.views if self._extras else (None,)
        rows = {f.name: row for row, f in enumerate(self._binding.api.functions)}
        for number, extra in enumerate(self._extras):
            assert view is not None
            spelled = cytypes.OfficialSpelling(self._binding.api, view, official)
            if extra.calls:
                if extra.calls not in rows:
                    raise EmitError(f"{extra.name} is said to call {extra.calls}, which is not there")
                row = rows[extra.calls]
                text = spelled.function(self._binding.api.functions[row])
                yield f'{{"{extra.name}", (cs_address)call_{row}, {pool(text or "")}}}'
            else:
                yield f'{{"{extra.name}", (cs_address)extra_{number}, {pool(spelled.extra(extra))}}}'

    def _signature(self, extra: Extra) -> tuple[str, ...]:
        return tuple(self._value(t, extra) for t in (CType.parse(extra.result), *(p.type for p in extra.parameters)))

    def _value(self, c_type: CType, extra: Extra) -> str:
        if is_pointer(c_type):
            return "ptr"
        element = self._types.base(c_type)
        return self._abi.value(element.elem, element.type, extra.name)

    def _c_type(self, value: str, records: Mapping[str, Definition]) -> str:
        return SCALARS[value][0] if value in SCALARS else records[value.removeprefix("record:")].c_name


def _check(view: View) -> None:
    for functions in (view.functions, view.per_thread):
        for name, function in functions.items():
            if function not in view.spelled:
                raise EmitError(f"cu{view.major}: {name} is {function}, which the header of CUDA {view.release} lacks")
