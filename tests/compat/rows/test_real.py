# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver wheel on a real driver library, without a GPU: what is there can be called, what is not says so."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from importlib import import_module
from typing import Any

import pytest

from codegen.model.api import Release
from cuda import driver_stable
from support.drivers import CRASH_ON_NULL, DRIVERS, LACKS, PYTHON_CALLS, isolated, those
from support.symbols import Suite

from . import called, facts

RELEASE = Release.parse(DRIVERS[facts.WHICH].cuda)
SUITE = Suite("driver", driver_stable, facts.binding())
LACKING = those(LACKS, facts.WHICH)
HERE = {
    bound.function.name
    for bound in SUITE.functions
    if bound.function.introduced <= RELEASE and bound.function.name not in LACKING
}


def ask(program: str) -> Any:
    """In a process of its own, where the driver cannot make device nodes."""
    done = subprocess.run([*isolated(), sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def answers() -> dict[str, str | None]:
    found: dict[str, str | None] = ask(PYTHON_CALLS)
    return found


def test_importing_loads_no_driver() -> None:
    program = "import json, cuda.driver_stable; print(json.dumps('libcuda' in open('/proc/self/maps').read()))"
    assert ask(program) is False


def test_version() -> None:
    assert ask("import json; from cuda.driver_stable import *; print(json.dumps(cuDriverGetVersion()[1]))") == (
        RELEASE.number
    )


def test_everything_introduced_by_then_is_called() -> None:
    found = answers()
    assert set(found) == HERE
    assert len(found) > 300
    crashed = {function for function, text in found.items() if text is None}
    assert crashed == (those(CRASH_ON_NULL, facts.WHICH) & HERE) - {"cuGetErrorName_v1", "cuGetErrorString_v1"}


def test_what_came_later_says_since_when() -> None:
    """The refusal comes before any call: it is safe in this process."""
    later = [bound for bound in SUITE.functions if bound.function.name not in HERE]
    assert later or facts.release() <= RELEASE
    wrong = [called.refusal(SUITE, bound, SUITE.callable_of(bound), driver_stable) for bound in later]
    assert not [text for text in wrong if text]


def test_availability() -> None:
    assert {b.function.name for b in SUITE.functions if driver_stable.is_available(b.function.name)} == HERE


@pytest.mark.parametrize("view", facts.binding().api.views, ids=lambda view: f"cu{view.major}")
def test_a_view_is_refused_what_its_functions_are(view: Any) -> None:
    module: Any = import_module(f"cuda.driver_stable.cu{view.major}")
    wrong = []
    for bound in SUITE.functions:
        names = [name for name, permanent in view.functions.items() if permanent == bound.function.name]
        if names and bound.function.name not in HERE:
            wrong.append(called.refusal(SUITE, bound, getattr(module, names[0]), driver_stable))
    assert not [text for text in wrong if text]
