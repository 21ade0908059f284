# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Whoever changes an import from `cuda.bindings.driver` to a view finds the same functions, types and values.

Needs the official wheel beside ours (`nox -s parity`); its version says which view it is compared with.
"""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from codegen.model.bind import bind
from codegen.model.fold import fold

from .compare import Difference, differences
from .differences import explained
from .official import Official, version
from .ours import Generated, Installed
from .shape import Side

VERSION = version()
if VERSION is None:
    pytest.skip("no cuda-bindings to compare with: nox -s parity installs it", allow_module_level=True)
MAJOR = int(VERSION.split(".")[0])


@pytest.fixture(scope="module")
def official() -> Side:
    return Official()


@pytest.fixture(scope="module", params=["generated", "installed"])
def ours(request: pytest.FixtureRequest) -> Side:
    if request.param == "generated":
        return Generated(bind(fold()), MAJOR)
    if find_spec("cuda.driver_stable") is None:
        pytest.skip("no cuda-driver-stable to compare with: nox -s parity installs it")
    return Installed(MAJOR)


@pytest.fixture(scope="module")
def found(official: Side, ours: Side) -> frozenset[Difference]:
    return frozenset(differences(official, ours))


def test_the_official_wheel_is_read_whole(official: Side) -> None:
    """A docstring of another form must not make the comparison an empty one."""
    functions = official.functions()
    assert len(functions) > 400
    assert {f.inputs for f in functions.values()} != {()}
    assert sum(len(f.inputs) for f in functions.values()) > 1000
    assert sum(len(f.outputs) for f in functions.values()) > 200
    assert len(official.enums()) > 100
    assert len(official.records()) > 200
    assert len(official.other_types()) > 60
    assert len(official.constants()) > 70


def test_no_difference_without_a_reason(found: frozenset[Difference]) -> None:
    unexplained = sorted(found - explained(MAJOR).keys())
    assert not unexplained, "\n" + "\n".join(map(str, unexplained))


def test_no_reason_without_a_difference(ours: Side, found: frozenset[Difference]) -> None:
    gone = explained(MAJOR).keys() - found
    if isinstance(ours, Installed):
        gone = {difference for difference in gone if not difference.is_field_type}  # Python does not show them
    assert not gone, "\n" + "\n".join(map(str, sorted(gone)))
