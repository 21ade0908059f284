# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Rules, overrides, and what happens where neither says enough or one says too much."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from codegen.model.api import (
    Api,
    Callback,
    CType,
    Enum,
    Enumerator,
    Field,
    Function,
    Handle,
    Parameter,
    Record,
    Release,
    split_symbol,
)
from codegen.model.bind import bind, bind_with
from codegen.model.bind_stale import stale
from codegen.model.binding import Binding, BoundField, BoundParameter, TypedRow
from codegen.model.overrides import OverrideError, parse

NOW = Release(13, 5)


def function(symbol: str, *parameters: str, result: str = "CUresult") -> Function:
    base, version, stream = split_symbol(symbol)
    split = [text.rpartition(" ") for text in parameters]
    return Function(
        name=f"{base}_v{version}" + (f"_{stream}" if stream else ""),
        plain=None,
        symbol=symbol,
        base=base,
        version=version,
        stream=stream,
        parameters=tuple(Parameter(name, CType.parse(ctype)) for ctype, _, name in split),
        introduced=NOW,
        declared=NOW,
        header="cuda.h",
        platform="any",
        result=result,
    )


def record(name: str, *fields: str | Field, union: bool = False) -> Record:
    found, offset = [], 0
    for item in fields:
        if isinstance(item, Field):
            found.append(item)
        else:
            ctype, _, field_name = item.rpartition(" ")
            found.append(Field(field_name, CType.parse(ctype), 0 if union else offset, 8))
        offset += 8
    return Record(name, union, max(offset, 8), 8, tuple(found), NOW)


def api(*functions: Function, records: tuple[Record, ...] = (), release: Release = NOW) -> Api:
    return Api(
        library="driver",
        release=release,
        functions=functions,
        enums=(
            Enum("CUkind", (Enumerator("CU_KIND_A", 0, NOW), Enumerator("CU_KIND_B", 1, NOW)), NOW),
            Enum("CUresult", (Enumerator("CUDA_SUCCESS", 0, NOW),), NOW),
        ),
        records=(record("CUdesc", "int width"), *records),
        handles=(
            Handle("CUstream", "void *", 8, NOW),
            Handle("CUnode", "void *", 8, NOW),
            Handle("CUid", "unsigned int", 4, NOW),
        ),
        callbacks=(Callback("CUhostFn", "void", (), NOW),),
        constants=(),
        views=(),
    )


def bound(made: Api, **overrides: Any) -> Binding:
    return bind_with(made, parse({"releases": ["13.5"], "streams": ["CUstream"], **overrides}))


def one(parameter: str, *others: str, symbol: str = "cuCall") -> BoundParameter:
    return bound(api(function(symbol, parameter, *others))).functions[0].parameters[0]


def problem(made: Api, **overrides: Any) -> str:
    with pytest.raises(OverrideError) as caught:
        bound(made, **overrides)
    return str(caught.value)


def entry(names: list[str], functions: tuple[str, ...] = ("cuCall_v1",), **more: Any) -> dict[str, Any]:
    return {"functions": list(functions), "names": names, "reason": "It is so.", **more}


def named(*functions: str) -> dict[str, Any]:
    return {"functions": list(functions), "reason": "It is so."}


# ---- rules


@pytest.mark.parametrize(
    ("declaration", "kind", "elem", "type_"),
    [
        ("int x", "in", "i32", None),
        ("unsigned int x", "in", "u32", None),
        ("unsigned short x", "in", "u16", None),
        ("unsigned char x", "in", "u8", None),
        ("size_t x", "in", "u64", None),
        ("unsigned long long x", "in", "u64", None),
        ("long long x", "in", "i64", None),
        ("float x", "in", "f32", None),
        ("double x", "in", "f64", None),
        ("CUkind x", "in", "enum", "CUkind"),
        ("CUnode x", "in", "handle", "CUnode"),
        ("CUdesc x", "in", "record", "CUdesc"),
        ("CUhostFn x", "in", "callback", "CUhostFn"),
        ("void * x", "in", "ptr", None),
        ("const void * x", "in", "ptr", None),
        ("const char * x", "in", "cstr", None),
        ("const CUdesc * x", "in_record", "record", "CUdesc"),
        ("int * x", "out", "i32", None),
        ("float * x", "out", "f32", None),
        ("CUkind * x", "out", "enum", "CUkind"),
        ("CUnode * x", "out", "handle", "CUnode"),
        ("void ** x", "out", "ptr", None),
        ("const void ** x", "out", "ptr", None),
        ("const char ** x", "out", "cstr", None),
        ("CUdesc * x_out", "out_record", "record", "CUdesc"),
    ],
)
def test_what_a_type_says(declaration: str, kind: str, elem: str, type_: str | None) -> None:
    found = one(declaration)
    assert (found.kind, found.elem, found.type) == (kind, elem, type_)
    assert (found.flags, found.link, found.link2, found.typed) == (frozenset(), None, None, None)


def test_a_record_of_a_getter_is_a_result() -> None:
    assert one("CUdesc * x", symbol="cuThingGetDesc").kind == "out_record"


def test_only_a_stream_by_value_takes_other_streams() -> None:
    assert one("CUstream x").flags == {"stream"}
    assert one("CUstream * x").flags == frozenset()
    assert one("CUnode x").flags == frozenset()


def test_keywords_of_python_get_an_underscore() -> None:
    assert one("int from").name == "from_"
    assert one("int type").name == "type"


def test_inputs_and_outputs_keep_the_order_of_c() -> None:
    found = bound(api(function("cuCall", "CUnode * node", "int a", "size_t * size", "void * b"))).functions[0]
    assert [p.name for p in found.inputs] == ["a", "b"]
    assert [p.name for p in found.outputs] == ["node", "size"]


@pytest.mark.parametrize(
    ("declarations", "doubt"),
    [
        (("CUdesc * x",), "parameter x (CUdesc *): is the record read or written?"),
        (("char * x",), "parameter x (char *): a buffer of characters"),
        (("const CUnode * x",), "parameter x (const CUnode *): an array, but of how many?"),
        (("const CUnode ** x",), "parameter x (const CUnode **): no rule for a pointer to a pointer"),
        (("CUnode * x", "size_t numNodes"), "parameter x (CUnode *): is it an array of numNodes?"),
        (("const CUdesc * x", "unsigned int count"), "parameter x (const CUdesc *): is it an array of count?"),
        (("CUnode * x", "size_t * numNodes"), "parameter x (CUnode *): is it an array of numNodes?"),
        (("void ** x", "unsigned int count"), "parameter x (void **): is it an array of count?"),
        (("CUstranger x",), "parameter x (CUstranger): nobody knows the type 'CUstranger'"),
    ],
)
def test_a_doubt_names_the_parameter(declarations: tuple[str, ...], doubt: str) -> None:
    assert f"cuCall_v1, {doubt}" in problem(api(function("cuCall", *declarations)))


def test_all_doubts_are_told_at_once() -> None:
    text = problem(api(function("cuCall", "CUdesc * x"), function("cuOther", "char * y")))
    assert text.startswith("2 things do not bind")


@pytest.mark.parametrize("count", ["int x", "float count", "unsigned int counter", "unsigned int amount"])
def test_not_every_number_is_a_count(count: str) -> None:
    assert one("CUnode * node", count).kind == "out"


def test_a_count_alone_is_a_result() -> None:
    assert one("int * count").kind == "out"
    assert one("size_t * count", "CUnode node").kind == "out"


# ---- values that are returned


@pytest.mark.parametrize(
    ("result", "kind", "elem", "ctype"),
    [
        ("const char *", "out", "cstr", "const char **"),
        ("CUdesc", "out_record", "record", "CUdesc *"),
        ("size_t", "out", "u64", "size_t *"),
    ],
)
def test_a_value_in_place_of_a_status_is_a_last_parameter(result: str, kind: str, elem: str, ctype: str) -> None:
    found = bound(api(function("cuCall", "int x", result=result))).functions[0]
    assert found.returns_value
    assert [p.name for p in found.inputs] == ["x"]
    (value,) = found.outputs
    assert (value.kind, value.elem, str(value.ctype)) == (kind, elem, ctype)


def test_a_status_is_no_value() -> None:
    found = bound(api(function("cuCall", "int x"))).functions[0]
    assert not found.returns_value
    assert found.outputs == ()


@pytest.mark.parametrize("result", ["void", "CUnode *", "CUgone"])
def test_a_result_that_nobody_understands_is_an_error(result: str) -> None:
    assert f"cuCall_v1 returns {result}: neither a status nor a value" in problem(
        api(function("cuCall", result=result))
    )


# ---- overrides of parameters


def test_an_array_and_its_count() -> None:
    made = api(function("cuCall", "const CUnode * nodes", "size_t numNodes", "CUnode * made"))
    found = bound(made, parameter=[entry(["nodes"], kind="in_array", link="numNodes", flags=["one_ok"])]).functions[0]
    nodes, number, result = found.parameters
    assert (nodes.kind, nodes.elem, nodes.type, nodes.link) == ("in_array", "handle", "CUnode", 1)
    assert nodes.flags == {"one_ok"}
    assert number.kind == "in"
    assert result.kind == "out", "with the count taken, the other pointer leaves no doubt"


def test_a_number_that_only_looks_like_a_count() -> None:
    made = api(function("cuCall", "CUnode * x", "unsigned int numLevels"))
    assert bound(made, plain_count=[entry(["numLevels"])]).functions[0].parameters[0].kind == "out"


def test_a_fixed_number_of_elements() -> None:
    found = bound(api(function("cuCall", "float * x")), parameter=[entry(["x"], kind="out_array", fixed=4)])
    parameter = found.functions[0].parameters[0]
    assert (parameter.kind, parameter.link) == ("out_array", 4)
    assert parameter.flags == {"fixed"}


def test_flags_alone_leave_the_rest_to_the_rules() -> None:
    found = bound(api(function("cuCall", "void * x")), parameter=[entry(["x"], flags=["writable"])])
    parameter = found.functions[0].parameters[0]
    assert (parameter.kind, parameter.elem) == ("in", "ptr")
    assert parameter.flags == {"writable"}


def test_a_borrowed_array() -> None:
    made = api(function("cuCall", "const CUnode ** nodes", "size_t * numNodes"))
    found = bound(made, parameter=[entry(["nodes"], kind="out_borrowed", link="numNodes")]).functions[0]
    assert (found.parameters[0].elem, found.parameters[0].type) == ("handle", "CUnode")
    assert found.parameters[1].kind == "out"


def test_arrays_of_addresses() -> None:
    made = api(function("cuCall", "void ** x", "unsigned int count"))
    found = bound(made, parameter=[entry(["x"], kind="in_array", link="count")]).functions[0].parameters[0]
    assert (found.elem, found.type) == ("ptr", None)


def test_variants_for_per_thread_streams_share_the_entries_of_their_symbol() -> None:
    made = api(*(function(f"cuCall{suffix}", "CUdesc * x") for suffix in ("", "_ptds", "_ptsz")))
    found = bound(made, parameter=[entry(["x"], kind="in_record")], keep_gil=[named("cuCall_v1")])
    assert [f.parameters[0].kind for f in found.functions] == ["in_record"] * 3
    assert [f.keep_gil for f in found.functions] == [True] * 3


def test_versions_do_not_share_entries() -> None:
    made = api(function("cuCall", "CUdesc * x"), function("cuCall_v2", "CUdesc * x"))
    assert "cuCall_v2, parameter x" in problem(made, parameter=[entry(["x"], kind="in_record")])


def test_functions_that_keep_the_gil_or_return_outputs_on_errors() -> None:
    made = api(function("cuCall", "int * x"), function("cuOther", "int * x"))
    call, other = bound(made, keep_gil=[named("cuCall_v1")], outputs_on_error=[named("cuCall_v1")]).functions
    assert (call.keep_gil, call.outputs_on_error) == (True, True)
    assert (other.keep_gil, other.outputs_on_error) == (False, False)


SIZE = function("cuCallSize", "CUnode node", "size_t * size")


def test_another_function_tells_the_size() -> None:
    made = api(function("cuCall", "CUnode node", "char * text"), SIZE)
    writable = entry(["text"], kind="in", flags=["writable"], sized_by="cuCallSize_v1")
    text = bound(made, parameter=[writable]).functions[0].parameters[1]
    assert (text.kind, text.elem, text.sized_by) == ("in", "ptr", "cuCallSize_v1")
    assert text.flags == {"writable", "sized"}
    made = api(function("cuCall", "CUnode node", "int * items"), SIZE)
    listed = entry(["items"], kind="out_array", sized_by="cuCallSize_v1")
    items = bound(made, parameter=[listed]).functions[0].parameters[1]
    assert (items.kind, items.elem, items.link, items.sized_by) == ("out_array", "i32", None, "cuCallSize_v1")


@pytest.mark.parametrize(
    ("call", "sized_by", "complaint"),
    [
        (("CUnode node", "char * text"), "cuGone_v1", "there is no cuGone_v1 to tell the size"),
        (("char * text",), "cuCallSize_v1", "cuCallSize_v1 does not take the same arguments to tell the size"),
        (("int node", "char * text"), "cuCallSize_v1", "cuCallSize_v1 does not take the same arguments"),
    ],
)
def test_a_size_needs_somebody_to_tell_it(call: tuple[str, ...], sized_by: str, complaint: str) -> None:
    writable = entry(["text"], kind="in", flags=["writable"], sized_by=sized_by)
    assert complaint in problem(api(function("cuCall", *call), SIZE), parameter=[writable])


CALL = function("cuCall", "CUdesc * x", "int y")
RIGHT = entry(["x"], kind="in_record")


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ([entry(["x"], functions=("cuCall_v1", "cuGone_v1"), kind="in_record")], "there is no cuGone_v1"),
        ([entry(["x", "z"], kind="in_record")], "cuCall_v1 has no parameter z"),
        ([RIGHT, RIGHT], "cuCall_v1, parameter x: two entries"),
        ([RIGHT, entry(["y"], kind="in")], "parameter y (int): the override says what the rules say"),
        ([entry(["x"], kind="in_array", link="z")], "the override is linked to z, which the function does not have"),
        ([entry(["x"], kind="in_arrays")], "there is no kind in_arrays"),
        ([entry(["x"], flags=["writable"])], "the override does not say the kind, and the rules cannot"),
        ([RIGHT, entry(["y"], kind="out")], "parameter y (int): out of something that is no pointer"),
        ([entry(["x"], kind="out_borrowed", link="y")], "out_borrowed of something that is no pointer to a pointer"),
        ([entry(["x"], kind="out_array")], "parameter x: out_array needs a link"),
        ([entry(["x"], kind="in_record", link="y")], "the link of in_record is y, which is in"),
        ([entry(["x"], kind="in_typed", link="y", typed="none")], "there is no typed table none"),
        ([entry(["x"], kind="in_typed", link="y")], "parameter x: in_typed, typed = None"),
    ],
)
def test_an_override_that_does_not_fit_is_an_error(entries: list[dict[str, Any]], complaint: str) -> None:
    assert complaint in problem(api(CALL), parameter=entries)


def test_an_array_cannot_be_as_long_as_an_output_says() -> None:
    made = api(function("cuCall", "CUnode * x", "size_t * count"))
    text = problem(made, parameter=[entry(["x"], kind="out_array", link="count")])
    assert "the link of out_array is count, which is out" in text


def test_more_overrides_that_do_not_fit() -> None:
    assert "there is no cuGone_v1" in problem(api(), keep_gil=[named("cuGone_v1")])
    assert "there is no cuGone_v1" in problem(api(), outputs_on_error=[named("cuGone_v1")])
    nothing = problem(api(function("cuCall")), outputs_on_error=[named("cuCall_v1")])
    assert "cuCall_v1 has no outputs to return on errors" in nothing
    plain = problem(api(function("cuCall", "int x")), plain_count=[entry(["x"])])
    assert "cuCall_v1, parameter x: nothing takes it for a count" in plain
    assert "CUgone is no handle" in problem(api(), equivalents={"CUgone": ["cudaGone_t"]})
    assert "CUgone is no handle" in problem(api(), casts={"CUgone": ["CUnew"]})
    assert "CUgone is no handle" in problem(api(), streams=["CUgone"])


def test_an_older_api_need_not_have_what_overrides_name() -> None:
    made = api(CALL, release=Release(12, 9))
    entries = [entry(["x"], functions=("cuCall_v1", "cuNew_v1"), kind="in_record")]
    found = bound(made, parameter=entries, equivalents={"CUnew": ["cudaNew_t"]}, keep_gil=[named("cuNew_v1")])
    assert found.functions[0].parameters[0].kind == "in_record"
    assert found.equivalents == {}


def test_an_older_api_may_have_another_name_for_a_parameter() -> None:
    renamed = entry(["x"], kind="in_record", formerly=["old"])
    made = api(function("cuCall", "CUdesc * old"), release=Release(12, 9))
    assert bound(made, parameter=[renamed]).functions[0].parameters[0].kind == "in_record"
    text = problem(replace(made, release=NOW), parameter=[renamed])
    assert "cuCall_v1 has no parameter x" in text


def test_a_parameter_keeps_the_name_that_was_released() -> None:
    """Whatever later headers call it; entries speak of the name that programs use."""
    released = {"functions": ["cuCall_v1"], "header": "new", "name": "x", "reason": "13.6 renamed it."}
    entries = {"released_name": [released], "parameter": [entry(["x"], kind="in_record")]}
    for name, release in (("x", Release(13, 0)), ("new", NOW)):
        made = api(function("cuCall", f"CUdesc * {name}", "int y"), function("cuOther", "int new"), release=release)
        found = bound(made, **entries)
        assert [p.name for p in found.functions[0].parameters] == ["x", "y"]
        assert found.functions[0].parameters[0].kind == "in_record"
        assert [p.name for p in found.functions[0].function.parameters] == ["x", "y"]
        assert [p.name for p in found.functions[1].parameters] == ["new"]
    assert "cuCall_v1 has no parameter new" in problem(api(CALL), **entries)
    both = api(function("cuCall", "CUdesc * new", "CUdesc * x"))
    assert "cuCall_v1 has two parameters of one name" in problem(both, **entries)


def test_a_file_for_several_majors_need_not_fit_each_of_them() -> None:
    entries = [entry(["x"], kind="in_record"), entry(["y"], functions=("cuOld_v1", "cuNew_v1"), kind="in_record")]
    overrides = parse({"releases": ["12.9", "13.5"], "parameter": entries})
    old = api(CALL, function("cuOld", "CUdesc * y"), release=Release(12, 9))
    new = api(CALL, function("cuNew", "CUdesc * y"))
    for made in (old, new):
        assert [f.parameters[0].kind for f in bind_with(made, overrides).functions] == ["in_record"] * 2
    assert list(stale(overrides, [old, new])) == []
    assert list(stale(overrides, [old])) == ["override: there is no cuNew_v1"]


@pytest.mark.parametrize(
    ("release", "newest"),
    [((12, 8), False), ((12, 9), True), ((13, 0), False), ((13, 5), True), ((13, 6), True), ((14, 0), True)],
)
def test_a_file_speaks_of_the_last_release_of_each_major(release: tuple[int, int], newest: bool) -> None:
    assert parse({"releases": ["12.9", "13.5"]}).written_for(Release(*release)) is newest


# ---- the form of the file


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ({}, "releases must be a list of names"),
        ({"releases": ["13.5"], "parametre": []}, "unknown parametre"),
        ({"releases": ["13.5"], "parameter": [{"functions": ["f"], "names": ["x"]}]}, "parameter[0]: no reason"),
        ({"releases": ["13.5"], "parameter": [{"names": ["x"], "reason": "r"}]}, "functions must be a list of names"),
        ({"releases": ["13.5"], "parameter": [entry(["x"], kynd="in")]}, "parameter[0]: unknown kynd"),
        ({"releases": ["13.5"], "parameter": [entry(["x"], kind=1)]}, "kind is 1, expected str"),
        ({"releases": ["13.5"], "parameter": [entry(["x", "x"])]}, "names something twice"),
        ({"releases": ["13.5"], "parameter": [entry(["x"], link="y", fixed=4)]}, "link and fixed exclude each other"),
        ({"releases": ["13.5"], "equivalents": {"CUx": "cudaX_t"}}, "equivalents.CUx is 'cudaX_t', expected list"),
        (
            {
                "releases": ["13.5"],
                "typed": [{"name": "t", "enum": "E", "reason": "r", "rows": {}, "row_flags": {"A": ["bytes"]}}],
            },
            "row_flags for A, which has no row",
        ),
    ],
)
def test_a_file_of_another_form_is_refused(data: Mapping[str, Any], complaint: str) -> None:
    with pytest.raises(OverrideError) as caught:
        parse(data)
    assert complaint in str(caught.value)


# ---- typed values

GET = function("cuGet", "void * value", "CUkind kind")
TYPED = entry(["value"], functions=("cuGet_v1",), kind="out_typed", link="kind", typed="kinds")


def table(rows: Mapping[str, str], **more: Any) -> list[dict[str, Any]]:
    return [{"name": "kinds", "enum": "CUkind", "reason": "It is so.", "rows": rows, **more}]


def test_types_that_an_attribute_decides() -> None:
    found = bound(
        api(GET),
        parameter=[TYPED],
        typed=table({"CU_KIND_B": "char[16]", "CU_KIND_A": "CUdesc"}, row_flags={"CU_KIND_B": ["bytes"]}),
    )
    assert found.functions[0].parameters[0].typed == "kinds"
    assert found.typed[0].rows == (
        TypedRow("CU_KIND_A", "record", "CUdesc"),
        TypedRow("CU_KIND_B", "char", None, 16, frozenset({"bytes"})),
    )


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("int", TypedRow("CU_KIND_A", "i32")),
        ("_Bool", TypedRow("CU_KIND_A", "u8")),
        ("CUnode", TypedRow("CU_KIND_A", "handle", "CUnode")),
        ("void *", TypedRow("CU_KIND_A", "ptr")),
        ("int[]", TypedRow("CU_KIND_A", "i32", None, 0)),
        ("const char *[]", TypedRow("CU_KIND_A", "cstr", None, 0)),
    ],
)
def test_a_type_in_a_table(text: str, row: TypedRow) -> None:
    assert bound(api(GET), parameter=[TYPED], typed=table({"CU_KIND_A": text})).typed[0].rows == (row,)


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ({"CU_KIND_C": "int"}, "CU_KIND_C is not in CUkind"),
        ({"CU_KIND_A": "CUgone"}, "CU_KIND_A: nobody knows the type 'CUgone'"),
        ({"CU_KIND_A": "int *"}, "'int *' may mean several things"),
        ({"CU_KIND_A": "int[2][3]"}, "'int[2][3]' is no type"),
    ],
)
def test_a_table_that_does_not_fit_is_an_error(rows: Mapping[str, str], complaint: str) -> None:
    assert complaint in problem(api(GET), parameter=[TYPED], typed=table(rows))


def test_a_table_is_used_and_of_an_enum() -> None:
    assert "no parameter uses the typed table kinds" in problem(api(), typed=table({"CU_KIND_A": "int"}))
    gone = [dict(table({})[0], enum="CUgone")]
    assert "there is no enum CUgone" in problem(api(GET), parameter=[TYPED], typed=gone)


def test_an_older_enum_need_not_have_every_row() -> None:
    made = api(GET, release=Release(12, 9))
    found = bound(made, parameter=[TYPED], typed=table({"CU_KIND_A": "int", "CU_KIND_NEW": "int"}))
    assert [row.enumerator for row in found.typed[0].rows] == ["CU_KIND_A"]


# ---- fields


def fields(made: Record, **overrides: Any) -> tuple[BoundField, ...]:
    return bound(api(records=(made,)), **overrides).records[1].fields


def field_entry(names: list[str], **more: Any) -> dict[str, Any]:
    return {"records": ["CUnew"], "names": names, "reason": "It is so.", **more}


def test_what_the_type_of_a_field_says() -> None:
    made = record(
        "CUnew",
        "int number",
        "CUdesc inside",
        "const void * address",
        "void ** extra",
        "CUhostFn callback",
        "const char * text",
        Field("bytes", CType.parse("unsigned char"), 48, 16, 16),
        Field("handles", CType.parse("CUnode"), 64, 24, 3),
    )
    assert [(f.kind, f.elem, f.type, f.link, f.shares) for f in fields(made)] == [
        ("value", "i32", None, None, False),
        ("value", "record", "CUdesc", None, False),
        ("value", "ptr", None, None, False),
        ("value", "ptr", None, None, False),
        ("value", "callback", "CUhostFn", None, False),
        ("value", "cstr", None, None, False),
        ("array", "u8", None, None, False),
        ("array", "handle", "CUnode", None, False),
    ]


def test_fields_that_share_bytes() -> None:
    assert [f.shares for f in fields(record("CUnew", "int a", "CUnode b", union=True))] == [True, True]
    partly = record("CUnew", "int a", Field("b", CType.parse("int"), 8, 4), Field("c", CType.parse("char"), 8, 8, 8))
    assert [f.shares for f in fields(partly)] == [False, True, True]


def test_a_list_and_its_count() -> None:
    made = record("CUnew", "CUnode * nodes", "unsigned int count", "void ** params", "CUnode * one")
    found = fields(
        made,
        field=[
            field_entry(["nodes"], kind="list", link="count"),
            field_entry(["params"], kind="kernel_params"),
            field_entry(["one"], kind="value"),
        ],
    )
    assert [(f.kind, f.elem, f.type, f.link) for f in found] == [
        ("list", "handle", "CUnode", 1),
        ("value", "u32", None, None),
        ("kernel_params", "ptr", None, None),
        ("value", "ptr", None, None),
    ]


NODES = record("CUnew", "CUnode * nodes", "unsigned int count", "void * address")


@pytest.mark.parametrize(
    ("entries", "complaint"),
    [
        ([], "CUnew, field nodes (CUnode *): a pointer to one, to several, or the driver's own?"),
        ([field_entry(["nodes", "gone"], kind="list", link="count")], "CUnew has no field gone"),
        ([field_entry(["nodes"], kind="list", link="gone")], "linked to gone, which the record does not have"),
        ([field_entry(["nodes"], kind="lists")], "fields have no kind lists"),
        ([field_entry(["nodes"], kind="list")] * 2, "CUnew, field nodes: two entries"),
        ([field_entry(["address"], kind="value")], "field address (void *): the override says what the rules say"),
        ([field_entry(["address"], kind="list")], "field address (void *): no list can be made of the type"),
        ([field_entry(["count"], kind="list")], "field count (unsigned int): the override is for a field that is no"),
        ([dict(field_entry(["nodes"], kind="list"), records=["CUgone"])], "there is no record CUgone"),
    ],
)
def test_a_field_that_does_not_bind(entries: list[dict[str, Any]], complaint: str) -> None:
    assert complaint in problem(api(records=(NODES,)), field=entries)


# ---- the file in the repository


def test_bind_reads_a_file(tmp_path: Path) -> None:
    path = tmp_path / "driver.toml"
    path.write_text(
        'releases = ["13.5"]\n[[parameter]]\nfunctions = ["cuCall_v1"]\nnames = ["x"]\nkind = "in_record"\n'
    )
    with pytest.raises(OverrideError, match=r"driver\.toml: parameter\[0\]: no reason"):
        bind(api(CALL), path)
    path.write_text(path.read_text() + 'reason = "It is so."\n')
    assert bind(api(CALL), path).functions[0].parameters[0].kind == "in_record"
