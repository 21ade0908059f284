# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every symbol of a library, called through its permanent name on the library's stub, to the bit.

A package's tests say which library:

    class TestSymbols(SymbolTests):
        suite = Suite("nvrtc13", cuda.nvrtc)
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.model.bind import bind
from codegen.model.binding import Binding, BoundFunction
from codegen.model.fold import fold

from .calls import Preparer, wrong_values
from .stub import Stub
from .values import Values


class Suite:
    def __init__(self, library: str, module: Any, binding: Binding | None = None) -> None:
        """`binding` is of the release that the module is of, where that is not the newest."""
        self.library = LIBRARIES[library]
        self.module = module
        self.binding = binding or bind(fold(self.library.name, major=self.library.major or None))
        self.preparer = Preparer(Values(module, self.binding))
        self.functions = [bound for bound in self.binding.functions if bound.function.platform != "windows"]
        result = getattr(module, self.library.result)
        self.success = result[self.library.result_success]
        self.failure = max(result)

    def callable_of(self, bound: BoundFunction) -> Any:
        return getattr(self.module, bound.function.name)

    def typed_rows(self, bound: BoundFunction) -> int:
        """How many calls it takes to have every row of the function's typed tables once."""
        return max((len(self.preparer.rows(p)) for p in bound.parameters), default=0)

    def typed(self) -> Iterator[tuple[BoundFunction, int]]:
        for bound in self.functions:
            for row in range(self.typed_rows(bound)):
                yield bound, row

    def sized(self) -> list[BoundFunction]:
        return [bound for bound in self.functions if any(p.sized_by for p in bound.parameters)]

    def names_of(self, bound: BoundFunction) -> set[str]:
        """Unversioned names that mean the function: where its base has no other version, or the module is a view."""
        function = bound.function
        if self.library.major:
            (view,) = self.binding.api.views
            return {name for name, permanent in view.functions.items() if permanent == function.name}
        versions = {f.version for f in self.binding.api.bases[function.base]}
        return {self.unversioned(bound)} if len(versions) == 1 else set()

    @staticmethod
    def unversioned(bound: BoundFunction) -> str:
        return bound.function.base + (f"_{bound.function.stream}" if bound.function.stream else "")


def names_function(message: str, bound: BoundFunction) -> bool:
    return any(f"{name}()" in message for name in (bound.function.name, bound.function.plain) if name)


class SymbolTests:
    suite: ClassVar[Suite]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "bound" in metafunc.fixturenames:
            metafunc.parametrize("bound", self.suite.functions, ids=lambda bound: bound.function.name)

    def test_call(self, stub: Stub, bound: BoundFunction) -> None:
        """Arguments and outputs, twice with other values, by position and by keyword."""
        call = self.suite.callable_of(bound)
        for salt, by_keyword in ((0, False), (1000, True)):
            prepared = self.suite.preparer.prepare(bound, salt)
            prepared.program(stub)
            before = stub.count()
            if by_keyword:
                names = list(prepared.arguments)
                random.Random(salt).shuffle(names)
                result = call(**{name: prepared.arguments[name] for name in names})
            else:
                result = call(*prepared.arguments.values())
            assert stub.count() == before + 1 + len(prepared.asked)
            prepared.check_seen(stub.call())
            prepared.check_results(result, self.suite.success)
            prepared.check_after()

    def test_plain_name_is_the_same_function(self, bound: BoundFunction) -> None:
        """Unversioned names are the function that they mean; those that would have several meanings are refused."""
        for name in self.suite.names_of(bound):
            assert getattr(self.suite.module, name) is self.suite.callable_of(bound)
        if not self.suite.library.major and not self.suite.names_of(bound):
            with pytest.raises(AttributeError, match=bound.function.name):
                getattr(self.suite.module, self.suite.unversioned(bound))

    def test_failure(self, stub: Stub, bound: BoundFunction) -> None:
        """When the library fails, outputs are None, but where they tell what went wrong."""
        prepared = self.suite.preparer.prepare(bound)
        prepared.program(stub, int(self.suite.failure))
        result = self.suite.callable_of(bound)(*prepared.arguments.values())
        prepared.check_seen(stub.call())
        if bound.returns_value:
            prepared.check_results(result, self.suite.success)  # the C function has no way to fail
        elif bound.outputs_on_error:
            prepared.check_results(result, self.suite.failure)
        else:
            assert result == (self.suite.failure, *[None] * len(bound.outputs))

    def test_wrong_number_of_arguments(self, stub: Stub, bound: BoundFunction) -> None:
        given = self.suite.preparer.prepare(bound).arguments
        call = self.suite.callable_of(bound)
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

    def test_wrong_arguments(self, stub: Stub, bound: BoundFunction) -> None:
        """Each parameter refuses what it cannot take, and says so with both names; the call is not made."""
        prepared = self.suite.preparer.prepare(bound)
        prepared.program(stub)
        given = list(prepared.arguments.values())
        problems: list[str] = []
        for i, parameter in enumerate(bound.inputs):
            for wrong in wrong_values(self.suite.preparer.values, bound, parameter, given[i]):
                label = f"{parameter.name}, {wrong.why}"
                arguments = [*given[:i], wrong.value, *given[i + 1 :]]
                problems += self.refuse(bound, arguments, wrong.error, parameter.name, label)
        assert not problems, "\n".join(problems)
        assert stub.count(bound.function.symbol) == 0

    def refuse(
        self, bound: BoundFunction, arguments: Sequence[Any], error: type[Exception], name: str, label: str
    ) -> list[str]:
        try:
            self.suite.callable_of(bound)(*arguments)
        except Exception as raised:
            text = str(raised)
            if type(raised) is not error:
                return [f"{label}: {type(raised).__name__} instead of {error.__name__}: {text}"]
            if not names_function(text, bound) or f"'{name}'" not in text:
                return [f"{label}: does not name function and parameter: {text}"]
            return []
        return [f"{label}: accepted"]


class TypedTests:
    """For a library with values whose type depends on an attribute or an option."""

    suite: ClassVar[Suite]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        rows = list(self.suite.typed())
        metafunc.parametrize(("bound", "row"), rows, ids=[f"{bound.function.name}-{row}" for bound, row in rows])

    def test_every_typed_value(self, stub: Stub, bound: BoundFunction, row: int) -> None:
        prepared = self.suite.preparer.prepare(bound, 0, row)
        prepared.program(stub)
        result = self.suite.callable_of(bound)(*prepared.arguments.values())
        prepared.check_seen(stub.call())
        prepared.check_results(result, self.suite.success)


class SizedTests:
    """For a library in which other functions tell how large a buffer has to be."""

    suite: ClassVar[Suite]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.parametrize("bound", self.suite.sized(), ids=lambda bound: bound.function.name)

    def test_size_is_not_told(self, stub: Stub, bound: BoundFunction) -> None:
        """Where the function that tells the size fails, the call that needs it is not made."""
        prepared = self.suite.preparer.prepare(bound)
        prepared.program(stub)
        ((teller, _, _),) = prepared.asked
        stub.clear(teller)
        stub.returns(teller, int(self.suite.failure))
        result = self.suite.callable_of(bound)(*prepared.arguments.values())
        assert result == (self.suite.failure, *[None] * len(bound.outputs))
        assert [call.symbol for call in stub.calls()] == [teller]
