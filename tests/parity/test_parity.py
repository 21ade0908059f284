# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Whoever changes an import from a module of `cuda.bindings` to ours finds the same functions, types and values.

Needs the official wheel beside ours (`nox -s parity`); its version says which major it is compared with.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

import pytest

from codegen.model.bind import bind
from codegen.model.fold import fold

from . import nvml, pythonic
from .compare import Difference, differences
from .differences import explained
from .official import Official, version
from .ours import PACKAGES, Generated, Installed
from .shape import Side

VERSION = version()
if VERSION is None:
    pytest.skip("no cuda-bindings to compare with: nox -s parity installs it", allow_module_level=True)
MAJOR = int(VERSION.split(".")[0])

# How many of each the official modules have at least: docstrings of another form must not make the comparison an empty
# one.
LEAST: Mapping[str, Mapping[str, int]] = {
    "driver": {
        "functions": 400,
        "inputs": 1000,
        "outputs": 200,
        "enums": 100,
        "records": 200,
        "others": 60,
        "constants": 70,
    },
    "runtime": {
        "functions": 300,
        "inputs": 700,
        "outputs": 150,
        "enums": 70,
        "records": 100,
        "others": 30,
        "constants": 90,
    },
    "nvrtc": {"functions": 25, "inputs": 25, "outputs": 12, "enums": 1, "others": 1},
    "nvjitlink": {"functions": 14, "inputs": 20, "outputs": 6, "enums": 2, "others": 1},
    "nvml": {
        "functions": 360,
        "inputs": 500,
        "outputs": 180,
        "enums": 100,
        "records": 130,
        "others": 150,
        "constants": 2,
    },
    "nvvm": {"functions": 14, "inputs": 22, "outputs": 7, "enums": 1, "others": 1},
}


@cache
def official_side(module: str) -> Side:
    if module == "nvml":
        return nvml.Official()
    return pythonic.Official(module) if module in pythonic.MODULES else Official(module)


@cache
def generated_side(module: str) -> Side:
    binding = bind(fold(module, major=None if module in ("driver", "nvml") else MAJOR))
    if module == "nvml":
        return nvml.Generated(binding)
    return pythonic.Generated(module, binding) if module in pythonic.MODULES else Generated(binding, MAJOR)


@cache
def installed_side(module: str) -> Side:
    spec = find_spec(PACKAGES[module])
    # cuda-bindings 12 has a module cuda.nvrtc, which is no package.
    if spec is None or spec.submodule_search_locations is None:
        pytest.skip(f"no {PACKAGES[module]} to compare with: nox -s parity installs it")
    if module == "nvml":
        return nvml.Installed()
    return pythonic.Installed(module) if module in pythonic.MODULES else Installed(module, MAJOR)


@pytest.fixture(scope="module", params=PACKAGES)
def module(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def official(module: str) -> Side:
    return official_side(module)


@pytest.fixture(scope="module", params=["generated", "installed"])
def source(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def ours(module: str, source: str) -> Side:
    return generated_side(module) if source == "generated" else installed_side(module)


@pytest.fixture(scope="module")
def found(official: Side, ours: Side) -> frozenset[Difference]:
    return frozenset(differences(official, ours))


def test_the_official_wheel_is_read_whole(module: str, official: Side) -> None:
    functions = official.functions()
    counts = {
        "functions": len(functions),
        "inputs": sum(len(f.inputs) for f in functions.values()),
        "outputs": sum(len(f.outputs or ()) for f in functions.values()),
        "enums": len(official.enums()),
        "records": len(official.records()),
        "others": len(official.other_types()),
        "constants": len(official.constants()),
    }
    assert {name: count for name, count in counts.items() if count < LEAST[module].get(name, 0)} == {}


def test_no_difference_without_a_reason(module: str, source: str, found: frozenset[Difference]) -> None:
    unexplained = sorted(found - explained(module, MAJOR, source).keys())
    assert not unexplained, "\n" + "\n".join(map(str, unexplained))


def test_no_reason_without_a_difference(module: str, source: str, found: frozenset[Difference]) -> None:
    gone = explained(module, MAJOR, source).keys() - found
    if source == "installed":
        gone = {difference for difference in gone if not difference.is_field_type}  # Python does not show them
    assert not gone, "\n" + "\n".join(map(str, sorted(gone)))
