# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The registry only grows: compare it with a git revision and name each fact that went or changed."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path


def run(folder: Path, against: str) -> int:
    """Print what was lost since the revision `against`; the number of losses decides the exit status."""
    folder = folder.resolve()
    try:
        lost = list(losses(folder, against))
    except subprocess.CalledProcessError as error:
        print(f"error: git: {error.stderr.strip()}", file=sys.stderr)
        return 2
    for path, row in lost:
        print(f"{path}: {row} was recorded in {against} and is not any more")
    if lost:
        print(
            f"{len(lost)} facts removed or changed. Put them back (`git checkout {against} -- {folder}`); "
            "a wrong fact is taken back by a `retracted` one."
        )
        return 1
    print(f"nothing recorded in {against} was removed or changed")
    return 0


def losses(folder: Path, against: str) -> Iterator[tuple[str, str]]:
    for path, old in _at(folder, against):
        here = folder / path
        new = here.read_text("utf-8") if here.exists() else ""
        gone = Counter(rows(old)) - Counter(rows(new))
        for row in gone.elements():
            yield path, row


def rows(text: str) -> Iterator[str]:
    """Each fact of a file in one line, with its fields in the order of their names."""
    for table, listed in tomllib.loads(text).items():
        for row in listed:
            yield from _row(table, row)


def _row(table: str, row: Mapping[str, object]) -> Iterator[str]:
    """A row of facts. A list in it, such as a library's exports, may gain members."""
    lists = {name: value for name, value in row.items() if isinstance(value, list)}
    rest = ", ".join(f"{name} = {value!r}" for name, value in sorted(row.items()) if name not in lists)
    yield f"{table} {{ {rest} }}"
    for name, members in lists.items():
        for member in members:
            yield f"{table} {{ {rest} }}: {name} {member!r}"


def _at(folder: Path, against: str) -> Iterator[tuple[str, str]]:
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    inside = folder.relative_to(top.resolve())
    listing = _git(top, "ls-tree", "-r", "-z", "--format=%(objectname) %(path)", against, "--", str(inside))
    entries = [entry.split(" ", 1) for entry in listing.split("\0") if entry.endswith(".toml")]
    batch = subprocess.run(
        ["git", "cat-file", "--batch"],
        cwd=top,
        input="".join(f"{name}\n" for name, _ in entries).encode(),
        capture_output=True,
        check=True,
    ).stdout
    for _, path in entries:
        header, _, batch = batch.partition(b"\n")
        size = int(header.split()[2])
        yield str(Path(path).relative_to(inside)), batch[:size].decode("utf-8")
        batch = batch[size + 1 :]


def _git(folder: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, check=True).stdout
