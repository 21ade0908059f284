# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests for a real GPU share."""

from __future__ import annotations

import array
from typing import Any

from cuda import driver_stable as cuda

N = 1000


def check(results: tuple[Any, ...]) -> Any:
    """The outputs of a call that must succeed: one alone, several as a tuple."""
    error, *outputs = results
    assert error == 0, repr(error)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def download(pointer: Any, typecode: str, count: int) -> array.array[Any]:
    values = array.array(typecode, bytes(array.array(typecode).itemsize * count))
    check(cuda.cuMemcpyDtoH_v2(values, pointer, len(values) * values.itemsize))
    return values
