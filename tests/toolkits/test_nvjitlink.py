# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.nvjitlink on NVIDIA's nvJitLink, as Python writes it and under the library's own names."""

from __future__ import annotations

import ctypes
import os
import pickle
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import cuda.nvjitlink as nvjitlink
from codegen.model.api import Release

from .compile import CALLEE, CALLER, REAL, SCALE, VIRTUAL, check, compiled, slow
from .threads import ticks_during

Input: Any = nvjitlink.InputType
Result: Any = nvjitlink.Result
Error: Any = nvjitlink.nvJitLinkError
ARCH = "-arch=sm_80"
RDC = b"-rdc=true"

FORMS = {
    "PTX": ("PTX", [VIRTUAL, RDC], [ARCH]),
    "CUBIN": ("CUBIN", [REAL, RDC], [ARCH]),
    "LTOIR": ("LTOIR", [REAL, RDC, b"-dlto"], [ARCH, "-lto"]),
}


@pytest.fixture
def link() -> Iterator[Callable[..., int]]:
    handles: list[int] = []

    def create(*options: str) -> int:
        handles.append(nvjitlink.create(len(options), list(options)))
        return handles[-1]

    yield create
    for handle in handles:
        nvjitlink.destroy(handle)


def add(handle: int, form: str, code: bytes | bytearray, name: str) -> None:
    nvjitlink.add_data(handle, Input[form], code, len(code), name)


def get(handle: int, what: str) -> bytes:
    buffer = bytearray(getattr(nvjitlink, f"get_{what}_size")(handle))
    getattr(nvjitlink, f"get_{what}")(handle, buffer)
    return bytes(buffer)


@pytest.mark.since("12.3")
def test_version(release: Release) -> None:
    assert nvjitlink.version() == (release.major, release.minor)
    assert nvjitlink.nvJitLinkVersion() == (0, release.major, release.minor)


@pytest.mark.before("12.3")
def test_version_is_not_told_yet(release: Release) -> None:
    with pytest.raises(nvjitlink.FunctionNotFoundError) as caught:
        nvjitlink.version()
    assert f"libnvJitLink.so.12 supports CUDA {release} and has no symbol nvJitLinkVersion" in str(caught.value)
    assert str(caught.value).endswith("Install nvidia-nvjitlink-cu12>=12.3,<13.")
    assert nvjitlink._core.library()["version"] == release.number


class TestLink:
    @pytest.mark.parametrize("form", FORMS)
    def test_two_units(self, link: Callable[..., int], form: str) -> None:
        what, options, link_options = FORMS[form]
        handle = link(*link_options)
        assert type(handle) is int
        for name, source in (("caller", CALLER), ("callee", CALLEE)):
            add(handle, form, compiled(source, what, options), name)
        nvjitlink.complete(handle)
        cubin = get(handle, "linked_cubin")
        assert cubin.startswith(b"\x7fELF")
        assert b".text.caller" in cubin
        assert get(handle, "error_log").rstrip(b"\0") == b""
        get(handle, "info_log")

    @pytest.mark.parametrize("form", FORMS)
    def test_files(self, link: Callable[..., int], form: str, tmp_path: Path) -> None:
        what, options, link_options = FORMS[form]
        handle = link(*link_options)
        for source, given in ((CALLER, str), (CALLEE, Path)):
            path = tmp_path / f"{given.__name__}.{form.lower()}"
            path.write_bytes(compiled(source, what, options))
            nvjitlink.add_file(handle, Input[form], given(path))
        nvjitlink.complete(handle)
        assert b".text.caller" in get(handle, "linked_cubin")

    def test_ptx_out_of_lto_ir(self, link: Callable[..., int]) -> None:
        handle = link("-arch=compute_80", "-lto", "-ptx")
        for name, source in (("caller", CALLER), ("callee", CALLEE)):
            add(handle, "LTOIR", compiled(source, "LTOIR", FORMS["LTOIR"][1]), name)
        nvjitlink.complete(handle)
        text = get(handle, "linked_ptx")
        assert b".entry caller(" in text
        assert b"call.uni" not in text  # the callee was inlined

    @pytest.mark.skipif(not hasattr(nvjitlink, "get_linked_ltoir"), reason="of CUDA 13")
    @pytest.mark.before("13.2")
    def test_no_lto_ir_out_yet(self, link: Callable[..., int]) -> None:
        for call in (nvjitlink.get_linked_ltoir_size, nvjitlink.nvJitLinkGetLinkedLTOIRSize):
            with pytest.raises(nvjitlink.FunctionNotFoundError, match=r"nvidia-nvjitlink>=13\.2,<14"):
                call(link(ARCH))

    @pytest.mark.skipif(not hasattr(nvjitlink, "get_linked_ltoir"), reason="of CUDA 13")
    @pytest.mark.since("13.3")  # libraries of 13.2 have the function, which no header of theirs declares
    def test_lto_ir_out_of_lto_ir(self, link: Callable[..., int]) -> None:
        first = link(ARCH, "-lto")
        for name, source in (("caller", CALLER), ("callee", CALLEE)):
            add(first, "LTOIR", compiled(source, "LTOIR", FORMS["LTOIR"][1]), name)
        nvjitlink.complete(first)
        second = link(ARCH, "-lto")
        add(second, "LTOIR", get(first, "linked_ltoir"), "both")
        nvjitlink.complete(second)
        assert b".text.caller" in get(second, "linked_cubin")

    def test_inputs_are_copied(self, link: Callable[..., int]) -> None:
        what, options, link_options = FORMS["CUBIN"]
        handle = link(*link_options)
        for name, source in (("caller", CALLER), ("callee", CALLEE)):
            code = bytearray(compiled(source, what, options))
            add(handle, "CUBIN", code, name)
            code[:] = bytes(len(code))
        nvjitlink.complete(handle)
        assert b".text.caller" in get(handle, "linked_cubin")

    def test_names_are_str_or_bytes(self, link: Callable[..., int]) -> None:
        handle = link(ARCH)
        code = compiled(SCALE, "CUBIN", [REAL, RDC])
        nvjitlink.add_data(handle, int(Input.CUBIN), code, len(code), "näme")
        nvjitlink.complete(handle)
        assert b".text.scale" in get(handle, "linked_cubin")
        other = link(ARCH)
        nvjitlink.add_data(other, Input.CUBIN, memoryview(code), len(code), b"name")
        nvjitlink.complete(other)
        assert get(handle, "linked_cubin") == get(other, "linked_cubin")

    def test_options_in_every_form(self) -> None:
        texts = [ctypes.create_string_buffer(text) for text in (b"-arch=sm_80", b"-O3")]
        array = (ctypes.c_void_p * 2)(*map(ctypes.addressof, texts))
        forms: list[Any] = [
            ["-arch=sm_80", "-O3"],
            (b"-arch=sm_80", b"-O3"),
            [ctypes.addressof(text) for text in texts],
            ctypes.addressof(array),
        ]
        for form in forms:
            nvjitlink.destroy(nvjitlink.create(2, form))

    def test_own_names_of_the_library(self) -> None:
        """The same calls as C has them, which return a status."""
        code = compiled(SCALE, "CUBIN", [REAL, RDC])
        handle = check(nvjitlink.nvJitLinkCreate(1, [ARCH.encode()]))
        assert type(handle) is nvjitlink.nvJitLinkHandle
        kind = nvjitlink.nvJitLinkInputType.NVJITLINK_INPUT_CUBIN
        check(nvjitlink.nvJitLinkAddData(handle, kind, code, len(code), b"name"))
        check(nvjitlink.nvJitLinkComplete(handle))
        image = bytearray(check(nvjitlink.nvJitLinkGetLinkedCubinSize(handle)))
        check(nvjitlink.nvJitLinkGetLinkedCubin(handle, image))
        assert image.startswith(b"\x7fELF")
        status, size = nvjitlink.nvJitLinkGetLinkedPtxSize(handle)
        assert (status != 0) == (size is None)
        check(nvjitlink.nvJitLinkDestroy(handle))
        assert int(handle) == 0


class TestErrors:
    def test_unresolved_symbol(self, link: Callable[..., int]) -> None:
        handle = link(ARCH)
        add(handle, "CUBIN", compiled(CALLER, "CUBIN", [REAL, RDC]), "caller")
        with pytest.raises(Error) as caught:
            nvjitlink.complete(handle)
        assert caught.value.status is Result.ERROR_INTERNAL
        (note,) = caught.value.__notes__
        assert note == get(handle, "error_log").rstrip(b"\0").decode().strip()
        assert "ERROR 9: " in note
        assert pickle.loads(pickle.dumps(caught.value)).__notes__ == [note]

    @pytest.mark.since("12.9")  # older libraries write it to the process's own output
    @pytest.mark.parametrize("names", ["python", "c"])
    @pytest.mark.parametrize("source", ["data", "file"])
    def test_names_are_there_until_the_end(
        self, link: Callable[..., int], source: str, names: str, tmp_path: Path
    ) -> None:
        """The library does not copy them, so what it reads must not have been freed."""
        code = compiled(CALLER, "CUBIN", [REAL, RDC])
        name = str(tmp_path / f"{len(code)}.cubin")
        Path(name).write_bytes(code)
        handle: Any = link(ARCH)
        if names == "c":
            handle = nvjitlink.nvJitLinkHandle(handle)
            kind = int(Input.CUBIN)
            if source == "data":
                check(nvjitlink.nvJitLinkAddData(handle, kind, code, len(code), name.encode()))
            else:
                check(nvjitlink.nvJitLinkAddFile(handle, kind, name.encode()))
        elif source == "data":
            nvjitlink.add_data(handle, Input.CUBIN, code, len(code), name)
        else:
            nvjitlink.add_file(handle, Input.CUBIN, name)
        junk = [os.urandom(size) for size in range(200) for _ in range(20)]
        with pytest.raises(Error) as caught:
            nvjitlink.complete(int(handle))
        del junk
        assert f"Undefined reference to 'twice' in '{name}'" in caught.value.__notes__[0]

    def test_mistake_in_ptx(self, link: Callable[..., int]) -> None:
        handle = link(ARCH)
        text = b".version 7.0\n.target sm_80\n.address_size 64\n nonsense\n\0"

        def both() -> None:  # which of them reads the text depends on the release
            add(handle, "PTX", text, "text")
            nvjitlink.complete(handle)

        with pytest.raises(Error) as caught:
            both()
        assert str(caught.value) == "ERROR_PTX_COMPILE (4)"
        assert caught.value.status is Result.ERROR_PTX_COMPILE
        assert "nonsense" in caught.value.__notes__[0]

    @pytest.mark.parametrize("form", ["PTX", "CUBIN", "FATBIN", "OBJECT", "LIBRARY", "LTOIR"])
    def test_input_of_the_wrong_kind(self, link: Callable[..., int], form: str, tmp_path: Path) -> None:
        """Whatever the kind, garbage is an error and not the end of the process."""
        handle = link(ARCH)
        with pytest.raises(Error) as caught:
            add(handle, form, b"neither fish nor fowl\0", "garbage")
        assert caught.value.status in Result
        path = tmp_path / "garbage"
        path.write_bytes(b"neither fish nor fowl\0")
        with pytest.raises(Error):
            nvjitlink.add_file(handle, Input[form], path)

    def test_ptx_given_for_a_cubin(self, link: Callable[..., int]) -> None:
        with pytest.raises(Error):
            add(link(ARCH), "CUBIN", compiled(SCALE, "PTX", [VIRTUAL]), "text")

    def test_unknown_kind(self, link: Callable[..., int]) -> None:
        for kind in (0, 99):
            with pytest.raises(Error):
                nvjitlink.add_data(link(ARCH), kind, b"x", 1, "x")

    def test_missing_file(self, link: Callable[..., int], tmp_path: Path) -> None:
        with pytest.raises(Error) as caught:
            nvjitlink.add_file(link(ARCH), Input.PTX, tmp_path / "nowhere")
        assert str(caught.value) == "ERROR_INVALID_INPUT (3)"

    @pytest.mark.parametrize(
        ("options", "name"), [(["-no-such-option"], "ERROR_UNRECOGNIZED_OPTION"), ([], "ERROR_MISSING_ARCH")]
    )
    def test_options(self, options: list[str], name: str) -> None:
        with pytest.raises(Error) as caught:
            nvjitlink.create(len(options), options)
        assert caught.value.status is Result[name]
        assert str(caught.value) == f"{name} ({int(Result[name])})"

    def test_nothing_was_added(self, link: Callable[..., int]) -> None:
        with pytest.raises(Error):
            nvjitlink.get_linked_cubin_size(link(ARCH))

    def test_no_handle(self) -> None:
        for call in (nvjitlink.complete, nvjitlink.get_linked_cubin_size, nvjitlink.get_error_log_size):
            with pytest.raises(Error):
                call(0)

    def test_exception(self) -> None:
        error = Error(Result.ERROR_INTERNAL)
        assert (str(error), error.args) == ("ERROR_INTERNAL (6)", ("ERROR_INTERNAL (6)",))
        assert Error(6).status is Result.ERROR_INTERNAL
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.status, str(again)) == (Error, Result.ERROR_INTERNAL, str(error))
        unknown = Error(9999)  # a library may be newer than the package
        assert (str(unknown), unknown.status) == ("unknown status (9999)", 9999)
        assert f"{Error.__module__}.{Error.__qualname__}" == "cuda.nvjitlink.nvJitLinkError"


class TestArguments:
    @pytest.mark.parametrize(
        ("count", "options", "error"),
        [
            (1, "-arch=sm_80", TypeError),
            (1, b"-arch=sm_80", TypeError),
            (1, [5.0], TypeError),
            (1, [None], TypeError),
            (1, None, TypeError),
            (2, ["-arch=sm_80"], ValueError),
            (1, ["-arch\0=sm_80"], ValueError),
            (-1, [], OverflowError),
            (1 << 40, [], OverflowError),
            ("1", [], TypeError),
        ],
    )
    def test_options(self, count: Any, options: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            nvjitlink.create(count, options)

    @pytest.mark.parametrize(
        ("kind", "data", "size", "name", "error"),
        [
            (1.5, b"x", 1, "name", TypeError),
            ("PTX", b"x", 1, "name", TypeError),
            (2, "text", 4, "name", TypeError),
            (2, b"x", 2, "name", ValueError),
            (2, b"x", 1, None, TypeError),
            (2, b"x", 1, 5, TypeError),
            (1, b"x", 1, "na\0me", ValueError),
            (2, b"x", "1", "name", TypeError),
            (2, -1, 1, "name", OverflowError),
        ],
    )
    def test_add_data(
        self, link: Callable[..., int], kind: Any, data: Any, size: Any, name: Any, error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            nvjitlink.add_data(link(ARCH), kind, data, size, name)

    def test_add_file(self, link: Callable[..., int]) -> None:
        wrong: list[Any] = [None, 5]
        for name in wrong:
            with pytest.raises(TypeError):
                nvjitlink.add_file(link(ARCH), Input.PTX, name)
        with pytest.raises(ValueError, match=r"NUL|null"):
            nvjitlink.add_file(link(ARCH), Input.PTX, "a\0b")

    @pytest.mark.parametrize("handle", ["x", 1.5, -1, 1 << 64])
    def test_handles(self, handle: Any) -> None:
        for call in (nvjitlink.destroy, nvjitlink.complete, nvjitlink.get_linked_cubin_size):
            with pytest.raises((TypeError, OverflowError)):
                call(handle)

    def test_buffers(self, link: Callable[..., int]) -> None:
        handle = link(ARCH)
        add(handle, "CUBIN", compiled(SCALE, "CUBIN", [REAL, RDC]), "scale")
        nvjitlink.complete(handle)
        size = nvjitlink.get_linked_cubin_size(handle)
        image = get(handle, "linked_cubin")
        memory = ctypes.create_string_buffer(size)
        nvjitlink.get_linked_cubin(handle, ctypes.addressof(memory))
        assert memory.raw == image
        with pytest.raises(ValueError, match=f"has room for {size - 1} bytes"):
            nvjitlink.get_linked_cubin(handle, bytearray(size - 1))
        with pytest.raises(BufferError):
            nvjitlink.get_linked_cubin(handle, bytes(size))
        wrong: Any = 5.0
        with pytest.raises(TypeError):
            nvjitlink.get_linked_cubin(handle, wrong)


class TestThreads:
    def test_others_run_while_it_links(self, link: Callable[..., int]) -> None:
        handle = link(ARCH, "-lto")
        add(handle, "LTOIR", compiled(slow(), "LTOIR", FORMS["LTOIR"][1]), "slow")
        ticks, _ = ticks_during(lambda: nvjitlink.complete(handle))
        assert ticks > 20

    def test_two_at_once(self) -> None:
        code = compiled(SCALE, "PTX", [VIRTUAL])
        images: dict[int, bytes] = {}

        def work(number: int) -> None:
            for _ in range(5):
                handle = nvjitlink.create(1, [ARCH])
                add(handle, "PTX", code, "scale")
                nvjitlink.complete(handle)
                images[number] = get(handle, "linked_cubin")
                nvjitlink.destroy(handle)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert images[0] == images[1]


def test_enums_are_those_of_the_library() -> None:
    for short, long, prefix in (
        (Input, nvjitlink.nvJitLinkInputType, "NVJITLINK_INPUT_"),
        (Result, nvjitlink.nvJitLinkResult, "NVJITLINK_"),
    ):
        members = {f"{prefix}{name}": int(member) for name, member in short.__members__.items()}
        assert members == {name: int(member) for name, member in long.__members__.items()}
        for member in short:
            assert pickle.loads(pickle.dumps(member)) is member


def test_paths_of_the_system_are_taken(link: Callable[..., int], tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.cubin"
    Path(os.fsdecode(path)).write_bytes(compiled(SCALE, "CUBIN", [REAL, RDC]))
    handle = link(ARCH)
    nvjitlink.add_file(handle, Input.CUBIN, path)
    nvjitlink.complete(handle)
    assert b".text.scale" in get(handle, "linked_cubin")
