# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Driver libraries that are no such thing, that lack half of it, or that answer what nobody expects."""

from __future__ import annotations

import json
import os
import random
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from codegen.model.bind import bind
from codegen.model.binding import BoundFunction, BoundParameter
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from fuzz.conftest import LIBRARY, watch
from support.build import stub_library
from support.calls import Preparer
from support.stub import Stub
from support.values import Values

BINDING = bind(fold("driver"))
PREPARER = Preparer(Values(cuda, BINDING))
FUNCTIONS = [bound for bound in BINDING.functions if bound.function.platform != "windows"]
each = pytest.mark.parametrize("bound", FUNCTIONS, ids=lambda bound: bound.function.name)

# What a program sees: the error of a first call, of a second one, and what the library says of itself.
ASK = """
import json
from cuda import driver_stable as cuda
said = []
for call in (cuda.cuInit, cuda.cuDeviceGet):
    try:
        said.append(repr(call(0)))
    except cuda.DriverNotFoundError as error:
        said.append("DriverNotFoundError: " + str(error))
    except cuda.FunctionNotFoundError as error:
        said.append("FunctionNotFoundError: " + str(error))
info = cuda._core.library()
print(json.dumps([said, info["loaded"], info["version"], info["tried"]]))
"""


def ask(library: Path) -> tuple[list[str], bool, int | None, list[list[str]]]:
    surroundings = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(library)}
    done = subprocess.run([sys.executable, "-c", ASK], env=surroundings, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    said, loaded, version, tried = json.loads(done.stdout)
    return said, loaded, version, tried


def compile_library(folder: Path, source: str) -> Path:
    library = folder / "libcuda.so.1"
    (folder / "library.c").write_text(source)
    surroundings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = ["gcc", "-shared", "-fPIC", "-o", str(library), str(folder / "library.c")]
    subprocess.run(command, check=True, env=surroundings)
    return library


def broken() -> dict[str, bytes | None]:
    whole = LIBRARY.read_bytes()
    other = bytearray(whole[:4096])
    other[4] = 1  # an ELF file for 32 bits
    return {
        "missing": None,
        "empty": b"",
        "text": b"INPUT(libcuda.so.550.54)\n",
        "the first byte": whole[:1],
        "the header alone": whole[:64],
        "half": whole[: len(whole) // 2],
        "all but the section table": whole[:-4096],
        "another class": bytes(other),
        "noise": random.Random(0).randbytes(4096),
    }


@pytest.mark.parametrize("what", [name for name in broken() if name != "all but the section table"])
def test_a_file_that_is_no_library(tmp_path: Path, what: str) -> None:
    content = broken()[what]
    library = tmp_path / "libcuda.so.1"
    if content is not None:
        library.write_bytes(content)
    said, loaded, version, tried = ask(library)
    assert all(text.startswith("DriverNotFoundError") and str(library) in text for text in said), said
    assert (loaded, version) == (False, None)
    assert [name for name, _ in tried] == [str(library)]
    assert tried[0][1]


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    said, loaded, _, _ = ask(tmp_path)
    assert said[0].startswith("DriverNotFoundError")
    assert not loaded


def test_a_library_without_its_section_table_works(tmp_path: Path) -> None:
    """The loader does not read that part, so this one is good."""
    content = broken()["all but the section table"]
    assert content
    (tmp_path / "libcuda.so.1").write_bytes(content)
    assert ask(tmp_path / "libcuda.so.1")[1]


def test_another_library_is_no_driver(tmp_path: Path) -> None:
    said, loaded, _, tried = ask(compile_library(tmp_path, "int cuInit(unsigned flags) { return 0; }"))
    assert all(text.startswith("DriverNotFoundError") for text in said)
    assert not loaded
    assert "cuDriverGetVersion" in tried[0][1]


HOLES = (
    "int cuDriverGetVersion(int *version) { *version = 12040; return 0; } int cuInit(unsigned flags) { return 100; }"
)


def test_a_symbol_table_with_holes(tmp_path: Path) -> None:
    said, loaded, version, _ = ask(compile_library(tmp_path, HOLES))
    assert "CUDA_ERROR_NO_DEVICE" in said[0]
    assert said[1].startswith("FunctionNotFoundError")
    assert "cuDeviceGet" in said[1]
    assert (loaded, version) == (True, 12040)


@pytest.mark.parametrize("answer", ["return 999;", "*version = -5; return 0;", "*version = 2147483647; return 0;"])
def test_a_driver_that_does_not_tell_its_version(tmp_path: Path, answer: str) -> None:
    said, loaded, _, _ = ask(compile_library(tmp_path, f"int cuDriverGetVersion(int *version) {{ {answer} }}"))
    assert all(text.startswith("FunctionNotFoundError") for text in said)
    assert loaded


OLD = """
from cuda import driver_stable as cuda
from codegen.model.bind import bind
from codegen.model.fold import fold
from support.calls import Preparer
from support.values import Values
binding = bind(fold("driver"))
preparer = Preparer(Values(cuda, binding))
missing = there = 0
for bound in binding.functions:
    prepared = preparer.prepare(bound)
    if not cuda._core.address(bound.function.name):
        for i in range(2):
            try:
                getattr(cuda, bound.function.name)(*prepared.arguments.values())
            except cuda.FunctionNotFoundError as error:
                assert bound.function.symbol in str(error) and "CUDA" in str(error), error
            else:
                raise AssertionError(bound.function.name)
        missing += 1
    else:
        there += 1
print(missing, there)
assert missing > 200 and there > 200
"""


def test_every_function_that_an_old_driver_lacks() -> None:
    surroundings = {**os.environ, "CUDA_DRIVER_STABLE_LIBRARY": str(stub_library("9.0"))}
    done = subprocess.run([sys.executable, "-c", OLD], env=surroundings, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


# ---- answers ----

INDIRECT = {"cstr", "callback"}  # what a driver gives as a pointer that has to be followed


def harmless(parameter: BoundParameter) -> bool:
    return parameter.elem not in INDIRECT and parameter.kind != "out_borrowed"


@each
def test_a_driver_that_writes_every_output(stub: Stub, bound: BoundFunction) -> None:
    """Unknown enumerators, counts beyond every array, records full of pointers that lead nowhere."""
    for fill in (0xFF, 0x80, 0x7F):
        watch()
        write_every_output(stub, bound, fill)


def write_every_output(stub: Stub, bound: BoundFunction, fill: int) -> None:
    prepared = PREPARER.prepare(bound)
    symbol = bound.function.symbol
    for status in (0, int(cuda.CUresult.CUDA_ERROR_UNKNOWN), 123456, -7, -(2**31)):
        stub.clear(symbol)
        stub.returns(symbol, status)
        for place, data in prepared.written:
            parameter = bound.parameters[place[0]]
            if harmless(parameter):
                stub.writes(symbol, place, bytes([fill]) * len(data))
        found = getattr(cuda, bound.function.name)(*prepared.arguments.values())
        assert found[0] == status
        assert len(found) == 1 + len(bound.outputs)
        for one in found:
            assert isinstance(repr(one), str)
        if status and not bound.outputs_on_error:
            assert found[1:] == (None,) * len(bound.outputs)
    stub.clear(symbol)


def test_unknown_enumerators(stub: Stub) -> None:
    """One object a value, with a text, no name, and a way back into calls and through pickle."""
    import pickle

    for value in (-1, 1 << 20, 2**31 - 1, -(2**31)):
        stub.clear("cuCtxGetCacheConfig")
        stub.writes("cuCtxGetCacheConfig", (0, 0, 0), struct.pack("<i", value))
        one, two = (cuda.cuCtxGetCacheConfig()[1] for _ in range(2))
        assert one is two
        assert one == value
        assert one.name is None
        assert "unknown" in repr(one)
        assert pickle.loads(pickle.dumps(one)) is one
        assert one not in cuda.CUfunc_cache
        stub.returns("cuCtxSetCacheConfig")
        assert cuda.cuCtxSetCacheConfig(one)[0] == 0
        assert stub.call().arguments[0] == struct.pack("<i", value)
    stub.reset()


def test_huge_counts(stub: Stub) -> None:
    """A driver that says there are more than it was given room for does not make us read beyond."""
    for symbol in ("cuGraphGetNodes", "cuGraphGetRootNodes"):
        for told in (5, 1 << 33, 2**63, 2**64 - 1):
            stub.clear(symbol)
            stub.writes(symbol, (2, 0, 0), told.to_bytes(8, "little"))
            result: tuple[Any, ...] = getattr(cuda, symbol)(cuda.CUgraph(5), 4)
            assert result[0] == 0
            assert len(result[1]) == 4
            assert result[2] == told
    stub.reset()
