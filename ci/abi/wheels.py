# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the ledger has to know of a wheel to read it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Wheel:
    """Without a C level, the fields that are about it stay empty."""

    distribution: str
    module: str
    cython: str = ""  # the module of permanent names for Cython: its capsules, and its .pxd
    header: str = ""  # the C header that declares the types
    api_header: str = ""  # the C header with the function table
    table: str = ""  # the capsule with the function table


WHEELS = {
    wheel.distribution: wheel
    for wheel in (
        Wheel(
            distribution="cuda-driver-stable",
            module="cuda.driver_stable",
            cython="cydriver",
            header="cuda_driver_stable.h",
            api_header="cuda_driver_stable_api.h",
            table="cuda.driver_stable._core._C_API",
        ),
    )
}
