# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cycuNN.pxd: what the headers of one CUDA major say, as other names for permanent ones.

Cython resolves them when it compiles, so a consumer's source reads as C does and its binary holds permanent names only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen.model.api import Api, View
from codegen.model.binding import Binding

from . import cython
from .cheader import asking, asking_names
from .ctext import python_banner
from .libraries import Library

Aliases = Mapping[str, str]  # name here -> permanent name


def views(binding: Binding, library: Library) -> Mapping[str, str]:
    """A view and its per-thread twin, and `_cycuNN.pxd` with what both say."""
    return {name: text for view in binding.api.views for name, text in _view(binding.api, view, library)}


def _view(api: Api, view: View, library: Library) -> Iterator[tuple[str, str]]:
    per_thread = {**view.per_thread, **{name: asking(f, "") for name, f in asking_names(api, view).items()}}
    both = {name: target for name, target in view.functions.items() if per_thread.get(name) == target}
    said = f"What the headers of CUDA {view.release} say"
    shared = f"_cycu{view.major}"
    lines = [*_types(api, view, library), *_calls(both, library)]
    yield f"{shared}.pxd", _module(api, f"{said} whatever the default stream is", lines)
    twin = ("_per_thread", per_thread, f"{said} with CUDA_API_PER_THREAD_DEFAULT_STREAM")
    for name, functions, title in (("", view.functions, said), *([twin] if per_thread else [])):
        own = {name: target for name, target in functions.items() if name not in both}
        lines = [f"from {library.module}.{shared} cimport *", *_calls(own, library)]
        yield f"cycu{view.major}{name}.pxd", _module(api, title, lines)


def _module(api: Api, title: str, lines: list[str]) -> str:
    return "\n".join([python_banner(api.release), f"# {title}, for Cython.", "", *lines, ""])


def _types(api: Api, view: View, library: Library) -> Iterator[str]:
    foreign, values = cython.unused(api), list(_values(api, view))
    types = {name: target for name, target in view.types.items() if target not in foreign}
    types |= {name: name for name, literal in values if not literal}
    yield from aliases(f"{library.module}.{cython.TYPES}", types)
    yield ""
    literals = [literal for _, literal in values if literal]
    if literals:
        yield from ("cdef extern from *:", *(f"    {literal}" for literal in literals), "")


def _calls(functions: Aliases, library: Library) -> Iterator[str]:
    return aliases(f"{library.module}.{cython.CALLS}", functions)


def aliases(module: str, aliases: Aliases) -> Iterator[str]:
    if aliases:
        yield f"from {module} cimport ("
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
