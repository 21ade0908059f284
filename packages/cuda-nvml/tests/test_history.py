# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the package tells of names, against what the registry says: every base, every type, every major."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import cuda.nvml as nvml
from codegen.model.api import Function, View
from codegen.model.fold import fold
from support.build import stub_library

API = fold("nvml")
BASES = sorted({f.base for f in API.functions if f.platform != "windows"})
TYPES = [
    (kind.name, str(kind.since))
    for group in (API.enums, API.records, API.handles, API.callbacks)
    for kind in group
    if "." not in kind.name
]


def permanent(function: Function) -> str:
    return function.plain or function.name


def test_there_is_much_to_check() -> None:
    assert len(BASES) > 300
    assert len(TYPES) > 200
    assert [view.major for view in API.views] == [11, 12, 13]


@pytest.mark.parametrize("base", BASES)
def test_function(base: str) -> None:
    for view in API.views:
        for per_thread in (False, True):  # which is one and the same to a library that knows no streams
            if base in view.functions:
                expected = permanent(API.by_name[view.functions[base]])
                assert nvml.resolve(base, cuda=view.major, per_thread=per_thread) == expected
            else:
                with pytest.raises(ValueError, match=f"CUDA {view.major} has no function or type of the name"):
                    nvml.resolve(base, cuda=view.major, per_thread=per_thread)
    wanted = {f.name: f for f in API.bases[base]}
    wanted |= {v.functions[base]: API.by_name[v.functions[base]] for v in API.views if base in v.functions}
    found = nvml.versions(base)
    assert sorted(version.name for version in found) == sorted(map(permanent, wanted.values()))
    for version in found:
        function = API.by_name[version.name]
        assert version.symbol == function.symbol
        assert version.introduced == (function.introduced.major, function.introduced.minor)
        assert version.introduced == nvml.required_cuda(version.name)
        assert f" {function.symbol}(" in version.signature
        assert version.default_in == tuple(v.major for v in API.views if v.functions.get(base) == function.name)


@pytest.mark.parametrize(("name", "since"), TYPES, ids=[name for name, _ in TYPES])
def test_type(name: str, since: str) -> None:
    assert str(nvml.required_cuda(name)) == since
    found = {version.name: version for version in nvml.versions(name)}
    assert found[name].symbol is None
    assert found[name].signature
    assert str(found[name].introduced) == since


@pytest.mark.parametrize("view", API.views, ids=lambda view: f"cu{view.major}")
def test_every_type_of_a_view(view: View) -> None:
    for name, target in view.types.items():
        assert nvml.resolve(name, cuda=view.major) == target
        assert target in [version.name for version in nvml.versions(name)], name


def test_what_has_several_versions() -> None:
    found = {version.name: version.default_in for version in nvml.versions("nvmlInit")}
    assert found == {"nvmlInit_v1": (), "nvmlInit_v2": (11, 12, 13)}
    assert nvml.versions("nvmlInit_v2") == nvml.versions("nvmlInit")
    fabric = [version.name for version in nvml.versions("nvmlGpuFabricInfo_t")]
    assert fabric == ["nvmlGpuFabricInfo_t", *(f"nvmlGpuFabricInfo_v{n}_t" for n in (2, 3, 4))]
    assert nvml.resolve("nvmlGpuFabricInfoV_t", cuda=12) == "nvmlGpuFabricInfo_v2_t"


@pytest.mark.parametrize(("release", "there"), [("11.8", False), ("13.5", True)])
def test_available_by_library(release: str, there: bool) -> None:
    names = ("nvmlInit_v2", "nvmlDeviceGetGpuUptime")
    code = f"from cuda import nvml; nvml.nvmlInit_v2(); print([nvml.is_available(name) for name in {names}])"
    environment = {"CUDA_NVML_LIBRARY": str(stub_library(release, "nvml"))}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == str([True, there]), done.stderr


def test_nothing_is_available_without_a_library() -> None:
    code = "from cuda import nvml; print(nvml.is_available('nvmlInit_v2'), nvml.is_available('nvmlMemory_t'))"
    environment = {"CUDA_NVML_LIBRARY": "/nowhere/libnvidia-ml.so.1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == "False False", done.stderr


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="no view of CUDA 10; there are views of 11, 12, 13"):
        nvml.resolve("nvmlInit", cuda=10)
    for call in (nvml.versions, nvml.required_cuda, nvml.is_available):
        unknown: Any = call
        with pytest.raises(ValueError, match="nvmlNothing"):
            unknown("nvmlNothing")
