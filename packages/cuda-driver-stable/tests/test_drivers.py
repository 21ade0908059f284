# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Real drivers without a GPU: what they export, what they say of it, and that every entry point can be called.

Each driver is loaded in a process of its own, with a read-only /dev where that is allowed, since a driver that is
initialized as root may make device nodes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from typing import Any

import pytest

from codegen.model.api import Function, Release
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from support.build import stub_library
from support.drivers import CRASH_ON_NULL, DRIVERS, LACKS, PYTHON_CALLS, fetch_drivers, isolated, those

API = fold("driver")
FUNCTIONS = [f for f in API.functions if f.platform != "windows"]
WITH_PROC_ADDRESS = [name for name, driver in DRIVERS.items() if Release.parse(driver.cuda) >= Release(11, 3)]

# With NULL for every argument, these have nothing to do and say so, without an initialized driver.
NOTHING_TO_DO = {
    "cuMemGetAddressRange_v1",
    "cuMemGetAddressRange_v2",
    "cuGraphAddDependencies_v1",
    "cuGraphRemoveDependencies_v1",
}


each_driver = pytest.mark.parametrize("name", DRIVERS)


@cache
def driver(name: str) -> fetch_drivers.Fetched:
    try:
        return fetch_drivers.fetch([name])[name]
    except fetch_drivers.UnavailableError as error:
        pytest.skip(f"driver {name} cannot be had: {error}")


def ask(name: str, program: str) -> Any:
    fetched = driver(name)
    environment = {
        **os.environ,
        "CUDA_DRIVER_STABLE_LIBRARY": str(fetched.library),
        "LD_LIBRARY_PATH": str(fetched.folder),
    }
    done = subprocess.run(
        [*isolated(), sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


EXPORTS = """
import json
from cuda import driver_stable as cuda
from cuda.driver_stable import _core
rows = [row["name"] for row in _core.functions()]
print(json.dumps({"version": cuda.cuDriverGetVersion()[1], "names": [n for n in rows if _core.address(n)]}))
"""


@each_driver
def test_exports(name: str) -> None:
    """A driver has every symbol that its CUDA version introduced, and none of a later one."""
    found = ask(name, EXPORTS)
    release = Release.parse(DRIVERS[name].cuda)
    assert found["version"] == release.number
    expected = {f.name for f in FUNCTIONS if f.introduced <= release}
    assert len(expected) > 300
    assert expected - set(found["names"]) == those(LACKS, name) & expected
    assert set(found["names"]) <= expected


PROC_ADDRESS = """
import json
from cuda import driver_stable as cuda
from cuda.driver_stable import _core
names = {_core.address(row["name"]): row["name"] for row in _core.functions()}
bases = sorted({row["base"] for row in _core.functions()})
versions = sorted({row["introduced"] + step for row in _core.functions() for step in (-10, 0)})
newer = cuda.is_available("cuGetProcAddress_v2")
found = {}
for base in bases:
    for version in versions:
        for flags in (0, 1, 2):
            error, address = cuda.cuGetProcAddress_v1(base.encode(), version, flags)
            answer = [int(error), names.get(address) if address else None]
            if newer:
                error, address, status = cuda.cuGetProcAddress_v2(base.encode(), version, flags)
                answer += [int(error), names.get(address) if address else None, int(status)]
            found[f"{base} {version} {flags}"] = answer
found["cuMemAlloc_v2 12000 0"] = [int(cuda.cuGetProcAddress_v1(b"cuMemAlloc_v2", 12000, 0)[0])]
print(json.dumps(found))
"""


def newest(name: str, base: str, version: int, per_thread: bool) -> tuple[Function | None, bool]:
    """What a driver should answer, and whether it knows the base at all."""
    release = Release.parse(DRIVERS[name].cuda)
    own = [f for f in API.bases[base] if f.platform != "windows" and f.introduced <= release]
    own = [f for f in own if f.name not in those(LACKS, name)]
    # A base with per-thread variants offers nothing else for per-thread streams, not even to a version before them.
    with_stream = per_thread and any(f.stream for f in own)
    fitting = [f for f in own if f.introduced.number <= version and bool(f.stream) == with_stream]
    return max(fitting, key=lambda f: f.version, default=None), bool(own)


@pytest.mark.parametrize("name", WITH_PROC_ADDRESS)
def test_proc_address_agrees(name: str) -> None:
    """For every base, CUDA version and kind of stream, the driver's own answer is what the registry says."""
    found = ask(name, PROC_ADDRESS)
    assert found.pop("cuMemAlloc_v2 12000 0") == [int(cuda.CUresult.CUDA_ERROR_NOT_FOUND)]
    wrong = []
    for question, answer in found.items():
        base, version, flags = question.split()
        function, known = newest(name, base, int(version), flags == "2")
        expected: list[Any] = [0, function.name] if function else [500, None]
        if len(answer) > 2:
            expected += [0, function.name if function else None, 0 if function else 2 if known else 1]
        if answer != expected:
            wrong.append(f"{question}: {answer} instead of {expected}")
    assert len(found) > 10_000
    assert not wrong, "\n".join(wrong[:50])


NULL_CALLS = """
import ctypes, json, os
from cuda import driver_stable as cuda
from cuda.driver_stable import _core
found = {}
for row in _core.functions():
    name = row["name"]
    address = _core.address(name)
    if not address:
        continue
    function = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 16)(address)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        status = function(*[None] * 16)
        os.write(writer, str(status).encode())
        os._exit(0)
    os.close(writer)
    text = os.read(reader, 64)
    os.close(reader)
    ended = os.waitpid(child, 0)[1]
    found[name] = int(text) if text and ended == 0 else None
print(json.dumps(found))
"""


@each_driver
def test_null_calls(name: str) -> None:
    """With NULL for every argument each entry point returns a CUresult."""
    found = ask(name, NULL_CALLS)
    known = {int(result) for result in cuda.CUresult}
    crashed = {function for function, status in found.items() if status is None}
    assert crashed == those(CRASH_ON_NULL, name)
    assert len(found) - len(crashed) > 300
    strange = {function: status for function, status in found.items() if status is not None and status not in known}
    assert not strange
    assert {function for function, status in found.items() if status == 0} <= NOTHING_TO_DO


@each_driver
def test_calls_from_python(name: str) -> None:
    """The same through the Python functions, which give outputs room of their own."""
    found = ask(name, PYTHON_CALLS)
    crashed = {function for function, text in found.items() if text is None}
    # The outputs of the two that name errors are no NULL here.
    assert crashed == those(CRASH_ON_NULL, name) - {"cuGetErrorName_v1", "cuGetErrorString_v1"}
    refused = {function: text for function, text in found.items() if text and text.startswith("refused")}
    assert all(f"{f.plain or f.name}()" in refused[f.name] or f"{f.name}()" in refused[f.name]
               for f in FUNCTIONS if f.name in refused)  # fmt: skip
    assert len(found) - len(refused) - len(crashed) > 300


ERROR_NAMES = """
import json
from cuda import driver_stable as cuda
found = {}
for value in range(1100):
    error, text = cuda.cuGetErrorName(value)
    described = cuda.cuGetErrorString(value)
    found[value] = [int(error), text and text.decode(), int(described[0]), described[1] is not None]
print(json.dumps(found))
"""


@each_driver
def test_error_names(name: str) -> None:
    """A driver knows the errors of its version by the names that we know, and no others."""
    found = {int(value): answer for value, answer in ask(name, ERROR_NAMES).items()}
    (results,) = (enum for enum in API.enums if enum.name == "CUresult")
    release = Release.parse(DRIVERS[name].cuda)
    names: dict[int, set[str]] = {}
    for enumerator in results.enumerators:
        names.setdefault(enumerator.value, set()).add(enumerator.name)
    for value, (error, text, described_error, described) in found.items():
        assert described_error == error
        assert described == (error == 0)
        if error == 0:
            assert text in names[value], value
    # The first header we know is of 11.2: what an older driver has to know is not recorded.
    expected = {e.value for e in results.enumerators if results.since < e.since <= release}
    assert not [value for value in expected if found[value][0] != 0]
    assert len([value for value in found if found[value][0] == 0]) >= 60


@pytest.mark.parametrize("name", WITH_PROC_ADDRESS)
def test_stub_drivers_answer_alike(name: str) -> None:
    """The stub driver of the same CUDA version gives the same answers, so what holds on it holds for the driver."""
    found = ask(name, PROC_ADDRESS)
    release = Release.parse(DRIVERS[name].cuda)
    library = stub_library(str(release))
    environment = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(library)}
    done = subprocess.run([sys.executable, "-c", PROC_ADDRESS], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    bases = {function.rpartition("_v")[0] for function in those(LACKS, name)}
    differences = {
        question: (answer, found[question])
        for question, answer in json.loads(done.stdout).items()
        if answer != found[question] and question.split()[0] not in bases
    }
    assert not differences
