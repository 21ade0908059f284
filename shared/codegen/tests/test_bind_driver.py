# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver API as the registry has it, bound by overrides/driver.toml."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from codegen.model.api import Release
from codegen.model.bind import bind
from codegen.model.binding import Binding, BoundFunction, BoundParameter
from codegen.model.fold import fold

# Two families of types became one at 11.8.
UNITED = {
    "CUkernelNodeAttrID": "CUlaunchAttributeID",
    "CUstreamAttrID": "CUlaunchAttributeID",
    "CUkernelNodeAttrValue_v1": "CUlaunchAttributeValue",
    "CUstreamAttrValue_v1": "CUlaunchAttributeValue",
}


@cache
def driver(as_of: Release | None = None) -> Binding:
    return bind(fold(as_of=as_of))


def releases() -> Iterator[Release]:
    newest = fold()
    yield from sorted({f.declared for f in newest.functions if f.declared} - {newest.release})


def said(p: BoundParameter) -> tuple[object, ...]:
    """All but the name, which changes with the headers."""
    return p.kind, p.elem, UNITED.get(p.type or "", p.type), p.flags, p.link, p.link2, p.typed


def text(function: BoundFunction) -> str:
    inputs = ", ".join(p.name + ("=0" if "optional" in p.flags else "") for p in function.inputs)
    return f"({inputs}) -> {', '.join(p.name for p in function.outputs)}"


def test_everything_binds() -> None:
    binding = driver()
    assert [f.function for f in binding.functions] == list(binding.api.functions)
    assert [r.record for r in binding.records] == list(binding.api.records)
    for function in binding.functions:
        assert [p.ctype for p in function.parameters] == [p.type for p in function.function.parameters]
    for record in binding.records:
        assert [f.field for f in record.fields] == list(record.record.fields)


def test_variants_for_per_thread_streams_are_bound_like_their_symbol() -> None:
    plain = {(f.function.base, f.function.version): f for f in driver().functions if not f.function.stream}
    variants = [f for f in driver().functions if f.function.stream]
    assert len(variants) > 100
    for variant in variants:
        function = plain[variant.function.base, variant.function.version]
        assert [said(p) for p in variant.parameters] == [said(p) for p in function.parameters], variant.function.name
        assert variant.keep_gil == function.keep_gil
        assert variant.outputs_on_error == function.outputs_on_error


@pytest.mark.parametrize("release", list(releases()), ids=str)
def test_a_symbol_is_bound_the_same_as_of_every_release(release: Release) -> None:
    newest = driver().by_name
    for function in driver(release).functions:
        now = newest[function.function.name]
        assert [said(p) for p in function.parameters] == [said(p) for p in now.parameters], function.function.name
        assert (function.keep_gil, function.outputs_on_error) == (now.keep_gil, now.outputs_on_error)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("cuInit", "(Flags) -> "),
        ("cuCtxCreate_v2", "(flags, dev) -> pctx"),
        ("cuCtxCreate_v3", "(paramsArray, numParams, flags, dev) -> pctx"),
        ("cuCtxCreate_v4", "(ctxCreateParams, flags, dev) -> pctx"),
        ("cuMemAlloc_v1", "(bytesize) -> dptr"),
        ("cuMemGetInfo_v1", "() -> free, total"),
        ("cuGraphInstantiate_v1", "(hGraph, logBuffer, bufferSize) -> phGraphExec, phErrorNode"),
        ("cuGraphInstantiate_v2", "(hGraph, logBuffer, bufferSize) -> phGraphExec, phErrorNode"),
        ("cuGraphInstantiateWithFlags", "(hGraph, flags) -> phGraphExec"),
        ("cuGraphExecUpdate_v1", "(hGraphExec, hGraph) -> hErrorNode_out, updateResult_out"),
        ("cuGraphExecUpdate_v2", "(hGraphExec, hGraph) -> resultInfo"),
        ("cuGraphGetEdges_v1", "(hGraph, numEdges=0) -> from_, to, numEdges"),
        ("cuGraphGetEdges_v2", "(hGraph, numEdges=0) -> from_, to, edgeData, numEdges"),
        ("cuStreamGetCaptureInfo_v1", "(hStream) -> captureStatus_out, id_out"),
        (
            "cuStreamGetCaptureInfo_v2",
            "(hStream) -> captureStatus_out, id_out, graph_out, dependencies_out, numDependencies_out",
        ),
        (
            "cuStreamGetCaptureInfo_v3",
            "(hStream) -> captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out",
        ),
        ("cuGetProcAddress_v1", "(symbol, cudaVersion, flags) -> pfn"),
        ("cuGetProcAddress_v2", "(symbol, cudaVersion, flags) -> pfn, symbolStatus"),
        ("cuDeviceGetName", "(len, dev) -> name"),
        ("cuPointerGetAttributes", "(numAttributes, attributes, ptr) -> data"),
        ("cuMemRangeGetAttribute", "(dataSize, attribute, devPtr, count) -> data"),
        ("cuCoredumpGetAttribute", "(attrib) -> value, size"),
        ("cuCoredumpSetAttribute", "(attrib, value) -> size"),
        ("cuThreadExchangeStreamCaptureMode", "(mode) -> mode"),
        ("cuLogsDumpToMemory", "(iterator, buffer, size, flags) -> iterator, size"),
        ("cuEGLStreamConsumerAcquireFrame", "(conn, pCudaResource, pStream, timeout) -> "),
        ("cuD3D9GetDevices", "(cudaDeviceCount, pD3D9Device, deviceList) -> pCudaDeviceCount, pCudaDevices"),
    ],
)
def test_a_signature_in_python(name: str, expected: str) -> None:
    assert text(driver().by_name[name]) == expected


def test_the_driver_never_writes_more_than_there_is_room_for() -> None:
    """Every array that comes out has a length, and so has every buffer of characters that is not the caller's."""
    for function in driver().functions:
        for parameter in function.parameters:
            if parameter.kind == "out_array":
                assert parameter.link is not None, (function.function.name, parameter.name)
            if parameter.elem == "char":
                assert parameter.kind == "out_array", (function.function.name, parameter.name)


def test_calls_that_may_wait_or_call_back_release_the_gil() -> None:
    kept = [f for f in driver().functions if f.keep_gil]
    assert kept
    for function in kept:
        assert not any(p.elem == "callback" or "stream" in p.flags for p in function.parameters)
        assert "ynchronize" not in function.function.base
        assert "Create" not in function.function.base


def test_each_enumerator_that_decides_a_type_is_in_its_table() -> None:
    """What an enum of attributes counts or bounds is no attribute; a new attribute needs a row."""
    enums = {enum.name: enum for enum in driver().api.enums}
    for table in driver().typed:
        have = {row.enumerator for row in table.rows}
        values = {e.value for e in enums[table.enum].enumerators if e.name in have}
        missing = {e.name for e in enums[table.enum].enumerators if e.value not in values}
        assert {name for name in missing if not name.endswith(("_MAX", "_NUM_OPTIONS"))} == set()
