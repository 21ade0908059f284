# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The views, name by name, against what the C compiler makes of every header of their major."""

from __future__ import annotations

import importlib
import inspect
import pickle
from functools import cache
from typing import Any

import pytest

from codegen.model.api import Release, View
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from cuda.driver_stable import _core
from support.headers import HEADERS, PER_THREAD, Headers, headers
from support.stub import Stub

API = fold("driver")
VIEWS = {view.major: view for view in API.views}
RELEASES = [Release.parse(text) for text in ("11.2", "11.7", "11.8")]
RELEASES += [Release(12, minor) for minor in (0, 1, 2, 3, 4, 5, 6, 8, 9)]
RELEASES += [Release(13, minor) for minor in range(6)]
MASK = (1 << 32) - 1

each_release = pytest.mark.parametrize("release", RELEASES, ids=str)
each_mode = pytest.mark.parametrize("per_thread", [False, True], ids=["legacy", "per_thread"])


@cache
def permanent() -> dict[str, str]:
    return {row["symbol"]: row["name"] for row in _core.functions()}


# What only Windows has, and types of other APIs, are not in the headers that are read here.
ELSEWHERE = {f.name for f in API.functions if f.platform == "windows"}
ELSEWHERE |= {t.name for group in (API.enums, API.records, API.handles, API.callbacks) for t in group
            if t.header not in HEADERS}  # fmt: skip


def module_of(major: int, per_thread: bool = False) -> Any:
    return importlib.import_module(f"cuda.driver_stable.cu{major}" + (".per_thread" if per_thread else ""))


def last_of(major: int) -> Release:
    return max(release for release in RELEASES if release.major == major)


def function_names(module: Any) -> set[str]:
    named = {name: getattr(module, name) for name in module.__all__ if name.startswith("cu")}
    functions = {name: value for name, value in named.items() if callable(value) and not isinstance(value, type)}
    windows = [getattr(cuda, name) for name in ELSEWHERE if name.startswith("cu")]
    return {name for name, value in functions.items() if value not in windows}


def enumerators_of(view: View) -> set[str]:
    return {name for name, (enum, _) in view.enumerators.items() if enum not in ELSEWHERE}


def test_releases_are_those_of_the_registry() -> None:
    assert max(RELEASES) == API.release
    assert {release.major for release in RELEASES} == set(VIEWS)
    assert all(view.release == last_of(view.major) for view in VIEWS.values())


@each_mode
@each_release
def test_functions(release: Release, per_thread: bool) -> None:
    """A name means the symbol that the header's macros make of it."""
    module = module_of(release.major, per_thread)
    expected = headers(release).functions(PER_THREAD if per_thread else ())
    assert len(expected) > 390
    found: dict[str, Any] = {name: getattr(module, name, None) for name in expected}
    if per_thread and "cuGetProcAddress" in expected:  # one function more, around that of the driver
        found["cuGetProcAddress"] = found["cuGetProcAddress"].__wrapped__
    wrong = [
        f"{name}: {found[name]} instead of {symbol}"
        for name, symbol in expected.items()
        if found[name] is not getattr(cuda, permanent()[symbol])
    ]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("major", sorted(VIEWS))
def test_the_driver_is_asked_for_functions_of_the_same_default_stream(stub: Stub, major: int) -> None:
    """As cuda.h does it; who says which streams are meant is taken at their word."""
    either = cuda.CU_GET_PROC_ADDRESS_LEGACY_STREAM | cuda.CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
    twin = cuda.CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
    for per_thread in (False, True):
        ask = module_of(major, per_thread).cuGetProcAddress
        symbol = permanent_symbol(ask)
        stub.returns(symbol)
        for flags in (0, 1, twin, either, 8, cuda.CU_GET_PROC_ADDRESS_DEFAULT):
            assert ask(b"cuMemcpy", 12000, flags)[0] == 0
            passed = int.from_bytes(stub.call().arguments[3], "little")
            assert passed == (flags | twin if per_thread and not flags & either else flags)
            assert ask(flags=flags, symbol=b"cuMemcpy", cudaVersion=12000)[0] == 0
            assert int.from_bytes(stub.call().arguments[3], "little") == passed
        for nothing in (None, cuda.cuuint64_t(0)):
            assert ask(b"cuMemcpy", 12000, nothing)[0] == 0
            assert int.from_bytes(stub.call().arguments[3], "little") == (twin if per_thread else 0)
        refused: tuple[Any, ...] = ("0", 1.0, [])
        for wrong in refused:
            with pytest.raises(TypeError, match="flags"):
                ask(b"cuMemcpy", 12000, wrong)
        with pytest.raises(OverflowError, match="flags"):
            ask(b"cuMemcpy", 12000, -8)
        assert list(inspect.signature(ask).parameters) == ["symbol", "cudaVersion", "flags"]
        assert pickle.loads(pickle.dumps(ask)) is ask
        assert ask.__name__.startswith("cuGetProcAddress")


def permanent_symbol(function: Any) -> str:
    function = getattr(function, "__wrapped__", function)
    return next(str(row["symbol"]) for row in _core.functions() if getattr(cuda, row["name"]) is function)


@each_mode
@pytest.mark.parametrize("major", sorted(VIEWS))
def test_functions_are_those_of_the_last_header(major: int, per_thread: bool) -> None:
    expected = headers(last_of(major)).functions(PER_THREAD if per_thread else ())
    assert function_names(module_of(major, per_thread)) == set(expected)


def numbers_of(found: Headers, view: View) -> dict[str, int]:
    """What the header says of every enumerator and integer constant of the view."""
    wanted = [*enumerators_of(view), *(c.name for c in view.constants.values() if isinstance(c.value, int))]
    return dict(found.numbers(wanted))


@each_release
def test_enumerators(release: Release) -> None:
    """Values that a later header of the major moves (ends of enumerations, masks) are those of the last one."""
    view, module = VIEWS[release.major], module_of(release.major)
    found = numbers_of(headers(release), view)
    newest = numbers_of(headers(last_of(release.major)), view)
    moved = set()
    for name, number in found.items():
        value = int(getattr(module, name))
        if value & MASK != number & MASK:
            assert value & MASK == newest[name] & MASK, name
            moved.add(name)
    assert all(is_open_end(name) for name in moved), moved
    if release == last_of(release.major):
        assert not moved
        assert not enumerators_of(view) - set(found)
    else:
        header = {enum.name: enum.header for enum in API.enums}
        there = {name for name in enumerators_of(view) if header[view.enumerators[name][0]] in headers(release).present}
        later = there - set(found)
        since = {e.name: e.since for enum in API.enums for e in enum.enumerators}
        assert all(since[name] > release for name in later)


def is_open_end(name: str) -> bool:
    whole = ("CUDA_VERSION", "CU_COREDUMP_LIGHTWEIGHT_FLAGS")  # the latter is the union of other flags
    return name in whole or name.endswith(("_MAX", "_MASK")) or "_NUM_" in name


@each_release
def test_constants(release: Release) -> None:
    view, module = VIEWS[release.major], module_of(release.major)
    found = headers(release).numbers(c.name for c in view.constants.values() if isinstance(c.value, int))
    wrong = {
        name: (int(getattr(module, name)), number)
        for name, number in found.items()
        if int(getattr(module, name)) % (1 << 64) != number and not is_open_end(name)
    }
    assert not wrong
    if release == last_of(release.major):
        assert {c.name for c in view.constants.values() if isinstance(c.value, int)} == set(found)


@each_release
def test_types(release: Release) -> None:
    """Every type name of the view has the size that the header gives it; a record may have grown since."""
    view, module = VIEWS[release.major], module_of(release.major)
    spelled = {name: [f"sizeof({word}{name})" for word in ("", "struct ", "union ", "enum ")]
               for name, type_ in view.types.items() if type_ not in ELSEWHERE}  # fmt: skip
    found = headers(release).numbers(text for texts in spelled.values() for text in texts)
    records = {record.name: record for record in API.records}
    missing = []
    for name, texts in spelled.items():
        size = next((found[text] for text in texts if text in found), None)
        if size is None:
            missing.append(name)
        elif view.types[name] in records:
            ours = memoryview(getattr(module, name)()).nbytes
            assert ours == size or (ours > size and records[view.types[name]].sizes), name
    if release == last_of(release.major):
        assert not missing
