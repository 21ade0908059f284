# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""An environment for one row, filled by pip, and what its resolver made of it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from .matrix import DRIVER, Row


class UnavailableError(Exception):
    """What a row needs and this machine does not have."""


class NoPythonError(UnavailableError):
    """No Python of the row's version."""


@cache
def interpreter(version: str) -> Path:
    """A Python that answers to its name: one that is on PATH and not selected does not."""
    found = shutil.which(f"python{version}")
    if found:
        ask = [found, "-c", "import sys; print('%d.%d' % sys.version_info[:2], sys.executable)"]
        done = subprocess.run(ask, capture_output=True, text=True)
        if done.stdout.startswith(f"{version} "):
            return Path(done.stdout.split(maxsplit=1)[1].strip())
    raise NoPythonError(f"no Python {version} here")


class Environment:
    def __init__(self, folder: Path, python: str, wheelhouse: Path) -> None:
        self.folder = folder
        self.wheelhouse = wheelhouse
        # pip is not in it: the session's own works on it, which is quicker and leaves nothing else there.
        command = [str(interpreter(python)), "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(command, check=True, capture_output=True)
        self.python = folder / "bin" / "python"

    def install(self, requirements: Sequence[str]) -> str | None:
        """What pip said where it refused."""
        done = self._pip("install", "--no-index", "--find-links", str(self.wheelhouse), "--no-compile", *requirements)
        return done.stdout + done.stderr if done.returncode else None

    def installed(self) -> dict[str, str]:
        return {name: version for name, (version, _) in self._distributions().items()}

    def uninstall(self, distributions: Sequence[str]) -> None:
        done = self._pip("uninstall", "--yes", *distributions)
        if done.returncode:
            raise RuntimeError(f"pip does not uninstall {', '.join(distributions)}: {done.stderr}")

    def conflicts(self) -> str:
        """What `pip check` finds: requirements that do not hold."""
        done = self._pip("check")
        return done.stdout.strip() if done.returncode else ""

    def problems(self, row: Row) -> Iterator[str]:
        """What is not as it should be: versions, requirements that do not hold, an upper limit on the driver wheel."""
        if conflicts := self.conflicts():
            yield f"pip check: {conflicts}"
        distributions = self._distributions()
        for name, release in row.gets.items():
            version = distributions[name][0] if name in distributions else None
            if version is None or not f"{version}.".startswith(f"{release}."):
                yield f"pip installed {name} {version}, and not {release}"
        for name, (_, requirements) in distributions.items():
            for text in requirements:
                if re.match(rf"{DRIVER}\b", text) and re.search(r"[<~]|==|!=", text.partition(";")[0]):
                    yield f"{name} limits what comes: {text}"

    def _distributions(self) -> dict[str, tuple[str, list[str]]]:
        """Of each, its version and what it asks for: as the environment's own Python sees it."""
        ask = "import json, importlib.metadata as m;"
        ask += "print(json.dumps({d.metadata['Name']: (d.version, d.requires or []) for d in m.distributions()}))"
        done = subprocess.run([self.python, "-I", "-c", ask], capture_output=True, text=True, check=True)
        found: dict[str, tuple[str, list[str]]] = json.loads(done.stdout)
        return found

    def _pip(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pip", "--python", str(self.python), "--disable-pip-version-check"]
        clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PIP_CONFIG_FILE")}
        return subprocess.run(
            [*command, *arguments], capture_output=True, text=True, env={**clean, "PIP_CONFIG_FILE": os.devnull}
        )
