# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compile floor.c for this Python: it uses CPython's own API, so it is built where it runs."""

from __future__ import annotations

import hashlib
import importlib.util
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).with_name("floor.c")


def load(folder: Path) -> Any:
    digest = hashlib.sha256(SOURCE.read_bytes() + sys.version.encode()).hexdigest()[:16]
    library = folder / f"floor-{digest}" / "floor.so"
    if not library.exists():
        library.parent.mkdir(parents=True, exist_ok=True)
        includes = f"-I{sysconfig.get_path('include')}"
        command = ["gcc", "-O2", "-shared", "-fPIC", includes, str(SOURCE), "-o", str(library), "-ldl"]
        subprocess.run(command, check=True)
    spec = importlib.util.spec_from_file_location("floor", library)
    if spec is None or spec.loader is None:
        raise ImportError(str(library))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
