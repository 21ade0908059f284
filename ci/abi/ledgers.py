# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The ledgers of one wheel: a folder with a file for each release."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from .compare import release_number
from .facts import Facts, LedgerError, dump, load


class Ledgers:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def releases(self) -> list[str]:
        """Oldest first."""
        return sorted((path.stem for path in self.folder.glob("*.txt")), key=release_number)

    @cache  # noqa: B019 - there is one object a wheel
    def facts(self, release: str) -> Facts:
        return load(self._path(release).read_text(encoding="utf-8"), self.facts)

    def write(self, release: str, title: str, facts: Facts) -> Path:
        earlier = [known for known in self.releases if release_number(known) < release_number(release)]
        base = (earlier[-1], self.facts(earlier[-1])) if earlier else None
        text = dump(facts, title, base)
        if self._path(release).exists() and self.facts(release) != facts:
            raise LedgerError(
                f"{self._path(release)} is of a release: other facts are of a release with another version"
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(release).write_text(text, encoding="utf-8", newline="\n")
        return self._path(release)

    def _path(self, release: str) -> Path:
        return self.folder / f"{release}.txt"
