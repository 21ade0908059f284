# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What real libraries export."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

from ..model.api import Release
from ..model.registry import LibraryRow, Registry, library_order
from .elf import defined_symbols
from .specs import DRIVER, Spec


class LibraryError(Exception):
    """A library could not be read."""


def exports(path: Path, spec: Spec = DRIVER) -> frozenset[str]:
    """The symbols of the API in a library's dynamic symbol table."""
    return frozenset(symbol for symbol in defined_symbols(path) if spec.exports.match(symbol))


def cuda_version(path: Path) -> Release:
    """What a driver library says of itself. Asked in a process of its own: nothing of the driver stays loaded here."""
    ask = (
        "import ctypes, sys; n = ctypes.c_int();"
        "status = ctypes.CDLL(sys.argv[1]).cuDriverGetVersion(ctypes.byref(n)); print(status, n.value)"
    )
    # Old ones are linked against a second library that lies beside them.
    environment = {**os.environ, "LD_LIBRARY_PATH": str(path.resolve().parent)}
    done = subprocess.run([sys.executable, "-c", ask, str(path)], capture_output=True, text=True, env=environment)
    status, _, number = done.stdout.strip().partition(" ")
    if done.returncode or status != "0":
        raise LibraryError(f"{path} does not tell its CUDA version: {done.stderr.strip() or status}")
    return Release.from_number(int(number))


def exported(registry: Registry, version: str) -> frozenset[str]:
    """What the registry says a library of this version exports."""
    found: set[str] = set()
    for row in sorted(registry.libraries, key=lambda row: library_order(row.version)):
        if library_order(row.version) <= library_order(version):
            found -= set(row.lacks)
            found |= set(row.exports)
    return frozenset(found)


def append(registry: Registry, path: Path, version: str, cuda: Release | None = None, spec: Spec = DRIVER) -> Registry:
    """The registry with a library's exports: those that no library of a lower version has."""
    symbols = exports(path, spec)
    if any(row.version == version for row in registry.libraries):
        if exported(registry, version) != symbols:
            raise LibraryError(f"the registry knows other exports of {version} than {path} has")
        return registry
    lower = exported(registry, version)
    row = LibraryRow(
        version=version,
        cuda=cuda or cuda_version(path),
        count=len(symbols),
        exports=tuple(sorted(symbols - lower)),
        lacks=tuple(sorted(lower - symbols)),
    )
    return _restored(registry, dataclasses.replace(registry, libraries=(*registry.libraries, row)), version)


def _restored(before: Registry, after: Registry, version: str) -> Registry:
    """An older library was added: the next one says again what it has or lacks, so that it stays as it was."""
    newer = sorted(
        (row for row in before.libraries if library_order(row.version) > library_order(version)),
        key=lambda row: library_order(row.version),
    )
    if not newer:
        return after
    was, now = exported(before, newer[0].version), exported(after, newer[0].version)
    row = dataclasses.replace(
        newer[0],
        exports=tuple(sorted({*newer[0].exports, *(was - now)})),
        lacks=tuple(sorted({*newer[0].lacks, *(now - was)})),
    )
    others = tuple(r for r in after.libraries if r.version != row.version)
    return dataclasses.replace(after, libraries=(*others, row))
