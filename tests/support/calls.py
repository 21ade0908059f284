# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""One call of each function: what Python gives, what the driver must then see, what it answers, what Python must get.

Everything follows from how the registry binds each parameter (codegen.model.binding); the engine has no part in it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from codegen.model.binding import BoundFunction, BoundParameter, TypedRow

from .stub import Call, Place, Stub
from .values import INT_SIZES, Value, Values, describe, is_same, pattern

COUNT = 3  # elements of every array
DIVISOR = 2  # where a count is a quotient


class Mismatch(AssertionError):  # noqa: N818 - it is what a failed assertion raises
    """The text holds no record's repr: a record full of made-up bytes has pointers that lead nowhere."""


def require(condition: bool, text: str) -> None:
    if not condition:
        raise Mismatch(text)


@dataclass
class Prepared:
    """A call that is ready to be made."""

    bound: BoundFunction
    arguments: dict[str, Any] = field(default_factory=dict)
    raw: dict[int, bytes] = field(default_factory=dict)  # what an argument's own bytes must be
    seen: list[tuple[Place, bytes]] = field(default_factory=list)  # what must lie in memory when the call arrives
    written: list[tuple[Place, bytes]] = field(default_factory=list)  # what the driver writes
    asked: list[tuple[str, Place, bytes]] = field(default_factory=list)  # what others answer that are called first
    results: list[tuple[str, Any]] = field(default_factory=list)  # Value or list of Values, after the status
    after: list[Callable[[], None]] = field(default_factory=list)  # what must hold of the arguments afterwards
    keep: list[Any] = field(default_factory=list)

    def program(self, stub: Stub, status: int = 0) -> None:
        symbol = self.bound.function.symbol
        stub.clear(symbol)
        stub.returns(symbol, status)
        for place, _ in self.seen:
            stub.captures(symbol, place, len(_))
        for place, data in self.written:
            stub.writes(symbol, place, data)
        for other, place, data in self.asked:
            stub.clear(other)
            stub.writes(other, place, data)

    def check_seen(self, call: Call) -> None:
        function, parameters = self.bound.function, self.bound.parameters
        require(call.symbol == function.symbol, f"{function.name} called {call.symbol}")
        for i, expected in self.raw.items():
            found = call.arguments[i]
            require(found == expected, f"{parameters[i].name}: {found.hex()} instead of {expected.hex()}")
        for i, parameter in enumerate(parameters):
            if i not in self.raw:
                require(any(call.arguments[i]), f"{parameter.name}: NULL")
        for (place, expected), captured in zip(self.seen, call.captured, strict=True):
            name = parameters[place[0]].name
            require(captured is not None, f"{name}, at {place}: a NULL pointer on the way")
            require(captured == expected, f"{name}, at {place}: {(captured or b'').hex()} instead of {expected.hex()}")

    def check_results(self, found: tuple[Any, ...], status: Any) -> None:
        require(type(found) is tuple, "the result is no tuple")
        require(found[0] is status, f"the status is {found[0]!r}")
        require(len(found) == 1 + len(self.results), f"{len(found) - 1} outputs instead of {len(self.results)}")
        for (name, expected), one in zip(self.results, found[1:], strict=True):
            if isinstance(expected, list):
                require(type(one) is list, f"{name} is {type(one).__name__}")
                require(len(one) == len(expected), f"{name} has {len(one)} elements instead of {len(expected)}")
                for i, (e, o) in enumerate(zip(expected, one, strict=True)):
                    require(is_same(o, e), f"{name}[{i}] is {describe(o)} instead of {describe(e.python)}")
            else:
                require(is_same(one, expected), f"{name} is {describe(one)} instead of {describe(expected.python)}")

    def check_after(self) -> None:
        for check in self.after:
            check()


class Preparer:
    """Makes calls. `rows` chooses, by the name of a typed parameter, which row of its table its value is for."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.tables = {table.name: table for table in values.binding.typed}
        self._enumerators = {(e.name, m.name): m.value for e in values.api.enums for m in e.enumerators}

    def prepare(self, bound: BoundFunction, salt: int = 0, row: int = 0) -> Prepared:
        return _Preparation(self, bound, salt, row).prepare()

    def rows(self, parameter: BoundParameter) -> tuple[TypedRow, ...]:
        return self.tables[parameter.typed].rows if parameter.typed else ()

    def enumerator(self, parameter: BoundParameter, row: TypedRow) -> int:
        assert parameter.typed is not None
        return self._enumerators[self.tables[parameter.typed].enum, row.enumerator]


class _Preparation:
    def __init__(self, preparer: Preparer, bound: BoundFunction, salt: int, row: int) -> None:
        self.preparer = preparer
        self.values = preparer.values
        self.bound = bound
        self.salt = salt
        self.row = row
        self.made = Prepared(bound)
        self.numbers: dict[int, int] = {}  # parameters whose number is settled by what they count or choose
        self.lists: dict[int, list[int]] = {}  # the same for arrays

    def prepare(self) -> Prepared:
        for i, parameter in enumerate(self.bound.parameters):
            self._settle(i, parameter)
        for i, parameter in enumerate(self.bound.parameters):
            getattr(self, f"_{parameter.kind}")(i, parameter, self.salt + 7 * (i + 1))
        return self.made

    def _settle(self, i: int, p: BoundParameter) -> None:
        if p.link is None or "fixed" in p.flags:
            return
        if p.kind in ("in_array", "out_array", "out_borrowed"):
            self.numbers.setdefault(p.link, COUNT)
            if p.kind == "in_array" and p.link2 is not None:
                self.numbers[p.link] = COUNT * DIVISOR - 1
                self.numbers[p.link2] = DIVISOR
        elif p.kind in ("in_typed", "out_typed"):
            row = self._row(p)
            self.numbers[p.link] = self.preparer.enumerator(p, row)
            if p.link2 is not None:
                self.numbers[p.link2] = self._typed_size(row)
        elif p.kind in ("option_values", "out_typed_list"):
            chosen = self._rows(p)
            self.lists[p.link] = [self.preparer.enumerator(p, row) for row in chosen]
            if p.kind == "out_typed_list" and p.link2 is not None:
                self.lists[p.link2] = [self._typed_size(row) for row in chosen]

    def _row(self, p: BoundParameter) -> TypedRow:
        rows = self.preparer.rows(p)
        return rows[self.row % len(rows)]

    def _rows(self, p: BoundParameter) -> list[TypedRow]:
        """COUNT rows from the chosen one on."""
        rows = self.preparer.rows(p)
        return [rows[(self.row + i) % len(rows)] for i in range(COUNT)]

    def _count(self, p: BoundParameter) -> int:
        if "fixed" in p.flags:
            assert p.link is not None
            return p.link
        return COUNT

    def _typed_size(self, row: TypedRow) -> int:
        return self.values.size(row.elem, row.type) * (row.count or COUNT)

    def _give(self, p: BoundParameter, value: Any) -> None:
        self.made.arguments[p.name] = value

    def _value(self, p: BoundParameter, elem: str, type_: str | None, salt: int) -> Value:
        value = self.values.value(elem, type_, salt)
        self.made.keep.append(value)
        return value

    def _number(self, p: BoundParameter, number: int) -> Value:
        raw = (number % (1 << 64)).to_bytes(8, "little")[: self.values.size(p.elem, p.type)]
        if p.elem in ("enum", "handle"):
            return Value(self.values.cls(p.type or "")(number), raw)
        return Value(number, raw)

    def _elements(self, i: int, p: BoundParameter, salt: int) -> list[Value]:
        if i in self.lists:
            return [self._number(p, number) for number in self.lists[i]]
        return [self._value(p, p.elem, p.type, salt + 1 + k) for k in range(self._count(p))]

    # -- inputs

    def _in(self, i: int, p: BoundParameter, salt: int) -> None:
        if p.sized_by:
            self._buffer(i, p, salt)
            return
        value = self._number(p, self.numbers[i]) if i in self.numbers else self._value(p, p.elem, p.type, salt)
        self._give(p, value.python)
        if p.elem == "cstr":
            self.made.seen.append(((i, 0, 0), value.python + b"\0"))
        else:
            self.made.raw[i] = value.raw

    def _buffer(self, i: int, p: BoundParameter, salt: int) -> None:
        """Memory of the caller that is as large as another function says."""
        given, new = bytearray(COUNT), pattern(COUNT, salt)
        address = ctypes.addressof((ctypes.c_char * COUNT).from_buffer(given))
        self._give(p, given)
        self.made.raw[i] = address.to_bytes(8, "little")
        self.made.written.append(((i, 0, 0), new))
        self.made.after.append(lambda: require(given == new, f"{p.name} has not got what the library wrote"))
        self._size_of(i, p)

    def _size_of(self, i: int, p: BoundParameter) -> None:
        """The function that tells the size has the parameters up to this one, and where the size goes in its place."""
        teller = self.values.binding.by_name[p.sized_by or ""]
        size = self._number(teller.parameters[i], COUNT)
        self.made.asked.append((teller.function.symbol, (i, 0, 0), size.raw))

    def _in_record(self, i: int, p: BoundParameter, salt: int) -> None:
        value = self._value(p, "record", p.type, salt)
        self._give(p, value.python)
        self.made.raw[i] = value.python.getPtr().to_bytes(8, "little")
        self.made.seen.append(((i, 0, 0), value.raw))
        self._is_written(i, p, value, salt)

    def _in_handle_ref(self, i: int, p: BoundParameter, salt: int) -> None:
        value = self._value(p, "handle", p.type, salt)
        self._give(p, value.python)
        self.made.raw[i] = value.python.getPtr().to_bytes(8, "little")
        self.made.seen.append(((i, 0, 0), value.raw))
        self._is_written(i, p, value, salt)

    def _is_written(self, i: int, p: BoundParameter, given: Value, salt: int) -> None:
        """The driver sees the caller's own object, and what it writes there is there afterwards."""
        new = self._value(p, "record" if p.elem == "record" else "handle", p.type, salt + 101)
        self.made.written.append(((i, 0, 0), new.raw))
        self.made.after.append(
            lambda: require(is_same(given.python, new), f"{p.name} has not got what the driver wrote")
        )

    def _in_array(self, i: int, p: BoundParameter, salt: int) -> None:
        elements = self._elements(i, p, salt)
        self._give(p, [e.python for e in elements])
        if p.elem == "cstr":
            for k, element in enumerate(elements):
                self.made.seen.append(((i, 0, 8 * k, 0), element.python + b"\0"))
        else:
            self.made.seen.append(((i, 0, 0), b"".join(e.raw for e in elements)))
        if "writable" in p.flags:
            for k, element in enumerate(elements):
                new = self._value(p, p.elem, p.type, salt + 101 + k)
                self.made.written.append(((i, 0, k * len(new.raw)), new.raw))

                def check(old: Value = element, new: Value = new) -> None:
                    require(is_same(old.python, new), f"{p.name} has an element without what the driver wrote")

                self.made.after.append(check)

    def _in_typed(self, i: int, p: BoundParameter, salt: int) -> None:
        row = self._row(p)
        python, raw = self._typed(p, row, salt)
        self._give(p, python)
        if "by_value" in row.flags:
            self.made.raw[i] = raw.ljust(8, b"\0")
        else:
            self.made.seen.append(((i, 0, 0), raw))

    def _typed(self, p: BoundParameter, row: TypedRow, salt: int) -> tuple[Any, bytes]:
        """The value of a typed row: alone, as bytes, or as a list."""
        if row.elem == "char":
            text = b"text-%d" % salt
            return text, text + b"\0"
        if row.count == 1:
            value = self._value(p, row.elem, row.type, salt)
            return value.python, value.raw
        elements = [self._value(p, row.elem, row.type, salt + k) for k in range(row.count or COUNT)]
        return [e.python for e in elements], b"".join(e.raw for e in elements)

    def _kernel_params(self, i: int, p: BoundParameter, salt: int) -> None:
        value = self._value(p, "ptr", None, salt)
        self._give(p, value.python)
        self.made.raw[i] = value.raw

    def _option_values(self, i: int, p: BoundParameter, salt: int) -> None:
        given = []
        for k, row in enumerate(self._rows(p)):
            elements = [self._value(p, row.elem, row.type, salt + 11 * k + j) for j in range(row.count or COUNT)]
            if row.count == 1:
                given.append(elements[0].python)
                self.made.seen.append(((i, 0, 8 * k), elements[0].raw.ljust(8, b"\0")))
                continue
            given.append([e.python for e in elements])
            for j, element in enumerate(elements):
                if row.elem == "cstr":
                    self.made.seen.append(((i, 0, 8 * k, 8 * j, 0), element.python + b"\0"))
                else:
                    self.made.seen.append(((i, 0, 8 * k, 8 * j), element.raw))
        self._give(p, given)

    def _hidden(self, i: int, p: BoundParameter, salt: int) -> None:
        self.made.raw[i] = bytes(8 if p.ctype.depth else self.values.size(p.elem, p.type))

    # -- outputs

    def _out(self, i: int, p: BoundParameter, salt: int) -> None:
        value = self._number(p, self.numbers[i]) if i in self.numbers else self._value(p, p.elem, p.type, salt)
        self.made.written.append(((i, 0, 0), value.raw))
        self.made.results.append((p.name, value))

    def _out_record(self, i: int, p: BoundParameter, salt: int) -> None:
        self._out(i, p, salt)

    def _out_array(self, i: int, p: BoundParameter, salt: int) -> None:
        count = self._count(p)
        fewer = "fixed" not in p.flags and p.link is not None and self.bound.parameters[p.link].kind == "inout"
        told = count - 1 if fewer else count  # as _inout has it
        if p.elem == "char":
            text = bytes(65 + (salt + k) % 26 for k in range(count))
            self.made.written.append(((i, 0, 0), text))
            self.made.results.append((p.name, Value(text[:told], text[:told])))
            return
        elements = [self._value(p, p.elem, p.type, salt + k) for k in range(count)]
        self.made.written.append(((i, 0, 0), b"".join(e.raw for e in elements)))
        if p.sized_by:
            self._size_of(i, p)
        self.made.results.append((p.name, elements[:told]))

    def _out_borrowed(self, i: int, p: BoundParameter, salt: int) -> None:
        elements = [self._value(p, p.elem, p.type, salt + k) for k in range(COUNT)]
        memory = ctypes.create_string_buffer(b"".join(e.raw for e in elements))
        self.made.keep.append(memory)
        self.made.written.append(((i, 0, 0), ctypes.addressof(memory).to_bytes(8, "little")))
        self.made.results.append((p.name, elements))

    def _out_typed(self, i: int, p: BoundParameter, salt: int) -> None:
        result, raw = self._typed_result(p, self._row(p), salt)
        self.made.written.append(((i, 0, 0), raw))
        self.made.results.append((p.name, result))

    def _out_typed_list(self, i: int, p: BoundParameter, salt: int) -> None:
        results = []
        for k, row in enumerate(self._rows(p)):
            result, raw = self._typed_result(p, row, salt + 11 * k)
            self.made.written.append(((i, 0, 8 * k, 0), raw))
            results.append(result if isinstance(result, Value) else Value([e.python for e in result], b""))
        self.made.results.append((p.name, results))

    def _typed_result(self, p: BoundParameter, row: TypedRow, salt: int) -> tuple[Value | list[Value], bytes]:
        if row.elem == "char":
            text = b"text-%d" % salt
            return Value(text, text), text + b"\0"
        elements = [self._value(p, row.elem, row.type, salt + k) for k in range(row.count or COUNT)]
        raw = b"".join(e.raw for e in elements)
        return (elements[0] if row.count == 1 else elements), raw

    def _out_size(self, i: int, p: BoundParameter, salt: int) -> None:
        assert p.link is not None
        typed = self.bound.parameters[p.link]
        row = self._row(typed)
        size = self._typed_size(row)
        if typed.kind == "in_typed":
            size = len(self._typed(typed, row, 0)[1]) if row.elem != "char" else size
        number = self._number(p, size)
        if row.elem != "char" or typed.kind != "in_typed":
            self.made.seen.append(((i, 0, 0), number.raw))
        self.made.written.append(((i, 0, 0), number.raw))
        self.made.results.append((p.name, number))

    def _inout(self, i: int, p: BoundParameter, salt: int) -> None:
        if i in self.numbers:
            before, after = self._number(p, self.numbers[i]), self._number(p, self.numbers[i] - 1)
        else:
            before = self._value(p, p.elem, p.type, salt)
            after = self._value(p, p.elem, p.type, salt + 101)
        self._give(p, before.python)
        self.made.seen.append(((i, 0, 0), before.raw))
        self.made.written.append(((i, 0, 0), after.raw))
        self.made.results.append((p.name, after))


# ---- wrong arguments ----


@dataclass(frozen=True)
class Wrong:
    why: str
    value: Any
    error: type[Exception]


class Stranger:
    """An object that is of no use anywhere."""


def wrong_values(values: Values, bound: BoundFunction, p: BoundParameter, good: Any) -> Iterator[Wrong]:
    """What a parameter must refuse; `good` is what it takes."""
    stranger = Stranger()
    match p.kind:
        case "in" | "inout":
            yield from _wrong_element(values, p)
        case "in_record":
            yield Wrong("stranger", stranger, TypeError)
            yield Wrong("another record", _other_record(values, p.type), TypeError)
            yield Wrong("int", 5, TypeError)
        case "in_handle_ref":
            yield Wrong("stranger", stranger, TypeError)
            yield Wrong("another handle", _other_handle(values, p.type), TypeError)
        case "in_array":
            yield Wrong("stranger", stranger, TypeError)
            yield Wrong("str", "ab", TypeError)
            if "one_ok" not in p.flags:
                yield Wrong("int", 5, TypeError)
            yield Wrong("wrong element", [*good[:-1], stranger], TypeError)
            if p.link is not None:
                shorter = 2 if "less_one" in p.flags else 1
                yield Wrong("too short", good[:-shorter], ValueError)
        case "in_typed" | "kernel_params":
            yield Wrong("stranger", stranger, TypeError)
        case "option_values":
            yield Wrong("stranger", stranger, TypeError)
            yield Wrong("too short", good[:-1], ValueError)
            yield Wrong("wrong element", [*good[:-1], stranger], TypeError)
    if p.kind == "kernel_params":
        yield Wrong("too few types", ((1, 2), (ctypes.c_int,)), ValueError)
        yield Wrong("no type", ((1,), (None,)), TypeError)
        yield Wrong("out of range", ((1 << 40,), (ctypes.c_int,)), OverflowError)


def _wrong_element(values: Values, p: BoundParameter) -> Iterator[Wrong]:
    yield Wrong("stranger", Stranger(), TypeError)
    if p.elem in INT_SIZES:
        bits = 8 * INT_SIZES[p.elem]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if p.elem.startswith("i") else (0, (1 << bits) - 1)
        yield Wrong("str", "1", TypeError)
        yield Wrong("float", 1.0, TypeError)
        yield Wrong("below the least", low - 1, OverflowError)
        yield Wrong("above the greatest", high + 1, OverflowError)
        yield Wrong("huge", 1 << 100, OverflowError)
        if p.kind == "in":
            yield Wrong("None", None, TypeError)
        return
    match p.elem:
        case "enum":
            yield Wrong("str", "x", TypeError)
            yield Wrong("float", 1.0, TypeError)
            yield Wrong("out of range", 1 << 33, OverflowError)
        case "handle":
            size = values.size("handle", p.type)
            yield Wrong("another handle", _other_handle(values, p.type), TypeError)
            yield Wrong("str", "x", TypeError)
            yield Wrong("float", 1.0, TypeError)
            yield Wrong("too large", 1 << 8 * size, OverflowError)
            yield Wrong("huge", 1 << 100, OverflowError)
        case "ptr":
            yield Wrong("str", "text", TypeError)
            yield Wrong("negative", -1, OverflowError)
            yield Wrong("too large", 1 << 64, OverflowError)
            if p.sized_by:
                yield Wrong("too small", bytearray(COUNT - 1), ValueError)
            if "writable" in p.flags and "bytes_ok" not in p.flags:
                yield Wrong("read-only buffer", b"read-only", BufferError)
        case "cstr":
            yield Wrong("str", "text", TypeError)
            yield Wrong("int", 5, TypeError)
            yield Wrong("NUL inside", b"a\0b", ValueError)
        case "f32" | "f64":
            yield Wrong("str", "1.0", TypeError)
            if p.elem == "f32":
                yield Wrong("too large", 1e300, OverflowError)
        case "callback":
            yield Wrong("str", "x", TypeError)
            yield Wrong("too large", 1 << 64, OverflowError)
        case "record":
            yield Wrong("another record", _other_record(values, p.type), TypeError)
            yield Wrong("None", None, TypeError)
            yield Wrong("int", 5, TypeError)


class Foreign:
    """A handle of another package."""

    __cuda_handle__ = "CUnothing"

    def __index__(self) -> int:
        return 0x1230


def _other_handle(values: Values, type_: str | None) -> Any:
    """A handle of a class that is not `type_`, of a kind that could be taken for it."""
    same = {type_, *values.binding.accepted(type_ or "")}
    others = (h.name for h in values.api.handles if h.underlying.endswith("*") and h.name not in same)
    name = next(others, None)
    return values.cls(name)(0x1230) if name else Foreign()


def _other_record(values: Values, type_: str | None) -> Any:
    others = (r.name for r in values.api.records if not r.inline and r.name != type_)
    name = next(others, None)
    return values.cls(name)() if name else Stranger()
