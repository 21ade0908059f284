# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What other compiled modules get hold of: a capsule a function, called as they call it, for every function."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import cuda.driver_stable as driver
from codegen.emit.abi import Abi
from codegen.model.api import Function, Release
from codegen.model.bind import bind
from codegen.model.fold import fold
from cuda.driver_stable import cydriver
from support.build import stub_library
from support.capsules import address, spelling
from support.stub import Stub
from support.values import pattern

BINDING = bind(fold("driver"))
API = BINDING.api
FUNCTIONS = {f.function.name: f for f in BINDING.functions}
ON_LINUX = [f for f in API.functions if f.platform != "windows"]
CAPSULES: Mapping[str, Any] = cydriver.__pyx_capi__
VIEWS = [(view, per_thread) for view in API.views for per_thread in (False, True)]
OLD = Release(11, 2)

SCALARS: Mapping[str, Any] = {
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "i32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "u64": ctypes.c_uint64,
    "f32": ctypes.c_float,
    "ptr": ctypes.c_void_p,
}


def types(function: Function) -> list[Any]:
    """ctypes of the parameters; a record passed by value is as many bytes."""
    abi = Abi(BINDING)
    found = []
    for value in abi.signature(FUNCTIONS[function.name]):
        if value in SCALARS:
            found.append(SCALARS[value])
        else:
            size = abi.records[value.removeprefix("record:")].record.size
            found.append(type(value, (ctypes.Structure,), {"_fields_": [("bytes", ctypes.c_uint8 * size)]}))
    return found


def test_every_permanent_name_has_a_capsule() -> None:
    assert type(CAPSULES) is dict
    assert set(CAPSULES) == {name for f in API.functions for name in (f.name, f.plain) if name}
    assert len(ON_LINUX) == 723


def test_both_names_of_a_function_are_one_address_and_no_two_functions_are() -> None:
    addresses = {f.name: address(CAPSULES[f.name]) for f in API.functions}
    assert len(set(addresses.values())) == len(addresses)
    assert all(address(CAPSULES[f.plain]) == addresses[f.name] for f in API.functions if f.plain)


@pytest.mark.parametrize("prototype", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE], ids=["without the GIL", "with the GIL"])
@pytest.mark.parametrize("function", ON_LINUX, ids=lambda f: f.name)
def test_arguments_arrive_to_the_bit(stub: Stub, function: Function, prototype: Any) -> None:
    parameters = types(function)
    raw = [pattern(ctypes.sizeof(t), salt, top=0x7F) for salt, t in enumerate(parameters)]
    result = 10_000 + len(function.name)
    stub.returns(function.symbol, result)
    call = prototype(ctypes.c_int, *parameters)(address(CAPSULES[function.name]))
    assert call(*(t.from_buffer_copy(data) for t, data in zip(parameters, raw, strict=True))) == result
    assert stub.count() == 1
    assert stub.call().symbol == function.symbol
    assert list(stub.call().arguments) == raw


@pytest.mark.parametrize(("view", "per_thread"), VIEWS, ids=lambda v: getattr(v, "major", v))
def test_capi_has_the_functions_of_the_view(view: Any, per_thread: bool) -> None:
    found = driver.capi(view.major, per_thread=per_thread)
    meant = view.per_thread if per_thread else view.functions
    assert type(found) is dict
    assert found is not driver.capi(view.major, per_thread=per_thread)
    assert {name: address(found[name]) for name in meant} == {
        name: address(CAPSULES[target]) for name, target in meant.items()
    }
    # Beyond the view there are only symbols with a version in their names, and they mean themselves.
    for name in found.keys() - meant.keys():
        assert name == API.by_name[name].symbol
        assert address(found[name]) == address(CAPSULES[name])


def test_capi_spells_types_as_the_header_of_that_major() -> None:
    spelled = {major: spelling(driver.capi(major)["cuGraphKernelNodeSetParams"]) for major in (11, 12, 13)}
    assert set(spelled.values()) == {"CUresult (CUgraphNode, CUDA_KERNEL_NODE_PARAMS const *)"}
    versions = [f"CUresult (CUgraphNode, CUDA_KERNEL_NODE_PARAMS_v{version} const *)" for version in (1, 2)]
    assert [spelling(CAPSULES[f"cuGraphKernelNodeSetParams_v{version}"]) for version in (1, 2)] == versions


def test_capi_keeps_what_the_official_module_offers_beyond_the_header() -> None:
    assert spelling(driver.capi(13)["cuCtxCreate_v2"]) == "CUresult (CUcontext *, unsigned int, CUdevice)"


@pytest.mark.parametrize("major", [10, 14, 0])
def test_capi_of_another_major_says_which_there_are(major: int) -> None:
    with pytest.raises(ValueError, match=f"no view of CUDA {major}; there are views of 11, 12, 13"):
        driver.capi(major)


def run(code: str, library: Path | str) -> list[str]:
    """What a process of its own prints."""
    folders = os.pathsep.join(filter(None, sys.path))
    environment = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(library), "PYTHONPATH": folders}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_importing_loads_no_library_and_nothing_else() -> None:
    code = """
import sys
import cuda.driver_stable
before = set(sys.modules)
import cuda.driver_stable.cydriver
print(sorted(set(sys.modules) - before))
for major in (11, 12, 13):
    for per_thread in (False, True):
        cuda.driver_stable.capi(major, per_thread=per_thread)
with open("/proc/self/maps") as maps:
    print("libcuda" in maps.read())
"""
    assert run(code, stub_library("13.5")) == ["['cuda.driver_stable.cydriver']", "False"]


# Calls every function that a driver as of 11.2 lacks, and prints the kind and text of what is raised.
MISSING = """
import ctypes
from codegen.model.fold import fold
from codegen.model.api import Release
from cuda.driver_stable import cydriver
from support.capsules import address

for function in fold("driver").functions:
    if function.introduced > Release(11, 2) or function.platform == "windows":
        where = address(cydriver.__pyx_capi__[function.name])
        try:
            ctypes.PYFUNCTYPE(ctypes.c_int)(where)()
            held = None
        except RuntimeError as error:
            held = error
        try:
            ctypes.CFUNCTYPE(ctypes.c_int)(where)()
            released = None
        except SystemError as error:  # ctypes looks for an exception only where the GIL was held
            released = error.__cause__
        assert repr(held) == repr(released)
        print(function.name, type(held).__name__, str(held).splitlines()[0], sep="|")
"""


def test_a_function_that_the_driver_lacks_raises_with_and_without_the_gil() -> None:
    lacking = [f for f in API.functions if f.introduced > OLD or f.platform == "windows"]
    lines = run(MISSING, stub_library(str(OLD)))
    assert [line.split("|")[:2] for line in lines] == [[f.name, "FunctionNotFoundError"] for f in lacking]
    for function, line in zip(lacking, lines, strict=True):
        wanted = f"{function.plain or function.name} was introduced with CUDA {function.introduced}"
        assert wanted in line
        assert f"has no symbol {function.symbol}." in line


def test_no_driver_at_all_raises_with_and_without_the_gil(tmp_path: Path) -> None:
    found = [line.split("|")[1] for line in run(MISSING, tmp_path / "missing.so") if "|" in line]
    assert len(found) > 100
    assert set(found) == {"DriverNotFoundError"}


def test_a_thread_that_python_does_not_know_gets_the_status_alone() -> None:
    """It has no place for an exception."""
    code = """
import ctypes
from cuda.driver_stable import capi
from support.capsules import address
library, thread, status = ctypes.CDLL(None), ctypes.c_size_t(), ctypes.c_size_t()
library.pthread_create.argtypes = [ctypes.c_void_p] * 4
library.pthread_join.argtypes = [ctypes.c_size_t, ctypes.c_void_p]
function = address(capi(13)["cuCtxCreate"])
print(library.pthread_create(ctypes.addressof(thread), None, function, None))
print(library.pthread_join(thread, ctypes.addressof(status)))
print(status.value & 0xFFFFFFFF)
"""
    assert run(code, stub_library(str(OLD))) == ["0", "0", "500"]


def test_first_calls_from_many_threads(stub: Stub) -> None:
    code = """
import ctypes, threading
from cuda.driver_stable import cydriver
from support.capsules import address
calls = [ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_uint)(address(cydriver.__pyx_capi__["cuInit"])) for _ in range(16)]
barrier, results = threading.Barrier(16), []
def work(call):
    barrier.wait()
    results.append(call(0))
threads = [threading.Thread(target=work, args=(call,)) for call in calls]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(results == [0] * 16)
"""
    assert run(code, stub.path) == ["True"]
