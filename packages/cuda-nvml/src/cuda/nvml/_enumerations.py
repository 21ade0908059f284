# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Enums under short names, each made when somebody asks for it."""

from __future__ import annotations

from enum import IntEnum

from ._generated.tables import ENUMS


def __getattr__(name: str) -> type[IntEnum]:
    if name not in ENUMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # mypy knows enums only by their text.
    made: type[IntEnum] = IntEnum(name, ENUMS[name], module=__name__.rpartition(".")[0])  # type: ignore[misc]
    globals()[name] = made
    return made
