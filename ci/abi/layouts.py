# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the C compiler how the types of a wheel's header lie in memory, and which values its enumerators have.

Names come from the .pxd, which has to agree with the header: what Cython code relies on is what C says of these names.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .pxd import Compound, Pxd, Variable
from .wheels import Wheel

Fact = tuple[str, str]
_TABLE_FIELDS = ("size", "release", "count", "unused", "resolve")


class LayoutError(Exception):
    """The header cannot be compiled, or lacks what the .pxd says."""


def values(found: Iterable[Pxd], header: str, include: Path) -> dict[str, int | str]:
    """Values of what enumerators and constants are in C. That of a text is as it stands in the .pxd."""
    expressions = {c.c_name for pxd in found for c in (*pxd.constants, *_enumerators(pxd))}
    texts = {text for text in expressions if text.startswith('\\"')}
    rows = [(text, "%d", (f"(long long)({text})",)) for text in sorted(expressions - texts)]
    numbers = {text: int(value) for text, value in _answers(rows, (header,), (include,))}
    return {**numbers, **{text: text for text in texts}}


def facts(found: Iterable[Pxd], wheel: Wheel, include: Path) -> Iterator[Fact]:
    yield from _answers([row for pxd in found for row in _rows(pxd)], (wheel.header,), (include,))
    table = f"{wheel.stem}_table"
    rows = list(_record(table, "struct", f"struct {table}", [(n, "", n) for n in _TABLE_FIELDS]))
    yield from _answers(rows, (wheel.api_header,), (include, Path(sysconfig.get_path("include"))))


Row = tuple[str, str, tuple[str, ...]]  # key, value with a %d for each expression, expressions


def _enumerators(pxd: Pxd) -> Iterator[Variable]:
    return (member for compound in pxd.compounds if compound.kind == "enum" for member in compound.members)


def _rows(pxd: Pxd) -> Iterator[Row]:
    for compound in pxd.compounds:
        if compound.kind == "enum":
            yield f"type {compound.name}", "%d bytes, enum", (f"sizeof({compound.c_name})",)
        elif compound.c_name != "void":  # how a .pxd says that it does not know what a handle points to
            yield from _compound(compound)
    for variable in pxd.types:
        yield f"type {variable.name}", f"%d bytes, {variable.type}", (f"sizeof({variable.c_name})",)


def _compound(compound: Compound) -> Iterator[Row]:
    fields = [(member.name, member.type, member.c_name) for member in compound.members]
    return _record(compound.name, compound.kind, compound.c_name, fields)


def _record(name: str, kind: str, c_type: str, fields: Sequence[tuple[str, str, str]]) -> Iterator[Row]:
    yield f"record {name}", f"{kind}, %d bytes, aligned to %d", (f"sizeof({c_type})", f"_Alignof({c_type})")
    for field, field_type, c_name in fields:
        place = f"offsetof({c_type}, {c_name})", f"sizeof((({c_type} *)0)->{c_name})"
        yield f"field {name}.{field}", f"at %d, %d bytes{field_type and f', {field_type}'}", place


def _answers(rows: Sequence[Row], headers: Sequence[str], includes: Sequence[Path]) -> Iterator[Fact]:
    lines = ["#include <stddef.h>", "#include <stdio.h>", *(f'#include "{header}"' for header in headers)]
    lines.append("static const long long answers[] = {0")
    lines += [f", {expression}" for _, _, expressions in rows for expression in expressions]
    lines += ["};", "int main(void) {"]
    lines.append('  for (size_t i = 1; i < sizeof answers / sizeof *answers; i++) printf("%lld\\n", answers[i]);')
    lines += ["  return 0;", "}", ""]
    numbers = iter(_run("\n".join(lines), includes))
    for key, value, expressions in rows:
        yield key, value % tuple(next(numbers) for _ in expressions)


def _run(source: str, includes: Sequence[Path]) -> list[int]:
    compiler = shlex.split(os.environ.get("CC", "cc"))
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder, "layouts")
        command = [
            *compiler,
            "-std=gnu11",
            "-O1",
            "-w",
            *(f"-I{path}" for path in includes),
            "-x",
            "c",
            "-",
            "-o",
            str(program),
        ]
        built = subprocess.run(command, input=source, capture_output=True, text=True)
        if built.returncode:
            raise LayoutError(f"{shlex.join(command)}\n{built.stderr}")
        return [
            int(line) for line in subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
        ]
