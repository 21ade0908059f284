# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A package after an editable install: what that copied into the source tree gets into a wheel once."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TOOLKIT = {"_api.py", "_scope.py", "_finder.py", "__init__.pyi"}
COPIED = {"driver-stable": {"_api.py"}, "nvml": {"_api.py", "_core.pyi"}}
COPIED |= dict.fromkeys(("runtime", "nvrtc", "nvjitlink", "nvvm"), TOOLKIT)


@pytest.mark.parametrize("target", ["wheel", "sdist"])
@pytest.mark.parametrize("name", COPIED)
def test_copies_are_left_out(name: str, target: str) -> None:
    package = ROOT / f"packages/cuda-{name}"
    module = f"src/cuda/{name.replace('-', '_')}"
    build = tomllib.loads((package / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    left_out = build["targets"][target]["exclude"]
    rows = [row for row in build["hooks"]["custom"]["files"] if row["folder"] == module.removeprefix("src/")]
    patterns = [pattern.format(shared=ROOT / "shared", major="*") for row in rows for pattern in row["sources"]]
    found = [path for pattern in patterns for path in ROOT.glob(_relative(package / pattern))]
    copied = {path.name for path in found if path.suffix != ".pxd"}
    assert copied >= COPIED[name]
    for file in copied:
        assert any(fnmatchcase(f"/{module}/{file}", pattern) for pattern in left_out), file


def _relative(path: Path) -> str:
    return str(path.relative_to(ROOT))
