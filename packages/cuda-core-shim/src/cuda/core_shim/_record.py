# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The distribution record of `cuda-bindings`, which `cuda.core` asks for its version."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, DistributionFinder, MetadataPathFinder
from pathlib import Path

from ._finder import Finder
from ._wheels import SERVES, environment

NAME = "cuda-bindings"


class Record(Distribution):
    def __init__(self, version: str) -> None:
        self._version = version

    def read_text(self, filename: str) -> str | None:
        if filename != "METADATA":
            return None
        return (
            f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {self._version}\n"
            "Summary: served by cuda-core-shim from the split wheels; this distribution is not installed\n"
        )

    def locate_file(self, path: str | os.PathLike[str]) -> Path:
        raise FileNotFoundError(f"{NAME} is served by cuda-core-shim and has no files: {path}")


def record(context: DistributionFinder.Context | None, finder: Finder) -> Iterator[Distribution]:
    """One where a program asks for `cuda-bindings`, or for all there is, in the places that it imports from."""
    context = context or DistributionFinder.Context()
    asked = re.sub(r"[-_.]+", "-", context.name or NAME).lower()
    if asked != NAME or list(context.path) != sys.path:
        return
    if not finder.force and any(MetadataPathFinder.find_distributions(DistributionFinder.Context(name=NAME))):
        return
    here = environment()
    if here.problem is None:
        yield Record(SERVES[here.major])
