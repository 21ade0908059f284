# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The capsules that programs compiled against the official cydriver look for, compared with those it has."""

from __future__ import annotations

from importlib import import_module

import pytest

from cuda import driver_stable
from support.capsules import spelling

from .official import version

VERSION = version()
if VERSION is None:
    pytest.skip("no cuda-bindings to compare with: nox -s parity installs it", allow_module_level=True)
MAJOR = int(VERSION.split(".")[0])
OFFICIAL = import_module("cuda.bindings.cydriver").__pyx_capi__


@pytest.mark.parametrize("per_thread", [False, True])
def test_every_official_capsule_is_there_and_spelled_the_same(per_thread: bool) -> None:
    ours = driver_stable.capi(MAJOR, per_thread=per_thread)
    expected = {name: spelling(capsule) for name, capsule in OFFICIAL.items()}
    assert {name: spelling(ours[name]) for name in expected if name in ours} == expected
    assert len(expected) > 480
