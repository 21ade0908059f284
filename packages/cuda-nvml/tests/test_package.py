# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The package as a thing that is imported: what that loads, its names, its views, its exceptions."""

from __future__ import annotations

import pickle
import subprocess
import sys
from importlib import import_module
from importlib.metadata import requires, version

import pytest

from codegen.model.fold import fold
from cuda import nvml
from support.stub import Stub

API = fold("nvml")


def test_import_loads_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import cuda.nvml; print(*sorted(set(sys.modules) - before));"
        "print('libnvidia-ml' in open('/proc/self/maps').read())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    loaded = (
        "__future__ cuda cuda.nvml cuda.nvml._core cuda.nvml._errors cuda.nvml._generated cuda.nvml._generated.names"
    )
    assert done.stdout.splitlines() == [loaded, "False"], done.stderr


def test_nothing_is_needed_beside_it() -> None:
    assert requires("cuda-nvml") is None
    assert version("cuda-nvml") == nvml.__version__


def test_every_name_is_there() -> None:
    names = vars(nvml)["__getattr__"]("__all__")
    assert len(names) == len(set(names))
    assert set(names) <= set(dir(nvml))
    for name in names:
        assert getattr(nvml, name) is getattr(nvml, name)


HIDE_NUMPY = """
import sys, importlib.util as util
sys.modules["numpy"], find = None, util.find_spec
util.find_spec = lambda name: None if name == "numpy" else find(name)
"""
ASK_FOR_A_DTYPE = """
from cuda.nvml import *
print("pci_info_dtype" in globals())
from cuda import nvml
print(hasattr(nvml, "pci_info_dtype"))
nvml.pci_info_dtype
"""


@pytest.mark.parametrize("there", [True, False])
def test_dtypes_are_there_where_numpy_is(there: bool) -> None:
    if there:
        pytest.importorskip("numpy")
    code = HIDE_NUMPY * (not there) + ASK_FOR_A_DTYPE
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == [str(there)] * 2
    assert (done.returncode, "cuda.nvml.pci_info_dtype needs NumPy" in done.stderr) == (not there, not there)


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        nvml.no_such_name  # type: ignore[attr-defined]  # noqa: B018
    for module in ("_structs", "_enumerations", "_errors"):
        with pytest.raises(AttributeError, match="no_such_name"):
            getattr(import_module(f"cuda.nvml.{module}"), "no_such_name")  # noqa: B009


@pytest.mark.parametrize("view", API.views, ids=lambda view: f"cu{view.major}")
def test_views_have_what_their_header_has(view: object) -> None:
    (found,) = [v for v in API.views if v is view]
    module = import_module(f"cuda.nvml.cu{found.major}")
    for name, permanent in found.functions.items():
        assert getattr(module, name) is getattr(nvml, permanent), name
    for name, (_, value) in found.enumerators.items():
        assert getattr(module, name) == value
    for name, constant in found.constants.items():
        if isinstance(constant.value, int):
            assert getattr(module, name) == constant.value
    assert {*found.functions, *found.types, *found.enumerators, *found.constants} <= set(module.__all__)


def test_views_say_what_macros_say() -> None:
    assert nvml.cu13.nvmlInit is nvml.nvmlInit_v2
    assert nvml.cu13.nvmlDeviceGetPciInfo is nvml.nvmlDeviceGetPciInfo_v3
    assert nvml.cu11.nvmlGetBlacklistDeviceCount is nvml.nvmlGetExcludedDeviceCount
    assert nvml.cu12.nvmlGpuFabricInfoV_t is nvml.nvmlGpuFabricInfo_v2_t
    assert nvml.cu13.nvmlGpuFabricInfoV_t is nvml.nvmlGpuFabricInfo_v3_t
    assert nvml.cu13.NVML_NVLINK_MAX_LINKS > nvml.cu12.NVML_NVLINK_MAX_LINKS
    with pytest.raises(AttributeError, match=r"nvmlInit_v1(?s:.*)nvmlInit_v2"):
        nvml.nvmlInit  # type: ignore[attr-defined]  # noqa: B018


def test_each_status_has_an_exception(stub: Stub) -> None:
    results = {e.name: e.value for enum in API.enums if enum.name == "nvmlReturn_t" for e in enum.enumerators}
    seen = set()
    for name, value in results.items():
        if name == "NVML_SUCCESS":
            assert nvml.check_status(value) == 0
            continue
        with pytest.raises(nvml.NvmlError) as caught:
            nvml.check_status(value)
        assert (caught.value.status, str(caught.value)) == (value, name)  # the stub's text is the name
        seen.add(type(caught.value))
    assert len(seen) == len(results) - 1
    assert nvml.NvmlError not in seen
    assert stub.count("nvmlErrorString") == len(results) - 1


def test_a_status_of_a_newer_library() -> None:
    with pytest.raises(nvml.NvmlError) as caught:
        nvml.check_status(54321)
    assert (type(caught.value), caught.value.status) == (nvml.NvmlError, 54321)


def test_sizes_are_no_failures() -> None:
    assert nvml.check_status_size(nvml.Return.ERROR_INSUFFICIENT_SIZE) == 0
    with pytest.raises(nvml.NoPermissionError):
        nvml.check_status_size(nvml.Return.ERROR_NO_PERMISSION)


def test_exceptions_have_the_official_names() -> None:
    assert nvml.MemoryError is nvml.NvmlMemoryError
    assert nvml.TimeoutError is nvml.NvmlTimeoutError
    assert issubclass(nvml.FunctionNotFoundError, RuntimeError)


def test_exceptions_can_be_pickled() -> None:
    for error in (nvml.NotFoundError(6), nvml.NvmlError(54321), nvml.FunctionNotFoundError("no such function")):
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), str(again), again.status) == (type(error), str(error), error.status)


def test_enums() -> None:
    assert nvml.BrandType["BRAND_GEFORCE"] is nvml.BrandType.GEFORCE
    assert nvml.FieldId.DEV_ECC_CURRENT == nvml.NVML_FI_DEV_ECC_CURRENT
    assert pickle.loads(pickle.dumps(nvml.Return.ERROR_UNKNOWN)) is nvml.Return.ERROR_UNKNOWN


def test_enums_are_taken_where_the_header_has_its_own(stub: Stub) -> None:
    nvml.device_get_clock(5, nvml.ClockType.MEM, nvml.ClockId.CURRENT)
    sent = [int.from_bytes(argument, "little") for argument in stub.call().arguments[1:3]]
    assert sent == [nvml.NVML_CLOCK_MEM, nvml.NVML_CLOCK_ID_CURRENT]
    nvml.device_get_clock(5, nvml.NVML_CLOCK_MEM, 0)
    assert nvml.error_string(nvml.Return.ERROR_NO_DATA) == "NVML_ERROR_NO_DATA"


def test_capsules_are_of_every_name_of_the_newest_header() -> None:
    capsules = nvml.capi()
    assert set(capsules) >= set(API.views[-1].functions)
    assert {type(capsule).__name__ for capsule in capsules.values()} == {"PyCapsule"}
