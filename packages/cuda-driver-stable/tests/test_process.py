# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, the GIL, memory; and drivers that are missing, too old or none at all."""

from __future__ import annotations

import ctypes
import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from codegen.model.bind import bind
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from support.build import stub_library
from support.calls import Preparer
from support.stub import Stub
from support.values import Values

BINDING = bind(fold("driver"))
PREPARER = Preparer(Values(cuda, BINDING))


def run(code: str, library: str | Path | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "CUDA_DRIVER_STABLE_LIBRARY"}
    if library is not None:
        environment["CUDA_DRIVER_STABLE_LIBRARY"] = str(library)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=120)


def output_of(code: str, library: str | Path | None) -> list[str]:
    done = run(code, library)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# ---- threads ----

FIRST_CALLS = """
import os, sys, threading
from cuda import driver_stable as cuda
barrier, failed = threading.Barrier(16), []
def work():
    try:
        barrier.wait()
        for _ in range(50):
            error, pointer = cuda.cuMemAlloc_v2(64)
            assert error == 0 and type(pointer) is cuda.CUdeviceptr_v2, (error, pointer)
            assert cuda.cuMemFree_v2(pointer) == (0,)
            assert cuda.cu12.cuCtxCreate is cuda.cuCtxCreate_v2
            assert cuda.CUlaunchConfig(gridDimX=5).gridDimX == 5
    except BaseException as error:
        failed.append(error)
        raise
threads = [threading.Thread(target=work) for _ in range(16)]
[t.start() for t in threads]
[t.join() for t in threads]
print(len(failed))
"""


def test_first_calls_from_16_threads() -> None:
    for _ in range(5):
        assert output_of(FIRST_CALLS, os.environ["CUDA_DRIVER_STABLE_LIBRARY"]) == ["0"]


def test_calls_go_in_parallel(stub: Stub) -> None:
    """While one thread waits in the driver, others run: the GIL is released."""
    stub.sleeps("cuStreamSynchronize", 0.2)
    seen = []
    threads = [threading.Thread(target=lambda i=i: seen.append(cuda.cuStreamSynchronize(i))) for i in range(8)]
    start = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(0,)] * 8
    assert time.monotonic() - start < 1.2, "eight waits of 0.2 s, one after the other"
    assert len({call.thread for call in stub.calls()}) == 8


# Variants with a stream suffix have the flags of the function without it.
WITHOUT_SUFFIX = [b for b in BINDING.functions if b.function.platform != "windows" and not b.function.stream]


@pytest.mark.parametrize("bound", WITHOUT_SUFFIX, ids=lambda bound: bound.function.name)
def test_the_gil_is_released(stub: Stub, bound: Any) -> None:
    """But for the calls that are listed with a reason, another thread runs while the driver is in the call."""
    function = bound.function
    prepared = PREPARER.prepare(bound)
    prepared.program(stub)
    # The call waits for this thread to open a gate: where it keeps the GIL, it waits in vain.
    stub.waits(function.symbol, 0.2 if bound.keep_gil else 30)
    call, arguments = getattr(cuda, function.name), tuple(prepared.arguments.values())
    caller = threading.Thread(target=call, args=arguments)
    caller.start()
    while caller.is_alive() and not stub.waiting(function.symbol):
        time.sleep(0.0001)
    stub.open(function.symbol)
    caller.join()
    assert stub.waited_in_vain(function.symbol) == bound.keep_gil


def test_a_callback_takes_the_gil_during_a_call(stub: Stub) -> None:
    """A call that kept the GIL would wait for ever for its own callback."""
    done = threading.Event()
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda data: done.set())
    assert cuda.cuLaunchHostFunc_v1(0, function, 0) == (0,)
    assert done.is_set()


# ---- fork ----


def test_fork_after_use(stub: Stub) -> None:
    _, pointer = cuda.cuMemAlloc_v2(64)
    child = os.fork()
    if not child:
        try:
            fine = cuda.cuMemcpyHtoD_v2(pointer, b"x" * 64, 64) == (0,)
            fine = fine and cuda.cuDeviceGetCount() == (0, 1)
            fine = fine and cuda.CUlimit["CU_LIMIT_STACK_SIZE"] == 0
            os._exit(0 if fine else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    assert cuda.cuMemFree_v2(pointer) == (0,)


SLOW = """
#include <unistd.h>
__attribute__((constructor)) static void slow(void) { sleep(2); }
"""
FORK_WHILE_LOADING = """
import os, signal, threading, time
from cuda import driver_stable as cuda
def call():
    try:
        cuda.cuInit(0)
    except cuda.DriverNotFoundError:
        pass
thread = threading.Thread(target=call)
thread.start()
time.sleep(0.5)
child = os.fork()
if not child:
    signal.alarm(60)
    call()
    os._exit(7)
thread.join()
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_fork_while_another_thread_loads_the_library(tmp_path: Path) -> None:
    source, library = tmp_path / "slow.c", tmp_path / "libslow.so"
    source.write_text(SLOW)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    assert output_of(FORK_WHILE_LOADING, library) == ["7"]


# ---- memory ----


def test_calls_leave_nothing_behind(stub: Stub) -> None:
    """Every symbol, with results, with a failure, with a wrong argument: as many objects and blocks after as before."""
    cases = [PREPARER.prepare(bound) for bound in BINDING.functions if bound.function.platform != "windows"]
    for case in cases:
        case.program(stub)
    stub.library.stub_record(0)

    def every_call() -> None:
        for case in cases:
            call = getattr(cuda, case.bound.function.name)
            call(*case.arguments.values())
            try:
                call(*case.arguments.values(), no_such_parameter=1)
            except TypeError:
                continue
            raise AssertionError(f"{case.bound.function.name} takes anything")

    for _ in range(3):
        every_call()
    gc.collect()
    before = sys.getallocatedblocks()
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    for _ in range(10):
        every_call()
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - start
    tracemalloc.stop()
    stub.library.stub_record(1)
    assert sys.getallocatedblocks() - before < 200
    assert grown < 20_000


def test_arguments_are_let_go(stub: Stub) -> None:
    for bound in BINDING.functions:
        if bound.function.platform == "windows" or any("keep" in p.flags for p in bound.parameters):
            continue
        prepared = PREPARER.prepare(bound)
        prepared.program(stub)
        own = [value for value in prepared.arguments.values() if type(value) is not int]  # others hold ints too
        counts = [sys.getrefcount(value) for value in own]
        getattr(cuda, bound.function.name)(*prepared.arguments.values())
        assert [sys.getrefcount(value) for value in own] == counts, bound.function.name


# ---- functions as objects ----


def test_functions_can_be_pickled() -> None:
    for bound in BINDING.functions:
        function = getattr(cuda, bound.function.name)
        assert pickle.loads(pickle.dumps(function)) is function


# ---- drivers ----


def test_importing_and_asking_names_loads_nothing() -> None:
    code = (
        "from cuda import driver_stable as cuda\n"
        "cuda.cuInit, cuda.cu13.cuCtxCreate, cuda.CUresult.CUDA_SUCCESS, cuda.CUlaunchConfig(), dir(cuda)\n"
        "print(open('/proc/self/maps').read().count('libcuda'))\n"
    )
    assert output_of(code, os.environ["CUDA_DRIVER_STABLE_LIBRARY"]) == ["0"]


def test_cuinit_is_never_called_for_the_user(stub: Stub) -> None:
    assert cuda.cuDeviceGetCount() == (0, 1)
    assert cuda.cuDriverGetVersion() == (0, 13050)
    assert {call.symbol for call in stub.calls()} == {"cuDeviceGetCount", "cuDriverGetVersion"}


NO_DRIVER = """
from cuda import driver_stable as cuda
try:
    cuda.cuInit(0)
except cuda.DriverNotFoundError as error:
    assert isinstance(error, RuntimeError)
    print(str(error).replace("\\n", " "))
"""


def test_no_driver(tmp_path: Path) -> None:
    missing = tmp_path / "libnothing.so"
    (text,) = output_of(NO_DRIVER, missing)
    assert str(missing) in text


def test_a_file_that_is_no_library(tmp_path: Path) -> None:
    broken = tmp_path / "libcuda.so.1"
    broken.write_text("no library")
    (text,) = output_of(NO_DRIVER, broken)
    assert str(broken) in text


def test_a_library_that_is_no_driver() -> None:
    """It loads, but has nothing that was asked for; the error says where we looked."""
    libm = next(iter(line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "libm" in line))
    code = (
        "from cuda import driver_stable as cuda\n"
        "try:\n    cuda.cuInit(0)\n"
        "except RuntimeError as error:\n    print(type(error).__name__, str(error).replace('\\n', ' '))\n"
    )
    (text,) = output_of(code, libm)
    assert libm in text or "libm" in text
    assert text.split()[0] in ("DriverNotFoundError", "FunctionNotFoundError")


OLD_DRIVER = """
from cuda import driver_stable as cuda
print(cuda.cuInit(0)[0] == 0, cuda.cuDriverGetVersion()[1])
for name in ("cuCtxCreate_v4", "cuLogsDumpToFile", "cuGraphAddNode_v2"):
    print(name, cuda.is_available(name))
    try:
        getattr(cuda, name)(None, 0, 0) if name == "cuCtxCreate_v4" else getattr(cuda, name)(*[0] * 4)
    except cuda.FunctionNotFoundError as error:
        print(str(error).replace("\\n", " "))
    except TypeError:
        print("TypeError")
print(cuda.is_available("cuCtxCreate_v3"), cuda.cuCtxCreate_v3(None, 0, 0, 0)[0] == 0)
"""


def test_a_driver_that_is_too_old() -> None:
    lines = output_of(OLD_DRIVER, stub_library("12.0"))
    assert lines[0] == "True 12000"
    assert lines[1] == "cuCtxCreate_v4 False"
    for word in ("cuCtxCreate_v4", "12.5", "12.0"):
        assert word in lines[2], f"{word} is missing in: {lines[2]}"
    assert "cuCtxCreate_v2" in lines[2] or "cuCtxCreate_v3" in lines[2], lines[2]
    assert lines[-1] == "True True"


@pytest.mark.parametrize("release", ["9.0", "11.2", "11.8", "12.4", "12.9", "13.0", "13.5"])
def test_drivers_of_every_age(release: str) -> None:
    """A function is there if its CUDA version says so, and only then."""
    code = (
        "from cuda.driver_stable import _core\n"
        "for row in _core.functions():\n"
        "    if row['platform'] != 'windows': print(row['name'], int(_core.address(row['name']) != 0))\n"
    )
    found = dict(line.split() for line in output_of(code, stub_library(release)))
    number = int(release.split(".")[0]) * 1000 + int(release.split(".")[1]) * 10
    expected = {
        f.name: str(int(f.introduced.number <= number)) for f in BINDING.api.functions if f.platform != "windows"
    }
    assert found == expected
