# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is served here, by which wheel, and what stands in the way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata

from ._facade import MODULES, is_per_thread
from ._finder import NAME, active, official
from ._permanent import enabled_by
from ._wheels import SERVES, environment


@dataclass(frozen=True)
class Row:
    """A module of `cuda.bindings`, and the wheel that programs get it from; "" where none has it."""

    module: str
    wheel: str
    version: str


@dataclass(frozen=True)
class Status:
    server: str  # "cuda-core-shim", "cuda-bindings", or "" where nobody has cuda.bindings
    version: str  # what cuda.bindings.__version__ says
    cuda_major: int | None
    per_thread: bool
    enabled_by: str  # the file that activates the shim whenever Python starts, or ""
    problem: str  # why cuda.bindings cannot be served, or ""
    warning: str
    modules: tuple[Row, ...]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def status() -> Status:
    """What a program gets that imports `cuda.bindings` now."""
    here, finder, theirs = environment(), active(), official()
    file = enabled_by()
    if theirs is not None and not (finder and finder.force):
        version = _version("cuda-bindings")
        rows = tuple(Row(_full(name), "cuda-bindings", version) for name in MODULES)
        return Status(
            "cuda-bindings",
            version,
            int(version.split(".")[0]) if version[:1].isdigit() else None,
            is_per_thread(),
            str(file or ""),
            "",
            "",
            rows,
        )
    problem = here.problem
    major = None if problem else here.major
    return Status(
        server="" if problem else "cuda-core-shim",
        version="" if major is None else SERVES[major],
        cuda_major=major,
        per_thread=is_per_thread(),
        enabled_by=str(file or ""),
        problem=problem or "",
        warning=here.warning or "",
        modules=tuple(
            Row(_full(name), wheel if wheel in here.wheels else "", here.wheels.get(wheel, ""))
            if (wheel := served.wheel)
            else Row(_full(name), "cuda-core-shim", _version("cuda-core-shim"))
            for name, served in MODULES.items()
        ),
    )


def lines(found: Status) -> Iterator[str]:
    """The status as a person reads it."""
    match found.server:
        case "cuda-core-shim":
            streams = "each thread's own default stream" if found.per_thread else "the legacy default stream"
            yield f"cuda.bindings {found.version} is served by cuda-core-shim, with {streams}"
        case "cuda-bindings":
            yield f"cuda.bindings is the official cuda-bindings {found.version}, which is installed and wins"
        case _:
            yield f"cuda.bindings cannot be served: {found.problem}"
    yield (
        f"enabled whenever Python starts, by {found.enabled_by}"
        if found.enabled_by
        else "not enabled: a program has to import cuda.core_shim first; python -m cuda.core_shim enable changes that"
    )
    if found.warning:
        yield f"warning: {found.warning}"
    yield ""
    width = max(len(row.module) for row in found.modules)
    for row in found.modules:
        yield f"{row.module:{width}}  {f'{row.wheel} {row.version}' if row.wheel else 'absent: its calls fail'}"


def _full(name: str) -> str:
    return f"{NAME}.{name}" if name else NAME


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "(unknown version)"
