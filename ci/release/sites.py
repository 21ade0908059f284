# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Put what pip installed into a folder beside what an environment has."""

from __future__ import annotations

import shutil
from pathlib import Path


def merge(new: Path, site: Path) -> None:
    """pip itself would replace the whole of `cuda`, which several wheels share."""
    for information in new.glob("*.dist-info"):
        for old in site.glob(f"{information.name.partition('-')[0]}-*.dist-info"):
            shutil.rmtree(old)
    shared = new / "cuda"
    for path in [*(path for path in new.iterdir() if path != shared), *(shared.iterdir() if shared.is_dir() else ())]:
        target = site / path.relative_to(new)
        target.parent.mkdir(exist_ok=True)
        if target.is_dir():
            shutil.rmtree(target)
        shutil.move(path, target)
