# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Which releases of Cython modules are compiled with, and where each is kept."""

from __future__ import annotations

# One release a minor version, with the newest CPython that it was made for.
RELEASES = {"3.0.12": (3, 13), "3.1.8": (3, 14), "3.2.9": (3, 15), "3.3.1": (3, 15)}


def usable(python: tuple[int, int]) -> tuple[str, ...]:
    return tuple(release for release, newest in RELEASES.items() if python <= newest)


def folder_name(release: str, soabi: str) -> str:
    """In the cache: a release has a build for each Python and machine."""
    return f"{release}-{soabi}"
