# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every file that is generated for a package, as path (from the module's folder) and text."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.model.binding import Binding

from . import (
    cheader,
    cheader_api,
    cheader_major,
    cheader_table,
    cython,
    cython_major,
    cython_views,
    entries,
    pyi,
    pythonic,
    short_enums,
    tables,
    thunks,
    views,
)
from .libraries import Library


def outputs(binding: Binding, library: Library) -> Mapping[str, str]:
    found = {
        f"{library.generated}/tables.c": tables.emit(binding, library),
        f"{library.generated}/thunks.c": thunks.emit(binding),
        f"{library.generated}/entries.c": entries.emit(binding),
        f"{library.generated}/table.c": cheader_table.emit(
            binding.api, binding.spelling.positions if binding.spelling else {}
        ),
    }
    if library.major:
        # The build puts the Python of its major where the module is, and so what else programs get.
        others = {**pyi.one_major(binding, library), **short_enums.modules(binding.api, library)}
        if binding.spelling:
            headers = cheader_major.MajorHeaders(binding, binding.spelling, library)
            others[f"include/{library.header}"] = headers.types()
            others[f"include/{library.header_api}"] = headers.calls()
            others |= cython_major.modules(binding, library)
        return found | {f"{library.generated}/{name}": text for name, text in others.items()}
    found["__init__.pyi"] = pyi.module(binding, library)
    if binding.spelling and library.header:
        found[f"include/{library.header}"] = cheader.emit(binding.api, binding.spelling, library)
        found[f"include/{library.header_api}"] = cheader_api.emit(binding.api, binding.spelling, library)
    for view in binding.api.views:
        for module in ("__init__", "per_thread") if view.per_thread else ("__init__",):
            found[f"cu{view.major}/{module}.py"] = views.module(binding.api.release)
    found |= pyi.views(binding, library)
    if library.pythonic:
        found |= pythonic.modules(binding, binding.api.release)
    if not library.cython:
        return found
    return {
        **found,
        **cython.modules(binding, library),
        **cython_views.views(binding, library),
    }
