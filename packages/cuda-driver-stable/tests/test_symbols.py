# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every symbol of a Linux driver, called through its permanent name, to the bit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from codegen.model.bind import bind
from codegen.model.binding import BoundFunction
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from support.calls import Preparer, wrong_values
from support.stub import Stub
from support.values import Values

BINDING = bind(fold("driver"))
PREPARER = Preparer(Values(cuda, BINDING))
FUNCTIONS = [bound for bound in BINDING.functions if bound.function.platform != "windows"]
SUCCESS = cuda.CUresult.CUDA_SUCCESS
FAILURE = cuda.CUresult.CUDA_ERROR_NOT_SUPPORTED

each = pytest.mark.parametrize("bound", FUNCTIONS, ids=lambda bound: bound.function.name)


def callable_of(bound: BoundFunction) -> Any:
    return getattr(cuda, bound.function.name)


def names_function(message: str, bound: BoundFunction) -> bool:
    return any(f"{name}()" in message for name in (bound.function.name, bound.function.plain) if name)


def typed_rows(bound: BoundFunction) -> int:
    """How many calls it takes to have every row of the function's typed tables once."""
    return max((len(PREPARER.rows(p)) for p in bound.parameters), default=0)


TYPED = [(bound, row) for bound in FUNCTIONS for row in range(typed_rows(bound))]


def test_there_are_as_many_as_we_say() -> None:
    assert len(FUNCTIONS) == 723


@each
def test_call(stub: Stub, bound: BoundFunction) -> None:
    """Arguments and outputs, twice with other values, by position and by keyword."""
    for salt, by_keyword in ((0, False), (1000, True)):
        prepared = PREPARER.prepare(bound, salt)
        prepared.program(stub)
        before = stub.count()
        if by_keyword:
            names = list(prepared.arguments)
            random.Random(salt).shuffle(names)
            result = callable_of(bound)(**{name: prepared.arguments[name] for name in names})
        else:
            result = callable_of(bound)(*prepared.arguments.values())
        assert stub.count() == before + 1
        prepared.check_seen(stub.call())
        prepared.check_results(result, SUCCESS)
        prepared.check_after()


@each
def test_plain_name_is_the_same_function(bound: BoundFunction) -> None:
    """A base with one version has its name without the number too; one with several is refused without it."""
    function = bound.function
    plain = function.base + (f"_{function.stream}" if function.stream else "")
    versions = {f.version for f in BINDING.api.bases[function.base]}
    if len(versions) == 1:
        assert getattr(cuda, plain) is callable_of(bound)
    else:
        with pytest.raises(AttributeError, match=function.name):
            getattr(cuda, plain)


@each
def test_failure(stub: Stub, bound: BoundFunction) -> None:
    """When the driver fails, outputs are None, but where they tell what went wrong."""
    prepared = PREPARER.prepare(bound)
    prepared.program(stub, int(FAILURE))
    result = callable_of(bound)(*prepared.arguments.values())
    prepared.check_seen(stub.call())
    if bound.outputs_on_error:
        prepared.check_results(result, FAILURE)
    else:
        assert result == (FAILURE, *[None] * len(bound.outputs))


@pytest.mark.parametrize(("bound", "row"), TYPED, ids=lambda x: str(x) if isinstance(x, int) else x.function.name)
def test_every_typed_value(stub: Stub, bound: BoundFunction, row: int) -> None:
    """Values whose type depends on an attribute or an option."""
    prepared = PREPARER.prepare(bound, 0, row)
    prepared.program(stub)
    result = callable_of(bound)(*prepared.arguments.values())
    prepared.check_seen(stub.call())
    prepared.check_results(result, SUCCESS)


@each
def test_wrong_number_of_arguments(stub: Stub, bound: BoundFunction) -> None:
    prepared = PREPARER.prepare(bound)
    call = callable_of(bound)
    given = prepared.arguments
    with pytest.raises(TypeError) as too_many:
        call(*given.values(), None)
    assert names_function(str(too_many.value), bound)
    with pytest.raises(TypeError) as unknown:
        call(*given.values(), no_such_parameter=1)
    assert names_function(str(unknown.value), bound)
    assert "no_such_parameter" in str(unknown.value)
    for name, parameter in zip(given, bound.inputs, strict=True):
        rest = {key: value for key, value in given.items() if key != name}
        if "optional" not in parameter.flags:
            with pytest.raises(TypeError) as missing:
                call(**rest)
            assert names_function(str(missing.value), bound)
            assert f"'{name}'" in str(missing.value)
    if given:
        first = next(iter(given))
        with pytest.raises(TypeError) as twice:
            call(*given.values(), **{first: given[first]})
        assert names_function(str(twice.value), bound)
        assert f"'{first}'" in str(twice.value)
    assert stub.count() == 0


@each
def test_wrong_arguments(stub: Stub, bound: BoundFunction) -> None:
    """Each parameter refuses what it cannot take, and says so with both names; the driver is not asked."""
    prepared = PREPARER.prepare(bound)
    given = list(prepared.arguments.values())
    problems: list[str] = []
    for i, parameter in enumerate(bound.inputs):
        for wrong in wrong_values(PREPARER.values, bound, parameter, given[i]):
            label = f"{parameter.name}, {wrong.why}"
            problems += refuse(bound, [*given[:i], wrong.value, *given[i + 1 :]], wrong.error, parameter.name, label)
    assert not problems, "\n".join(problems)
    assert stub.count() == 0


def refuse(bound: BoundFunction, arguments: Sequence[Any], error: type[Exception], name: str, label: str) -> list[str]:
    try:
        callable_of(bound)(*arguments)
    except Exception as raised:
        text = str(raised)
        if type(raised) is not error:
            return [f"{label}: {type(raised).__name__} instead of {error.__name__}: {text}"]
        if not names_function(text, bound) or f"'{name}'" not in text:
            return [f"{label}: does not name function and parameter: {text}"]
        return []
    return [f"{label}: accepted"]
