# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cycuNN.pxd: what the headers of one CUDA major say, as other names for permanent ones.

Cython resolves them when it compiles, so a consumer's source reads as C does and its binary asks cydriver for permanent
names only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from codegen.model.api import Api, View
from codegen.model.binding import Binding

from . import cython
from .ctext import python_banner
from .libraries import Library

Aliases = Mapping[str, str]  # name here -> permanent name


def views(binding: Binding, library: Library) -> Mapping[str, str]:
    """A view and its per-thread twin, and `_cycuNN.pxd` with what both say."""
    return {name: text for view in binding.api.views for name, text in _view(binding.api, library, view)}


def _view(api: Api, library: Library, view: View) -> Iterator[tuple[str, str]]:
    both = {name: target for name, target in view.functions.items() if view.per_thread.get(name) == target}
    values, foreign = list(_values(api, view)), cython.unused(api)
    types = {name: target for name, target in view.types.items() if target not in foreign}
    same = {name: name for name, literal in values if not literal}
    literals = [literal for _, literal in values if literal]

    def module(title: str, aliases: Aliases, head: Iterable[str] = (), literals: Iterable[str] = ()) -> str:
        what = f"# {title}, for Cython, as names of {library.module}.{library.cython}."
        lines = [python_banner(api.release), what, "", *head, *_aliases(library, aliases)]
        if literals:
            lines += ["", "cdef extern from *:", *(f"    {literal}" for literal in literals)]
        return "\n".join([*lines, ""])

    shared = f"_cycu{view.major}"
    head = (f"from .{shared} cimport *",)
    said = f"What the headers of CUDA {view.release} say"
    yield f"{shared}.pxd", module(f"{said} of both kinds of default streams", {**both, **types, **same}, (), literals)
    yield f"cycu{view.major}.pxd", module(said, _without(view.functions, both), head)
    per_thread = f"{said} with CUDA_API_PER_THREAD_DEFAULT_STREAM"
    yield f"cycu{view.major}_per_thread.pxd", module(per_thread, _without(view.per_thread, both), head)


def _without(functions: Aliases, both: Aliases) -> Aliases:
    return {name: target for name, target in functions.items() if name not in both}


def _aliases(library: Library, aliases: Aliases) -> Iterator[str]:
    if aliases:
        yield f"from .{library.cython} cimport ("
        for name, target in sorted(aliases.items()):
            yield f"    {target}," if name == target else f"    {target} as {name},"
        yield ")"


def _values(api: Api, view: View) -> Iterator[tuple[str, str]]:
    """Enumerators and constants: the name, and a declaration where it does not mean what the permanent name means."""
    owners = cython.owners(api)
    enumerators = {(e.name, m.name): m.value for e in api.enums for m in e.enumerators}
    for name, (enum, value) in view.enumerators.items():
        same = owners.get(name) == enum and enumerators[enum, name] == value
        yield name, "" if same else cython.enumerator(enum, name, value)
    constants = {c.name: (c.value, c.type, c.alias) for c in api.constants}
    for name, constant in view.constants.items():
        if name not in view.enumerators:
            same = name not in owners and constants.get(name) == (constant.value, constant.type, constant.alias)
            yield name, "" if same else cython.constant(api, constant)
