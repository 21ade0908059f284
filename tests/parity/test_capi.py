# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The capsules that programs compiled against the official Cython modules look for, compared with those they have."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.model.bind import bind
from codegen.model.fold import fold
from support.capsules import address, spelling

from .official import version
from .ours import PACKAGES

VERSION = version()
if VERSION is None:
    pytest.skip("no cuda-bindings to compare with: nox -s parity installs it", allow_module_level=True)
MAJOR = int(VERSION.split(".")[0])

# How many capsules the official modules have at least, so that none is compared with nothing.
LEAST = {"driver": 480, "runtime": 310, "nvrtc": 24, "nvjitlink": 16, "nvvm": 14, "nvml": 370}


def capi(module: str, per_thread: bool = False) -> dict[str, Any]:
    """Of the installed wheel."""
    package: Any = import_module(PACKAGES[module])
    found: dict[str, Any]
    if module == "nvml":
        found = package.capi()
    elif module in LIBRARIES:
        found = package.capi(MAJOR, per_thread=per_thread)
    else:
        if package._core.RELEASE // 1000 != MAJOR:
            pytest.skip(f"the {PACKAGES[module]} here is of another major than the cuda-bindings")
        found = package.capi(per_thread=True) if per_thread else package.capi()
    return found


def official(module: str) -> Mapping[str, str]:
    capsules = import_module(f"cuda.bindings.cy{module}").__pyx_capi__
    return {name: spelling(capsule) for name, capsule in capsules.items()}


@pytest.mark.parametrize(("module", "per_thread"), [*((m, False) for m in LEAST), ("driver", True), ("runtime", True)])
def test_every_official_capsule_is_there_and_spelled_the_same(module: str, per_thread: bool) -> None:
    ours, expected = capi(module, per_thread), official(module)
    assert {name: spelling(ours[name]) for name in expected if name in ours} == expected
    assert len(expected) >= LEAST[module]


@pytest.mark.parametrize("module", LEAST)
def test_what_the_official_module_calls_otherwise_is_said_with_a_reason(module: str) -> None:
    """Names that are no function of the library's are those that the overrides list; and these are in use."""
    binding = bind(fold(module, major=None if module in LIBRARIES else MAJOR))
    assert binding.official is not None
    assert binding.official.module == f"cuda.bindings.cy{module}"
    extras = {extra.name for extra in binding.official.extras}
    # The official module of NVML is of the newest header, whatever its major.
    newest = binding.api.views[-1].major if module == "nvml" else MAJOR
    (view,) = (view for view in binding.api.views if view.major == newest)
    assert official(module).keys() - view.functions.keys() - binding.api.by_name.keys() == extras
    assert extras <= capi(module).keys()


def test_each_name_leads_to_what_this_major_means() -> None:
    ours = capi("runtime")
    assert address(ours["getLocalRuntimeVersion"]) == address(ours["cudaRuntimeGetVersion"])
    newest = {12: "cudaGetDeviceProperties_v2", 13: "cudaGetDeviceProperties_v1"}[MAJOR]
    assert address(ours["cudaGetDeviceProperties"]) == address(ours[newest])
    assert address(capi("runtime", True)["cudaMemcpyAsync"]) == address(ours["cudaMemcpyAsync_ptsz"])
