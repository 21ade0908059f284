# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""_generated/table.c: which row each position of the C function table is, positions being permanent and rows not."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.model.api import Api

from .ctext import c_banner
from .errors import fits


def emit(api: Api, positions: Mapping[str, int]) -> str:
    rows = {positions[f.name]: (row, f.name) for row, f in enumerate(api.functions) if f.name in positions}
    count = fits(max(rows, default=-1) + 1, 16, "length of the C function table")
    cells = [f"    {rows[i][0]}, /* {i}: {rows[i][1]} */" if i in rows else "    CS_NONE16," for i in range(count)]
    return "\n".join(
        (
            c_banner(api.release),
            '#include "capi.h"\n',
            "const uint16_t cs_table[] = {",
            *(cells or ["    CS_NONE16,"]),
            "};",
            f"const uint16_t cs_table_count = {count};",
            "",
        )
    )
