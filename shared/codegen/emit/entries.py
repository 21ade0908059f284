# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""_generated/entries.c: what other compiled modules call, one typed C function a symbol, and what its capsules say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from codegen.model.api import View
from codegen.model.binding import Binding, BoundFunction

from . import cytypes
from .abi import RETURNS, SCALARS, Abi
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
    values = {c.removeprefix(RETURNS) for s in signatures for c in s}
    records = define(abi, sorted(v.removeprefix("record:") for v in values if v.startswith("record:")))
    count = len(binding.functions)
    pool = Pool()
    tables = [
        _array("const cs_str cs_signatures[]", _own(binding, pool)),
        _array("const cs_str cs_spellings[]", _spelled(binding, pool)),
    ]
    parts = [
        c_banner(binding.api.release),
        '#include "engine.h"\n\n#include <stdatomic.h>\n',
        *(d.text for d in records.values()),
        f"static _Atomic(cs_address) targets[{count}];\n{_MACRO}",
        *([_VALUE] if any(bound.returns_value for bound in binding.functions) else []),
        "".join(_functions(binding.functions, signatures, records)),
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
        name = cytypes.official(binding.api, view)
        for f in binding.api.functions:
            types = view.spelled.get(f.name)
            text = "" if types is None else cytypes.signature(f.result, types, name)
            yield f"{pool(text)} /* {view.major}: {f.name} */"


def _check(view: View) -> None:
    for functions in (view.functions, view.per_thread):
        for name, function in functions.items():
            if function not in view.spelled:
                raise EmitError(f"cu{view.major}: {name} is {function}, which the header of CUDA {view.release} lacks")
