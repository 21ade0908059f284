# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the .pxd files of an installed wheel say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from .pxd import Pxd, read

Fact = tuple[str, str]


def modules(package: Path) -> dict[str, Pxd]:
    return {path.stem: read(path.read_text(encoding="utf-8")) for path in sorted(package.glob("*.pxd"))}


def facts(found: dict[str, Pxd], values: Mapping[str, int | str]) -> Iterator[Fact]:
    """`values` are those of C expressions.

    Modules that begin with an underscore are parts of others: what they have is known by the names of these.
    """
    names = _Names(found, values)
    for module, pxd in found.items():
        if not module.startswith("_"):
            yield from ((f"cython {module} {name}", value) for name, value in names.of(module).items())
        for function in pxd.functions:
            yield f"exception {module.lstrip('_')} {function.name}", function.clause or "none"
        for callback in pxd.callbacks:
            yield f"callback {callback.name}", f"{callback.signature} {callback.clause}"


class _Names:
    def __init__(self, found: dict[str, Pxd], values: Mapping[str, int | str]) -> None:
        self._found = found
        self._values = values

    @cache  # noqa: B019 - there is one object a ledger
    def of(self, module: str) -> Mapping[str, str]:
        """All names of a module, and what they mean."""
        pxd = self._found[module]
        names: dict[str, str] = {}
        for part in pxd.stars:
            names |= self.of(part)
        for source, aliases in pxd.aliases.items():
            names |= {name: self._meaning(source, target) for name, target in aliases.items()}
        names |= {f.name: f.name for f in pxd.functions}
        names |= {compound.name: compound.name for compound in pxd.compounds}
        for compound in pxd.compounds:
            if compound.kind == "enum":
                names |= {m.name: f"{compound.name} {self._values[m.c_name]}" for m in compound.members}
        names |= {callback.name: callback.name for callback in pxd.callbacks}
        names |= {variable.name: variable.name for variable in pxd.types}
        names |= {c.name: f"{c.type.removeprefix('const ')} {self._values[c.c_name]}" for c in pxd.constants}
        return names

    def _meaning(self, module: str, name: str) -> str:
        return self.of(module)[name]
