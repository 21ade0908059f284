# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The history of every family of functions, from the registry: what the pages and the browser's table are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from codegen.model import registry as store
from codegen.model.api import Api, Function
from codegen.model.fold import fold


@dataclass(frozen=True)
class Version:
    """One exported symbol."""

    name: str  # the permanent name to write
    symbol: str
    stream: str
    introduced: str
    declared: str | None  # the first headers known that have it
    majors: tuple[int, ...]  # that mean it by the name without a version
    libraries: tuple[str, ...]  # driver libraries that were seen to export it
    parameters: tuple[str, ...]


@dataclass(frozen=True)
class Family:
    """All that a name has stood for."""

    base: str
    header: str
    platform: str
    versions: tuple[Version, ...]
    # The name that a major's headers give to a function of another family.
    elsewhere: Mapping[int, str]


@dataclass(frozen=True)
class History:
    release: str
    majors: tuple[int, ...]
    libraries: tuple[tuple[str, str], ...]  # driver versions, and the CUDA each is of
    families: tuple[Family, ...]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def read() -> History:
    api = fold("driver")
    registry = store.load(store.folder_of("driver"))
    exported = _exported(registry)
    families = tuple(_family(api, base, functions, exported) for base, functions in sorted(api.bases.items()))
    return History(
        release=str(api.release),
        majors=tuple(view.major for view in api.views),
        libraries=tuple((row.version, str(row.cuda)) for row in _rows(registry)),
        families=families,
    )


def _rows(registry: store.Registry) -> list[store.LibraryRow]:
    return sorted(registry.libraries, key=lambda row: store.library_order(row.version))


def _exported(registry: store.Registry) -> Mapping[str, tuple[str, ...]]:
    """By symbol the libraries that have it: each row tells what is new in it and what it lacks."""
    found: dict[str, list[str]] = {}
    have: set[str] = set()
    for row in _rows(registry):
        have |= set(row.exports)
        for symbol in have - set(row.lacks):
            found.setdefault(symbol, []).append(row.version)
    return {symbol: tuple(versions) for symbol, versions in found.items()}


def _family(api: Api, base: str, functions: tuple[Function, ...], exported: Mapping[str, tuple[str, ...]]) -> Family:
    meant: dict[str, list[int]] = {}
    elsewhere: dict[int, str] = {}
    for view in api.views:
        for names in (view.functions, view.per_thread):
            if base in names:
                function = api.by_name[names[base]]
                meant.setdefault(function.name, []).append(view.major)
                if function.base != base:
                    elsewhere[view.major] = function.plain or function.name
    ordered = sorted(functions, key=lambda f: (f.stream, f.introduced, f.version))
    newest = max(functions, key=lambda f: (f.declared is not None, f.introduced))
    return Family(
        base=base,
        header=newest.header,
        platform=newest.platform,
        versions=tuple(_version(f, tuple(sorted(set(meant.get(f.name, ())))), exported) for f in ordered),
        elsewhere=elsewhere,
    )


def _version(function: Function, majors: tuple[int, ...], exported: Mapping[str, tuple[str, ...]]) -> Version:
    return Version(
        name=function.plain or function.name,
        symbol=function.symbol,
        stream=function.stream,
        introduced=str(function.introduced),
        declared=str(function.declared) if function.declared else None,
        majors=majors,
        libraries=exported.get(function.symbol, ()),
        parameters=tuple(
            f"{p.type}{p.name}" if str(p.type).endswith("*") else f"{p.type} {p.name}" for p in function.parameters
        ),
    )
