# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Which wheels are installed, and what they can serve together."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata

# The wheels, and whether each is of one CUDA major.
WHEELS: Mapping[str, bool] = {
    "cuda-driver-stable": False,
    "cuda-runtime": True,
    "cuda-nvrtc": True,
    "cuda-nvjitlink": True,
    "cuda-nvvm": True,
    "cuda-nvml": False,
}

# The release of `cuda-bindings` whose public surface the wheels of a major have.
SERVES: Mapping[int, str] = {12: "12.9.10", 13: "13.5.0"}

# What this was tested with, the newest last.
CUDA_CORE = ("1.0.1", "1.2.2")


class ShimError(ImportError):
    """Why `cuda.bindings` cannot be served. To who only tries whether it is there, it is not."""


@dataclass(frozen=True)
class Environment:
    """The versions of what is installed; what is not is not in it."""

    wheels: Mapping[str, str]
    cuda_core: str | None

    @property
    def major(self) -> int:
        """The CUDA major that is served, that of `cuda-runtime`."""
        if problem := self.problem:
            raise ShimError(f"cuda.core_shim cannot serve cuda.bindings: {problem}", name="cuda.bindings")
        return _major(self.wheels["cuda-runtime"])

    @property
    def problem(self) -> str | None:
        """Why nothing can be served, and what to do about it."""
        majors = {name: _major(version) for name, version in self.wheels.items() if WHEELS[name]}
        if "cuda-driver-stable" not in self.wheels:
            return f"the wheel cuda-driver-stable is not installed. {_INSTALL}"
        if "cuda-runtime" not in majors:
            return f"the wheel cuda-runtime, whose major it follows, is not installed. {_INSTALL}"
        if len(set(majors.values())) > 1:
            found = ", ".join(f"{name} {self.wheels[name]}" for name in majors)
            return f"the toolkit wheels are of several CUDA majors ({found}). {_INSTALL}"
        if majors["cuda-runtime"] not in SERVES:
            known = " and ".join(map(str, SERVES))
            version = self.wheels["cuda-runtime"]
            return f"cuda-runtime {version} is of a CUDA major that this release does not know; it knows {known}"
        return None

    @property
    def warning(self) -> str | None:
        """What may go wrong, though nothing is known to."""
        newest = CUDA_CORE[-1]
        if self.cuda_core and _numbers(self.cuda_core)[:2] > _numbers(newest)[:2]:
            return (
                f"cuda-core {self.cuda_core} is newer than what this release of cuda-core-shim was tested with, "
                f"{newest}: it may ask for what is not served yet. Update cuda-core-shim, or report what fails"
            )
        return None


_INSTALL = "Install those of one major: pip install 'cuda-core-shim[cu13]', or [cu12]"


def environment() -> Environment:
    found = {name: version for name in WHEELS if (version := _version(name))}
    return Environment(found, _version("cuda-core"))


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _major(version: str) -> int:
    return _numbers(version)[0]


def _numbers(version: str) -> tuple[int, ...]:
    """The release of a version: "13.5.0.dev1" is (13, 5, 0)."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    if match is None:
        raise ValueError(f"{version!r} is no version")
    return tuple(map(int, match[0].split(".")))
