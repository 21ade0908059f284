# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Records, field by field, at the offsets and sizes that the C compiler gives them."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from codegen.model.api import Release
from codegen.model.bind import bind
from codegen.model.binding import BoundField, BoundRecord
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from support.calls import Mismatch, Stranger, require
from support.headers import HEADERS, INTERNAL, headers
from support.values import INT_SIZES, Value, Values, describe, is_record, is_same, pattern

BINDING = bind(fold("driver"))
VALUES = Values(cuda, BINDING)
RECORDS = [bound for bound in BINDING.records if bound.record.header in HEADERS]
TAGS = {record.name: record.tags for record in BINDING.api.records}
FIELDS = [(bound, field) for bound in RECORDS for field in bound.fields]

each_record = pytest.mark.parametrize("bound", RECORDS, ids=lambda bound: bound.record.name)


def over(fields: list[tuple[BoundRecord, BoundField]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        ("bound", "field"), fields, ids=lambda x: x.record.name if isinstance(x, BoundRecord) else x.field.name
    )


each_field = over(FIELDS)
# What a driver can fill in: a pointer leads nowhere by itself, and is tested where it is set.
each_plain_field = over([(b, f) for b, f in FIELDS if f.kind in ("value", "array") and f.elem != "cstr"])
each_inner_record = over([(b, f) for b, f in FIELDS if f.kind == "value" and f.elem == "record"])


def raw_of(record: Any) -> bytes:
    return bytes(memoryview(record).cast("B"))


def spellings(name: str) -> list[str]:
    """How C may write the type of a record: by typedef or tag; what is inside another by the field that has it."""
    head, *fields = name.split(".")
    words = [head, *(f"{word} {tag}" for tag in (head, *TAGS[head]) for word in ("struct", "union"))]
    return [f"__typeof__((({word} *)0)->{'.'.join(fields)})" for word in words] if fields else words


@cache
def compiled() -> Mapping[str, int]:
    """Every size and offset, of the newest header that has it."""
    texts = []
    for bound in RECORDS:
        for spelling in spellings(bound.record.name):
            texts += [f"sizeof({spelling})", f"_Alignof({spelling})"]
            for field in bound.fields:
                texts.append(f"offsetof({spelling}, {field.field.name})")
                texts.append(f"sizeof((({spelling} *)0)->{field.field.name})")
    found: dict[str, int] = {}
    for release in (Release(13, 5), Release(12, 9), Release(11, 8)):
        missing = [text for text in texts if text not in found]
        found |= headers(release).numbers(missing, INTERNAL)
    return found


def asked(bound: BoundRecord, pattern: str) -> int:
    """The compiler's answer, for the first spelling it knows."""
    texts = [pattern.format(spelling) for spelling in spellings(bound.record.name)]
    answer = next((compiled()[text] for text in texts if text in compiled()), None)
    require(answer is not None, f"no header knows {texts[0]}")
    assert answer is not None
    return answer


@each_record
def test_size_and_alignment(bound: BoundRecord) -> None:
    record = VALUES.cls(bound.record.name)()
    assert memoryview(record).nbytes == asked(bound, "sizeof({})")
    assert record.getPtr() % asked(bound, "_Alignof({})") == 0
    assert not any(raw_of(record)), "a new record is all zeros"


@each_record
def test_has_the_fields_of_the_header_and_no_others(bound: BoundRecord) -> None:
    class_ = VALUES.cls(bound.record.name)
    assert {name for name in dir(class_) if not name.startswith("__")} - {"getPtr"} == {
        field.field.name for field in bound.fields
    }


def values_for(field: BoundField, salt: int) -> tuple[Any, bytes, list[Value]]:
    """What to assign, the bytes of it, and the single values; a list field's bytes are those behind its pointer."""
    count = field.field.count
    if field.kind == "array" and field.elem in ("char", "u8"):
        assert count is not None
        data = pattern(count, salt)
        return data, data, [Value(data, data)]
    if field.kind == "value":
        value = VALUES.value(field.elem, field.type, salt)
        return value.python, value.raw, [value]
    values = [VALUES.value(field.elem, field.type, salt + i) for i in range(count if count is not None else 3)]
    return [v.python for v in values], b"".join(v.raw for v in values), values


@each_field
def test_field(bound: BoundRecord, field: BoundField) -> None:
    name = field.field.name
    offset = asked(bound, f"offsetof({{}}, {name})")
    size = asked(bound, f"sizeof((({{}} *)0)->{name})")
    for salt in (3, 1000):
        record = VALUES.cls(bound.record.name)()
        if field.kind == "kernel_params":
            setattr(record, name, 0x1234_5678_9ABC)
            expected = (0x1234_5678_9ABC).to_bytes(8, "little")
        else:
            given, expected, values = values_for(field, salt)
            setattr(record, name, given)
        raw = raw_of(record)
        if field.kind == "list":
            address = int.from_bytes(raw[offset : offset + 8], "little")
            require(ctypes.string_at(address, len(expected)) == expected, "the elements are not behind the pointer")
        elif field.elem == "cstr":
            address = int.from_bytes(raw[offset : offset + 8], "little")
            require(ctypes.string_at(address) == given, "the text is not behind the pointer")
        else:
            require(raw[offset : offset + size] == expected, f"{raw.hex()} does not hold {expected.hex()} at {offset}")
        require(not any(raw[:offset] + raw[offset + size :]), "other bytes changed too")
        found = getattr(record, name)
        if field.kind == "kernel_params":
            assert found == 0x1234_5678_9ABC
        elif field.kind == "value" or field.elem in ("char", "u8"):
            require(is_same(found, values[0]), f"{describe(found)} instead of {describe(values[0].python)}")
        else:
            assert type(found) is list
            require(len(found) == len(values) and all(map(is_same, found, values)), "not the elements that were set")


@each_plain_field
def test_field_as_a_driver_fills_it(bound: BoundRecord, field: BoundField) -> None:
    _, expected, values = values_for(field, 77)
    record = VALUES.cls(bound.record.name)()
    ctypes.memmove(record.getPtr() + asked(bound, f"offsetof({{}}, {field.field.name})"), expected, len(expected))
    found = getattr(record, field.field.name)
    many = found if type(found) is list else [found]
    require(len(many) == len(values) and all(map(is_same, many, values)), f"{describe(found)}")


@each_inner_record
def test_inner_records_are_references(bound: BoundRecord, field: BoundField) -> None:
    record = VALUES.cls(bound.record.name)()
    inner = getattr(record, field.field.name)
    offset = asked(bound, f"offsetof({{}}, {field.field.name})")
    assert inner.getPtr() == record.getPtr() + offset
    before = sys.getrefcount(record)
    another = getattr(record, field.field.name)
    assert sys.getrefcount(record) == before + 1
    del another
    assert sys.getrefcount(record) == before
    ctypes.memmove(inner.getPtr(), b"\x5a", 1)
    assert raw_of(record)[offset] == 0x5A


@each_field
def test_field_refuses(bound: BoundRecord, field: BoundField) -> None:
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
        other = "CUevent" if field.type != "CUevent" else "CUmodule"
        wrong += [(getattr(cuda, other)(1), TypeError), (1 << 70, OverflowError)]
    elif field.kind == "value" and field.elem == "record":
        other = "CUlaunchConfig" if field.type != "CUlaunchConfig" else "CUDA_MEMCPY2D_v2"
        wrong += [(getattr(cuda, other)(), TypeError), (None, TypeError)]
    elif field.kind == "array":
        assert field.field.count is not None
        if field.elem in ("char", "u8"):
            wrong += [(bytes(field.field.count + 1), ValueError), ("x" * field.field.count, TypeError)]
        else:
            given, _, _ = values_for(field, 1)
            wrong += [(given[:-1], ValueError), ([*given, given[0]], ValueError)]
            wrong += [([*given[:-1], Stranger()], TypeError), (5, TypeError)]
    elif field.kind == "list":
        given, _, _ = values_for(field, 1)
        wrong += [([*given[:-1], Stranger()], TypeError), ("ab", TypeError)]
    record = VALUES.cls(bound.record.name)()
    short = bound.record.name.rpartition(".")[2]
    for value, error in wrong:
        with pytest.raises(error, match=name) as raised:
            setattr(record, name, value)
        assert type(raised.value) is error
        assert f"{short}.{name}" in str(raised.value)
    assert not any(raw_of(record)), "a refused value left something behind"
    with pytest.raises(AttributeError):
        delattr(record, name)


@each_record
def test_keywords_copy_and_equality(bound: BoundRecord) -> None:
    class_ = VALUES.cls(bound.record.name)
    field = bound.fields[0]
    given = 0x1234 if field.kind == "kernel_params" else values_for(field, 5)[0]
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


@each_record
def test_text(bound: BoundRecord) -> None:
    """Every field that shares no bytes is in the text; str and repr work on a record of zeros."""
    record = VALUES.cls(bound.record.name)()
    for field in bound.fields:
        if not field.shares and not bound.record.union:
            assert field.field.name in str(record)
            assert field.field.name in repr(record)
    assert str(record) == str(copy.copy(record))


def test_what_pointers_lead_to_stays_alive() -> None:
    """Buffers, texts, elements and kernel parameters live as long as the record, and no longer."""
    buffer = bytearray(b"x" * 100_000)
    before = sys.getrefcount(buffer)
    memory = cuda.CUDA_MEMCPY2D_v2(srcHost=buffer)
    assert sys.getrefcount(buffer) > before
    with pytest.raises(BufferError):
        buffer.clear()
    memory.srcHost = None
    buffer.append(1)
    memory.srcHost = buffer
    del memory
    gc.collect()
    assert sys.getrefcount(buffer) == before
    node = cuda.CUDA_KERNEL_NODE_PARAMS_v2()
    node.kernelParams = ((1, 2.5), (ctypes.c_int, ctypes.c_double))
    twin = copy.copy(node)
    del node
    gc.collect()
    pointers = ctypes.cast(twin.kernelParams, ctypes.POINTER(ctypes.c_void_p))
    assert ctypes.c_int.from_address(pointers[0] or 0).value == 1
    assert ctypes.c_double.from_address(pointers[1] or 0).value == 2.5


def test_list_elements_are_references() -> None:
    config = cuda.CUlaunchConfig(attrs=[cuda.CUlaunchAttribute() for _ in range(3)], numAttrs=3)
    config.attrs[1].value.priority = -5
    assert [attribute.value.priority for attribute in config.attrs] == [0, -5, 0]
    element = config.attrs[1]
    del config
    gc.collect()
    assert element.value.priority == -5


def test_records_at_an_address() -> None:
    whole = cuda.CUDA_MEMCPY3D_v2(Depth=9)
    seen = cuda.CUDA_MEMCPY3D_v2(_ptr=whole.getPtr())
    assert seen.Depth == 9
    seen.Depth = 10
    assert whole.Depth == 10


def test_a_failing_check_does_not_show_records() -> None:
    """The helper's own promise: made-up pointers are never followed for the sake of a message."""
    record = VALUES.record("CUlaunchConfig", pattern(memoryview(cuda.CUlaunchConfig()).nbytes, 1))
    assert is_record(record)
    with pytest.raises(Mismatch) as raised:
        require(False, describe(record))
    assert "CUlaunchConfig" in str(raised.value)
