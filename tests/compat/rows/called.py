# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Calls many functions to the bit, and collects what was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from codegen.model.api import Release
from codegen.model.binding import BoundFunction
from support.calls import Mismatch
from support.stub import Stub
from support.symbols import Suite


def problem(suite: Suite, stub: Stub, bound: BoundFunction, function: Callable[..., Any], salt: int) -> str | None:
    """One call: what the library must see, what it answers, what Python must get."""
    prepared = suite.preparer.prepare(bound, salt)
    prepared.program(stub)
    before = stub.count()
    try:
        result = function(*prepared.arguments.values())
        if stub.count() != before + 1 + len(prepared.asked):
            return f"{bound.function.name}: {stub.count() - before} calls of the library"
        prepared.check_seen(stub.call())
        prepared.check_results(result, suite.success)
        prepared.check_after()
    except Mismatch as error:
        return f"{bound.function.name}: {error}"
    except Exception as error:
        return f"{bound.function.name}: {type(error).__name__}: {error}"
    return None


def refusal(suite: Suite, bound: BoundFunction, function: Callable[..., Any], errors: Any) -> str | None:
    """A call of what the library is too old for: the error has to tell since which CUDA version there is one."""
    prepared = suite.preparer.prepare(bound)
    name, since = bound.function.name, bound.function.introduced
    try:
        result = function(*prepared.arguments.values())
    except errors.FunctionNotFoundError as error:
        said = str(error)
        return None if f"was introduced with CUDA {since}" in said else f"{name}: does not say CUDA {since}: {said}"
    except Exception as error:
        return f"{name}: {type(error).__name__}: {error}"
    return f"{name}: answered {result[0]!r}"


def problems(suite: Suite, stub: Stub, library: Release, functions: dict[str, Callable[..., Any]]) -> Iterator[str]:
    """`functions` by permanent name: called where the library has them, refused where it has not."""
    for salt, bound in enumerate(suite.functions):
        if function := functions.get(bound.function.name):
            there = bound.function.introduced <= library
            found = (
                problem(suite, stub, bound, function, salt) if there else refusal(suite, bound, function, suite.module)
            )
            if found:
                yield found
