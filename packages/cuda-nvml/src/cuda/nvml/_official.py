# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What compiled modules need: where the C headers are, and functions spelled as the official module spells them."""

from __future__ import annotations

import os.path

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any


def capi() -> dict[str, Any]:
    """What the official `cuda.bindings.cynvml` has as `__pyx_capi__`: names and capsules.

    A module of that name whose `__pyx_capi__` is this dict serves what was compiled against the official one, of any
    CUDA major: NVML is one library for all of them, and so is that module. It holds every name that the newest header
    gives to a function.
    """
    found: dict[str, Any] = _core.capsules(_core.scopes()[-1], True)
    return found


def get_include() -> str:
    """The folder of cuda_nvml_stable.h and cuda_nvml_stable_api.h, for the compiler's search path."""
    return os.path.join(os.path.dirname(__file__), "include")  # noqa: PTH118, PTH120 - pathlib costs 5 ms to import
