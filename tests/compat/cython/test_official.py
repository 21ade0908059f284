# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What was compiled against the official `cuda.bindings.cydriver` runs unchanged on a plain module with our capsules.

The consumer is compiled with the official .pxd file and NVIDIA's header of that release, and with nothing of ours.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from codegen.model.api import Release
from cuda import driver_stable as driver
from support.build import stub_library
from support.capsules import address
from support.cython import OLDEST_AND_NEWEST, compile_module
from support.headers import headers

CACHE = Path(__file__).resolve().parents[3] / ".cache" / "official"
# The release of the official wheel, and the release of CUDA that it was made from.
OFFICIAL = {"12.9.10": Release(12, 9), "13.5.0": Release(13, 5)}

# `{parameters}` is what cuCtxCreate of CUDA 13 has more than that of 12.
SOURCE = """
from libc.stdint cimport uintptr_t
from libc.string cimport memset
from cuda.bindings cimport cydriver

def addresses():
    found = {{}}
{addresses}
    return found

def init(unsigned int flags):
    return cydriver.cuInit(flags)

def init_without_gil(unsigned int flags):
    cdef cydriver.CUresult status
    with nogil:
        status = cydriver.cuInit(flags)
    return status

def create(unsigned int flags, int device):
    cdef cydriver.CUcontext context = NULL
    status = cydriver.cuCtxCreate(&context, {parameters}flags, device)
    return status, <uintptr_t>context

def allocate(size_t size):
    cdef cydriver.CUdeviceptr pointer = 0
    status = cydriver.cuMemAlloc(&pointer, size)
    return status, pointer

def open_memory(bytes content, unsigned int flags):
    cdef cydriver.CUipcMemHandle handle
    cdef cydriver.CUdeviceptr pointer = 0
    for i in range(64):
        handle.reserved[i] = <char>content[i]
    return cydriver.cuIpcOpenMemHandle(&pointer, handle, flags)

def launch(uintptr_t function, uintptr_t stream):
    return cydriver.cuLaunchKernel(
        <cydriver.CUfunction>function, 1, 2, 3, 4, 5, 6, 7, <cydriver.CUstream>stream, NULL, NULL
    )

def too_new():
    cdef cydriver.CUresult status
    with nogil:
        status = cydriver.cuStreamGetDevice(NULL, NULL)
    return status
"""

# Run in a process of its own, on the stub driver, with a plain module that stands for the official one.
CHECK = """
import os, sys
from support.stub import Stub
import official_consumer as consumer
stub = Stub(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])

def u32(value): return value.to_bytes(4, "little")
def u64(value): return value.to_bytes(8, "little")

stub.returns("cuInit", 7)
assert consumer.init(0xFEDCBA98) == consumer.init_without_gil(0xFEDCBA98) == 7
assert [call.arguments for call in stub.calls()] == [(u32(0xFEDCBA98),)] * 2

create = {"12": "cuCtxCreate_v2", "13": "cuCtxCreate_v4"}[sys.argv[1]]
stub.returns(create)
stub.writes(create, (0, 0, 0), u64(0x1234))
assert consumer.create(3, 4) == (0, 0x1234)
assert stub.call().symbol == create and stub.call().arguments[-2:] == (u32(3), u32(4))

stub.returns("cuMemAlloc_v2")
stub.writes("cuMemAlloc_v2", (0, 0, 0), u64(0xF00DF00D00))
assert consumer.allocate(1 << 40) == (0, 0xF00DF00D00)
assert stub.call().arguments[1] == u64(1 << 40)

content = bytes(range(64, 128))
stub.returns("cuIpcOpenMemHandle_v2")
assert consumer.open_memory(content, 1) == 0
assert stub.call().arguments[1:] == (content, u32(1))

stub.returns("cuLaunchKernel")
assert consumer.launch(0x55, 0x66) == 0
assert stub.call().arguments == (u64(0x55), *(u32(i) for i in range(1, 8)), u64(0x66), bytes(8), bytes(8))
stub.returns("cuInit", 500)  # a status that the driver gives, and no exception
assert consumer.init(0) == consumer.init_without_gil(0) == 500
print("right")
"""

MISSING = """
import official_consumer as consumer
print(consumer.init(0))
try:
    print(consumer.too_new())
except RuntimeError as error:
    print(type(error).__name__, str(error).partition(";")[0], sep="|")
"""


@cache
def official_pxd(release: str) -> Path:
    """A folder with the official .pxd file; skips the test where the wheel cannot be had, but fails it in CI."""
    folder = CACHE / release
    pxd = "cuda/bindings/cydriver.pxd"
    if not (folder / pxd).exists():
        wheels = folder / "wheels"
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command = [*pip, "--python-version=3.11", f"--dest={wheels}", f"cuda-bindings=={release}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            problem = f"the official wheel {release} cannot be downloaded:\n{done.stderr.strip()}"
            if os.environ.get("CI"):
                pytest.fail(problem, pytrace=False)
            pytest.skip(problem)
        (wheel,) = wheels.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            (folder / "cuda/bindings").mkdir(parents=True, exist_ok=True)
            (folder / "cuda/bindings/__init__.pxd").touch()
            (folder / pxd).write_bytes(archive.read(pxd))
    return folder


@dataclass(frozen=True)
class Consumer:
    major: int
    folder: Path  # with the consumer, and the module that stands for the official one
    functions: tuple[str, ...]

    def run(self, code: str, release: str) -> list[str]:
        folders = os.pathsep.join([str(self.folder), *filter(None, sys.path)])
        library = str(stub_library(release))
        done = subprocess.run(
            [sys.executable, "-c", code, str(self.major)],
            capture_output=True,
            text=True,
            env={**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": library, "PYTHONPATH": folders},
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()


@pytest.fixture(
    scope="module",
    params=[(official, cython) for official in OFFICIAL for cython in OLDEST_AND_NEWEST],
    ids=lambda pair: f"official {pair[0]}, Cython {pair[1]}",
)
def consumer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Consumer:
    official, cython = request.param
    major = OFFICIAL[official].major
    pxd = official_pxd(official)
    text = (pxd / "cuda/bindings/cydriver.pxd").read_text()
    functions = tuple(re.findall(r"^cdef CUresult (cu\w+)\(", text, re.MULTILINE))
    folder = tmp_path_factory.mktemp(f"official{major}")
    source = folder / "official_consumer.pyx"
    addresses = "\n".join(f'    found["{name}"] = <uintptr_t><void *>cydriver.{name}' for name in functions)
    source.write_text(SOURCE.format(addresses=addresses, parameters="NULL, " if major == 13 else ""))
    compile_module(
        cython,
        source,
        folder,
        cplus=True,
        pxd_folders=(pxd,),
        include_folders=(headers(OFFICIAL[official]).folder,),
    )
    stand_in = folder / "cuda" / "bindings"
    stand_in.mkdir(parents=True)
    (stand_in / "__init__.py").touch()
    (stand_in / "cydriver.py").write_text(f"from cuda.driver_stable import capi\n\n__pyx_capi__ = capi({major})\n")
    return Consumer(major, folder, functions)


def test_every_official_function_is_found(consumer: Consumer) -> None:
    """Cython compares the types of all of them when the consumer is imported."""
    code = "import official_consumer; print(sorted(official_consumer.addresses()))"
    assert consumer.run(code, "13.5") == [str(sorted(consumer.functions))]
    assert len(consumer.functions) > 480
    assert len({address(driver.capi(consumer.major)[name]) for name in consumer.functions}) > 480


def test_calls_arrive_to_the_bit(consumer: Consumer) -> None:
    assert consumer.run(CHECK, "13.5") == ["right"]


def test_a_function_that_the_driver_lacks_raises(consumer: Consumer) -> None:
    assert consumer.run(MISSING, "11.8") == [
        "0",
        "FunctionNotFoundError|cuStreamGetDevice was introduced with CUDA 12.8",
    ]
