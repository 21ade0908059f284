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
    library: str  # the generator's name for it
    cython: str = ""  # the module of permanent names for Cython: its capsules, and its .pxd
    header: str = ""  # the C header that declares the types; with `_api` in its name, the one with the function table
    # A wheel of a toolkit is of one CUDA major, and promises what it does within that.
    per_major: bool = False

    @property
    def api_header(self) -> str:
        return f"{self.stem}_api.h"

    @property
    def stem(self) -> str:
        """What names of the headers begin with."""
        return self.header.removesuffix(".h")

    @property
    def table(self) -> str:
        """The capsule with the function table."""
        return f"{self.module}._core._C_API"

    def series(self, version: str) -> str:
        """What its ledgers are filed under: releases of one series are compared."""
        return f"{self.distribution}-{version.partition('.')[0]}" if self.per_major else self.distribution


def _toolkit(name: str) -> Wheel:
    return Wheel(f"cuda-{name}", f"cuda.{name}", name, f"cy{name}", f"cuda_{name}_stable.h", per_major=True)


WHEELS = {
    wheel.distribution: wheel
    for wheel in (
        Wheel(
            distribution="cuda-driver-stable",
            module="cuda.driver_stable",
            library="driver",
            cython="cydriver",
            header="cuda_driver_stable.h",
        ),
        Wheel("cuda-nvml", "cuda.nvml", "nvml", "cynvml", "cuda_nvml_stable.h"),
        *map(_toolkit, ("runtime", "nvrtc", "nvjitlink", "nvvm")),
    )
}
