# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The ledger of the wheel that is installed in the environment this runs in."""

from __future__ import annotations

import sysconfig
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path

from . import c_names, capsules, cython_facts, layouts, python_facts
from .wheels import Wheel

Fact = tuple[str, str]
_READ_BY_BUILDS = (".pxd", ".h")


class InconsistentError(Exception):
    """The wheel contradicts itself."""


def facts(wheel: Wheel) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in _all(wheel):
        if found.setdefault(key, value) != value:
            raise InconsistentError(f"{key} is both {found[key]} and {value}")
    return found


def version(wheel: Wheel) -> str:
    return str(import_module(wheel.module).__version__)


def title(wheel: Wheel) -> str:
    return f"{wheel.distribution} {version(wheel)}, made on {sysconfig.get_platform()}"


def _all(wheel: Wheel) -> Iterator[Fact]:
    root = import_module(wheel.module)
    package = Path(root.__path__[0])
    yield from python_facts.facts(wheel.module)
    yield from _files(package)
    if wheel.cython:
        found = cython_facts.modules(package)
        include = package / "include"
        yield from cython_facts.facts(found, layouts.values(found.values(), wheel.header, include))
        yield from layouts.facts(found.values(), wheel, include)
        yield from capsules.facts(wheel)
        yield from capsules.table_facts(wheel)
        yield from c_names.facts(include, wheel, capsules.majors(root))


def _files(package: Path) -> Iterable[Fact]:
    for path in sorted(package.rglob("*")):
        if path.suffix in _READ_BY_BUILDS and not path.name.startswith("_"):
            yield f"file {path.relative_to(package).as_posix()}", "is there"
    if (package / "py.typed").is_file():
        yield "file py.typed", "is there"
