# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every file that is generated for a package, as path (from the module's folder) and text."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.model.binding import Binding

from . import pyi, tables, thunks, views
from .libraries import Library


def outputs(binding: Binding, library: Library) -> Mapping[str, str]:
    found = {
        "_generated/tables.c": tables.emit(binding, library),
        "_generated/thunks.c": thunks.emit(binding),
        "__init__.pyi": pyi.module(binding, library),
    }
    for scope in pyi.view_scopes(binding):
        stem = scope.name.replace(".", "/") if scope.per_thread else f"{scope.name}/__init__"
        found[f"{stem}.py"] = views.module(binding.api.release)
        found[f"{stem}.pyi"] = pyi.view(binding, library, scope)
    return found
