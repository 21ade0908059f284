# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Hands the build to shared/buildkit: of the repository, or the copy that an sdist carries."""

from __future__ import annotations

import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_SHARED = next(path for path in (_HERE / "shared", _HERE.parent.parent / "shared") if (path / "buildkit").is_dir())
sys.path.insert(0, str(_SHARED))

from buildkit.toolkit import ToolkitBuildHook, ToolkitMetadataHook  # noqa: E402


def get_build_hook() -> type[ToolkitBuildHook]:
    return ToolkitBuildHook


def get_metadata_hook() -> type[ToolkitMetadataHook]:
    return ToolkitMetadataHook
