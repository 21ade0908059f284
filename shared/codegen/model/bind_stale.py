# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Entries of an overrides file that name what the API does not have.

A file may serve several APIs, one a toolkit major. An entry is then stale when it fits none of them, which only
somebody who has all of them can tell.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from .api import Api, Function
from .overrides import Overrides


def key(function: Function) -> str:
    """What entries call a function: per-thread variants of a symbol have its parameters, so they share its entries."""
    return f"{function.base}_v{function.version}"


def stale(overrides: Overrides, apis: Iterable[Api]) -> Iterator[str]:
    """What no API has, in the words of an error. A name of an older release is fine beside the newer one."""
    apis = tuple(apis)
    known = {api.release.major: _parameters(api) for api in apis}
    yield from _functions(overrides, known)
    yield from _fields(overrides, apis)
    yield from _typed(overrides, apis)
    handles = {handle.name for api in apis for handle in api.handles}
    for name in (*overrides.equivalents, *overrides.casts, *sorted(overrides.streams)):
        if name not in handles:
            yield f"override: {name} is no handle"


def _parameters(api: Api) -> Mapping[str, set[str]]:
    return {key(f): {p.name for p in f.parameters} for f in api.functions if not f.stream}


def _functions(overrides: Overrides, majors: Mapping[int, Mapping[str, set[str]]]) -> Iterator[str]:
    everywhere = _merged(item for known in majors.values() for item in known.items())
    for released in overrides.released_names:
        yield from _named(released.functions, (released.header,), everywhere)
        for function in everywhere.keys() & set(released.functions):
            everywhere[function].add(released.name)  # which the entries below use
    for parameter in overrides.parameters:
        yield from _named(parameter.functions, parameter.names, everywhere)
        if parameter.sized_by:
            yield from _named((parameter.sized_by,), (), everywhere)
    for count in overrides.plain_counts:
        yield from _named(count.functions, count.names, everywhere)
    for spelled in overrides.official.parameters if overrides.official else ():
        yield from _named(spelled.functions, spelled.names, everywhere)
    for entry in (*overrides.keep_gil, *overrides.outputs_on_error):
        for major in entry.majors & majors.keys():
            yield from _named(entry.functions, (), majors[major])
        if not entry.majors:
            yield from _named(entry.functions, (), everywhere)


def _named(functions: Iterable[str], names: Iterable[str], known: Mapping[str, set[str]]) -> Iterator[str]:
    for function in functions:
        if function not in known:
            yield f"override: there is no {function}"
            continue
        for name in names:
            if name not in known[function]:
                yield f"override: {function} has no parameter {name}"


def _fields(overrides: Overrides, apis: tuple[Api, ...]) -> Iterator[str]:
    known = _merged((record.name, {field.name for field in record.fields}) for api in apis for record in api.records)
    for entry in overrides.fields:
        for record in entry.records:
            if record not in known:
                yield f"override: there is no record {record}"
                continue
            for name in entry.names:
                if name not in known[record]:
                    yield f"override: {record} has no field {name}"


def _typed(overrides: Overrides, apis: tuple[Api, ...]) -> Iterator[str]:
    known = _merged((enum.name, {e.name for e in enum.enumerators}) for api in apis for enum in api.enums)
    for entry in overrides.typed:
        if entry.enum not in known:
            yield f"override: typed table {entry.name}: there is no enum {entry.enum}"
            continue
        for name in entry.rows:
            if name not in known[entry.enum]:
                yield f"override: typed table {entry.name}: {name} is not in {entry.enum}"


def _merged(parts: Iterable[tuple[str, set[str]]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, members in parts:
        found.setdefault(name, set()).update(members)
    return found
