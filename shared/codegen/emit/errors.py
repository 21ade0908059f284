# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The one error of emitting: the binding asks for what the rows cannot hold."""

from __future__ import annotations


class EmitError(ValueError):
    pass


def fits(value: int, bits: int, what: str) -> int:
    """`value`, if it can be a row's unsigned number; the largest one is left to CS_NONE8 and CS_NONE16."""
    limit = (1 << bits) - 1
    if not 0 <= value < limit:
        raise EmitError(f"{what}: {value} does not fit in {bits} bits of shared/engine/rows.h (0 to {limit - 1})")
    return value
