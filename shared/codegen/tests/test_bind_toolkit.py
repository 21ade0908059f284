# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The runtime, NVRTC, nvJitLink and libNVVM as their registries have them: an overrides file each binds both majors."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from codegen.model.api import Release
from codegen.model.bind import bind
from codegen.model.bind_stale import stale
from codegen.model.binding import Binding, BoundFunction, BoundParameter
from codegen.model.fold import fold
from codegen.model.overrides import DIRECTORY, load

LIBRARIES = ("runtime", "nvrtc", "nvjitlink", "nvvm")
MAJORS = (12, 13)


@cache
def bound(library: str, major: int, as_of: Release | None = None) -> Binding:
    return bind(fold(library, as_of=as_of, major=major))


def releases() -> Iterator[tuple[str, Release]]:
    for library in LIBRARIES:
        for major in MAJORS:
            api = fold(library, major=major)
            declared = {f.declared for f in api.functions if f.declared}
            yield from ((library, release) for release in sorted(declared - {api.release}))


def said(p: BoundParameter) -> tuple[object, ...]:
    """All but the name, which changes with the headers."""
    return p.kind, p.elem, p.type, p.flags, p.link, p.link2, p.typed, p.sized_by


def text(function: BoundFunction) -> str:
    inputs = ", ".join(p.name + ("=0" if "optional" in p.flags else "") for p in function.inputs)
    return f"({inputs}) -> {', '.join(p.name for p in function.outputs)}"


both = pytest.mark.parametrize("major", MAJORS)
each = pytest.mark.parametrize("library", LIBRARIES)


@both
@each
def test_everything_binds(library: str, major: int) -> None:
    binding = bound(library, major)
    assert [f.function for f in binding.functions] == list(binding.api.functions)
    assert [r.record for r in binding.records] == list(binding.api.records)
    for function in binding.functions:
        declared = function.parameters[:-1] if function.returns_value else function.parameters
        assert [p.ctype for p in declared] == [p.type for p in function.function.parameters]


@each
def test_no_entry_is_for_neither_major(library: str) -> None:
    overrides = load(DIRECTORY / f"{library}.toml")
    assert list(stale(overrides, [fold(library, major=major) for major in MAJORS])) == []


@pytest.mark.parametrize(("library", "release"), list(releases()), ids=str)
def test_a_symbol_is_bound_the_same_as_of_every_release(library: str, release: Release) -> None:
    newest = bound(library, release.major).by_name
    for function in bound(library, release.major, release).functions:
        now = newest[function.function.name]
        assert [said(p) for p in function.parameters] == [said(p) for p in now.parameters], function.function.name
        assert (function.keep_gil, function.outputs_on_error) == (now.keep_gil, now.outputs_on_error)


@both
def test_variants_for_per_thread_streams_are_bound_like_their_symbol(major: int) -> None:
    functions = bound("runtime", major).functions
    plain = {(f.function.base, f.function.version): f for f in functions if not f.function.stream}
    variants = [f for f in functions if f.function.stream]
    assert len(variants) > 60
    for variant in variants:
        function = plain[variant.function.base, variant.function.version]
        assert [said(p) for p in variant.parameters] == [said(p) for p in function.parameters], variant.function.name
        assert variant.keep_gil == function.keep_gil


@pytest.mark.parametrize(
    ("library", "major", "name", "expected"),
    [
        ("runtime", 13, "cudaMalloc", "(size) -> devPtr"),
        ("runtime", 13, "cudaMallocPitch", "(width, height) -> devPtr, pitch"),
        ("runtime", 13, "cudaMalloc3D", "(extent) -> pitchedDevPtr"),
        ("runtime", 13, "cudaMemcpy3D", "(p) -> "),
        ("runtime", 13, "cudaMemAdvise", "(devPtr, count, advice, location) -> "),
        ("runtime", 12, "cudaMemAdvise_v1", "(devPtr, count, advice, device) -> "),
        ("runtime", 12, "cudaMemAdvise_v2", "(devPtr, count, advice, location) -> "),
        ("runtime", 13, "cudaGetDeviceProperties", "(device) -> prop"),
        ("runtime", 12, "cudaGetDeviceProperties_v2", "(device) -> prop"),
        ("runtime", 13, "cudaGetErrorName", "(error) -> value"),
        ("runtime", 13, "cudaCreateChannelDesc", "(x, y, z, w, f) -> value"),
        ("runtime", 13, "cudaArrayGetInfo", "(array) -> desc, extent, flags"),
        ("runtime", 13, "cudaIpcOpenMemHandle", "(handle, flags) -> devPtr"),
        ("runtime", 13, "cudaGraphMemFreeNodeGetParams", "(node) -> dptr_out"),
        ("runtime", 13, "cudaGraphGetEdges", "(graph, numEdges=0) -> from_, to, edgeData, numEdges"),
        ("runtime", 12, "cudaGraphGetEdges_v1", "(graph, numEdges=0) -> from_, to, numEdges"),
        ("runtime", 12, "cudaGraphGetEdges_v2", "(graph, numEdges=0) -> from_, to, edgeData, numEdges"),
        (
            "runtime",
            13,
            "cudaStreamGetCaptureInfo",
            "(stream) -> captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out",
        ),
        ("runtime", 12, "cudaStreamGetCaptureInfo_v1", "(stream) -> captureStatus_out, id_out"),
        (
            "runtime",
            12,
            "cudaMemcpyBatchAsync",
            "(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream) -> failIdx",
        ),
        ("runtime", 13, "cudaMemcpyBatchAsync", "(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream) -> "),
        ("runtime", 13, "cudaLaunchKernel", "(func, gridDim, blockDim, args, sharedMem, stream) -> "),
        ("runtime", 13, "cudaThreadExchangeStreamCaptureMode", "(mode) -> mode"),
        ("runtime", 13, "cudaMemPoolGetAttribute", "(memPool, attr) -> value"),
        ("runtime", 13, "cudaGLGetDevices", "(cudaDeviceCount, deviceList) -> pCudaDeviceCount, pCudaDevices"),
        ("nvrtc", 13, "nvrtcCreateProgram", "(src, name, numHeaders, headers, includeNames) -> prog"),
        ("nvrtc", 13, "nvrtcGetPTX", "(prog, ptx) -> "),
        ("nvrtc", 12, "nvrtcGetNVVM", "(prog, nvvm) -> "),
        ("nvrtc", 13, "nvrtcGetSupportedArchs", "() -> supportedArchs"),
        ("nvrtc", 13, "nvrtcGetBundledHeadersInfo", "() -> info, errorLog"),
        ("nvjitlink", 13, "nvJitLinkCreate", "(numOptions, options) -> handle"),
        ("nvjitlink", 13, "nvJitLinkGetLinkedCubin", "(handle, cubin) -> "),
        ("nvvm", 12, "nvvmAddModuleToProgram", "(prog, buffer, size, name) -> "),
        ("nvvm", 13, "nvvmLLVMVersion", "(arch) -> major"),
        ("nvvm", 13, "nvvmGetErrorString", "(result) -> value"),
    ],
)
def test_a_signature_in_python(library: str, major: int, name: str, expected: str) -> None:
    assert text(bound(library, major).by_name[name]) == expected


@both
def test_bytes_that_a_header_calls_characters(major: int) -> None:
    """A module is any buffer with any bytes, and its name is text."""
    for name in ("nvvmAddModuleToProgram", "nvvmLazyAddModuleToProgram"):
        assert [p.elem for p in bound("nvvm", major).by_name[name].parameters] == ["handle", "ptr", "u64", "cstr"]


@both
def test_functions_without_a_status(major: int) -> None:
    found = {f.function.base: f for f in bound("runtime", major).functions if f.returns_value}
    assert found.keys() == {"cudaGetErrorName", "cudaGetErrorString", "cudaCreateChannelDesc"}
    assert [(p.kind, p.elem) for p in found["cudaGetErrorName"].outputs] == [("out", "cstr")]
    assert [(p.kind, p.type) for p in found["cudaCreateChannelDesc"].outputs] == [
        ("out_record", "cudaChannelFormatDesc")
    ]


@both
@each
def test_a_library_never_writes_more_than_there_is_room_for(library: str, major: int) -> None:
    """Every array that comes out has a length; where the library is told no size of a buffer, it is asked for it."""
    for function in bound(library, major).functions:
        for parameter in function.parameters:
            where = (function.function.name, parameter.name)
            if parameter.kind == "out_array":
                assert parameter.link is not None or parameter.sized_by is not None, where
            if parameter.elem == "char":
                assert parameter.kind == "out_array", where
            if "bytes_ok" in parameter.flags:
                assert "writable" in parameter.flags, where
                assert parameter.sized_by is not None, where


@both
@pytest.mark.parametrize("library", ["nvrtc", "nvjitlink", "nvvm"])
def test_each_buffer_of_a_compiler_is_sized(library: str, major: int) -> None:
    """Of these libraries, what is written through a pointer to characters or void is as long as a sibling says."""
    names = {f.function.base for f in bound(library, major).functions}
    for function in bound(library, major).functions:
        sizing = f"{function.function.base}Size"
        if sizing in names:
            (buffer,) = [p for p in function.parameters if "writable" in p.flags]
            assert buffer.sized_by == f"{sizing}_v1"


@both
@each
def test_calls_that_may_wait_or_call_back_release_the_gil(library: str, major: int) -> None:
    kept = [f for f in bound(library, major).functions if f.keep_gil]
    assert kept
    for function in kept:
        assert not any(p.elem in ("callback", "handle") for p in function.parameters), function.function.name


@both
def test_each_enumerator_that_decides_a_type_is_in_its_table(major: int) -> None:
    enums = {enum.name: enum for enum in bound("runtime", major).api.enums}
    assert len(bound("runtime", major).typed) == 6
    for table in bound("runtime", major).typed:
        assert {row.enumerator for row in table.rows} == {e.name for e in enums[table.enum].enumerators}


@both
def test_driver_and_runtime_take_each_others_handles(major: int) -> None:
    driver = bind(fold())
    handles = {handle.name for handle in driver.api.handles}
    pairs = {(a, b) for a, names in bound("runtime", major).equivalents.items() for b in names if b in handles}
    assert len(pairs) > 20
    for own, other in pairs:
        if not own.endswith("_const_t"):
            assert own in driver.equivalents[other], (own, other)
    runtime = bound("runtime", major)
    for own, names in driver.equivalents.items():
        for other in names:
            if other in runtime.equivalents:
                assert own in runtime.equivalents[other], (own, other)
