# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the served modules have."""

from __future__ import annotations

import pytest
from conftest import MAJOR, VERSION, Python

from cuda.core_shim._facade import MODULES

PER_THREAD = "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM"
COMPILED = [name for name, served in MODULES.items() if served.capsules]


def test_every_name_of_every_module_is_there(python: Python) -> None:
    names = list(MODULES)
    code = f"""
import cuda.core_shim
from importlib import import_module
for name in {names!r}:
    module = import_module(f"cuda.bindings.{{name}}".rstrip("."))
    offered = getattr(module, "__all__", ())
    assert set(offered) <= set(dir(module)), name
    for item in offered:
        getattr(module, item)
    print(module.__name__, len(offered) > 5)
"""
    said = dict(line.split() for line in python(code).splitlines())
    assert len(said) == len(names)
    whole = ("driver", "runtime", "nvrtc", "nvjitlink", "nvvm", "nvml")
    assert {f"cuda.bindings.{name}" for name in whole} <= {
        name for name, is_whole in said.items() if is_whole == "True"
    }


def test_versions(python: Python) -> None:
    code = "import cuda.core_shim, cuda.bindings as b; print(b.__version__, b._version.__version_tuple__)"
    assert python(code) == f"{VERSION} {tuple(map(int, VERSION.split('.')))}"


@pytest.mark.parametrize("name", COMPILED)
def test_functions_for_compiled_code_are_a_real_dict(python: Python, name: str) -> None:
    code = f"import cuda.core_shim, cuda.bindings.{name} as m; c = m.__pyx_capi__; print(type(c) is dict, len(c) > 10)"
    assert python(code) == "True True"


def test_names_that_are_missing_say_why(python: Python) -> None:
    code = "import cuda.core_shim; from cuda.bindings import driver; driver.cuNothing"
    said = python(code, fails=True)
    assert "module 'cuda.bindings.driver' has no attribute 'cuNothing': module 'cuda.driver_stable.cu" in said
    assert "No module named 'cuda.bindings.cufile'" in python("import cuda.core_shim, cuda.bindings.cufile", fails=True)


CALLS = f"""
import os, cuda.core_shim
from cuda.bindings import driver, cydriver
from support.stub import Stub
stub = Stub(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])
driver.cuInit(0)
driver.cuStreamQuery(0)
driver.cuCtxCreate({"None, " if MAJOR > 12 else ""}0, 0)
print(*[call.symbol for call in stub.calls()])
"""
CREATE = {12: "cuCtxCreate_v2", 13: "cuCtxCreate_v4"}[MAJOR]


@pytest.mark.parametrize(
    ("value", "query"), [("0", "cuStreamQuery"), ("1", "cuStreamQuery_ptsz"), ("2", "cuStreamQuery_ptsz")]
)
def test_default_streams_and_the_major(python: Python, stub: str, support: str, value: str, query: str) -> None:
    said = python(CALLS, {PER_THREAD: value, "CUDA_DRIVER_STABLE_LIBRARY": stub, "PYTHONPATH": support})
    assert said == f"cuInit {query} {CREATE}"


def test_switch_that_is_no_number(python: Python) -> None:
    code = "import cuda.core_shim, cuda.bindings.driver"
    said = python(code, {PER_THREAD: "yes"}, fails=True)
    assert f"the environment variable {PER_THREAD} has to be a number, 0 or 1, not 'yes'" in said


def test_addresses_of_functions(python: Python, stub: str) -> None:
    code = """
import ctypes, os, cuda.core_shim
from cuda.bindings._internal import driver
library = ctypes.CDLL(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])
found = driver._inspect_function_pointers()
for name in ("cuInit", "cuStreamDestroy_v2", "cuLaunchKernel"):
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    print(found[f"__{name}"] == address == driver._inspect_function_pointer(f"__{name}"))
print(len(found) > 450)
driver._inspect_function_pointer("cuInit")
"""
    said = python(code, {"CUDA_DRIVER_STABLE_LIBRARY": stub}, fails=True)
    assert said.splitlines()[:4] == ["True"] * 4
    assert said.endswith("KeyError: 'cuInit'")


def test_addresses_for_default_streams_of_threads(python: Python, stub: str) -> None:
    """Under the names without a suffix, as the official package has them."""
    code = """
import ctypes, os, cuda.core_shim
from cuda.bindings._internal import driver
library = ctypes.CDLL(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])
address = ctypes.cast(library.cuLaunchKernel_ptsz, ctypes.c_void_p).value
print(driver._inspect_function_pointer("__cuLaunchKernel") == address)
"""
    assert python(code, {PER_THREAD: "1", "CUDA_DRIVER_STABLE_LIBRARY": stub}) == "True"


def test_errors_are_caught_as_the_official_ones_are(python: Python) -> None:
    code = """
import cuda.core_shim, cuda.driver_stable, cuda.nvjitlink
from cuda.bindings import driver, nvjitlink
from cuda.bindings._internal import driver as inner
from cuda.bindings._internal.utils import FunctionNotFoundError, NotSupportedError
from cuda.pathfinder import DynamicLibNotFoundError
for call, own in (
    (lambda: driver.cuInit(0), cuda.driver_stable.DriverNotFoundError),
    (lambda: inner._inspect_function_pointer("__cuInit"), cuda.driver_stable.DriverNotFoundError),
    (nvjitlink.version, cuda.nvjitlink.LibraryNotFoundError),
):
    try:
        call()
    except DynamicLibNotFoundError as error:
        print(isinstance(error, own), "/nowhere" in str(error))
print(issubclass(FunctionNotFoundError, RuntimeError), issubclass(NotSupportedError, RuntimeError))
"""
    nowhere = {"CUDA_DRIVER_STABLE_LIBRARY": "/nowhere/a.so", "CUDA_NVJITLINK_LIBRARY": "/nowhere/b.so"}
    assert python(code, nowhere).splitlines() == ["True True"] * 4


def test_function_that_the_driver_lacks(python: Python, old_stub: str) -> None:
    code = """
import cuda.core_shim, cuda.driver_stable
from cuda.bindings import driver
from cuda.bindings._internal.utils import FunctionNotFoundError
try:
    driver.cuGreenCtxDestroy(5)
except FunctionNotFoundError as error:
    print(isinstance(error, cuda.driver_stable.FunctionNotFoundError), "12.4" in str(error))
"""
    assert python(code, {"CUDA_DRIVER_STABLE_LIBRARY": old_stub}) == "True True"


def test_enumerators_explain_nothing(python: Python) -> None:
    """cuda.core would print the docstring of their class instead of what the driver says of an error."""
    code = """
import cuda.core_shim
from cuda.bindings import driver, runtime
print(driver.CUresult.CUDA_SUCCESS.__doc__, runtime.cudaError_t.cudaSuccess.__doc__)
print("enumeration" in driver.CUresult.__doc__)
"""
    assert python(code) == "None None\nTrue"


def test_enumerations_to_derive_from(python: Python) -> None:
    code = """
import cuda.core_shim
from cuda.bindings._internal._fast_enum import FastEnum
class Level(FastEnum):
    LOW = 1
    HIGH = 2, "very high"
print(Level.LOW, f"{Level.HIGH} {Level.HIGH:03}", Level(1) is Level.LOW, Level.HIGH > 1, Level.HIGH.__doc__)
print(list(Level))
Level(7)
"""
    said = python(code, fails=True)
    assert said.startswith("<Level.LOW: 1> <Level.HIGH: 2> 002 True True very high\n[<Level.LOW: 1>, <Level.HIGH: 2>]")
    assert said.endswith("ValueError: 7 is not a valid Level")


def test_enumerations_are_known_by_the_class_to_derive_from(python: Python) -> None:
    """numba-cuda registers there how it takes an enumeration, and asks a class whether it is one."""
    code = """
import enum
import functools
import cuda.core_shim
from cuda.bindings import driver, nvrtc, runtime
from cuda.bindings._internal._fast_enum import FastEnum, FastEnumMetaclass
@functools.singledispatch
def told(value): return "object"
told.register(int)(lambda value: "int")
told.register(FastEnum)(lambda value: "member")
told.register(FastEnumMetaclass)(lambda value: "enumeration")
class Derived(FastEnum):
    LOW = 1
for cls in (runtime.cudaRoundMode, driver.CUresult, nvrtc.nvrtcResult, Derived):
    member = next(iter(cls))
    assert issubclass(cls, FastEnum) and isinstance(member, FastEnum) and isinstance(cls, FastEnumMetaclass), cls
    assert not issubclass(cls, Derived) or cls is Derived
    print(told(cls), told(member))
for other in (int, driver.CUstream, driver.CUdevprop, enum.IntEnum, enum.Enum):
    assert not issubclass(other, FastEnum), other
    assert not isinstance(1, FastEnum) and not isinstance(other, FastEnumMetaclass), other
print(told(1), told(driver.CUstream), told(enum.IntEnum))
"""
    assert python(code).splitlines() == ["enumeration member"] * 4 + ["int object object"]


class TestUtils:
    def test_handles(self, python: Python) -> None:
        code = """
import cuda.core_shim
from cuda.bindings import driver, runtime, utils
print(utils.get_cuda_native_handle(driver.CUstream(5)), utils.get_cuda_native_handle(runtime.cudaStream_t(6)))
utils.get_cuda_native_handle(5)
"""
        said = python(code, fails=True)
        assert said.startswith("5 6")
        assert said.endswith("TypeError: get_cuda_native_handle() argument 'obj' must be a handle of CUDA, not int")

    def test_ptx(self, python: Python) -> None:
        code = """
import cuda.core_shim
from cuda.bindings.utils import get_minimal_required_cuda_ver_from_ptx_ver as needs, get_ptx_ver
print(get_ptx_ver("// text\\n.version 8.4\\n"), needs("1.0"), needs("6.5"), needs("8.6"), needs("9.5"))
for call, value in ((get_ptx_ver, "hello"), (needs, "99.1")):
    try:
        call(value)
    except ValueError as error:
        print(error)
"""
        assert python(code).splitlines() == [
            "8.4 1000 10020 12070 13050",
            "get_ptx_ver() argument 'ptx' has no .version directive, so it is not PTX",
            "unknown version of PTX: '99.1'; known are 1.0 to 9.5",
        ]

    WARNS = """
import cuda.core_shim
from cuda.bindings.utils import warn_if_cuda_major_version_mismatch as warn
warn(); warn(); print("end")
"""

    @pytest.mark.parametrize(("quiet", "times"), [(None, 1), ("", 1), ("0", 1), ("false", 1), ("1", 0), ("true", 0)])
    def test_older_driver(self, python: Python, old_stub: str, quiet: str | None, times: int) -> None:
        switch = {} if quiet is None else {"CUDA_PYTHON_DISABLE_MAJOR_VERSION_WARNING": quiet}
        said = python(self.WARNS, {"CUDA_DRIVER_STABLE_LIBRARY": old_stub, **switch})
        assert said.count("UserWarning: the toolkit wheels that serve cuda.bindings are of CUDA") == times

    def test_driver_of_the_major(self, python: Python, stub: str) -> None:
        assert python(self.WARNS, {"CUDA_DRIVER_STABLE_LIBRARY": stub}) == "end"


def test_errors_of_libraries_that_are_missing_can_be_pickled(python: Python) -> None:
    """As processes of a pool send them."""
    code = """
import pickle
import cuda.core_shim
from cuda.bindings import driver, nvrtc
for call in (nvrtc.nvrtcVersion, lambda: driver.cuInit(0)):
    try:
        call()
    except Exception as error:
        again = pickle.loads(pickle.dumps(error))
        print(type(again) is type(error), str(again) == str(error), "nowhere" in str(again))
"""
    variables = {"CUDA_NVRTC_LIBRARY": "/nowhere/nvrtc", "CUDA_DRIVER_STABLE_LIBRARY": "/nowhere/cuda"}
    assert python(code, variables).splitlines() == ["True True True"] * 2
