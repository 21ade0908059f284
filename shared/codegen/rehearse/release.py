# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Headers of the made-up release, read like those of any other, into copies of the registry and of the overrides."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..ingest import __main__ as ingest
from ..ingest import fetch
from ..ingest.specs import DRIVER
from ..model import overrides, registry
from ..model.api import Release, split_symbol
from . import changes, headers

OVERRIDES = Path(__file__).with_name("overrides.toml")


@dataclass(frozen=True)
class Rehearsal:
    release: Release
    headers: Path
    registry: Path  # the folder that holds a folder a library
    overrides: Path


def rehearse(folder: Path) -> Rehearsal:
    """Nothing of it touches the registry of this repository."""
    made = Rehearsal(changes.RELEASE, folder / "headers", folder / "registry", folder / "overrides")
    shutil.copytree(registry.ROOT / DRIVER.name, made.registry / DRIVER.name)
    before = registry.load(made.registry / DRIVER.name)
    newest = before.known[-1]
    if newest >= changes.RELEASE:
        raise headers.RehearsalError(f"CUDA {newest} is recorded: rehearse the major after it (rehearse/changes.py)")
    state = {key: fact.value or {} for key, fact in before.state(newest).items()}
    row = next(row for row in before.releases if row.release == newest)
    names = [name for name in row.headers if not name.startswith("windows/")]
    headers.write(changes.made_up(state), names, made.headers)
    ingest.ingest(DRIVER, made.release, fetch.Headers(made.headers, None, ("made up",)), made.registry)
    after = registry.load(made.registry / DRIVER.name)
    _write_overrides(made.overrides, {row.symbol: row.name for row in after.functions})
    return made


def _write_overrides(folder: Path, names: Mapping[str, str]) -> None:
    """Those of today, of which what is said of a function is said of its new version too, and a few more."""
    folder.mkdir(parents=True)
    path = overrides.DIRECTORY / f"{DRIVER.name}.toml"
    text = path.read_text("utf-8")
    for base in (*changes.SUPERSEDED, *changes.RETARGETED_USERS):
        versions = sorted(
            (split_symbol(symbol)[1], name) for symbol, name in names.items() if split_symbol(symbol)[::2] == (base, "")
        )
        (_, old), (_, new) = versions[-2:]
        text = re.sub(rf'"{old}"', f'"{old}", "{new}"', text)
    (folder / path.name).write_text(text + OVERRIDES.read_text("utf-8"), "utf-8")
