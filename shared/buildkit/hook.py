# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The hatchling hook behind every binding package's hatch_build.py.

It is told what to compile in the package's pyproject.toml; `{shared}` stands for the folder that holds this kit:

    [[tool.hatch.build.hooks.custom.extensions]]
    module = "cuda.driver_stable._core"
    sources = ["{shared}/engine/*.c", "src/cuda/driver_stable/_generated/*.c"]
    include-dirs = ["{shared}/engine"]

and what to take along from elsewhere, into a folder of the wheel:

    [[tool.hatch.build.hooks.custom.files]]
    sources = ["{shared}/pykit/*.py"]
    folder = "cuda/nvrtc"
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

from . import sbom
from .compiler import WHEEL_TAG, Extension, check_interpreter, compile_extension, platform_tag

SHARED = Path(__file__).resolve().parent.parent

# What a wheel is built from outside the package's own folder. An sdist takes it along under the same names.
SHARED_SOURCES = ("buildkit/*.py", "engine/*.c", "engine/*.h", "pykit/*.py*", "pykit/views/*.py")


class BindingBuildHook(BuildHookInterface):  # type: ignore[type-arg]  # its parameter is an internal class of hatchling
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name == "sdist":
            build_data["force_include"].update(
                {str(path): f"shared/{path.relative_to(SHARED)}" for path in _glob(SHARED, SHARED_SOURCES)}
            )
        elif self.target_name == "wheel":
            check_interpreter()
            build_data["pure_python"] = False
            build_data["tag"] = f"{WHEEL_TAG}-{platform_tag()}"
            self._scratch = tempfile.TemporaryDirectory(prefix="buildkit-")
            modules = {}
            for extension in self._extensions():
                folder = Path(self._scratch.name, extension.module)
                folder.mkdir()
                modules[extension] = compile_extension(extension, folder)
                self._put(modules[extension], extension.path, version, build_data)
            if version != "editable":
                build_data["sbom_files"].append(str(self._sbom(modules, build_data["tag"])))
            for row in self.config.get("files", []):
                for path in self._paths(row["sources"]):
                    self._put(path, f"{row['folder']}/{path.name}", version, build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.target_name == "wheel":
            self._scratch.cleanup()

    def _put(self, path: Path, target: str, version: str, build_data: dict[str, Any]) -> None:
        """Into the wheel, or, of an editable install, where Python will look for it."""
        if version == "editable":
            copy = Path(self.root, "src", target)
            copy.parent.mkdir(exist_ok=True)
            shutil.copy(path, copy)
        else:
            build_data["force_include"][str(path)] = target

    def _sbom(self, modules: dict[Extension, Path], tag: str) -> Path:
        core = self.metadata.core
        path = Path(self._scratch.name, f"{core.name}.cdx.json")
        licence = core.license_expression or core.license
        path.write_text(sbom.document(core.name, self.metadata.version, tag, licence, modules), encoding="utf-8")
        return path

    def _extensions(self) -> Iterator[Extension]:
        for row in self.config["extensions"]:
            yield Extension(
                module=row["module"],
                sources=tuple(self._paths(row["sources"])),
                include_dirs=tuple(Path(self.root, path.format(shared=SHARED)) for path in row["include-dirs"]),
            )

    def _paths(self, patterns: Iterable[str]) -> Iterator[Path]:
        return _glob(Path(self.root), patterns)


def _glob(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        relative = pattern.removeprefix("{shared}/")
        yield from sorted((root if relative == pattern else SHARED).glob(relative))
