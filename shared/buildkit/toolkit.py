# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Packages that are built for one CUDA major: from the same tree, chosen by the variable CUDA_MAJOR.

What depends on the major is data in the package's pyproject.toml:

    [tool.hatch.metadata.hooks.custom.majors.13]
    version = "13.5.0"
    toolkit = ["nvidia-cuda-nvrtc==13.*"]

In what the build hook is told, `{major}` stands for it. An sdist is of one major too: it carries a file CUDA_MAJOR,
which decides where the variable is not set.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

from .compiler import BuildError
from .hook import BindingBuildHook

FILE = "CUDA_MAJOR"
DEFAULT = "13"

# What every one of these wheels needs: the driver wheel from a release on, and never an upper limit.
DEPENDENCIES = ["cuda-driver-stable>=13.5.0", "cuda-pathfinder>=1.2"]


def major(root: Path) -> str:
    """The major that is built: 12 or 13."""
    file = root / FILE
    kept = file.read_text(encoding="utf-8").strip() if file.is_file() else None
    chosen = os.environ.get("CUDA_MAJOR") or kept or DEFAULT
    if kept and chosen != kept:
        raise BuildError(f"this sdist is of CUDA {kept}; CUDA_MAJOR={chosen} cannot be built from it")
    return chosen


class ToolkitMetadataHook(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        chosen = major(Path(self.root))
        facts = self.config["majors"].get(chosen)
        if facts is None:
            raise BuildError(f"CUDA_MAJOR={chosen}: there is {' and '.join(sorted(self.config['majors']))}")
        metadata["version"] = facts["version"]
        metadata["dependencies"] = DEPENDENCIES
        metadata["optional-dependencies"] = {"toolkit": facts["toolkit"]}


class ToolkitBuildHook(BindingBuildHook):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        super().initialize(version, build_data)
        if self.target_name == "sdist" and not Path(self.root, FILE).is_file():
            note = Path(self.directory, FILE)
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(major(Path(self.root)) + "\n", encoding="utf-8")
            build_data["force_include"][str(note)] = FILE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        super().finalize(version, build_data, artifact_path)
        Path(self.directory, FILE).unlink(missing_ok=True)

    def _paths(self, patterns: Iterable[str]) -> Iterator[Path]:
        chosen = major(Path(self.root))
        return super()._paths(pattern.replace("{major}", chosen) for pattern in patterns)
