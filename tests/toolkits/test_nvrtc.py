# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.nvrtc on NVIDIA's NVRTC: what it compiles, what it says of what it cannot compile, and what it is not given."""

from __future__ import annotations

import array
import ctypes
import gc
import threading
from pathlib import Path
from typing import Any

import pytest

import cuda.nvrtc as nvrtc
from codegen.model.api import Release

from .compile import CALLEE, REAL, SCALE, VIRTUAL, build, check, compiled, get, log, program, slow
from .threads import ticks_during

Result: Any = nvrtc.nvrtcResult


def test_version(release: Release) -> None:
    assert nvrtc.nvrtcVersion() == (Result.NVRTC_SUCCESS, release.major, release.minor)


def test_architectures() -> None:
    found = check(nvrtc.nvrtcGetSupportedArchs())
    assert len(found) == check(nvrtc.nvrtcGetNumSupportedArchs())
    assert {80, 90} <= set(found)
    assert found == sorted(found)


def test_names_of_errors() -> None:
    for member in Result:
        status, text = nvrtc.nvrtcGetErrorString(member)
        assert status == 0
        assert text == member.name.encode() or text == b"NVRTC_ERROR unknown"  # of a later release
    assert check(nvrtc.nvrtcGetErrorString(Result.NVRTC_ERROR_COMPILATION)) == b"NVRTC_ERROR_COMPILATION"
    assert check(nvrtc.nvrtcGetErrorString(9999)) == b"NVRTC_ERROR unknown"


class TestOutputs:
    def test_ptx(self) -> None:
        text = compiled(SCALE, "PTX", [VIRTUAL])
        assert text.endswith(b"\0")
        assert b".target sm_80" in text
        assert b".entry scale(" in text

    def test_cubin(self) -> None:
        image = compiled(SCALE, "CUBIN", [REAL])
        assert image.startswith(b"\x7fELF")
        assert b".text.scale" in image

    def test_lto_ir(self) -> None:
        assert len(compiled(CALLEE, "LTOIR", [REAL, b"-dlto"])) > 100

    def test_optix_ir(self) -> None:
        assert len(compiled(SCALE, "OptiXIR", [VIRTUAL, b"--optix-ir"])) > 100

    @pytest.mark.skipif(not hasattr(nvrtc, "nvrtcGetNVVM"), reason="NVVM is of CUDA 12 and before")
    def test_nvvm(self) -> None:
        assert len(compiled(CALLEE, "NVVM", [REAL, b"-dlto"])) > 100

    @pytest.mark.skipif(hasattr(nvrtc, "nvrtcGetNVVM"), reason="NVVM was left out of CUDA 13")
    def test_no_nvvm(self) -> None:
        assert "nvrtcGetNVVM" not in dir(nvrtc)

    def test_what_was_not_asked_for_is_empty(self) -> None:
        with program(SCALE) as handle:
            assert build(handle, VIRTUAL) == 0
            for what in ("CUBIN", "LTOIR", "OptiXIR"):
                assert get(handle, what) == b""

    def test_headers_and_options(self) -> None:
        headers = {b"one.h": b"#define ONE 1\n#include <folder/two.h>\n", b"folder/two.h": b"typedef int two;\n"}
        source = b'#include "one.h"\nextern "C" __global__ void k(two *p) { *p = ONE + NUMBER; }'
        with program(source, headers) as handle:
            assert build(handle, VIRTUAL, b"-DNUMBER=41", b"--std=c++17") == 0, log(handle)
            assert b", 42;" in get(handle, "PTX")

    def test_many_headers(self) -> None:
        headers = {b"h%d.h" % i: b"enum { e%d = %d };" % (i, i) for i in range(100)}
        source = b"".join(b"#include <%s>\n" % name for name in headers)
        with program(source + b'extern "C" __global__ void k(int *p) { *p = e99; }', headers) as handle:
            assert build(handle, VIRTUAL) == 0, log(handle)
            assert b", 99;" in get(handle, "PTX")

    def test_name_expressions(self) -> None:
        source = b"template <class T> __global__ void f(T *x) { *x = 1; } namespace a { __constant__ int c; }"
        with program(source) as handle:
            for name in (b"f<int>", b"f<float>", b"&a::c"):
                check(nvrtc.nvrtcAddNameExpression(handle, name))
            early = nvrtc.nvrtcGetLoweredName(handle, b"f<int>")
            assert early == (Result.NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, None)
            assert build(handle, VIRTUAL) == 0, log(handle)
            assert check(nvrtc.nvrtcGetLoweredName(handle, b"f<int>")) == b"_Z1fIiEvPT_"
            assert check(nvrtc.nvrtcGetLoweredName(handle, b"f<float>")) == b"_Z1fIfEvPT_"
            assert check(nvrtc.nvrtcGetLoweredName(handle, b"&a::c")) == b"_ZN1a1cE"
            unknown = nvrtc.nvrtcGetLoweredName(handle, b"g<int>")
            assert unknown == (Result.NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, None)
            (late,) = nvrtc.nvrtcAddNameExpression(handle, b"f<long>")
            assert late == Result.NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION


class TestErrors:
    def test_log_of_a_mistake(self) -> None:
        with program(b"__global__ void f(int *x) {\n  *y = 1;\n}") as handle:
            assert build(handle, VIRTUAL) is Result.NVRTC_ERROR_COMPILATION
            assert 'test.cu(2): error: identifier "y" is undefined' in log(handle)
            assert "1 error detected" in log(handle)
            assert get(handle, "CUBIN") == b""

    def test_log_of_a_warning(self) -> None:
        with program(b"__global__ void f() { int unused; }") as handle:
            assert build(handle, VIRTUAL) == 0
            assert "was declared but never referenced" in log(handle)

    def test_empty_log(self) -> None:
        with program(SCALE) as handle:
            assert check(nvrtc.nvrtcGetProgramLogSize(handle)) == 1
            assert build(handle, VIRTUAL) == 0
            assert get(handle, "ProgramLog") == b"\0"

    def test_missing_header(self) -> None:
        with program(b'#include "nowhere.h"\n') as handle:
            assert build(handle, VIRTUAL) is Result.NVRTC_ERROR_COMPILATION
            assert "nowhere.h" in log(handle)

    def test_unknown_option(self) -> None:
        with program(SCALE) as handle:
            assert build(handle, b"--no-such-option") is Result.NVRTC_ERROR_INVALID_OPTION
            assert "--no-such-option" in log(handle)

    def test_no_program(self) -> None:
        assert nvrtc.nvrtcGetPTXSize(None) == (Result.NVRTC_ERROR_INVALID_PROGRAM, None)
        assert nvrtc.nvrtcCompileProgram(None, 0, []) == (Result.NVRTC_ERROR_INVALID_PROGRAM,)
        assert nvrtc.nvrtcDestroyProgram(nvrtc.nvrtcProgram(0)) == (Result.NVRTC_ERROR_INVALID_PROGRAM,)
        assert nvrtc.nvrtcGetPTX(None, bytearray(1)) == (Result.NVRTC_ERROR_INVALID_PROGRAM,)


class TestArguments:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ("-arch=sm_80", TypeError, "'options'"),
            (["-arch=sm_80"], TypeError, "bytes"),
            ([5], TypeError, "'options'"),
            ([b"-a\0b"], ValueError, "NUL"),
            ([], ValueError, "'numOptions'"),
            (5, TypeError, "'options'"),
        ],
    )
    def test_options(self, options: Any, error: type[Exception], message: str) -> None:
        with program(SCALE) as handle, pytest.raises(error, match=message):
            nvrtc.nvrtcCompileProgram(handle, 1, options)

    def test_source(self) -> None:
        with pytest.raises(TypeError, match="'src'"):
            nvrtc.nvrtcCreateProgram("text", b"test.cu", 0, None, None)  # type: ignore[arg-type,unused-ignore]
        with pytest.raises(ValueError, match="'headers'"):
            nvrtc.nvrtcCreateProgram(b"", b"test.cu", 2, [b""], [b"a.h"])
        assert nvrtc.nvrtcCreateProgram(None, None, 0, None, None)[1:] == (None,)

    def test_another_handle(self) -> None:
        class Foreign:
            __cuda_handle__ = "CUmodule"

            def __index__(self) -> int:
                return 0

        with pytest.raises(TypeError, match="nvrtcProgram"):
            nvrtc.nvrtcGetPTXSize(Foreign())  # type: ignore[arg-type,unused-ignore]

    def test_buffers(self) -> None:
        """Whatever is writable and large enough, bytes as programs for cuda.bindings give them, and an address."""
        with program(SCALE) as handle:
            assert build(handle, VIRTUAL) == 0
            text = get(handle, "PTX")
            size = len(text)
            given = b" " * size
            check(nvrtc.nvrtcGetPTX(handle, given))
            assert given == text
            larger = array.array("b", bytes(size + 3))
            check(nvrtc.nvrtcGetPTX(handle, larger))
            assert larger.tobytes() == text + bytes(3)
            owned = ctypes.create_string_buffer(size)
            check(nvrtc.nvrtcGetPTX(handle, owned))
            assert owned.raw == text
            ctypes.memset(owned, 0, size)
            check(nvrtc.nvrtcGetPTX(handle, ctypes.addressof(owned)))
            assert owned.raw == text
            with pytest.raises(ValueError, match=f"has room for {size - 1} bytes, and the call writes {size}"):
                nvrtc.nvrtcGetPTX(handle, bytearray(size - 1))
            with pytest.raises(BufferError, match="read-only"):
                nvrtc.nvrtcGetPTX(handle, memoryview(text))

    def test_shared_bytes_are_not_written(self) -> None:
        """The size of an empty log is 1, and there is one bytes object of each single byte in the whole process."""
        with program(SCALE) as handle:
            check(nvrtc.nvrtcGetProgramLog(handle, b"x"))
            assert bytes([120]) == b"x"

    def test_program_keeps_its_own_copies(self) -> None:
        source, header = bytearray(SCALE + b'#include "h.h"\n'), bytearray(b"enum { e = 1 };")
        handle = check(nvrtc.nvrtcCreateProgram(bytes(source), b"test.cu", 1, [bytes(header)], [b"h.h"]))
        gc.collect()
        junk = [b"#" * len(text) for text in (source, header) for _ in range(100)]
        assert build(handle, VIRTUAL) == 0, log(handle)
        del junk
        check(nvrtc.nvrtcDestroyProgram(handle))


class TestPrecompiledHeaders:
    SOURCE = b'#include "big.h"\n#pragma nv_hdrstop\nextern "C" __global__ void k(T *p) { *p = 1; }'

    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "big.h").write_text("#pragma once\ntypedef int T;\n")
        return tmp_path

    @pytest.mark.since("12.8")
    def test_made_and_used(self, folder: Path) -> None:
        where = str(folder).encode()
        options = (VIRTUAL, b"--pch", b"--pch-dir=" + where, b"-I" + where)
        with program(self.SOURCE) as handle:
            assert build(handle, *options) == 0, log(handle)
            assert "creating precompiled header file" in log(handle)
            assert nvrtc.nvrtcGetPCHCreateStatus(handle) == (Result.NVRTC_SUCCESS,)
            assert check(nvrtc.nvrtcGetPCHHeapSizeRequired(handle)) > 0
        assert list(folder.glob("*.pch"))
        with program(self.SOURCE) as handle:
            assert build(handle, *options) == 0, log(handle)
            assert "using precompiled header file" in log(handle)
            assert nvrtc.nvrtcGetPCHCreateStatus(handle) == (Result.NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED,)

    @pytest.mark.since("12.8")
    def test_heap(self) -> None:
        size = check(nvrtc.nvrtcGetPCHHeapSize())
        assert size > 0
        check(nvrtc.nvrtcSetPCHHeapSize(size // 2))
        assert check(nvrtc.nvrtcGetPCHHeapSize()) >= size // 2
        check(nvrtc.nvrtcSetPCHHeapSize(size))

    @pytest.mark.before("12.8")
    def test_not_yet(self, folder: Path, release: Release) -> None:
        with program(self.SOURCE) as handle:
            assert build(handle, b"--pch") is Result.NVRTC_ERROR_INVALID_OPTION
            with pytest.raises(nvrtc.FunctionNotFoundError) as caught:
                nvrtc.nvrtcGetPCHCreateStatus(handle)
        text = str(caught.value)
        assert text.startswith("nvrtcGetPCHCreateStatus was introduced with CUDA 12.8; ")
        assert f"libnvrtc.so.12 supports CUDA {release} and has no symbol nvrtcGetPCHCreateStatus" in text
        assert text.endswith("Install nvidia-cuda-nvrtc-cu12>=12.8,<13.")


class TestFlowCallback:
    @pytest.mark.since("12.8")
    def test_cancels(self) -> None:
        seen = []

        def stop(payload: int | None, unused: int | None) -> int:
            seen.append((payload, unused))
            return 1

        callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(stop)
        with program(SCALE) as handle:
            check(nvrtc.nvrtcSetFlowCallback(handle, callback, 77))
            assert build(handle, REAL) is Result.NVRTC_ERROR_CANCELLED
        assert seen[0] == (77, None)

    @pytest.mark.before("12.8")
    def test_not_yet(self) -> None:
        with program(SCALE) as handle, pytest.raises(nvrtc.FunctionNotFoundError, match=r"CUDA 12\.8"):
            nvrtc.nvrtcSetFlowCallback(handle, 0, None)


@pytest.mark.skipif(not hasattr(nvrtc, "nvrtcGetBundledHeadersInfo"), reason="of CUDA 13")
class TestBundledHeaders:
    @pytest.mark.since("13.3")
    def test_installed_and_removed(self, tmp_path: Path) -> None:
        info, problem = check(nvrtc.nvrtcGetBundledHeadersInfo())
        assert problem in (None, b"")
        assert info.available in (0, 1)
        where = str(tmp_path / "headers").encode()
        status, problem = nvrtc.nvrtcInstallBundledHeaders(where, 0)
        assert (status == 0) == bool(info.available), (status, problem)
        if info.available:
            check(nvrtc.nvrtcRemoveBundledHeaders(where))

    @pytest.mark.before("13.3")
    def test_not_yet(self) -> None:
        with pytest.raises(nvrtc.FunctionNotFoundError, match=r"CUDA 13\.3; .*Install nvidia-cuda-nvrtc>=13\.3,<14"):
            nvrtc.nvrtcGetBundledHeadersInfo()


class TestThreads:
    def test_others_run_while_it_compiles(self) -> None:
        with program(slow()) as handle:
            ticks, status = ticks_during(lambda: build(handle, REAL))
            assert status == 0, log(handle)
        assert ticks > 20

    def test_two_at_once(self) -> None:
        results: dict[int, bytes] = {}

        def work(number: int) -> None:
            source = b'extern "C" __global__ void k(int *p) { *p = %d; }' % number
            for _ in range(5):
                results[number] = compiled(source, "PTX", [VIRTUAL])

        threads = [threading.Thread(target=work, args=(number,)) for number in (1234, 4321)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(b", %d;" % number in results[number] for number in (1234, 4321))
