# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Environments that cannot be served, or not wholly, and what is said of them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from conftest import Python

from cuda.core_shim._wheels import CUDA_CORE, Environment, ShimError

ALL = {
    "cuda-driver-stable": "14.0.0",
    "cuda-runtime": "13.5.0",
    "cuda-nvrtc": "13.0.1",
    "cuda-nvjitlink": "13.5.0.dev3",
    "cuda-nvvm": "13.5.0",
    "cuda-nvml": "14.0.0",
}


def without(*names: str) -> Mapping[str, str]:
    return {name: version for name, version in ALL.items() if name not in names}


def test_all_there() -> None:
    assert Environment(ALL, None).problem is None
    assert Environment(ALL, None).major == 13


@pytest.mark.parametrize(
    ("wheels", "said"),
    [
        ({}, "the wheel cuda-driver-stable is not installed"),
        (without("cuda-driver-stable"), "the wheel cuda-driver-stable is not installed"),
        (without("cuda-runtime"), "the wheel cuda-runtime, whose major it follows, is not installed"),
        ({**ALL, "cuda-nvrtc": "12.9.0"}, "of several CUDA majors (cuda-runtime 13.5.0, cuda-nvrtc 12.9.0, "),
        (
            {"cuda-driver-stable": "13.5.0", "cuda-runtime": "14.0.0"},
            "cuda-runtime 14.0.0 is of a CUDA major that this",
        ),
    ],
)
def test_what_cannot_be_served(wheels: Mapping[str, str], said: str) -> None:
    found = Environment(wheels, None)
    assert said in str(found.problem)
    with pytest.raises(ShimError, match=r"cannot serve cuda\.bindings") as raised:
        _ = found.major
    assert said in str(raised.value)
    assert isinstance(raised.value, ImportError)


def test_driver_and_nvml_wheels_may_be_of_any_release() -> None:
    for release in ("13.0.0", "13.5.0", "15.2.1"):
        assert Environment({**ALL, "cuda-driver-stable": release, "cuda-nvml": release}, None).problem is None


@pytest.mark.parametrize(
    ("version", "is_newer"),
    [(None, False), (CUDA_CORE[0], False), (CUDA_CORE[-1], False), ("1.2.99", False), ("1.3.0", True), ("2.0", True)],
)
def test_newer_cuda_core(version: str | None, is_newer: bool) -> None:
    found = Environment(ALL, version)
    assert found.problem is None
    assert bool(found.warning) == is_newer
    if found.warning:
        assert f"cuda-core {version} is newer than what this release of cuda-core-shim was tested with" in found.warning


HIDE = """
import warnings, cuda.core_shim
from cuda.core_shim import _wheels
installed = _wheels._version
_wheels._version = lambda name: {versions!r}.get(name, installed(name))
"""


def test_importing_what_cannot_be_served(python: Python) -> None:
    """The environment is made up, the way to the error is not."""
    code = HIDE.format(versions={"cuda-runtime": None})
    said = python(f"{code}\nimport cuda.bindings", fails=True)
    assert "cuda.core_shim cannot serve cuda.bindings: the wheel cuda-runtime" in said
    assert "pip install 'cuda-core-shim[cu13]', or [cu12]" in said
    after = """
try:
    import cuda.bindings
except ImportError:
    import sys
    print([name for name in sys.modules if "bindings" in name])
"""
    assert python(f"{code}\n{after}") == "[]"
    asked = "import importlib.metadata as m; m.version('cuda-bindings')"
    assert "PackageNotFoundError" in python(f"{code}\n{asked}", fails=True)


def test_newer_cuda_core_warns_once(python: Python) -> None:
    code = HIDE.format(versions={"cuda-core": "1.99.0"})
    said = python(f"{code}\nimport cuda.bindings, cuda.bindings.driver, cuda.bindings.cydriver")
    assert said.count("RuntimeWarning: cuda-core 1.99.0 is newer") == 1


def test_absent_wheels(python: Python) -> None:
    """Their modules can be imported and built upon, and every call says what to install."""
    code = HIDE.format(versions={"cuda-nvvm": None, "cuda-nvml": None})
    code += """
from cuda.bindings import nvvm, nvml
from cuda.bindings import cynvvm
from cuda.pathfinder import DynamicLibNotFoundError
print(sorted(cynvvm.__pyx_capi__)[:2], len(cynvvm.__pyx_capi__))
print(issubclass(nvvm.nvvmError, Exception), issubclass(nvml.NotFoundError, Exception))
class Architecture: OLD, NEW = int(nvml.DeviceArch.KEPLER), int(nvml.DeviceArch.VOLTA)
print(Architecture.OLD != Architecture.NEW, nvvm.nvvmError is nvvm.nvvmError)
for call in (nvvm.version, nvml.init_v2):
    try:
        call()
    except DynamicLibNotFoundError as error:
        print(error)
try:
    nvml.__wrapped__
except AttributeError as error:
    print(error)
import cuda.bindings.cynvml
"""
    said = python(code, fails=True)
    assert said.splitlines()[:6] == [
        "['nvvmAddModuleToProgram', 'nvvmCompileProgram'] 14",
        "True True",
        "True True",
        "cuda.bindings.nvvm.version() needs the wheel cuda-nvvm, which is not installed: pip install cuda-nvvm",
        "cuda.bindings.nvml.init_v2() needs the wheel cuda-nvml, which is not installed: pip install cuda-nvml",
        "module 'cuda.bindings.nvml' has no attribute '__wrapped__'",
    ]
    assert said.endswith("ShimError: cuda.bindings.cynvml needs the wheel cuda-nvml, which is not installed")


def test_functions_of_an_absent_wheel_fail(python: Python) -> None:
    """Compiled code that calls them gets an error, and the name of the wheel."""
    code = HIDE.format(versions={"cuda-nvvm": None})
    code += """
import ctypes
from cuda.bindings.cynvvm import __pyx_capi__ as capi
pointer = ctypes.pythonapi.PyCapsule_GetPointer
pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
version = pointer(capi["nvvmVersion"], b"nvvmResult (int *, int *)")
says = pointer(capi["nvvmGetErrorString"], b"char const *(nvvmResult)")
print(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(version)(None, None) != 0)
print(ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)(says)(2).decode())
"""
    assert python(code).splitlines() == ["True", "the wheel cuda-nvvm is not installed"]
