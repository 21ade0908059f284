# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The toolkit wheels beside this driver wheel: every function on the library's stub, and handles handed across."""

from __future__ import annotations

import importlib.metadata
import re
from typing import Any

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from cuda import driver_stable
from support.symbols import Suite

from . import called, facts

TOOLKITS = facts.toolkits()


@pytest.mark.parametrize(("name", "library"), TOOLKITS, ids=[library for _, library in TOOLKITS])
def test_every_function(name: str, library: str) -> None:
    module = facts.module(name)
    suite = Suite(library, module, facts.toolkit_binding(library))
    stub = facts.stub(suite.library.path_variable)
    module._core.library()  # loading it asks for its version, which is no call of the test's
    functions = {bound.function.name: suite.callable_of(bound) for bound in suite.functions}
    release = Release.from_number(module._core.RELEASE)
    stub.reset()
    found = list(called.problems(suite, stub, release, functions))
    assert not found, "\n".join(found[:20])
    assert functions


@pytest.mark.parametrize(("name", "library"), TOOLKITS, ids=[library for _, library in TOOLKITS])
def test_no_upper_limit(name: str, library: str) -> None:
    """What the wheel asks for of the driver wheel, if it needs it, has a floor and nothing else."""
    asked = [text for text in importlib.metadata.requires(name.replace(".", "-")) or () if facts.DRIVER in text]
    assert len(asked) == (1 if LIBRARIES[library].major else 0)
    for text in asked:
        assert re.fullmatch(rf"{facts.DRIVER}>=[\d.]+", text.replace(" ", ""))


@pytest.mark.skipif("cuda-runtime" not in facts.INSTALLED, reason="cuda-runtime is not in this row")
def test_handles_of_the_driver_are_those_of_the_runtime() -> None:
    runtime: Any = facts.module("cuda.runtime")
    stream = driver_stable.CUstream(0x1234)
    stub = facts.stub("CUDA_RUNTIME_LIBRARY")
    runtime._core.library()
    stub.reset()
    stub.returns("cudaStreamQuery")
    assert runtime.cudaStreamQuery(stream) == (0,)
    assert stub.call().arguments[0] == (0x1234).to_bytes(8, "little")
    assert runtime.cudaStreamQuery(runtime.cudaStream_t(0x1234)) == (0,)
    with pytest.raises(TypeError, match="cudaStreamQuery"):
        runtime.cudaStreamQuery(driver_stable.CUevent(1))
