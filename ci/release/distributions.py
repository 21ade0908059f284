# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Which distributions the repository makes: every folder of packages/, and every CUDA major that its file names."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DRIVER = "cuda-driver-stable"


@dataclass(frozen=True)
class Distribution:
    name: str  # "cuda-nvrtc"
    version: str
    folder: str  # "packages/cuda-nvrtc", from the root of the repository
    major: str = ""  # of CUDA, where there is one distribution a major
    compiled: bool = True

    @property
    def stem(self) -> str:
        """What its files' names begin with."""
        return f"{self.name.replace('-', '_')}-{self.version}"

    @property
    def module(self) -> str:
        return f"cuda.{self.name.removeprefix('cuda-').replace('-', '_')}"

    @property
    def environment(self) -> dict[str, str]:
        """What the build has to be told."""
        return {"CUDA_MAJOR": self.major} if self.major else {}

    @property
    def tag(self) -> str:
        """The tag of its release in the repository."""
        return f"{self.name}-v{self.version}"


def distributions(root: Path) -> tuple[Distribution, ...]:
    """In the order in which they need each other: the driver comes first, and last what only joins the others."""
    found = [made for path in sorted(root.glob("packages/*/pyproject.toml")) for made in _of(root, path)]
    return tuple(sorted(found, key=lambda one: (one.name != DRIVER, not one.compiled, one.name, one.version)))


def _of(root: Path, path: Path) -> Iterator[Distribution]:
    document = tomllib.loads(path.read_text("utf-8"))
    name: str = document["project"]["name"]
    folder = path.parent.relative_to(root).as_posix()
    hatch: dict[str, Any] = document["tool"]["hatch"]
    compiled = bool(hatch["build"].get("hooks", {}).get("custom", {}).get("extensions"))
    majors = hatch.get("metadata", {}).get("hooks", {}).get("custom", {}).get("majors", {})
    if not majors:
        yield Distribution(name, document["project"]["version"], folder, compiled=compiled)
    for major, facts in majors.items():
        yield Distribution(name, facts["version"], folder, major, compiled)
