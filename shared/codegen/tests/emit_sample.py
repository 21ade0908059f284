# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A made-up library, small enough to read, with one of everything that emitting has to handle."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from codegen.emit.libraries import LIBRARIES
from codegen.emit.outputs import outputs
from codegen.model.api import (
    Api,
    Callback,
    Constant,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Parameter,
    Record,
    Release,
    View,
    split_symbol,
)
from codegen.model.binding import (
    Binding,
    BoundField,
    BoundFunction,
    BoundParameter,
    BoundRecord,
    TypedRow,
    TypedTable,
)
from codegen.model.official import Official

R11, R12, R13 = Release(11, 2), Release(12, 0), Release(13, 5)


def bound(symbol: str, *parameters: BoundParameter, plain: bool = True, keep_gil: bool = False) -> BoundFunction:
    base, version, stream = split_symbol(symbol)
    tail = f"_{stream}" if stream else ""
    function = Function(
        name=f"{base}_v{version}{tail}",
        plain=f"{base}{tail}" if plain else None,
        symbol=symbol,
        base=base,
        version=version,
        stream=stream,
        parameters=tuple(Parameter(p.name, p.ctype) for p in parameters),
        introduced=R11 if version == 1 else R12,
        declared=R11,
        header="cuda.h",
        platform="any",
    )
    return BoundFunction(function, parameters, keep_gil)


def p(
    name: str, ctype: str, kind: str, elem: str, named: str | None = None, *flags: str, link: int | None = None
) -> BoundParameter:
    return BoundParameter(name, CType.parse(ctype), kind, elem, named, frozenset(flags), link)


def value(
    name: str,
    ctype: str,
    offset: int,
    size: int,
    elem: str,
    named: str | None = None,
    *,
    kind: str = "value",
    count: int | None = None,
    link: int | None = None,
    shares: bool = False,
) -> BoundField:
    return BoundField(Field(name, CType.parse(ctype), offset, size, count, R11), kind, elem, named, link, shares)


RESULT = Enum(
    "CUresult",
    (
        Enumerator("CUDA_SUCCESS", 0, R11),
        Enumerator("CUDA_ERROR_NOT_FOUND", 500, R11),
        Enumerator("CUDA_ERROR_NEW", 900, R13),
        Enumerator("CUDA_ERROR_OLD", 900, R11),
    ),
    R11,
    ("cudaError_enum",),
)
ATTRIBUTE = Enum(
    "CUattr",
    (
        Enumerator("CU_ATTR_INVALID", -1, R11),
        Enumerator("CU_ATTR_COUNT", 1, R11),
        Enumerator("CU_ATTR_CLOCK", 9, R11),  # 2 in CUDA 11
        Enumerator("CU_ATTR_NAME", 3, R12),
    ),
    R11,
)
MASK = Enum("CUmask", (Enumerator("CU_MASK_ALL", 0xFFFFFFFF, R11),), R11)

PLACE = Record(
    "CUplace",
    union=False,
    size=16,
    align=8,
    fields=(),
    since=R11,
    tags=("CUplace_st",),
)
PLACE_FIELDS = (
    value("kind", "CUattr", 0, 4, "enum", "CUattr"),
    value("weight", "float", 8, 4, "f32", shares=True),
    value("x", "short", 8, 2, "i16", shares=True),
    value("y", "short", 10, 2, "i16", shares=True),
    value("address", "void *", 8, 8, "ptr", shares=True),
)
NODE_DATA = Record("CUnode_v2.data", union=True, size=16, align=8, fields=(), since=R11)
NODE_DATA_FIELDS = (
    value("place", "CUplace", 0, 16, "record", "CUplace", shares=True),
    value("raw", "char", 0, 16, "char", count=16, kind="array", shares=True),
)
NODE = Record("CUnode_v2", union=False, size=64, align=8, fields=(), since=R12)
NODE_FIELDS = (
    value("count", "size_t", 0, 8, "u64"),
    value("places", "const CUplace *", 8, 8, "record", "CUplace", kind="list", link=0),
    value("kernelParams", "void **", 16, 8, "ptr", kind="kernel_params"),
    value("fn", "CUhostFn", 24, 8, "callback", "CUhostFn"),
    value("stream", "CUstream", 32, 8, "handle", "CUstream"),
    value("data", "CUnode_v2.data", 40, 16, "record", "CUnode_v2.data"),
    value("dims", "unsigned int", 56, 8, "u32", count=2, kind="array"),
)


def record(header: Record, fields: tuple[BoundField, ...]) -> BoundRecord:
    return BoundRecord(replace(header, fields=tuple(f.field for f in fields)), fields)


RECORDS = (record(PLACE, PLACE_FIELDS), record(NODE_DATA, NODE_DATA_FIELDS), record(NODE, NODE_FIELDS))

STREAM_IN = p("hStream", "CUstream", "in", "handle", "CUstream", "stream")
FUNCTIONS = (
    bound(
        "cuGet",
        p("value", "void *", "out_typed", "void", None, link=1),
        p("attr", "CUattr", "in", "enum", "CUattr"),
    ),
    bound("cuInit", p("Flags", "unsigned int", "in", "u32"), keep_gil=True),
    bound("cuMake", p("phStream", "CUstream *", "out", "handle", "CUstream"), plain=False),
    bound(
        "cuMake_v2",
        p("phStream", "CUstream *", "out", "handle", "CUstream"),
        p("place", "CUplace", "in", "record", "CUplace"),
        p("scale", "float", "in", "f32"),
        plain=False,
    ),
    bound("cuNames", p("name", "char *", "out_array", "char", None, link=1), p("len", "int", "in", "i32")),
    bound(
        "cuNodes",
        p("nodes", "const CUnode *", "in_array", "record", "CUnode_v2", "less_one", link=1),
        p("n", "size_t", "in", "u64"),
        p("edge", "CUnode *", "out_record", "record", "CUnode_v2"),
        p("fn", "CUhostFn", "in", "callback", "CUhostFn"),
        p("label", "const char *", "in", "cstr"),
        p("mask", "CUmask *", "inout", "enum", "CUmask", "optional"),
        p("reserved", "void *", "hidden", "ptr"),
    ),
    bound("cuSync", STREAM_IN),
    bound("cuSync_ptsz", STREAM_IN),
    bound(
        "cuTake",
        p("ptr", "CUdeviceptr_v2", "in", "handle", "CUdeviceptr_v2"),
        p("buffer", "void *", "in", "ptr", None, "writable"),
        p("params", "void **", "kernel_params", "ptr"),
        p("uuid", "char *", "out_array", "char", None, "fixed", link=16),
    ),
)

CONSTANTS = (
    Constant("CUDA_VERSION", 13050, "int", R11),
    Constant("CU_COUNT", 1, "int", R11, alias="CU_ATTR_COUNT"),
    Constant("CU_PI", 1.5, "double", R11),
    Constant("CU_STREAM_LEGACY", 1, "CUstream", R11),
    Constant("CU_TEXT", b'a "b"', "char *", R11),
    Constant("CU_TOP", (1 << 64) - 1, "unsigned long long", R11),
)
CLOCK_11 = {"CU_ATTR_INVALID": ("CUattr", -1), "CU_ATTR_COUNT": ("CUattr", 1), "CU_ATTR_CLOCK": ("CUattr", 2)}
CLOCK_13 = {e.name: ("CUattr", e.value) for e in ATTRIBUTE.enumerators}
RESULTS = {e.name: ("CUresult", e.value) for e in RESULT.enumerators}
TYPES = {
    "CUresult": "CUresult",
    "cudaError_enum": "CUresult",
    "CUattr": "CUattr",
    "CUmask": "CUmask",
    "CUplace": "CUplace",
    "CUplace_st": "CUplace",
    "CUstream": "CUstream",
    "CUdeviceptr": "CUdeviceptr_v2",
    "CUdeviceptr_v2": "CUdeviceptr_v2",
    "CUhostFn": "CUhostFn",
}
EVERYWHERE = {"cuGet": "cuGet_v1", "cuInit": "cuInit_v1", "cuNames": "cuNames_v1", "cuTake": "cuTake_v1"}


def view(
    major: int,
    release: Release,
    make: str,
    enumerators: dict[str, tuple[str, int]],
    types: dict[str, str] = TYPES,
) -> View:
    functions = {**EVERYWHERE, "cuSync": "cuSync_v1", "cuMake": make}
    constants = {c.name: c for c in CONSTANTS}
    constants["CUDA_VERSION"] = Constant("CUDA_VERSION", release.number, "int", R11)
    per_thread = {**functions, "cuSync": "cuSync_v1_ptsz"}
    declared = [b.function for b in FUNCTIONS if b.function.name in {*functions.values(), *per_thread.values()}]
    return View(
        major=major,
        release=release,
        functions=functions,
        per_thread=per_thread,
        types=types,
        enumerators=enumerators,
        constants=constants,
        spelled={f.name: tuple(p.type for p in f.parameters) for f in declared},
    )


BINDING = Binding(
    api=Api(
        library="driver",
        release=R13,
        functions=tuple(b.function for b in FUNCTIONS),
        enums=(ATTRIBUTE, MASK, RESULT),
        records=tuple(r.record for r in RECORDS),
        handles=(
            Handle("CUdeviceptr_v2", "unsigned long long", 8, R11),
            Handle("CUstream", "void *", 8, R11),
        ),
        callbacks=(Callback("CUhostFn", "void", (Parameter("userData", CType.parse("void *")),), R11),),
        constants=CONSTANTS,
        views=(
            view(11, Release(11, 8), "cuMake_v1", enumerators={**CLOCK_11, "CUDA_SUCCESS": ("CUresult", 0)}),
            view(
                13,
                R13,
                "cuMake_v2",
                enumerators={**CLOCK_13, **RESULTS, "CU_MASK_ALL": ("CUmask", 0xFFFFFFFF)},
                types={**TYPES, "CUnode": "CUnode_v2", "CUnode_v2": "CUnode_v2"},
            ),
        ),
    ),
    functions=FUNCTIONS,
    records=RECORDS,
    typed=(
        TypedTable(
            "attr",
            "CUattr",
            (TypedRow("CU_ATTR_NAME", "char", None, 16, frozenset({"bytes"})), TypedRow("CU_ATTR_COUNT", "i32")),
        ),
    ),
    equivalents={"CUstream": ("cudaStream_t",)},
    casts={},
    streams=frozenset({"CUstream"}),
    official=Official("cuda.bindings.cydriver", frozenset({"cuda.h"})),
)


def write_golden() -> None:
    """Rewrite the golden files; look at the diff before it is committed."""
    for name, text in outputs(BINDING, LIBRARIES["driver"]).items():
        path = golden(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def golden(name: str) -> Path:
    """`.txt`, so that no tool takes them for sources of ours."""
    return Path(__file__).parent / "golden" / "emit" / f"{name}.txt"


if __name__ == "__main__":
    write_golden()
