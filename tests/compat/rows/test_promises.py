# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What this tree's registry promises holds in the wheel, whatever the wheel was made from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from codegen.model.api import View
from codegen.model.bind import bind
from cuda import driver_stable
from cuda.driver_stable import _core
from support.values import INT_SIZES, Values, pattern

from . import facts

RELEASED = facts.released()
API = facts.api(RELEASED[-1])
FINISHED = {view.major for view in facts.api(facts.release()).views[:-1]}
each_view = pytest.mark.parametrize("view", API.views, ids=lambda view: f"cu{view.major}")


def test_every_permanent_name_is_there_and_means_its_symbol() -> None:
    rows = {row["name"]: row for row in _core.functions()}
    for bound in bind(API).functions:
        function = bound.function
        row = rows.get(function.name)
        assert row is not None, f"{function.name} is gone"
        assert row["symbol"] == function.symbol, function.name
        assert row["introduced"] == function.introduced.number, function.name
        names = [parameter[0] for parameter in row["parameters"]]
        assert names == [parameter.name for parameter in bound.parameters], function.name
        one = getattr(driver_stable, function.name)
        if function.plain:
            assert getattr(driver_stable, function.plain, None) is one, f"{function.plain} is gone, or another function"


def test_permanent_types_are_there() -> None:
    for group in (API.enums, API.handles, API.callbacks, [r for r in API.records if not r.inline]):
        for one in group:
            assert isinstance(getattr(driver_stable, one.name, None), type), f"{one.name} is gone"


@each_view
def test_a_view_is_as_it_was(view: View) -> None:
    """That of the newest major may have grown; those before have what they had, and nothing else."""
    for twin, functions in ((None, view.functions), ("per_thread", view.per_thread)):
        module = import_module(".".join(filter(None, (f"cuda.driver_stable.cu{view.major}", twin))))
        for name, permanent in functions.items():
            means = getattr(driver_stable, permanent, module)
            assert facts.meaning(module, name) is means, f"{name} is not {permanent}"
        had = {*functions, *view.types, *view.enumerators, *view.constants}
        missing = had - set(module.__all__) - {"per_thread"}
        assert not missing
        if view.major in FINISHED:
            here = {name for name in module.__all__ if name.startswith("cu")}
            assert here <= had | {"per_thread"}, sorted(here - had)


@each_view
def test_values_of_a_view_are_as_they_were(view: View) -> None:
    module: Any = import_module(f"cuda.driver_stable.cu{view.major}")
    moving = _moving() if view.major not in FINISHED else {}
    for name, (enum, value) in view.enumerators.items():
        assert int(getattr(module, name)) in {value, moving.get(name)}, f"{enum}.{name}"
    for name, type_ in view.types.items():
        if name not in facts.api(facts.release()).aliases:
            assert getattr(module, name).__name__.rpartition(".")[2] in {type_, name}, name


def _moving() -> Mapping[str, int]:
    """What names the end of an enumeration follows it while its major is the current one."""
    view = next(v for v in facts.api(facts.release()).views if v.major == RELEASED[-1].major)
    return {n: value for n, (_, value) in view.enumerators.items() if n.endswith("_MAX") or "_NUM_" in n}


def test_no_record_shrank_or_moved_a_field() -> None:
    """Bytes are written where the registry has each field, and read through the attribute of its name."""
    bound = bind(API)
    values = Values(driver_stable, bound)
    fields = 0
    for one in bound.records:
        name = one.record.name
        record = values.cls(name)()
        size = memoryview(record).nbytes
        assert size >= one.record.size, f"{name} shrank: {size} bytes, {one.record.size} were promised"
        raw = pattern(size, 3)
        record = values.record(name, raw)
        for field in one.fields:
            begin, end = field.field.offset, field.field.offset + field.field.size
            if field.kind == "value" and field.elem in INT_SIZES:
                number = int.from_bytes(raw[begin:end], "little", signed=field.elem.startswith("i"))
                assert getattr(record, field.field.name, None) == number, f"{name}.{field.field.name}"
                fields += 1
    assert fields > 200
