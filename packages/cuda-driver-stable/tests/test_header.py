# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Extension modules in C and C++ that call the driver through cuda_driver_stable_api.h of the installed package."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import cuda.driver_stable as driver
from codegen.emit import cheader, cheader_api
from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from codegen.model.spelling import spell
from cuda.driver_stable import cu12
from support.build import stub_library
from support.stub import Stub

DRIVER = LIBRARIES["driver"]
SOURCES = Path(__file__).resolve().parent / "consumer"
INCLUDE = Path(driver.get_include())
LANGUAGES = {
    "c": ("gcc", "-std=c11"),
    "c++": ("g++", "-std=c++17"),
    "c-limited": ("gcc", "-std=c11", "-DPy_LIMITED_API=0x030B0000"),
    "clang": ("clang", "-std=c11"),
    "clang++": ("clang++", "-std=c++17", "-x", "c++"),
}


def compiler(name: str) -> str:
    path = shutil.which(name)
    if path is None and os.environ.get("CI"):
        pytest.fail(f"{name} is not installed", pytrace=False)
    if path is None:
        pytest.skip(f"{name} is not installed")
    return path


def build(folder: Path, language: str = "c", include: Path = INCLUDE, *defines: str) -> Path:
    """The module in consumer/, without warnings and linked with nothing."""
    name, *flags = LANGUAGES[language]
    if name == "g++":
        flags = ["-x", "c++", *flags]
    output = folder / f"consumer{sysconfig.get_config_var('EXT_SUFFIX')}"
    command = [compiler(name), *flags, "-O2", "-shared", "-fPIC", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    command += [f"-I{include}", f"-I{sysconfig.get_path('include')}", *defines, "-o", str(output)]
    done = subprocess.run([*command, *map(str, sorted(SOURCES.glob("*.c")))], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return output


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("consumer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def python(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """A process of its own that can import the module in a folder."""
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(folder), **environment},
    )


@pytest.fixture(scope="module", params=LANGUAGES)
def consumer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    return load(build(tmp_path_factory.mktemp("consumer"), request.param))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the module as the C compiler makes it, for other processes."""
    return build(tmp_path_factory.mktemp("built")).parent


class TestCalls:
    def test_context_and_memory(self, consumer: Any, stub: Stub) -> None:
        data = bytes(range(256)) * 3
        assert consumer.memory(data) == (0, data)
        assert [call.symbol for call in stub.calls()] == [
            "cuInit", "cuDeviceGet", "cuCtxCreate_v2", "cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2",
            "cuMemFree_v2", "cuCtxDestroy_v2",
        ]  # fmt: skip

    def test_kernel_parameters_by_pointer(self, consumer: Any, stub: Stub) -> None:
        stub.returns("cuLaunchKernel")
        captured = [stub.captures("cuLaunchKernel", (9, 0, at, 0), 4) for at in (0, 8)]
        assert consumer.launch(0x1234, 0x5678, -7, 2.5) == 0
        call = stub.call()
        numbers = [int.from_bytes(argument, "little") for argument in call.arguments]
        assert numbers[:9] == [0x1234, 2, 3, 4, 5, 6, 7, 8, 0x5678]
        assert numbers[10] == 0
        assert [call.captured[i] for i in captured] == [struct.pack("<i", -7), struct.pack("<f", 2.5)]

    def test_a_record_by_pointer(self, consumer: Any, stub: Stub) -> None:
        stub.returns("cuLaunchKernelEx", 1)
        config = stub.captures("cuLaunchKernelEx", (0, 0, 0), 56)
        attribute = stub.captures("cuLaunchKernelEx", (0, 0, 40, 0), 72)
        assert consumer.launch_extended(1, 0x5678, 9) == 1
        captured = stub.call().captured
        expected = driver.CUlaunchConfig(gridDimX=11, blockDimZ=12, sharedMemBytes=13, hStream=0x5678, numAttrs=1)
        seen = captured[config]
        assert seen is not None
        assert seen[:40] == bytes(memoryview(expected))[:40]
        assert seen[48:52] == struct.pack("<I", 1)
        assert (captured[attribute] or b"")[:12] == struct.pack("<iii", 2, 0, 1)

    def test_a_small_record_by_value(self, consumer: Any, stub: Stub) -> None:
        stub.returns("cuMemAdvise_v2")
        assert consumer.advise(0xABC, 4096, -3) == 0
        call = stub.call()
        kind = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_HOST_NUMA
        assert call.arguments[3] == struct.pack("<ii", kind, -3)

    def test_a_large_record_by_value(self, consumer: Any, stub: Stub) -> None:
        stub.returns("cuIpcOpenMemHandle_v2")
        stub.writes("cuIpcOpenMemHandle_v2", (0, 0, 0), struct.pack("<Q", 0xFEED))
        handle = bytes(range(64))
        assert consumer.open_handle(handle) == (0, 0xFEED)
        assert stub.call().arguments[1] == handle

    def test_names_mean_what_the_target_says(self, consumer: Any, stub: Stub) -> None:
        """calls.c has chosen CUDA 12, where cuIpcOpenMemHandle is cuIpcOpenMemHandle_v2."""
        consumer.open_handle(bytes(64))
        assert stub.call().symbol == "cuIpcOpenMemHandle_v2"
        assert cu12.cuIpcOpenMemHandle.__name__ == "cuIpcOpenMemHandle_v2"

    def test_status_of_the_driver_sets_no_exception(self, consumer: Any, stub: Stub) -> None:
        stub.returns("cuCtxCreate_v4", 500)
        assert consumer.create(True) == (500, None)
        assert consumer.create(False) == (500, None)
        assert consumer.create_in_thread() == (500, None)

    def test_first_calls_from_many_threads(self, built: Path) -> None:
        code = "import consumer; assert consumer.versions() == [13050] * 16"
        done = python(code, built, CUDA_DRIVER_STABLE_LIBRARY=str(stub_library("13.5")))
        assert done.returncode == 0, done.stderr

    def test_one_module_serves_two_source_files(self, built: Path) -> None:
        """Whichever is called first, and whether or not it imported the package itself."""
        code = "import consumer; assert consumer.advise(0, 0, 0) in (0, 1, 3); assert consumer.memory(b'x')[0] == 0"
        done = python(code, built, CUDA_DRIVER_STABLE_LIBRARY=str(stub_library("13.5")))
        assert done.returncode == 0, done.stderr


class TestMissing:
    """cuCtxCreate_v4 came with CUDA 12.5."""

    @pytest.mark.parametrize("call", ["create(True)", "create(False)"])
    def test_the_driver_lacks_a_function(self, built: Path, call: str) -> None:
        code = (
            "import consumer, cuda.driver_stable as d\n"
            f"for _ in range(3):\n"
            f"    status, error = consumer.{call}\n"
            "    assert status == 500 and type(error) is d.FunctionNotFoundError, (status, error)\n"
            "    assert 'cuCtxCreate_v4' in str(error) and '12.5' in str(error) and '12.4' in str(error), error\n"
            "    assert consumer.memory(b'still works') == (0, b'still works')\n"
        )
        done = python(code, built, CUDA_DRIVER_STABLE_LIBRARY=str(stub_library("12.4")))
        assert done.returncode == 0, done.stderr

    @pytest.mark.parametrize(("library", "said"), [("stub", "(0, 13050)"), ("none", "(500, 0)")])
    def test_an_exception_that_is_set_stays(self, built: Path, tmp_path: Path, library: str, said: str) -> None:
        path = {"stub": stub_library("13.5"), "none": tmp_path / "no.so"}[library]
        done = python("import consumer; print(consumer.clean_up())", built, CUDA_DRIVER_STABLE_LIBRARY=str(path))
        assert (done.stdout.strip(), done.stderr) == (said, "")

    def test_a_foreign_thread_gets_the_status_and_no_exception(self, built: Path) -> None:
        code = "import consumer; assert consumer.create_in_thread() == (500, None)"
        done = python(code, built, CUDA_DRIVER_STABLE_LIBRARY=str(stub_library("12.4")))
        assert done.returncode == 0, done.stderr

    def test_no_driver_is_missed_by_the_call_and_not_by_the_import(self, built: Path, tmp_path: Path) -> None:
        code = (
            "import consumer, cuda.driver_stable as d\n"
            "status, error = consumer.create(False)\n"
            "assert status == 500 and type(error) is d.DriverNotFoundError, (status, error)\n"
        )
        done = python(code, built, CUDA_DRIVER_STABLE_LIBRARY=str(tmp_path / "none.so"))
        assert done.returncode == 0, done.stderr


def headers(folder: Path, replacements: Mapping[str, str]) -> Path:
    """The installed headers with some of their text replaced."""
    for path in INCLUDE.glob("*.h"):
        text = path.read_text("utf-8")
        for pattern, new in replacements.items():
            text = re.sub(pattern, new, text, flags=re.MULTILINE)
        (folder / path.name).write_text(text, "utf-8")
    return folder


# As a header of 14.2 with more functions would say.
LONGER = {r"^#define CUDA_DRIVER_STABLE_TABLE \d+$": "#define CUDA_DRIVER_STABLE_TABLE 900"}
NEWER = {r"^#define CUDA_DRIVER_STABLE_RELEASE \d+$": "#define CUDA_DRIVER_STABLE_RELEASE 14020", **LONGER}


class TestVersions:
    @pytest.mark.parametrize(("newer", "release"), [(NEWER, "14.2"), (LONGER, "13.5")], ids=["release", "length"])
    def test_a_newer_table_is_an_import_error_that_names_both(
        self, tmp_path: Path, newer: dict[str, str], release: str
    ) -> None:
        path = build(tmp_path, "c", headers(tmp_path, newer))
        with pytest.raises(ImportError) as raised:
            load(path)
        assert f"headers of CUDA {release} (900 functions)" in str(raised.value)
        assert re.search(r"installed is of CUDA 13\.5 \(\d+ functions\): upgrade", str(raised.value))

    def test_a_minimum_lets_it_run_and_names_what_is_missing(self, tmp_path: Path, stub: Stub) -> None:
        path = build(tmp_path, "c", headers(tmp_path, NEWER), "-DCUDA_DRIVER_STABLE_MINIMUM=13050")
        consumer: Any = load(path)
        assert consumer.memory(b"data") == (0, b"data")
        status, error = consumer.from_the_future()
        assert status == 500
        assert type(error) is driver.FunctionNotFoundError
        assert "cuFromTheFuture was introduced with CUDA 14.2" in str(error)
        assert "cuda.driver_stable has the functions up to CUDA 13.5" in str(error)

    def test_without_the_import_only_what_is_missing_fails(self, tmp_path: Path, stub: Stub) -> None:
        """As modules do that know nothing of the table, those that Cython makes."""
        path = build(tmp_path, "c", headers(tmp_path, NEWER), "-DWITHOUT_IMPORT")
        consumer: Any = load(path)
        assert consumer.memory(b"data") == (0, b"data")
        status, error = consumer.from_the_future()
        assert status == 500
        assert type(error) is driver.FunctionNotFoundError

    def test_a_minimum_is_held_to(self, tmp_path: Path) -> None:
        path = build(tmp_path, "c", INCLUDE, "-DCUDA_DRIVER_STABLE_MINIMUM=14000")
        with pytest.raises(ImportError, match=r"needs CUDA 14\.0 .*installed is of CUDA 13\.5"):
            load(path)

    @pytest.mark.parametrize("release", ["12.9", "13.0"])
    def test_what_an_older_header_compiled_runs(self, tmp_path: Path, stub: Stub, release: str) -> None:
        api, spelling = spell(as_of=Release.parse(release))
        (tmp_path / "cuda_driver_stable.h").write_text(cheader.emit(api, spelling, DRIVER), "utf-8")
        (tmp_path / "cuda_driver_stable_api.h").write_text(cheader_api.emit(api, spelling, DRIVER), "utf-8")
        consumer: Any = load(build(tmp_path, "c", tmp_path))
        assert consumer.memory(b"data") == (0, b"data")
        assert consumer.advise(0, 1, 2) == stub.call().result

    def test_positions_never_depend_on_what_else_is_there(self) -> None:
        newest = spell()[1].positions
        for release in ("11.8", "12.9", "13.0"):
            older = spell(as_of=Release.parse(release))[1].positions
            assert older == {name: newest[name] for name in older}
            assert sorted(older.values()) == list(range(len(older))), "an older release has the beginning of the table"


class TestPackage:
    def test_headers_are_those_that_the_registry_gives(self) -> None:
        api, spelling = spell()
        assert (INCLUDE / "cuda_driver_stable.h").read_text("utf-8") == cheader.emit(api, spelling, DRIVER)
        assert (INCLUDE / "cuda_driver_stable_api.h").read_text("utf-8") == cheader_api.emit(api, spelling, DRIVER)
