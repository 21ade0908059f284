# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every file that is generated for a package, as path (from the module's folder) and text."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.model.binding import Binding

from . import (
    cheader,
    cheader_api,
    cheader_table,
    cython,
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
        # The build puts the Python of its major where the module is.
        python = {**pyi.one_major(binding, library), **short_enums.modules(binding.api, library)}
        return found | {f"{library.generated}/{name}": text for name, text in python.items()}
    found["__init__.pyi"] = pyi.module(binding, library)
    if binding.spelling and library.header:
        stem = library.header.removesuffix(".h")
        found[f"include/{stem}.h"] = cheader.emit(binding.api, binding.spelling)
        found[f"include/{stem}_api.h"] = cheader_api.emit(binding.api, binding.spelling)
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
