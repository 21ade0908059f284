# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Which driver is here, what it offers and what it lacks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from .. import __version__, _core
from .._api import CudaVersion


@dataclass(frozen=True)
class Report:
    package: str
    library: str | None  # the file that was loaded
    tried: tuple[tuple[str, str], ...]  # what could not be loaded, and why
    cuda: str | None  # the newest CUDA version that the driver supports, as it says itself
    symbols: int  # that this package knows on this platform
    offered: int  # of them by the driver
    missing: dict[str, str]  # permanent name: CUDA version that introduced it
    init: str | None  # what cuInit answered
    devices: tuple[str, ...]
    problem: str | None  # why the driver cannot be used

    @property
    def usable(self) -> bool:
        return self.problem is None


def examine() -> Report:
    library = _core.library()
    platform = "windows" if sys.platform == "win32" else "linux"
    rows = (row for row in _core.functions() if row["platform"] in ("any", platform))
    names = {row["plain"] or row["name"]: row["introduced"] for row in rows}
    present = {name for name in names if library["loaded"] and _core.address(name)}
    lacking = sorted((number, name) for name, number in names.items() if name not in present)
    init: str | None = None
    devices: tuple[str, ...] = ()
    problem = _library_problem(library, len(present))
    if problem is None:
        init, devices, problem = _initialise()
    return Report(
        package=__version__,
        library=library["path"] if library["loaded"] else None,
        tried=tuple((str(path), str(why)) for path, why in library["tried"]),
        cuda=str(CudaVersion.from_number(library["version"])) if library["version"] else None,
        symbols=len(names),
        offered=len(present),
        missing={name: str(CudaVersion.from_number(number)) for number, name in lacking} if library["loaded"] else {},
        init=init,
        devices=devices,
        problem=problem,
    )


def _library_problem(library: dict[str, Any], present: int) -> str | None:
    if not library["loaded"]:
        return "no CUDA driver library could be loaded"
    if not present:
        return "the library that was loaded is not a CUDA driver: it has none of its functions"
    if not library["version"]:
        return "the library that was loaded does not tell its CUDA version"
    return None


def _initialise() -> tuple[str, tuple[str, ...], str | None]:
    """Ask the driver whether it works: only it knows whether there is a GPU that it can drive."""
    (status,) = _core.lookup("", "cuInit")(0)
    answer = f"{status.name} ({int(status)})"
    if status:
        return answer, (), f"cuInit answered {answer}"
    status, count = _core.lookup("", "cuDeviceGetCount")()
    if status:
        return answer, (), f"cuDeviceGetCount answered {status.name} ({int(status)})"
    return answer, tuple(_device_name(ordinal) for ordinal in range(count)), None


def _device_name(ordinal: int) -> str:
    status, device = _core.lookup("", "cuDeviceGet")(ordinal)
    if not status:
        status, name = _core.lookup("", "cuDeviceGetName")(256, device)
        if not status:
            return str(name.split(b"\0", 1)[0].decode())
    return f"(unknown: {status.name})"


def describe(report: Report) -> Iterator[str]:
    yield f"package   cuda-driver-stable {report.package}, {report.symbols} functions"
    yield f"library   {report.library or 'none'}"
    for path, why in report.tried:
        yield f"  tried   {path}: {why}"
    if report.library:
        yield f"CUDA      {report.cuda or 'unknown'}"
        yield f"offers    {report.offered} of {report.symbols} functions"
        groups: dict[str, list[str]] = {}
        for name, version in report.missing.items():
            groups.setdefault(version, []).append(name)
        for version, names in groups.items():
            yield f"  lacks   {len(names)} of CUDA {version}: {', '.join(names)}"
    if report.init:
        yield f"cuInit    {report.init}"
        for ordinal, name in enumerate(report.devices):
            yield f"device {ordinal}  {name}"
    yield f"problem   {report.problem}" if report.problem else "The driver can be used."
