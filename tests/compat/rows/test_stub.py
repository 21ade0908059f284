# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every name of the driver wheel, on a stub of some CUDA version: called to the bit, or refused with what it takes."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from codegen.model.api import Release
from cuda import driver_stable
from support.symbols import Suite

from . import called, facts

LIBRARY = Release.parse(facts.WHICH)
SUITE = Suite("driver", driver_stable, facts.binding())
VIEWS = [(view, mode) for view in facts.binding().api.views for mode in ("legacy", "per_thread")]


@pytest.fixture
def stub() -> Any:
    found = facts.stub("CUDA_DRIVER_STABLE_LIBRARY")
    driver_stable.cuDriverGetVersion()  # a function that is missing asks for it once, for the error
    found.reset()
    return found


def test_the_driver_is_the_stub() -> None:
    assert driver_stable.__version__.startswith(f"{facts.release()}.")
    assert driver_stable.cuDriverGetVersion() == (0, LIBRARY.number)


def test_what_is_missing() -> None:
    """As the registry has it: what is said to be available, and no more, can be called."""
    wrong = [
        bound.function.name
        for bound in SUITE.functions
        if driver_stable.is_available(bound.function.name) != (bound.function.introduced <= LIBRARY)
    ]
    assert not wrong
    assert any(bound.function.introduced > LIBRARY for bound in SUITE.functions) == (facts.release() > LIBRARY)


def test_permanent_names(stub: Any) -> None:
    functions = {bound.function.name: SUITE.callable_of(bound) for bound in SUITE.functions}
    found = list(called.problems(SUITE, stub, LIBRARY, functions))
    assert not found, "\n".join(found[:20])
    assert len(functions) > 600


@pytest.mark.parametrize(("view", "mode"), VIEWS, ids=[f"cu{view.major}-{mode}" for view, mode in VIEWS])
def test_view(stub: Any, view: Any, mode: str) -> None:
    """The names of a CUDA major mean the permanent ones that its header says, and call them."""
    name = f"cuda.driver_stable.cu{view.major}" + (".per_thread" if mode == "per_thread" else "")
    module: Any = import_module(name)
    means = view.per_thread if mode == "per_thread" else view.functions
    wrong = [n for n, permanent in means.items() if facts.meaning(module, n) is not getattr(driver_stable, permanent)]
    assert not wrong
    functions = {permanent: facts.meaning(module, n) for n, permanent in means.items()}
    found = list(called.problems(SUITE, stub, LIBRARY, functions))
    assert not found, "\n".join(found[:20])
    assert len(functions) > 390
