# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Facts to the API: permanent names, views, and the API as it was."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from codegen.ingest import assign
from codegen.model.api import Api, Constant, CType, Enumerator, Release
from codegen.model.fold import fold_registry
from codegen.model.registry import Fact, FunctionName, LibraryRow, Registry, Retraction
from codegen.tests import made_headers as made

R14_0, R14_1, R15_0 = made.ALL


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    return made.ingest(tmp_path_factory.mktemp("headers"), *made.ALL)


@pytest.fixture(scope="module")
def api(registry: Registry) -> Api:
    return fold_registry(registry)


def test_permanent_names_are_given_once(registry: Registry) -> None:
    names = {row.symbol: (row.name, row.plain) for row in registry.functions}
    assert names["cuInit"] == ("cuInit_v1", "cuInit")
    assert names["cuThingPush_ptsz"] == ("cuThingPush_v1_ptsz", "cuThingPush_ptsz")
    # Two versions when names were first given: none of them is the plain one, whatever comes later.
    assert names["cuThingMake"] == ("cuThingMake_v1", None)
    assert names["cuThingMake_v3"] == ("cuThingMake_v3", None)
    # One version when it came: that one keeps the plain name.
    assert names["cuKindName"] == ("cuKindName_v1", "cuKindName")
    assert names["cuKindName_v2"] == ("cuKindName_v2", None)


def test_a_base_that_comes_later_with_two_versions_has_the_first_as_plain(registry: Registry) -> None:
    value = {"header": "cuda.h", "parameters": ""}
    facts = [Fact("functions/cuLate", "declared", (name,), R15_0, value) for name in ("cuLate_v2", "cuLate")]
    names = assign.assign(dataclasses.replace(registry, facts=(*registry.facts, *facts))).functions
    assert FunctionName("cuLate", "cuLate_v1", "cuLate") in names
    assert FunctionName("cuLate_v2", "cuLate_v2", None) in names


def test_no_names_before_the_first_release_of_the_project(tmp_path: Path) -> None:
    registry = made.ingest(tmp_path, R14_0)
    bare = dataclasses.replace(registry, functions=(), types=())
    assert assign.assign(bare, first=R14_1) == bare


def test_functions(api: Api) -> None:
    make = [f for f in api.functions if f.base == "cuThingMake"]
    assert [(f.name, f.symbol, f.version) for f in make] == [
        ("cuThingMake_v1", "cuThingMake", 1),
        ("cuThingMake_v2", "cuThingMake_v2", 2),
        ("cuThingMake_v3", "cuThingMake_v3", 3),
    ]
    assert [str(p.type) for p in make[0].parameters] == ["CUthing *", "unsigned int", "CUaddr_v1"]
    assert [str(p.type) for p in make[1].parameters] == ["CUthing *", "const CUshape_v1 *"]
    assert [str(p.type) for p in make[2].parameters] == ["CUthing *", "const CUshape_v2 *"]
    assert [f.introduced for f in make] == [Release(2, 0), Release(3, 2), R15_0]
    assert [f.declared for f in make] == [R14_0, R14_0, R15_0]
    push = api.by_name["cuThingPush_ptsz"]
    assert (push.stream, push.symbol, push.introduced) == ("ptsz", "cuThingPush_ptsz", Release(7, 0))
    assert push.parameters[1].type == CType.parse("CUaddr_v2")
    assert api.by_name["cuKindName"].introduced == R14_1  # no header tells: the first that showed it


def test_records(api: Api) -> None:
    records = {record.name: record for record in api.records}
    assert list(records) == ["CUshape_v1.extent", "CUshape_v1", "CUshape_v2"]
    shape = records["CUshape_v1"]
    assert (shape.size, shape.align, shape.tags) == (48, 8, ("CUshape_st",))
    assert shape.sizes == ((R14_0, 40), (R14_1, 48))
    fields = {field.name: field for field in shape.fields}
    assert fields["extent"].type.base == "CUshape_v1.extent"
    assert (str(fields["at"].type), fields["at"].count) == ("CUaddr_v2", 2)
    assert fields["more"].since == R14_1
    assert records["CUshape_v2"].since == R15_0


def test_enums_are_the_union_with_the_latest_value(api: Api) -> None:
    kind = next(enum for enum in api.enums if enum.name == "CUkind")
    assert kind.tags == ("CUkind_enum",)
    assert kind.enumerators == (
        Enumerator("CU_KIND_A", 1, R14_0),
        Enumerator("CU_KIND_C", 3, R14_1),
        Enumerator("CU_KIND_B", 20, R14_0),
        Enumerator("CU_KIND_MAX", 21, R14_0),
    )


def test_handles_callbacks_constants(api: Api) -> None:
    handles = {handle.name: (handle.underlying, handle.size) for handle in api.handles}
    assert handles == {
        "CUaddr_v1": ("unsigned int", 4),
        "CUaddr_v2": ("unsigned long long", 8),
        "CUthing": ("void *", 8),
    }
    (callback,) = api.callbacks
    assert [(str(p.type), p.name) for p in callback.parameters] == [
        ("CUresult", "status"),
        ("const char *const *", "words"),
        ("void *", "data"),
    ]
    constants = {constant.name: constant for constant in api.constants}
    assert constants["CU_THING_LEGACY"] == Constant("CU_THING_LEGACY", 1, "CUthing", R14_0)
    assert constants["CU_GREETING"] == Constant("CU_GREETING", b"hello", "char *", R14_0)
    assert constants["CU_BREADTH"].alias == "CU_WIDTH"


def test_views_say_what_the_last_header_of_their_major_says(api: Api) -> None:
    old, new = api.views
    assert (old.major, old.release, new.major, new.release) == (14, R14_1, 15, R15_0)
    assert old.functions["cuThingMake"] == "cuThingMake_v2"
    assert new.functions["cuThingMake"] == new.functions["cuThingMake_v3"] == "cuThingMake_v3"
    assert "cuThingMake_v2" not in new.functions
    assert old.functions["cuKindName"] == "cuKindName_v1"
    assert new.functions["cuKindName"] == "cuKindName_v2"
    assert new.functions["cuThingPush"] == "cuThingPush_v1"
    assert new.per_thread["cuThingPush"] == new.per_thread["cuThingPush_ptsz"] == "cuThingPush_v1_ptsz"
    assert "cuThingPush_ptsz" not in new.functions
    assert old.types["CUshape"] == old.types["CUshape_v1"] == old.types["CUshape_st"] == "CUshape_v1"
    assert new.types["CUshape"] == "CUshape_v2"
    assert new.types["CUaddr"] == "CUaddr_v2"
    assert "CUaddr_v1" not in new.types
    assert old.enumerators["CU_KIND_B"] == ("CUkind", 2)
    assert new.enumerators["CU_KIND_B"] == ("CUkind", 20)
    assert "CU_KIND_C" not in new.enumerators
    assert (old.constants["CUDA_VERSION"].value, new.constants["CUDA_VERSION"].value) == (14010, 15000)


def test_as_of_is_the_api_as_it_was(registry: Registry, api: Api) -> None:
    then = fold_registry(registry, as_of=R14_0)
    assert then.release == R14_0
    assert {f.base for f in then.functions} == {"cuInit", "cuThingMake", "cuThingPush", "cuThingFind"}
    assert next(r for r in then.records if r.name == "CUshape_v1").size == 40
    assert [view.release for view in then.views] == [R14_0]
    # The same names and signatures, only fewer.
    assert {f.name: (f.plain, f.parameters, f.introduced) for f in then.functions}.items() <= {
        f.name: (f.plain, f.parameters, f.introduced) for f in api.functions
    }.items()
    assert fold_registry(registry, as_of=Release(14, 9)).release == R14_1
    with pytest.raises(ValueError, match=r"no release up to 13\.0"):
        fold_registry(registry, as_of=Release(13, 0))


def test_a_type_that_became_another_ones_alias(registry: Registry) -> None:
    added = (
        Fact("enums/CUsort", "enum", ("CUsort_enum",), R14_0, {"header": "cuda.h"}),
        Fact("enums/CUsort", "enum", ("CUsort_enum",), R15_0, None),
        Fact("enums/CUsort", "enumerator", ("CUsort_enum", "CU_SORT_A"), R14_0, {"value": 1}),
        Fact("enums/CUsort", "enumerator", ("CUsort_enum", "CU_SORT_A"), R15_0, None),
        Fact("enums/CUsort", "typedef", ("CUsort",), R14_0, {"type": "CUsort_enum", "header": "cuda.h"}),
        Fact("enums/CUsort", "typedef", ("CUsort",), R15_0, {"type": "CUkind", "header": "cuda.h"}),
    )
    registry = assign.assign(dataclasses.replace(registry, facts=(*registry.facts, *added)))
    now, then = fold_registry(registry), fold_registry(registry, as_of=R14_1)
    assert dict(now.aliases) == {"CUsort": "CUkind"}
    assert now.views[-1].types["CUsort"] == "CUkind"
    assert "CUsort" not in {enum.name for enum in now.enums}
    assert "CUsort" in {enum.name for enum in then.enums}
    assert not then.aliases


def test_a_retracted_fact_does_not_count(registry: Registry) -> None:
    key = ("CUkind_enum", "CU_KIND_B")
    wrong = Retraction("enums/CUkind", "enumerator", key, R15_0, {"value": 20}, "a test")
    right = Fact("enums/CUkind", "enumerator", key, R15_0, {"value": 22})
    corrected = dataclasses.replace(registry, retractions=(wrong,), facts=(*registry.facts, right))
    assert fold_registry(corrected).views[-1].enumerators["CU_KIND_B"] == ("CUkind", 22)
    with pytest.raises(ValueError, match=r"two facts at 15\.0 for enumerator CUkind_enum CU_KIND_B"):
        fold_registry(dataclasses.replace(registry, facts=(*registry.facts, right)))


def test_exports_that_no_header_declares(registry: Registry) -> None:
    row = LibraryRow("600.1", R14_1, 2, ("cuHidden", "cuInit"), ())
    api = fold_registry(assign.assign(dataclasses.replace(registry, libraries=(row,))))
    (hidden,) = api.undeclared
    assert (hidden.name, hidden.declared, hidden.introduced, hidden.header) == ("cuHidden_v1", None, R14_1, "")
    assert "cuHidden" not in api.by_name
