# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The rules behind the rows, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codegen.emit import layout, names, tables, thunks
from codegen.emit.abi import Abi, enum_elem
from codegen.emit.errors import EmitError, fits
from codegen.emit.libraries import LIBRARIES
from codegen.emit.names import Common, Meaning
from codegen.model.api import Enum, Enumerator, Record
from codegen.model.binding import Binding, BoundFunction, BoundRecord, TypedRow, TypedTable
from codegen.tests.emit_sample import BINDING, FUNCTIONS, R11, R13, STREAM_IN, bound, p, value

DRIVER = LIBRARIES["driver"]


def with_functions(*functions: BoundFunction) -> Binding:
    api = replace(BINDING.api, functions=tuple(f.function for f in functions), views=())
    return replace(BINDING, api=api, functions=functions)


def test_a_string_is_in_the_pool_once() -> None:
    pool = tables.Pool()
    assert (pool(""), pool("ab"), pool("c"), pool("ab"), pool("d")) == (0, 1, 4, 1, 6)


def test_a_pool_refuses_what_c_cannot_hold() -> None:
    with pytest.raises(EmitError, match="NUL"):
        tables.Pool()("a\0b")


@pytest.mark.parametrize(("number", "bits"), [(255, 8), (65535, 16), (-1, 8), (1 << 40, 16)])
def test_a_number_that_does_not_fit_is_refused(number: int, bits: int) -> None:
    with pytest.raises(EmitError, match=f"size of it: {number} does not fit in {bits} bits"):
        fits(number, bits, "size of it")


def test_the_largest_number_that_fits() -> None:
    assert (fits(254, 8, ""), fits(65534, 16, "")) == (254, 65534)


def test_a_record_that_is_too_large_is_named() -> None:
    record = BoundRecord(Record("CUbig", False, 1 << 32, 8, (), R11), ())
    api = replace(BINDING.api, records=(*BINDING.api.records, record.record))
    with pytest.raises(EmitError, match="size of CUbig: 4294967296"):
        tables.emit(replace(BINDING, api=api, records=(*BINDING.records, record)), DRIVER)


def test_equal_parameter_lists_are_shared() -> None:
    one = tables.emit(with_functions(bound("cuA", STREAM_IN)), DRIVER)
    two = tables.emit(with_functions(bound("cuA", STREAM_IN), bound("cuB", STREAM_IN)), DRIVER)
    other = tables.emit(with_functions(bound("cuA", STREAM_IN), bound("cuB", replace(STREAM_IN, name="s"))), DRIVER)
    assert [text.partition(".nparams = ")[2].partition(",")[0] for text in (one, two, other)] == ["1", "1", "2"]


def test_one_thunk_for_one_signature() -> None:
    made = thunks.plan(BINDING)
    assert made.row["cuSync_v1"] == made.row["cuSync_v1_ptsz"] == made.row["cuMake_v1"]
    assert len(set(made.signatures)) == len(made.signatures)
    assert set(made.row) == {f.function.name for f in FUNCTIONS}


def test_the_newest_name_that_is_still_declared_leads() -> None:
    enumerators = [
        Enumerator("A", 1, R11),
        Enumerator("Z", 1, R13),
        Enumerator("GONE", 1, R13),
        Enumerator("N", -1, R11),
    ]
    enum = Enum("E", tuple(enumerators), R11)
    newest = replace(BINDING.api.views[-1], enumerators=dict.fromkeys("AZ", ("E", 1)))
    ordered = names.ordered(replace(BINDING.api, views=(newest,)), enum)
    assert [e.name for e in ordered] == ["N", "Z", "A", "GONE"]


def test_an_enumerator_that_moved_is_the_later_enums() -> None:
    before, after = Enumerator("CU_SPLIT", 1, R11), Enumerator("CU_SPLIT", 1, R13)
    enums = (Enum("CUafter", (after,), R13), Enum("CUbefore", (before,), R11))
    views = tuple(
        replace(view, enumerators={"CU_SPLIT": (enum, 1)}, types={}, constants={})
        for view, enum in zip(BINDING.api.views, ("CUbefore", "CUafter"), strict=True)
    )
    collected = names.collect(replace(BINDING, api=replace(BINDING.api, enums=enums, views=views)))
    owner = {s.name: collected.enumerators[s.names["CU_SPLIT"].ref][0] for s in collected.scopes}
    assert (owner[""], owner["cu11"], owner["cu13.per_thread"]) == ("CUafter", "CUbefore", "CUafter")


@pytest.mark.parametrize(("values", "elem"), [((0, 1), "i32"), ((-1, 5), "i32"), ((0xFFFFFFFF,), "u32"), ((), "i32")])
def test_the_type_of_an_enum(values: tuple[int, ...], elem: str) -> None:
    assert enum_elem(Enum("E", tuple(Enumerator(f"E{v}", v, R11) for v in values), R11)) == elem


def test_an_enum_of_64_bits_is_refused() -> None:
    with pytest.raises(EmitError, match="do not fit in 32 bits"):
        enum_elem(Enum("E", (Enumerator("E", 1 << 32, R11),), R11))


def test_names_with_one_meaning_are_one_row() -> None:
    f, g = Meaning("function", 0), Meaning("function", 1)
    common, own = names.split([{"a": f, "b": f}, {"a": f, "b": g}, {"a": f, "b": g, "c": f}])
    assert common == (Common("a", f, 0b111), Common("b", g, 0b110), Common("c", f, 0b100))
    assert own == ((("b", f),), (), ())


def test_names_ascend_as_bytes() -> None:
    assert names.by_bytes(["cuB", "cu_a", "CUa", "cuA"]) == ["CUa", "cuA", "cuB", "cu_a"]


def test_one_name_with_two_meanings_is_refused() -> None:
    constant = replace(BINDING.api.constants[0], name="CU_ATTR_COUNT", value=99)
    with pytest.raises(EmitError, match="the module: CU_ATTR_COUNT means both"):
        names.collect(replace(BINDING, api=replace(BINDING.api, constants=(constant,))))


def test_typed_rows_with_one_value_must_agree() -> None:
    rows = (TypedRow("CU_ATTR_COUNT", "i32"), TypedRow("CU_ATTR_COUNT", "u64"))
    with pytest.raises(EmitError, match="one value and two types"):
        tables.emit(replace(BINDING, typed=(TypedTable("attr", "CUattr", rows),)), DRIVER)


def test_typed_rows_ascend() -> None:
    text = tables.emit(BINDING, DRIVER)
    rows = text.partition("cs_typed_rows[] = {\n")[2].partition("};")[0].splitlines()
    assert [int(row.split("{")[1].split(",")[0]) for row in rows] == [1, 3]


def test_an_unknown_type_is_named_with_its_parameter() -> None:
    broken = with_functions(bound("cuX", p("h", "CUnone", "in", "handle", "CUnone")))
    with pytest.raises(EmitError, match=r"cuX_v1\(h\): no handle named CUnone"):
        thunks.emit(broken)


def test_overlapping_fields_that_no_union_explains_are_refused() -> None:
    fields = (value("a", "int", 0, 4, "i32"), value("b", "short", 4, 2, "i16"), value("c", "int", 2, 4, "i32"))
    record = BoundRecord(Record("CUodd", False, 8, 4, tuple(f.field for f in fields), R11), fields)
    api = replace(BINDING.api, records=(*BINDING.api.records, record.record))
    with pytest.raises(EmitError, match=r"CUodd\.c: cannot tell the union"):
        layout.define(Abi(replace(BINDING, api=api, records=(*BINDING.records, record))), ["CUodd"])
