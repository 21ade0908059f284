# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The .pxd files of a library that breaks at majors: one module with what its header says, and a per-thread twin.

Names that are permanent within the major are capsules. Others are names of permanent ones, which Cython resolves when
it compiles: they name functions of the C header, for the reason that cython.py gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen.model.binding import Binding

from . import cython
from .cheader import names
from .cheader_major import inline
from .cheader_types import parameter_list
from .ctext import python_banner
from .cython_views import aliases
from .libraries import Library


def modules(binding: Binding, library: Library) -> Mapping[str, str]:
    (view,) = binding.api.views
    found = dict(cython.modules(binding, library))
    permanent = {name for f in binding.api.functions for name in names(f)}
    others = {name: target for name, target in view.functions.items() if name not in permanent}
    found[f"{cython.CALLS}.pxd"] += _lines(_inline(binding, library))
    found[f"{library.cython}.pxd"] += _lines(_types(binding, library), _calls(binding, library, others))
    if view.per_thread:
        title = f"What the headers of CUDA {view.release} say with CUDA_API_PER_THREAD_DEFAULT_STREAM, for Cython."
        head = f"{python_banner(binding.api.release)}# {title}\n\nfrom {library.module}.{cython.TYPES} cimport *\n"
        lines = _lines(_types(binding, library), _calls(binding, library, view.per_thread))
        found[f"{library.cython}_per_thread.pxd"] = head + lines
    return found


def _lines(*parts: Iterator[str]) -> str:
    """Each part with an empty line before it; a part may have no lines."""
    written = [lines for part in parts if (lines := list(part))]
    return "".join(f"{line}\n" for lines in written for line in ("", *lines))


def _types(binding: Binding, library: Library) -> Iterator[str]:
    (view,) = binding.api.views
    others = {name: target for name, target in view.types.items() if name not in {target, *binding.api.aliases}}
    return aliases(f"{library.module}.{cython.TYPES}", others)


def _calls(binding: Binding, library: Library, functions: Mapping[str, str]) -> Iterator[str]:
    by_name = binding.api.by_name
    extras = {extra.name: by_name[extra.calls].name if extra.calls else extra.name for extra in inline(binding)}
    versioned = {name: by_name[target].name for name, target in functions.items()}
    return aliases(f"{library.module}.{cython.CALLS}", {**versioned, **extras})


def _inline(binding: Binding, library: Library) -> Iterator[str]:
    stem = library.header.removesuffix(".h")
    for extra in inline(binding):
        if not extra.calls:
            yield f'    {extra.result} {extra.name} "{stem}_{extra.name}"({parameter_list(extra.parameters)}) noexcept'
