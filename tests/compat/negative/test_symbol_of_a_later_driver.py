# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver wheel of CUDA 14 on a driver of CUDA 11.8: what is missing is refused one by one, with what it takes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

# By name: no type checker knows a release that is made up.
driver_stable: Any = import_module("cuda.driver_stable")
cu13: Any = import_module("cuda.driver_stable.cu13")
cu14: Any = import_module("cuda.driver_stable.cu14")


@pytest.mark.parametrize(
    ("call", "since", "instead"),
    [
        (lambda: driver_stable.cuMeterCreate(0, 0), "14.0", None),
        (lambda: cu14.cuCtxCreate(None, 0, 0, None), "14.0", "cuCtxCreate_v3"),
        (lambda: cu13.cuCtxCreate(None, 0, 0), "12.5", "cuCtxCreate_v3"),
        (lambda: driver_stable.cuStreamGetPriority_v2(0), "14.0", "cuStreamGetPriority_v1"),
    ],
)
def test_error_says_what_it_takes(call: Callable[[], Any], since: str, instead: str | None) -> None:
    with pytest.raises(driver_stable.FunctionNotFoundError) as raised:
        call()
    said = str(raised.value)
    assert f"was introduced with CUDA {since}" in said
    assert "supports CUDA 11.8" in said
    assert (
        f"install a driver for CUDA {since} or newer" in said or f"Install a driver for CUDA {since} or newer" in said
    )
    assert instead is None or instead in said


def test_what_is_there_is_not_hurt() -> None:
    assert driver_stable.cuInit(0) == (0,)
    assert driver_stable.cuDriverGetVersion() == (0, 11080)
    assert cu14.cuEventRecord is driver_stable.cuEventRecordWithFlags
    assert not driver_stable.is_available("cuMeterCreate")
    assert str(driver_stable.required_cuda("cuMeterCreate")) == "14.0"
