# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Types and prototypes as Cython writes them into the name of a capsule.

Cython compares that name with what a consumer was compiled for, letter by letter, so it follows Cython's own habits:
`const` comes after the type, `long long` is a macro of its, and a type that a module declares outside `cdef extern`
carries the module's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from codegen.model.api import Api, CType, View
from codegen.model.names import KEYWORDS, STANDARD

# The official cydriver takes the types of these headers as they are and declares those of all others itself.
_OFFICIAL_EXTERN = frozenset({"cuda.h", "cudaProfiler.h"})
_OFFICIAL_PREFIX = "__pyx_t_4cuda_8bindings_8cydriver_"


def signature(result: str, types: Iterable[CType], name: Callable[[str], str] = str) -> str:
    """`CUresult (char const *, unsigned PY_LONG_LONG)`; `name` says how a type is called there."""
    return f"{result} ({', '.join(_spell(t, name) for t in types) or 'void'})"


def _spell(c_type: CType, name: Callable[[str], str]) -> str:
    text = name(c_type.base).replace("long long", "PY_LONG_LONG")
    if c_type.const[0]:
        text += " const"
    if c_type.depth:
        text += " " + "".join("*const " if const else "*" for const in c_type.const[1:]).rstrip()
    return text


def official(api: Api, view: View) -> Callable[[str], str]:
    """How the official cydriver of a major calls what the header of that major calls so."""
    headers = _headers(api)

    def name(written: str) -> str:
        permanent = view.types.get(written, written)
        if written in KEYWORDS or written in STANDARD or headers.get(permanent) in _OFFICIAL_EXTERN:
            return written
        return _OFFICIAL_PREFIX + written

    return name


def _headers(api: Api) -> Mapping[str, str]:
    return {x.name: x.header for kind in (api.enums, api.records, api.handles, api.callbacks) for x in kind}
