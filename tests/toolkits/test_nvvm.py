# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.nvvm on NVIDIA's libNVVM, as Python writes it and under the library's own names."""

from __future__ import annotations

import ctypes
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import cuda.nvvm as nvvm
from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from support import nvvmir, toolkits

from .compile import check
from .threads import ticks_during

Result: Any = nvvm.Result
Error: Any = nvvm.nvvmError
ARCH = "-arch=compute_80"
DUMMY = nvvmir.definition("dummy", 1)


@pytest.fixture
def make() -> Iterator[Callable[..., int]]:
    """A program of modules, which ends with the test."""
    programs: list[int] = []

    def create(*modules: bytes) -> int:
        programs.append(nvvm.create_program())
        for number, module in enumerate(modules):
            nvvm.add_module_to_program(programs[-1], module, len(module), f"module{number}")
        return programs[-1]

    yield create
    for program in programs:
        nvvm.destroy_program(program)


@pytest.fixture(scope="module")
def libdevice(release: Release) -> bytes:
    return toolkits.libdevice(release).read_bytes()


def compiled(program: int, *options: str) -> str:
    nvvm.compile_program(program, len(options), list(options))
    ptx = bytearray(nvvm.get_compiled_result_size(program))
    nvvm.get_compiled_result(program, ptx)
    assert ptx.endswith(b"\0")
    return ptx.rstrip(b"\0").decode()


def log(program: int) -> str:
    text = bytearray(nvvm.get_program_log_size(program))
    nvvm.get_program_log(program, text)
    assert text.endswith(b"\0")
    return text.rstrip(b"\0").decode()


def test_versions() -> None:
    assert nvvm.version() == (2, 0)
    assert nvvm.ir_version()[:3] == (2, 0, 3)
    assert nvvm.nvvmVersion() == (0, 2, 0)
    assert nvvm.nvvmIRVersion() == (0, *nvvm.ir_version())


def test_the_release_is_found_out(release: Release) -> None:
    """The library does not tell it of itself, and a wheel is for one major."""
    assert nvvm._core.library()["version"] == release.number


def test_library_of_the_other_major_is_refused(release: Release) -> None:
    other = Release(12, 9) if release.major == 13 else Release(13, 5)
    path = str(toolkits.library(other, "nvvm"))
    variable = LIBRARIES[f"nvvm{release.major}"].path_variable
    done = subprocess.run(
        [sys.executable, "-c", "from cuda import nvvm; nvvm.version()"],
        capture_output=True,
        text=True,
        env={**os.environ, variable: path},
    )
    assert done.returncode == 1
    assert f"{path}: the file was loaded but is of CUDA {other}, and this package is for CUDA {release.major}" in (
        done.stderr
    )


@pytest.mark.skipif(not hasattr(nvvm, "llvm_version"), reason="of CUDA 13")
@pytest.mark.since("13.1")
def test_llvm_version() -> None:
    assert nvvm.llvm_version("compute_80") == 7
    assert nvvm.llvm_version(b"compute_100") >= 20
    with pytest.raises(Error) as caught:
        nvvm.llvm_version("compute_1")
    assert caught.value.status in Result


@pytest.mark.skipif(not hasattr(nvvm, "llvm_version"), reason="of CUDA 13")
@pytest.mark.before("13.1")
def test_no_llvm_version_yet(release: Release) -> None:
    for call, arch in ((nvvm.llvm_version, "compute_80"), (nvvm.nvvmLLVMVersion, b"compute_80")):
        with pytest.raises(nvvm.FunctionNotFoundError, match=r"Install nvidia-nvvm>=13\.1,<14") as caught:
            call(arch)
        assert f"supports CUDA {release} and has no symbol nvvmLLVMVersion" in str(caught.value)


def test_names_of_errors() -> None:
    for member in Result:
        text = nvvm.get_error_string(member)
        assert text == f"NVVM_{member.name}" or text == "NVVM_ERROR not found"  # of a later release
    assert nvvm.get_error_string(9) == "NVVM_ERROR_COMPILATION"
    assert nvvm.get_error_string(9999) == "NVVM_ERROR not found"
    assert check(nvvm.nvvmGetErrorString(4)) == b"NVVM_ERROR_INVALID_INPUT"


class TestCompile:
    @pytest.mark.parametrize("target", [75, 80, 86, 90])
    def test_targets(self, make: Callable[..., int], target: int) -> None:
        text = compiled(make(nvvmir.kernel("plus"), nvvmir.definition("plus", 1)), f"-arch=compute_{target}")
        assert f".target sm_{target}\n" in text
        assert ".entry kernel(" in text
        assert "call.uni" not in text  # what another module defines was inlined

    @pytest.mark.since("12.8")
    @pytest.mark.parametrize("opaque", [False, True], ids=["typed", "opaque"])
    def test_blackwell(self, make: Callable[..., int], libdevice: bytes, opaque: bool) -> None:
        """Since 12.8, and in the dialect of a later LLVM too."""
        program = make(nvvmir.kernel(opaque=opaque))
        nvvm.lazy_add_module_to_program(program, libdevice, len(libdevice), "libdevice")
        text = compiled(program, "-arch=compute_100")
        assert ".target sm_100\n" in text
        assert ".entry kernel(" in text

    @pytest.mark.before("12.8")
    def test_no_blackwell_yet(self, make: Callable[..., int]) -> None:
        with pytest.raises(Error) as caught:
            compiled(make(DUMMY), "-arch=compute_100")
        assert caught.value.status is Result.ERROR_INVALID_OPTION
        assert "compute_100" in caught.value.__notes__[0]

    def test_opaque_pointers_are_of_later_targets(self, make: Callable[..., int]) -> None:
        with pytest.raises(Error):
            compiled(make(nvvmir.kernel(opaque=True)), ARCH)

    @pytest.mark.parametrize("add", [nvvm.add_module_to_program, nvvm.lazy_add_module_to_program])
    def test_with_libdevice(self, make: Callable[..., int], libdevice: bytes, add: Callable[..., None]) -> None:
        program = make(nvvmir.kernel())
        add(program, libdevice, len(libdevice), "libdevice")
        text = compiled(program, ARCH)
        assert ".extern" not in text
        assert "__nv_sinf" not in text
        assert "%f" in text

    def test_without_libdevice(self, make: Callable[..., int]) -> None:
        """What nobody defines is left for a linker."""
        text = compiled(make(nvvmir.kernel()), ARCH)
        assert re.search(r"\.extern \.func .*\n?.*__nv_sinf", text)

    def test_only_what_is_needed_of_a_lazy_module(self, make: Callable[..., int], libdevice: bytes) -> None:
        program = make(nvvmir.kernel("__nv_fabsf"))
        nvvm.lazy_add_module_to_program(program, libdevice, len(libdevice), "libdevice")
        assert ".func" not in compiled(program, ARCH)

    def test_lazy_modules_alone(self, libdevice: bytes, make: Callable[..., int]) -> None:
        program = make()
        nvvm.lazy_add_module_to_program(program, libdevice, len(libdevice), "libdevice")
        with pytest.raises(Error):
            compiled(program, ARCH)

    def test_levels(self, make: Callable[..., int]) -> None:
        modules = nvvmir.kernel("plus"), nvvmir.definition("plus", 1)
        assert len(compiled(make(*modules), ARCH, "-opt=0")) > len(compiled(make(*modules), ARCH, "-opt=3"))

    def test_inputs_are_copied(self, make: Callable[..., int], libdevice: bytes) -> None:
        program = make()
        for module, add in (
            (nvvmir.kernel(), nvvm.add_module_to_program),
            (libdevice, nvvm.lazy_add_module_to_program),
        ):
            memory = bytearray(module)
            add(program, memory, len(memory), "copied")
            memory[:] = bytes(len(memory))
        assert ".entry kernel(" in compiled(program, ARCH)

    def test_modules_in_every_form(self, make: Callable[..., int]) -> None:
        memory = ctypes.create_string_buffer(DUMMY, len(DUMMY))
        texts = set()
        for form in (DUMMY, bytearray(DUMMY), memoryview(DUMMY), memory, ctypes.addressof(memory)):
            program = make()
            nvvm.add_module_to_program(program, form, len(DUMMY), b"name")
            texts.add(compiled(program, ARCH))
        assert len(texts) == 1

    def test_size_tells_how_much_is_read(self, make: Callable[..., int]) -> None:
        program = make()
        nvvm.add_module_to_program(program, DUMMY + b"nonsense", len(DUMMY), "name")
        assert "dummy" in compiled(program, ARCH)

    def test_options_in_every_form(self, make: Callable[..., int]) -> None:
        texts = [ctypes.create_string_buffer(text) for text in (b"-arch=compute_80", b"-opt=3")]
        array = (ctypes.c_void_p * 2)(*map(ctypes.addressof, texts))
        forms: list[Any] = [
            [ARCH, "-opt=3"],
            (ARCH.encode(), b"-opt=3"),
            [ctypes.addressof(text) for text in texts],
            ctypes.addressof(array),
        ]
        for form in forms:
            nvvm.compile_program(make(DUMMY), 2, form)
        nvvm.compile_program(make(DUMMY), 0, [])
        nvvm.compile_program(make(DUMMY), 0, 0)

    def test_own_names_of_the_library(self) -> None:
        """The same calls as C has them, which return a status."""
        program = check(nvvm.nvvmCreateProgram())
        assert type(program) is nvvm.nvvmProgram
        check(nvvm.nvvmAddModuleToProgram(program, DUMMY, len(DUMMY), b"dummy"))
        check(nvvm.nvvmVerifyProgram(program, 1, [ARCH.encode()]))
        check(nvvm.nvvmCompileProgram(program, 1, [ARCH.encode()]))
        ptx = bytearray(check(nvvm.nvvmGetCompiledResultSize(program)))
        check(nvvm.nvvmGetCompiledResult(program, ptx))
        assert b".func" in ptx
        check(nvvm.nvvmDestroyProgram(program))
        assert int(program) == 0


class TestErrors:
    def test_mistake_in_a_module(self, make: Callable[..., int]) -> None:
        program = make()
        wrong = DUMMY.replace(b"ret float %result", b"ret flaot %result")
        nvvm.add_module_to_program(program, wrong, len(wrong), "mine")
        for call, status in (
            (nvvm.verify_program, Result.ERROR_INVALID_IR),
            (nvvm.compile_program, Result.ERROR_COMPILATION),
        ):
            with pytest.raises(Error) as caught:
                call(program, 1, [ARCH])
            assert caught.value.status is status
            assert str(caught.value) == f"{status.name} ({int(status)})"
            (note,) = caught.value.__notes__
            assert note == log(program).strip()
            assert note.startswith("mine (")
            assert "parse expected type" in note

    def test_verified(self, make: Callable[..., int]) -> None:
        program = make(DUMMY)
        nvvm.verify_program(program, 1, [ARCH])
        assert log(program) == ""
        assert nvvm.get_program_log_size(program) == 1
        assert nvvm.get_compiled_result_size(program) == 1  # verifying makes nothing

    @pytest.mark.parametrize("module", [b"", b"nonsense", b"BC\xc0\xde", bytes(1000)])
    def test_what_is_no_module(self, make: Callable[..., int], module: bytes) -> None:
        """Whatever it is, an error and not the end of the process."""

        def both(program: int) -> None:  # which of them looks at it depends on what it is
            nvvm.add_module_to_program(program, module, len(module), "wrong")
            nvvm.compile_program(program, 1, [ARCH])

        with pytest.raises(Error) as caught:
            both(make())
        assert caught.value.status in Result

    def test_module_of_another_version(self, make: Callable[..., int]) -> None:
        module = DUMMY.replace(b"!0 = !{i32 2, i32 0}", b"!0 = !{i32 1, i32 0}")
        with pytest.raises(Error) as caught:
            compiled(make(module), ARCH)
        assert caught.value.status is Result.ERROR_IR_VERSION_MISMATCH
        assert "IR version 1.0 incompatible with current version 2.0" in caught.value.__notes__[0]

    @pytest.mark.parametrize("option", ["-no-such-option", "-arch=compute_20", "-opt=9", "näive"])
    def test_options(self, make: Callable[..., int], option: str) -> None:
        program = make(DUMMY)
        for call in (nvvm.verify_program, nvvm.compile_program):
            with pytest.raises(Error) as caught:
                call(program, 1, [option])
            assert caught.value.status is Result.ERROR_INVALID_OPTION
            assert option in caught.value.__notes__[0]

    def test_a_function_defined_twice(self, make: Callable[..., int]) -> None:
        with pytest.raises(Error) as caught:
            compiled(make(DUMMY, nvvmir.definition("dummy", 2)), ARCH)
        assert caught.value.status is Result.ERROR_COMPILATION
        assert "dummy" in caught.value.__notes__[0]

    def test_nothing_was_added(self, make: Callable[..., int]) -> None:
        program = make()
        for call in (nvvm.verify_program, nvvm.compile_program):
            with pytest.raises(Error) as caught:
                call(program, 1, [ARCH])
            assert str(caught.value) == "ERROR_NO_MODULE_IN_PROGRAM (8)"

    def test_no_program(self) -> None:
        for call in (nvvm.get_compiled_result_size, nvvm.get_program_log_size, nvvm.destroy_program):
            with pytest.raises(Error) as caught:
                call(0)
            assert caught.value.status is Result.ERROR_INVALID_PROGRAM
        with pytest.raises(Error):
            nvvm.compile_program(0, 0, [])
        assert nvvm.nvvmGetCompiledResultSize(0) == (Result.ERROR_INVALID_PROGRAM, None)

    def test_exception(self) -> None:
        error = Error(Result.ERROR_COMPILATION)
        assert (str(error), error.args) == ("ERROR_COMPILATION (9)", ("ERROR_COMPILATION (9)",))
        assert Error(9).status is Result.ERROR_COMPILATION
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.status, str(again)) == (Error, Result.ERROR_COMPILATION, str(error))
        unknown = Error(9999)  # a library may be newer than the package
        assert (str(unknown), unknown.status) == ("unknown status (9999)", 9999)
        assert f"{Error.__module__}.{Error.__qualname__}" == "cuda.nvvm.nvvmError"


class TestArguments:
    @pytest.mark.parametrize(
        ("count", "options", "error"),
        [
            (1, ARCH, TypeError),
            (1, ARCH.encode(), TypeError),
            (1, [5.0], TypeError),
            (1, [None], TypeError),
            (1, None, TypeError),
            (2, [ARCH], ValueError),
            (1, ["-arch\0=compute_80"], ValueError),
            (-1, [], Error),  # the library says so
            (1 << 40, [], OverflowError),
            ("1", [], TypeError),
        ],
    )
    def test_options(self, make: Callable[..., int], count: Any, options: Any, error: type[Exception]) -> None:
        program = make(DUMMY)
        for call in (nvvm.verify_program, nvvm.compile_program):
            with pytest.raises(error):
                call(program, count, options)

    @pytest.mark.parametrize(
        ("buffer", "size", "name", "error"),
        [
            ("text", 4, "name", TypeError),
            (5.0, 4, "name", TypeError),
            (b"x", 2, "name", ValueError),
            (b"x", 1, None, TypeError),
            (b"x", 1, 5, TypeError),
            (b"x", 1, "na\0me", ValueError),
            (b"x", "1", "name", TypeError),
            (b"x", -1, "name", OverflowError),
            (-1, 1, "name", OverflowError),
        ],
    )
    def test_modules(self, make: Callable[..., int], buffer: Any, size: Any, name: Any, error: type[Exception]) -> None:
        program = make()
        for call in (nvvm.add_module_to_program, nvvm.lazy_add_module_to_program):
            with pytest.raises(error):
                call(program, buffer, size, name)

    def test_no_memory_at_all(self, make: Callable[..., int]) -> None:
        with pytest.raises(Error) as caught:
            nvvm.add_module_to_program(make(), None, 4, "name")
        assert caught.value.status is Result.ERROR_INVALID_INPUT

    @pytest.mark.parametrize("program", ["x", 1.5, -1, 1 << 64])
    def test_programs(self, program: Any) -> None:
        for call in (nvvm.destroy_program, nvvm.get_compiled_result_size, nvvm.get_program_log_size):
            with pytest.raises((TypeError, OverflowError)):
                call(program)

    def test_buffers(self, make: Callable[..., int]) -> None:
        program = make(DUMMY)
        text = compiled(program, ARCH)
        size = nvvm.get_compiled_result_size(program)
        memory = ctypes.create_string_buffer(size)
        nvvm.get_compiled_result(program, ctypes.addressof(memory))
        assert memory.value.decode() == text
        with pytest.raises(ValueError, match=f"has room for {size - 1} bytes"):
            nvvm.get_compiled_result(program, bytearray(size - 1))
        with pytest.raises(BufferError):
            nvvm.get_compiled_result(program, bytes(size))
        wrong: Any = 5.0
        for call in (nvvm.get_compiled_result, nvvm.get_program_log):
            with pytest.raises(TypeError):
                call(program, wrong)


class TestThreads:
    def test_others_run_while_it_compiles(self, make: Callable[..., int]) -> None:
        program = make(nvvmir.slow())
        ticks, _ = ticks_during(lambda: nvvm.compile_program(program, 1, [ARCH]))
        assert ticks > 20

    def test_two_at_once(self) -> None:
        texts: dict[int, str] = {}

        def work(number: int) -> None:
            for _ in range(5):
                program = nvvm.create_program()
                nvvm.add_module_to_program(program, DUMMY, len(DUMMY), "dummy")
                texts[number] = compiled(program, ARCH)
                nvvm.destroy_program(program)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert texts[0] == texts[1]


def test_the_enum_is_that_of_the_library() -> None:
    members = {f"NVVM_{name}": int(member) for name, member in Result.__members__.items()}
    assert members == {name: int(member) for name, member in nvvm.nvvmResult.__members__.items()}
    for member in Result:
        assert pickle.loads(pickle.dumps(member)) is member
