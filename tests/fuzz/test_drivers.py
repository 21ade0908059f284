# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A driver of long ago, one that has new enumerators, and one that counts wrongly."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
from typing import Any

from cuda import driver_stable as cuda
from support.build import stub_library
from support.stub import Stub

OLD = """
from cuda import driver_stable as cuda
from codegen.model.bind import bind
from codegen.model.fold import fold
from support.calls import Preparer
from support.values import Values
binding = bind(fold("driver"))
preparer = Preparer(Values(cuda, binding))
missing = there = 0
for bound in binding.functions:
    prepared = preparer.prepare(bound)
    if not cuda._core.address(bound.function.name):
        for i in range(2):
            try:
                getattr(cuda, bound.function.name)(*prepared.arguments.values())
            except cuda.FunctionNotFoundError as error:
                assert bound.function.symbol in str(error) and "CUDA" in str(error), error
            else:
                raise AssertionError(bound.function.name)
        missing += 1
    else:
        there += 1
print(missing, there)
assert missing > 200 and there > 200
"""


def test_every_function_that_an_old_driver_lacks() -> None:
    surroundings = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(stub_library("9.0"))}
    done = subprocess.run([sys.executable, "-c", OLD], env=surroundings, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_unknown_enumerators(stub: Stub) -> None:
    """One object a value, with a text, no name, and a way back into calls and through pickle."""
    for value in (-1, 1 << 20, 2**31 - 1, -(2**31)):
        stub.clear("cuCtxGetCacheConfig")
        stub.writes("cuCtxGetCacheConfig", (0, 0, 0), struct.pack("<i", value))
        one, two = (cuda.cuCtxGetCacheConfig()[1] for _ in range(2))
        assert one is two
        assert one == value
        assert one.name is None
        assert "unknown" in repr(one)
        assert pickle.loads(pickle.dumps(one)) is one
        assert one not in cuda.CUfunc_cache
        stub.returns("cuCtxSetCacheConfig")
        assert cuda.cuCtxSetCacheConfig(one)[0] == 0
        assert stub.call().arguments[0] == struct.pack("<i", value)
    stub.reset()


def test_huge_counts(stub: Stub) -> None:
    """A driver that says there are more than it was given room for does not make us read beyond."""
    for symbol in ("cuGraphGetNodes", "cuGraphGetRootNodes"):
        for told in (5, 1 << 33, 2**63, 2**64 - 1):
            stub.clear(symbol)
            stub.writes(symbol, (2, 0, 0), told.to_bytes(8, "little"))
            result: tuple[Any, ...] = getattr(cuda, symbol)(cuda.CUgraph(5), 4)
            assert result[0] == 0
            assert len(result[1]) == 4
            assert result[2] == told
    stub.reset()
