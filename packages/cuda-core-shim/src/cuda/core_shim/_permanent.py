# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Activate the shim whenever the Python of this environment starts: by a .pth file beside the installed packages."""

from __future__ import annotations

import site
import sysconfig
from pathlib import Path

from ._wheels import ShimError

FILE = "cuda_core_shim.pth"

# Python runs the line at every start. Whoever uninstalls the shim without disabling it gets no errors from it.
_LINE = (
    'import sys; exec("try:\\n import cuda.core_shim\\n{force}except ModuleNotFoundError as error:\\n'
    " if error.name not in ('cuda', 'cuda.core_shim'): raise\")\n"
)
_FORCE = " cuda.core_shim.activate(force=True)\\n"


def enable(*, force: bool = False) -> Path:
    """Write the file, and return where."""
    path = Path(sysconfig.get_path("purelib"), FILE)
    try:
        path.write_text(_LINE.format(force=_FORCE if force else ""), encoding="utf-8")
    except OSError as error:
        raise ShimError(f"cannot write {path}: {error.strerror}. Nothing was enabled") from error
    return path


def disable() -> Path | None:
    """Remove the file, and return where it was; None where there was none."""
    path = enabled_by()
    if path is not None:
        try:
            path.unlink()
        except OSError as error:
            raise ShimError(f"cannot remove {path}: {error.strerror}. It stays enabled") from error
    return path


def enabled_by() -> Path | None:
    """The file, of this environment or of one that it builds on."""
    folders = [sysconfig.get_path("purelib"), *site.getsitepackages()]
    return next((path for folder in folders if (path := Path(folder, FILE)).is_file()), None)
