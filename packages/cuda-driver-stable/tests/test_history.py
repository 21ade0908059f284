# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the package tells of names, against what the registry says: every base, every type, every major."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

import cuda.driver_stable as driver
from codegen.model.api import Api, Function, View
from codegen.model.fold import fold
from cuda.driver_stable._tools import history
from cuda.driver_stable._tools.library import driver as library


@cache
def facts() -> Api:
    return fold("driver")


def permanent(function: Function) -> str:
    return function.plain or function.name


def views() -> list[tuple[View, bool, Mapping[str, str]]]:
    return [
        (view, per_thread, names)
        for view in facts().views
        for per_thread, names in ((False, view.functions), (True, view.per_thread))
    ]


def prototype(function: Function) -> str:
    """As C writes it, with the names of parameters from the package: Python's keywords are spelled otherwise there."""
    names = [row[0] for row in library().rows[function.name]["parameters"]]
    types = [str(parameter.type) for parameter in function.parameters]
    joined = ", ".join(f"{t}{'' if t.endswith('*') else ' '}{n}" for t, n in zip(types, names, strict=True))
    return f"{function.result} {function.symbol}({joined or 'void'})"


BASES = sorted(facts().bases)
TYPES = [
    (kind.name, kind.since)
    for group in (facts().enums, facts().records, facts().handles, facts().callbacks)
    for kind in group
    if "." not in kind.name
]


def test_the_registry_has_what_is_checked_here() -> None:
    assert len(BASES) >= 516
    assert len(TYPES) >= 300
    assert [view.major for view in facts().views] == [11, 12, 13]


@pytest.mark.parametrize("base", BASES)
class TestBase:
    def test_resolve(self, base: str) -> None:
        for view, per_thread, names in views():
            if base in names:
                expected = permanent(facts().by_name[names[base]])
                assert driver.resolve(base, cuda=view.major, per_thread=per_thread) == expected
            else:
                with pytest.raises(ValueError, match=f"CUDA {view.major} has no function or type"):
                    driver.resolve(base, cuda=view.major, per_thread=per_thread)

    def test_versions(self, base: str) -> None:
        expected = {f.name: f for f in facts().bases[base]}
        for _, _, names in views():
            if base in names:
                expected[names[base]] = facts().by_name[names[base]]
        found = driver.versions(base)
        assert sorted(version.name for version in found) == sorted(map(permanent, expected.values()))
        for version in found:
            function = facts().by_name[version.name]
            assert version.symbol == function.symbol
            assert version.introduced == (function.introduced.major, function.introduced.minor)
            assert version.introduced == driver.required_cuda(version.name)
            assert version.signature == prototype(function)
            majors = {view.major for view, _, names in views() if names.get(base) == function.name}
            assert version.default_in == tuple(sorted(majors))

    def test_show(self, base: str) -> None:
        shown = history.show(library(), base)
        assert shown.kind == "function"
        assert [(v.name, v.default_in) for v in shown.versions] == [
            (v.name, v.default_in) for v in driver.versions(base)
        ]
        text = "\n".join(history.describe_shown(library(), shown))
        for version in shown.versions:
            assert version.available is driver.is_available(version.name)
            assert version.available is (facts().by_name[version.name].platform != "windows")
            assert f"\n{version.name}  since CUDA {version.introduced}" in text


@pytest.mark.parametrize(("name", "since"), TYPES, ids=[name for name, _ in TYPES])
def test_type(name: str, since: object) -> None:
    assert str(driver.required_cuda(name)) == str(since)
    assert driver.is_available(name) is True  # the stub driver is of the newest CUDA
    found = {version.name: version for version in driver.versions(name)}
    assert found[name].symbol is None
    assert str(found[name].introduced) == str(since)
    shown = history.show(library(), name)
    assert shown.kind == "type"
    assert name in [version.name for version in shown.versions]


@pytest.mark.parametrize("view", facts().views, ids=lambda view: f"cu{view.major}")
def test_every_type_of_a_view(view: View) -> None:
    for name, target in view.types.items():
        assert driver.resolve(name, cuda=view.major) == target
        assert target in [version.name for version in driver.versions(name)], name


def test_versions_of_a_type() -> None:
    found = {version.name: version.default_in for version in driver.versions("CUDA_KERNEL_NODE_PARAMS")}
    assert found == {
        "CUDA_KERNEL_NODE_PARAMS_v1": (11,),
        "CUDA_KERNEL_NODE_PARAMS_v2": (12, 13),
        "CUDA_KERNEL_NODE_PARAMS_v3": (),
    }
    assert driver.versions("CUDA_KERNEL_NODE_PARAMS_st") == driver.versions("CUDA_KERNEL_NODE_PARAMS_v2")
    (fields,) = (v.signature for v in driver.versions("CUDA_KERNEL_NODE_PARAMS") if v.name.endswith("_v2"))
    assert "CUkernel kern;" in fields


@pytest.mark.parametrize(("old", "new", "functions"), [(11, 12, 13), (12, 13, 15), (11, 13, 24)])
def test_difference(old: int, new: int, functions: int) -> None:
    """Name by name what the views of the registry say; as many as the headers were found to change."""
    before, after = ({v.major: v for v in facts().views}[major] for major in (old, new))
    found = history.difference(library(), old, new)
    changed = {c.name: (c.old, c.new) for c in found.changed if c.kind == "function"}
    assert changed == {
        name: (permanent(facts().by_name[function]), permanent(facts().by_name[after.functions[name]]))
        for name, function in before.functions.items()
        if name in after.functions and after.functions[name] != function
    }
    assert len(changed) == functions
    values = {name: value for name, (_, value) in before.enumerators.items()}
    again = {name: value for name, (_, value) in after.enumerators.items()}
    values |= {c.name: c.value for c in before.constants.values() if isinstance(c.value, int)}
    again |= {c.name: c.value for c in after.constants.values() if isinstance(c.value, int)}
    assert {c.name: (int(c.old), int(c.new)) for c in found.changed if c.kind == "value"} == {
        name: (value, again[name]) for name, value in values.items() if name in again and again[name] != value
    }
    names = [{*v.functions, *v.types, *v.enumerators, *v.constants} for v in (before, after)]
    assert set(found.added) == names[1] - names[0]
    assert set(found.removed) == names[0] - names[1]
    assert set(history.difference(library(), new, old).added) == set(found.removed)


def test_difference_of_a_major_and_itself() -> None:
    found = history.difference(library(), 12, 12)
    assert (found.changed, found.added, found.removed) == ((), (), ())


def test_listed() -> None:
    rows = history.listed(library(), pattern="*", since=None, not_in_driver=False, per_thread=True)
    assert {row.name for row in rows} == {permanent(f) for f in facts().functions if f.platform != "windows"}
    since = history.listed(
        library(), pattern="cuGraph*", since=driver.CudaVersion(13, 4), not_in_driver=False, per_thread=False
    )
    assert [row.name for row in since] == ["cuGraphAddNode_v3", "cuGraphNodeSetParams_v2"]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("cuctxcreate", "cuCtxCreate"),
        ("cuCtxCraete", "cuCtxCreate"),
        ("cuMemAloc", "cuMemAlloc"),
        ("CUDA_SUCESS", "CUDA_SUCCESS"),
        ("CUDeviceptr", "CUdeviceptr"),
    ],
)
def test_near_names(wrong: str, right: str) -> None:
    with pytest.raises(history.UnknownNameError, match=f"did you mean .*{right}"):
        history.show(library(), wrong)


def test_a_name_that_is_near_to_none() -> None:
    with pytest.raises(history.UnknownNameError, match=r"knows no name 'zzz'$"):
        history.show(library(), "zzz")


@pytest.mark.parametrize("text", ["", "13.", "13.5.1", "x", "-1.0"])
def test_what_is_no_cuda_version(text: str) -> None:
    with pytest.raises(ValueError, match="is not a CUDA version"):
        driver.CudaVersion.parse(text)
    assert driver.CudaVersion.parse("13") == (13, 0)
    assert driver.CudaVersion.parse("13.5") == (13, 5)
