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

Fact = tuple[str, str]
_INLINE = re.compile(r"\bcuda_driver_stable_(\w+)\([^)]*\) \{\s*CUDA_DRIVER_STABLE_CALL\((\d+), ")
_PREFIX = "cuda_driver_stable_"


class PreprocessorError(Exception):
    """What the compiler said."""


def facts(header: Path, types: Path, majors: Sequence[int]) -> Iterator[Fact]:
    """`types` is the header that `header` includes."""
    text = header.read_text(encoding="utf-8")
    inline = dict(_INLINE.findall(text))
    yield from ((f"inline {name}", position) for name, position in inline.items())
    names = sorted(set(re.findall(r"\bcu[A-Z]\w*", text + types.read_text(encoding="utf-8"))))
    permanent = _meanings(header, names, ())
    yield from ((f"c permanent {name}", function) for name, function in permanent.items())
    for where, defines in _targets(majors):
        # Permanent names are there as well, those of newer functions too; a view is what differs from them.
        for name, function in _meanings(header, names, defines).items():
            if permanent.get(name) != function:
                yield f"c {where} {name}", function


def _targets(majors: Iterable[int]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for major in majors:
        target = f"CUDA_DRIVER_STABLE_TARGET={major}"
        yield f"cuda{major}", (target,)
        yield f"cuda{major},per_thread", (target, "CUDA_DRIVER_STABLE_PER_THREAD")


def _meanings(header: Path, names: Sequence[str], defines: Sequence[str]) -> dict[str, str]:
    """Names that are functions of the header, and which function each is."""
    source = f'#include "{header.name}"\n' + "".join(f'probe "{name}" {name} end\n' for name in names)
    includes = (header.parent, sysconfig.get_path("include"))
    command = [*shlex.split(os.environ.get("CC", "cc")), "-std=gnu11", "-E", "-P", "-x", "c", "-"]
    command += [*(f"-I{path}" for path in includes), *(f"-D{text}" for text in defines)]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        raise PreprocessorError(f"{shlex.join(command)}\n{done.stderr}")
    found = re.findall(r'probe "(\w+)" (\w+) end', done.stdout)
    return {name: meaning.removeprefix(_PREFIX) for name, meaning in found if meaning.startswith(_PREFIX)}
