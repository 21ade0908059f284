# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Records of a library, field by field, at the offsets and sizes that the C compiler gives them.

A package's tests say which library, and with which headers the compiler is asked, the newest first:

    class TestRecords(RecordTests):
        suite = RecordSuite("runtime13", cuda.runtime, [Release(13, 5), Release(13, 0)])
"""

from __future__ import annotations

import copy
import ctypes
import pickle
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from codegen.model.bind import bind
from codegen.model.binding import BoundField, BoundRecord
from codegen.model.fold import fold

from .calls import Stranger, require
from .headers import headers, names_of
from .values import INT_SIZES, Value, Values, describe, is_same, pattern


class RecordSuite:
    def __init__(self, library: str, module: Any, releases: Sequence[Release], defines: Sequence[str] = ()) -> None:
        facts = LIBRARIES[library]
        self.library = facts.name
        self.releases = releases
        self.defines = defines
        self.binding = bind(fold(facts.name, major=facts.major or None))
        self.values = Values(module, self.binding)
        self.module = module
        known = names_of(facts.name)
        self.records = [bound for bound in self.binding.records if bound.record.header in known]
        self.fields = [(bound, field) for bound in self.records for field in bound.fields]
        # What a library can fill in: a pointer leads nowhere by itself, and is tested where it is set.
        self.plain = [(b, f) for b, f in self.fields if f.kind in ("value", "array") and f.elem != "cstr"]
        self.inner = [(b, f) for b, f in self.fields if f.kind == "value" and f.elem == "record"]
        self._tags = {record.name: record.tags for record in self.binding.api.records}

    def _spellings(self, name: str) -> list[str]:
        """How C may write the type of a record: by typedef or tag; what is inside another by the field that has it."""
        head, *fields = name.split(".")
        words = [head, *(f"{word} {tag}" for tag in (head, *self._tags[head]) for word in ("struct", "union"))]
        return [f"__typeof__((({word} *)0)->{'.'.join(fields)})" for word in words] if fields else words

    @cached_property
    def _compiled(self) -> Mapping[str, int]:
        """Every size and offset, of the newest header that has it."""
        texts = []
        for bound in self.records:
            for spelling in self._spellings(bound.record.name):
                texts += [f"sizeof({spelling})", f"_Alignof({spelling})"]
                for field in bound.fields:
                    texts.append(f"offsetof({spelling}, {field.field.name})")
                    texts.append(f"sizeof((({spelling} *)0)->{field.field.name})")
        found: dict[str, int] = {}
        for release in self.releases:
            missing = [text for text in texts if text not in found]
            found |= headers(release, self.library).numbers(missing, self.defines)
        return found

    def asked(self, bound: BoundRecord, pattern: str) -> int:
        """The compiler's answer, for the first spelling it knows."""
        texts = [pattern.format(spelling) for spelling in self._spellings(bound.record.name)]
        answer = next((self._compiled[text] for text in texts if text in self._compiled), None)
        require(answer is not None, f"no header knows {texts[0]}")
        assert answer is not None
        return answer

    def values_for(self, field: BoundField, salt: int) -> tuple[Any, bytes, list[Value]]:
        """What to assign, the bytes of it, and the single values; a list field's bytes are those behind its pointer."""
        count = field.field.count
        if field.kind == "array" and field.elem in ("char", "u8"):
            assert count is not None
            data = pattern(count, salt)
            return data, data, [Value(data, data)]
        if field.kind == "value":
            value = self.values.value(field.elem, field.type, salt)
            return value.python, value.raw, [value]
        values = [self.values.value(field.elem, field.type, salt + i) for i in range(count if count is not None else 3)]
        return [v.python for v in values], b"".join(v.raw for v in values), values

    def other_handle(self, name: str | None) -> Any:
        """A handle that is none of that type."""
        kinds = [handle.name for handle in self.binding.api.handles if handle.name != name and handle.size == 8]
        return getattr(self.module, kinds[0])(1)

    def other_record(self, name: str | None) -> Any:
        other = next(bound.record.name for bound in self.records if bound.record.name not in (name, None))
        return self.values.cls(other)()


def raw_of(record: Any) -> bytes:
    return bytes(memoryview(record).cast("B"))


class RecordTests:
    suite: ClassVar[RecordSuite]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        for name, rows in (("field", self.suite.fields), ("plain", self.suite.plain), ("inner", self.suite.inner)):
            if name in metafunc.fixturenames:
                ids = [f"{bound.record.name}-{field.field.name}" for bound, field in rows]
                metafunc.parametrize(("bound", name), rows, ids=ids)
                return
        if "bound" in metafunc.fixturenames:
            metafunc.parametrize("bound", self.suite.records, ids=lambda bound: bound.record.name)

    def test_size_and_alignment(self, bound: BoundRecord) -> None:
        record = self.suite.values.cls(bound.record.name)()
        assert memoryview(record).nbytes == self.suite.asked(bound, "sizeof({})")
        assert record.getPtr() % self.suite.asked(bound, "_Alignof({})") == 0
        assert not any(raw_of(record)), "a new record is all zeros"

    def test_has_the_fields_of_the_header_and_no_others(self, bound: BoundRecord) -> None:
        class_ = self.suite.values.cls(bound.record.name)
        assert {name for name in dir(class_) if not name.startswith("__")} - {"getPtr"} == {
            field.field.name for field in bound.fields
        }

    def test_field(self, bound: BoundRecord, field: BoundField) -> None:
        name = field.field.name
        offset = self.suite.asked(bound, f"offsetof({{}}, {name})")
        size = self.suite.asked(bound, f"sizeof((({{}} *)0)->{name})")
        for salt in (3, 1000):
            record = self.suite.values.cls(bound.record.name)()
            if field.kind == "kernel_params":
                setattr(record, name, 0x1234_5678_9ABC)
                expected = (0x1234_5678_9ABC).to_bytes(8, "little")
            else:
                given, expected, values = self.suite.values_for(field, salt)
                setattr(record, name, given)
            raw = raw_of(record)
            if field.kind == "list":
                address = int.from_bytes(raw[offset : offset + 8], "little")
                require(ctypes.string_at(address, len(expected)) == expected, "the elements are not behind the pointer")
            elif field.elem == "cstr":
                address = int.from_bytes(raw[offset : offset + 8], "little")
                require(ctypes.string_at(address) == given, "the text is not behind the pointer")
            else:
                require(
                    raw[offset : offset + size] == expected, f"{raw.hex()} does not hold {expected.hex()} at {offset}"
                )
            require(not any(raw[:offset] + raw[offset + size :]), "other bytes changed too")
            found = getattr(record, name)
            if field.kind == "kernel_params":
                assert found == 0x1234_5678_9ABC
            elif field.kind == "value" or field.elem in ("char", "u8"):
                require(is_same(found, values[0]), f"{describe(found)} instead of {describe(values[0].python)}")
            else:
                assert type(found) is list
                require(
                    len(found) == len(values) and all(map(is_same, found, values)), "not the elements that were set"
                )

    def test_field_as_a_library_fills_it(self, bound: BoundRecord, plain: BoundField) -> None:
        _, expected, values = self.suite.values_for(plain, 77)
        record = self.suite.values.cls(bound.record.name)()
        ctypes.memmove(
            record.getPtr() + self.suite.asked(bound, f"offsetof({{}}, {plain.field.name})"), expected, len(expected)
        )
        found = getattr(record, plain.field.name)
        many = found if type(found) is list else [found]
        require(len(many) == len(values) and all(map(is_same, many, values)), f"{describe(found)}")

    def test_inner_records_are_references(self, bound: BoundRecord, inner: BoundField) -> None:
        record = self.suite.values.cls(bound.record.name)()
        found = getattr(record, inner.field.name)
        offset = self.suite.asked(bound, f"offsetof({{}}, {inner.field.name})")
        assert found.getPtr() == record.getPtr() + offset
        before = sys.getrefcount(record)
        another = getattr(record, inner.field.name)
        assert sys.getrefcount(record) == before + 1
        del another
        assert sys.getrefcount(record) == before
        ctypes.memmove(found.getPtr(), b"\x5a", 1)
        assert raw_of(record)[offset] == 0x5A

    def test_field_refuses(self, bound: BoundRecord, field: BoundField) -> None:
        name = field.field.name
        wrong: list[tuple[Any, type[Exception]]] = [(Stranger(), TypeError)]
        if field.kind == "value" and field.elem in INT_SIZES:
            bits = 8 * INT_SIZES[field.elem]
            signed = field.elem.startswith("i")
            wrong += [(-(1 << bits - 1) - 1 if signed else -1, OverflowError), ("1", TypeError), (1.5, TypeError)]
            wrong += [(1 << (bits - 1 if signed else bits), OverflowError)]
        elif field.kind == "value" and field.elem == "enum":
            wrong += [("x", TypeError), (1 << 40, OverflowError)]
        elif field.kind == "value" and field.elem == "handle":
            wrong += [(self.suite.other_handle(field.type), TypeError), (1 << 70, OverflowError)]
        elif field.kind == "value" and field.elem == "record":
            wrong += [(self.suite.other_record(field.type), TypeError), (None, TypeError)]
        elif field.kind == "array":
            assert field.field.count is not None
            if field.elem in ("char", "u8"):
                wrong += [(bytes(field.field.count + 1), ValueError), ("x" * field.field.count, TypeError)]
            else:
                given, _, _ = self.suite.values_for(field, 1)
                wrong += [(given[:-1], ValueError), ([*given, given[0]], ValueError)]
                wrong += [([*given[:-1], Stranger()], TypeError), (5, TypeError)]
        elif field.kind == "list":
            given, _, _ = self.suite.values_for(field, 1)
            wrong += [([*given[:-1], Stranger()], TypeError), ("ab", TypeError)]
        record = self.suite.values.cls(bound.record.name)()
        short = bound.record.name.rpartition(".")[2]
        for value, error in wrong:
            with pytest.raises(error, match=name) as raised:
                setattr(record, name, value)
            assert type(raised.value) is error
            assert f"{short}.{name}" in str(raised.value)
        assert not any(raw_of(record)), "a refused value left something behind"
        with pytest.raises(AttributeError):
            delattr(record, name)

    def test_keywords_copy_and_equality(self, bound: BoundRecord) -> None:
        class_ = self.suite.values.cls(bound.record.name)
        field = bound.fields[0]
        given = 0x1234 if field.kind == "kernel_params" else self.suite.values_for(field, 5)[0]
        record, other = class_(**{field.field.name: given}), class_()
        setattr(other, field.field.name, given)
        if field.kind == "value":
            assert record == other
            assert (record != other) is False
            assert record != class_() or not any(raw_of(record))
        twin = copy.copy(record)
        assert type(twin) is class_
        assert raw_of(twin) == raw_of(record)
        assert twin.getPtr() != record.getPtr()
        assert twin == record
        ctypes.memset(twin.getPtr(), 0x11, 1)
        assert raw_of(twin) != raw_of(record) or raw_of(record)[0] == 0x11
        assert record != 5
        with pytest.raises(TypeError, match="no_such_field"):
            class_(no_such_field=1)
        with pytest.raises(AttributeError):
            record.no_such_field = 1
        with pytest.raises(TypeError):
            class_(5)
        with pytest.raises(TypeError):
            hash(record)
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(record)

    def test_text(self, bound: BoundRecord) -> None:
        """Every field that shares no bytes is in the text; str and repr work on a record of zeros."""
        record = self.suite.values.cls(bound.record.name)()
        for field in bound.fields:
            if not field.shares and not bound.record.union:
                assert field.field.name in str(record)
                assert field.field.name in repr(record)
        assert str(record) == str(copy.copy(record))
