# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the C preprocessor which function a name of the C header with the function table means, for each CUDA major."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .wheels import Wheel

Fact = tuple[str, str]


class PreprocessorError(Exception):
    """What the compiler said."""


def facts(include: Path, wheel: Wheel, majors: Sequence[int]) -> Iterator[Fact]:
    header = include / wheel.api_header
    text = header.read_text(encoding="utf-8")
    inline = re.compile(
        rf"\b{wheel.stem}_(\w+)\([^)]*\) \{{\s*(?:static [^;]*;\s*)?"
        rf"{wheel.stem.upper()}_(?:CALL|VALUE)\((?:[^,]*, cds_none, )?(\d+), "
    )
    yield from ((f"inline {name}", position) for name, position in inline.findall(text))
    types = (include / wheel.header).read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"\b[a-z]+[A-Z]\w*|\bmake_\w+", text + types)))
    permanent = _meanings(header, wheel.stem, names, ())
    yield from ((f"c permanent {name}", function) for name, function in permanent.items())
    for where, defines in _targets(wheel, majors):
        # Permanent names are there as well, those of newer functions too; a view is what differs from them.
        for name, function in _meanings(header, wheel.stem, names, defines).items():
            if permanent.get(name) != function:
                yield f"c {where} {name}", function


def _targets(wheel: Wheel, majors: Iterable[int]) -> Iterator[tuple[str, tuple[str, ...]]]:
    per_thread = f"{wheel.stem.upper()}_PER_THREAD"
    if wheel.per_major:
        yield "per_thread", (per_thread,)
    for major in majors:
        target = f"{wheel.stem.upper()}_TARGET={major}"
        yield f"cuda{major}", (target,)
        yield f"cuda{major},per_thread", (target, per_thread)


def _meanings(header: Path, stem: str, names: Sequence[str], defines: Sequence[str]) -> dict[str, str]:
    """Names that are functions of the header, and which function each is."""
    prefix = f"{stem}_"
    source = f'#include "{header.name}"\n' + "".join(f'probe "{name}" {name} end\n' for name in names)
    includes = (header.parent, sysconfig.get_path("include"))
    command = [*shlex.split(os.environ.get("CC", "cc")), "-std=gnu11", "-E", "-P", "-x", "c", "-"]
    command += [*(f"-I{path}" for path in includes), *(f"-D{text}" for text in defines)]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        raise PreprocessorError(f"{shlex.join(command)}\n{done.stderr}")
    found = re.findall(r'probe "(\w+)" (\w+) end', done.stdout)
    return {name: meaning.removeprefix(prefix) for name, meaning in found if meaning.startswith(prefix)}
