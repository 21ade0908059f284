# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A toolkit package after an editable install: what that copied into the source tree gets into a wheel once."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("target", ["wheel", "sdist"])
@pytest.mark.parametrize("name", ["runtime", "nvrtc", "nvjitlink", "nvvm"])
def test_copies_are_left_out(name: str, target: str) -> None:
    package = ROOT / f"packages/cuda-{name}"
    module = package / f"src/cuda/{name}"
    build = tomllib.loads((package / "pyproject.toml").read_text())["tool"]["hatch"]["build"]
    left_out = build["targets"][target]["exclude"]
    copied = {path.name for path in (*ROOT.glob("shared/pykit/*.py*"), *module.glob("_generated/cuda*/*.py*"))}
    assert copied >= {"_scope.py", "_finder.py", "__init__.pyi"}
    for file in copied:
        assert any(fnmatchcase(f"/src/cuda/{name}/{file}", pattern) for pattern in left_out), file
