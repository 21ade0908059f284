# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Environments of emulated Pythons, which are filled from outside."""

from __future__ import annotations

from pathlib import Path

from ci.release.sites import merge


def files(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(folder.name)
    return folder


def test_a_wheel_replaces_its_older_self_and_leaves_its_neighbours(tmp_path: Path) -> None:
    site = files(
        tmp_path / "site",
        "cuda/driver_stable/_core.so",
        "cuda/nvrtc/_old.so",
        "cuda_driver_stable-13.5.0.dist-info/RECORD",
        "cuda_nvrtc-12.9.0.dist-info/RECORD",
        "pluggy.py",
    )
    new = files(tmp_path / "new", "cuda/nvrtc/_core.so", "cuda_nvrtc-13.5.0.dist-info/RECORD", "pluggy.py")
    merge(new, site)
    found = {str(path.relative_to(site)): path.read_text() for path in site.rglob("*") if path.is_file()}
    assert found == {
        "cuda/driver_stable/_core.so": "site",
        "cuda/nvrtc/_core.so": "new",
        "cuda_driver_stable-13.5.0.dist-info/RECORD": "site",
        "cuda_nvrtc-13.5.0.dist-info/RECORD": "new",
        "pluggy.py": "new",
    }
