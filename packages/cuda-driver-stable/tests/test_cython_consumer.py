# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A Cython module that cimports permanent names and names of three CUDA majors, compiled and run on the stub driver."""

from __future__ import annotations

import importlib.util
import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cuda import driver_stable as driver
from support.build import stub_library
from support.cython import LIMITED, OLDEST_AND_NEWEST, compile_module
from support.stub import Stub

SOURCE = Path(__file__).resolve().parent / "consumer" / "cython_consumer.pyx"
OLDEST, NEWEST = OLDEST_AND_NEWEST


@dataclass(frozen=True)
class Way:
    """A way to compile it."""

    release: str
    cplus: bool = False
    flags: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"Cython {self.release}{' as C++' if self.cplus else ''}{' for abi3' if self.flags else ''}"


WAYS = (Way(OLDEST), Way(NEWEST, cplus=True), Way(NEWEST, flags=(LIMITED,)))


@pytest.fixture(scope="module", params=WAYS, ids=str)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    way = request.param
    return compile_module(way.release, SOURCE, tmp_path_factory.mktemp("consumer"), cplus=way.cplus, flags=way.flags)


@pytest.fixture(scope="module")
def consumer(built: Path) -> Any:
    """A new object of the module for each way it was compiled."""
    spec = importlib.util.spec_from_file_location("cython_consumer", built)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def words(*values: int) -> list[bytes]:
    return [value.to_bytes(8, "little") for value in values]


def u32(value: int) -> bytes:
    return value.to_bytes(4, "little")


@pytest.mark.parametrize("name", ["init", "init_without_gil", "init_by_pointer"])
def test_an_integer(stub: Stub, consumer: Any, name: str) -> None:
    stub.returns("cuInit", 201)
    assert getattr(consumer, name)(0xFEDCBA98) == 201
    assert stub.call().symbol == "cuInit"
    assert stub.call().arguments == (u32(0xFEDCBA98),)


def test_a_handle_and_a_float(stub: Stub, consumer: Any) -> None:
    stub.returns("cuTexRefSetMipmapLevelBias")
    assert consumer.set_bias(0x1122334455667788, 1.5) == 0
    assert stub.call().arguments == (*words(0x1122334455667788), struct.pack("<f", 1.5))


def test_integers_of_each_width(stub: Stub, consumer: Any) -> None:
    stub.returns("cuMemsetD8_v2")
    assert consumer.fill(0xF122334455667788, 0xAB, 1 << 40) == 0
    assert stub.call().arguments == (*words(0xF122334455667788), b"\xab", *words(1 << 40))


def test_an_output(stub: Stub, consumer: Any) -> None:
    stub.returns("cuMemAlloc_v2")
    stub.writes("cuMemAlloc_v2", (0, 0, 0), words(0xF000DEADBEEF0000)[0])
    assert consumer.allocate(4096) == (0, 0xF000DEADBEEF0000)
    assert stub.call().arguments[1:] == (*words(4096),)


def test_a_large_record_by_value(stub: Stub, consumer: Any) -> None:
    content = bytes(range(100, 164))
    stub.returns("cuIpcOpenMemHandle_v2")
    assert consumer.open_memory(content, 1) == 0
    assert stub.call().arguments[1:] == (content, u32(1))


def test_a_small_record_by_value_since_13(stub: Stub, consumer: Any) -> None:
    stub.returns("cuMemAdvise")
    stub.returns("cuMemAdvise_v2")
    assert consumer.advise_12(0x1000, 64, 3) == 0
    assert stub.call().symbol == "cuMemAdvise"
    assert stub.call().arguments == (*words(0x1000, 64), u32(1), u32(3))
    assert consumer.advise_13(0x1000, 64, 3) == 0
    assert stub.call().symbol == "cuMemAdvise_v2"
    *others, location = stub.call().arguments
    assert others == [*words(0x1000, 64), u32(1)]
    assert location[:8] == u32(driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE) + u32(3)


def test_a_record_with_records_inside(stub: Stub, consumer: Any) -> None:
    expected = driver.CUDA_RESOURCE_DESC_v1(resType=driver.CU_RESOURCE_TYPE_ARRAY, flags=7)
    expected.res.array.hArray = 0x77
    stub.returns("cuTexObjectCreate")
    stub.captures("cuTexObjectCreate", (1, 0, 0), 144)
    assert consumer.describe(0x77) == 0
    assert stub.call().captured == (bytes(memoryview(expected).cast("B")),)


def test_a_record_by_address(stub: Stub, consumer: Any) -> None:
    expected = driver.cu13.CUDA_MEMCPY2D(
        srcMemoryType=driver.CU_MEMORYTYPE_DEVICE, srcDevice=0x1234, WidthInBytes=16, Height=3
    )
    size = memoryview(expected).nbytes
    stub.returns("cuMemcpy2D_v2")
    stub.captures("cuMemcpy2D_v2", (0, 0, 0), size)
    assert consumer.copy_rectangle(0x1234, 16, 3) == 0
    assert stub.call().captured == (bytes(memoryview(expected).cast("B")),)


def test_a_callback(stub: Stub, consumer: Any) -> None:
    stub.returns("cuLaunchHostFunc")
    status, function = consumer.launch_host(5, 0xABC)
    assert status == 0
    assert stub.call().arguments == (*words(5, function, 0xABC),)
    assert consumer.called.pop() == 0xABC


def test_more_arguments_than_registers(stub: Stub, consumer: Any) -> None:
    stub.returns("cuLaunchKernel")
    stub.captures("cuLaunchKernel", (9, 0, 0, 0), 4)
    assert consumer.launch(0x55, 0x66, 128) == 0
    call = stub.call()
    assert call.arguments[:9] == (*words(0x55), *(u32(i) for i in range(1, 7)), u32(128), *words(0x66))
    assert call.arguments[10] == bytes(8)
    assert call.captured == (u32(5),)


def test_names_mean_what_they_mean_in_that_major(stub: Stub, consumer: Any) -> None:
    for symbol in ("cuCtxCreate_v2", "cuCtxCreate_v4", "cuMemcpyDtoD_v2", "cuMemcpyDtoD_v2_ptds"):
        stub.returns(symbol)
    consumer.create_12(1, 2)
    consumer.create_13(1, 2)
    consumer.copy(False, 1, 2, 3)
    consumer.copy(True, 1, 2, 3)
    assert [call.symbol for call in stub.calls()] == [
        "cuCtxCreate_v2",
        "cuCtxCreate_v4",
        "cuMemcpyDtoD_v2",
        "cuMemcpyDtoD_v2_ptds",
    ]
    assert stub.call(1).arguments[1:] == (u32(1), u32(2))
    assert stub.call(2).arguments[2:] == (u32(1), u32(2))


def test_the_driver_is_asked_for_functions_of_the_same_default_stream(stub: Stub, consumer: Any) -> None:
    """As cuda.h does it; who says which streams are meant is taken at their word."""
    legacy = driver.CU_GET_PROC_ADDRESS_LEGACY_STREAM
    twin = driver.CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
    stub.returns("cuGetProcAddress_v2")
    passed = []
    for per_thread, flags in ((False, 0), (True, 0), (True, legacy), (True, twin)):
        assert consumer.ask(per_thread, b"cuMemcpy", flags) == 0
        passed.append(int.from_bytes(stub.call().arguments[3], "little"))
    assert passed == [0, twin, legacy, twin]


def test_values_are_those_of_that_major(consumer: Any) -> None:
    attribute = "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"
    assert consumer.values() == {
        "stream memory operations in 11": getattr(driver.cu11, attribute),
        "stream memory operations in 12": getattr(driver.cu12, attribute),
        "stream memory operations": getattr(driver, attribute),
        "flags in 11": driver.cu11.CU_CTX_FLAGS_MASK,
        "flags in 13": driver.cu13.CU_CTX_FLAGS_MASK,
        "version in 11": 11080,
        "version in 12": 12090,
        "legacy stream": 1,
        "priority": driver.cu13.CU_KERNEL_NODE_ATTRIBUTE_PRIORITY,
        "infinite": 0xFFFFFFFF,
        "size of a handle": 64,
    }
    assert consumer.values()["stream memory operations in 11"] == 93
    assert consumer.values()["stream memory operations in 12"] == 122


def test_a_status_of_not_found_is_no_exception(stub: Stub, consumer: Any) -> None:
    """The driver has the function, and says so of something else."""
    for symbol, call in (("cuInit", "init"), ("cuInit", "init_without_gil")):
        stub.returns(symbol, 500)
        assert getattr(consumer, call)(0) == 500
    stub.returns("cuCtxCreate_v4", 500)
    assert consumer.create_13(0, 0) == (500, 0)


def run(code: str, built: Path, library: Path) -> subprocess.CompletedProcess[str]:
    folders = os.pathsep.join([str(built.parent), *filter(None, sys.path)])
    environment = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(library), "PYTHONPATH": folders}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("call", ["too_new", "too_new_without_gil", "too_new_in_view"])
def test_a_function_that_the_driver_lacks(built: Path, call: str) -> None:
    code = f"""
import cython_consumer
print(cython_consumer.init(0))
try:
    print(cython_consumer.{call}())
except RuntimeError as error:
    print(type(error).__module__, type(error).__name__, error, sep="|")
"""
    done = run(code, built, stub_library("11.8"))
    assert done.returncode == 0, done.stderr
    works, raised = done.stdout.splitlines()
    assert works == "0"
    assert raised.startswith("cuda.driver_stable|FunctionNotFoundError|cuCtxCreate_v4 was introduced with CUDA 12.5; ")
    assert "supports CUDA 11.8 and has no symbol cuCtxCreate_v4. Use cuCtxCreate_v3" in raised


def test_the_binary_names_only_what_it_uses_and_only_permanent_names(built: Path) -> None:
    text = built.read_bytes()
    found = {word.decode() for word in re.findall(rb"(?<![A-Za-z0-9_])cu[A-Z]\w+(?=\0)", text)}
    functions = {name for name in found if any(name.startswith(p) for p in ("cuCtx", "cuMem", "cuLaunch", "cuArray"))}
    # Newer releases of Cython keep the names that they import in one compressed text, where they cannot be read.
    from_capsules = {"cuMemAlloc_v2", "cuMemsetD8_v2", "cuIpcOpenMemHandle_v2", "cuLaunchHostFunc_v1"}
    assert functions - from_capsules == {
        "cuCtxCreate_v2",
        "cuCtxCreate_v4",
        "cuLaunchKernel",
        "cuMemAdvise_v1",
        "cuMemAdvise_v2",
        "cuMemcpy2D_v2",
        "cuMemcpyDtoD_v2",
        "cuMemcpyDtoD_v2_ptds",
    }
    assert b"cycu1" not in text.replace(b"cython_consumer", b"")


def test_the_module_imports_cydriver_and_nothing_else(built: Path) -> None:
    code = """
import sys
import cython_consumer
print(sorted(name for name in sys.modules if name.startswith("cuda.")))
"""
    done = run(code, built, Path("missing.so"))
    assert done.stdout.strip() == "['cuda.driver_stable', 'cuda.driver_stable._core', 'cuda.driver_stable.cydriver']"
