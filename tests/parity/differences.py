# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The differences that are meant: differences/driver-13.toml and so on, each with a reason."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

from .compare import Difference


def explained(module: str, major: int, source: str) -> Mapping[Difference, str]:
    """Those of one source: what a package writes by hand is `only = "generated"`, since no binding has it."""
    path = Path(__file__).parent / "differences" / f"{module}-{major}.toml"
    with path.open("rb") as file:
        entries = tomllib.load(file)["difference"]
    found: dict[Difference, str] = {}
    for entry in entries:
        only = entry.pop("only", source)
        if entry.keys() != {"subject", "official", "ours", "reason"} or not entry["reason"]:
            raise ValueError(f"{path.name}: an entry has subject, official, ours and reason: {entry}")
        difference = Difference(entry["subject"], entry["official"], entry["ours"])
        if difference in found:
            raise ValueError(f"{path.name}: {difference.subject} is there twice")
        if only == source:
            found[difference] = entry["reason"]
    return found
