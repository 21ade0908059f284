# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Structs of NVML: one, or an array of them, in memory as C has it."""

from __future__ import annotations

from struct import Struct as Format
from struct import error as format_error
from struct import unpack_from

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Self

    from typing_extensions import Buffer

FORMAT_SIZES = {"b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}


class Struct:
    """What the classes of structs have in common. `size` of them lie one behind the other; one, if it is not said.

    A field of one struct is a number, a str, another struct, or an array; of several, what each of them has.
    """

    __slots__ = ("_kept", "_memory", "_one", "_owner")

    _c_name: str
    _of_core: Any = None  # the class of the core, once it is needed
    _family: str
    _size: int
    _several: bool  # whether NVML has arrays of it
    _one: bool  # fields are not arrays: there is one struct, and it is no field of one of several
    _version_number: int
    _version: bytes  # what the field of that name begins with; nothing where there is none
    _memory: memoryview
    _owner: object  # a record of the core, where the memory is one's
    _kept: dict[tuple[int, int], object]  # what pointers in the memory lead to

    def __init__(self, size: int = 1) -> None:
        if not isinstance(size, int):
            raise TypeError(f"{type(self).__name__}() argument 'size' must be int, not {type(size).__name__}")
        if size < 0:
            raise ValueError(f"{type(self).__name__}() argument 'size' is {size}: there are no fewer than none")
        self._memory = memoryview(bytearray(size * self._size))
        self._owner = None
        self._kept = {}
        self._one = size == 1

    # -- where the memory comes from

    @classmethod
    def _of_memory(
        cls, memory: Buffer, owner: object = None, kept: dict[tuple[int, int], object] | None = None
    ) -> Self:
        self = cls.__new__(cls)
        self._memory = memoryview(memory).cast("B") if memoryview(memory).nbytes else memoryview(bytearray())
        self._owner = owner
        self._kept = {} if kept is None else kept
        self._one = self._memory.nbytes == cls._size
        return self

    @classmethod
    def _of_record(cls, record: Any) -> Self:
        self = cls.__new__(cls)
        self._memory = memoryview(record)
        self._owner = record
        self._kept = {}
        self._one = True
        return self

    @classmethod
    def _new(cls) -> Self:
        """In a record of the core, which tells its version."""
        record = (cls._of_core or cls._record_class())()
        if cls._version:
            record.version = cls._version_number
        return cls._of_record(record)

    @classmethod
    def _record_class(cls) -> Any:
        if cls._of_core is None:
            cls._of_core = _core.lookup("", cls._c_name)
        return cls._of_core

    @classmethod
    def from_buffer(cls, buffer: Buffer) -> Self:
        """In the memory of a buffer, which is not copied."""
        view = memoryview(buffer).cast("B")
        if view.nbytes == 0 or view.nbytes % cls._size:
            raise ValueError(
                f"{cls.__name__}.from_buffer() argument 'buffer' must have {cls._size} bytes, or so many for each of "
                f"several, not {view.nbytes}"
            )
        return cls._of_memory(view)

    @classmethod
    def from_data(cls, data: Any) -> Self:
        """In the memory of a NumPy array of the dtype of the class, which is not copied."""
        given = getattr(data, "dtype", None)
        if given is None or given != numpy_dtype(cls):
            raise TypeError(
                f"{cls.__name__}.from_data() argument 'data' must be a NumPy array of the dtype of the class, not "
                + (type(data).__name__ if given is None else f"one of {given}")
            )
        if not data.flags.c_contiguous:
            raise ValueError(f"{cls.__name__}.from_data() argument 'data' must have its elements one behind the other")
        return cls.from_buffer(data.reshape(-1).view("u1"))

    @classmethod
    def from_ptr(cls, ptr: int, size: int = 1, readonly: bool = False, owner: object = None) -> Self:
        """At an address, which has to stay good: that `owner` is kept alive is all that is done for it."""
        if isinstance(size, bool):  # the classes of single structs have no size in the official package
            raise TypeError(f"{cls.__name__}.from_ptr() argument 'size' must be int, not bool: give readonly by name")
        if not ptr:
            raise ValueError(f"{cls.__name__}.from_ptr() argument 'ptr' must not be null")
        memory = _at(ptr, size * cls._size)
        return cls._of_memory(memory.toreadonly() if readonly else memory, owner)

    def getPtr(self) -> int:  # noqa: N802  # as the records of the core have it
        """The address."""
        from ctypes import addressof, c_char

        if self._memory.readonly:
            record = self._record()
            return int(record.getPtr())
        return addressof(c_char.from_buffer(self._memory)) if self._memory.nbytes else 0

    @property
    def ptr(self) -> int:
        """The address."""
        return self.getPtr()

    def _record(self) -> Any:
        """The one struct as a record of the core."""
        kind = self._record_class()
        if type(self._owner) is kind and self._memory.nbytes == self._size:
            return self._owner
        return kind(_ptr=self.ptr)

    def _tell_version(self) -> None:
        """NVML asks each struct that has versions for its own; one that says something else is the caller's affair."""
        if self._version and not any(self._memory[:4]):
            self._memory[:4] = self._version

    # -- as a sequence

    def __int__(self) -> int:
        return self.ptr

    def __len__(self) -> int:
        return self._memory.nbytes // self._size

    def __getitem__(self, index: int | slice) -> Self:
        """One of several, or several, in the same memory."""
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError(f"{type(self).__name__} can be sliced only one after the other")
            part = self._memory[start * self._size : max(start, stop) * self._size]
        else:
            at = self._index(index)
            part = self._memory[at * self._size : (at + 1) * self._size]
        return self._of_memory(part, self._owner if part.nbytes == self._memory.nbytes else self, self._kept)

    def __setitem__(self, index: int, value: Self) -> None:
        at = self._index(index)
        if type(value) is not type(self) or len(value) != 1:
            raise TypeError(f"an element of {type(self).__name__} must be one of the same, not {type(value).__name__}")
        self._memory[at * self._size : (at + 1) * self._size] = value._memory

    def _index(self, index: int) -> int:
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(f"index {index} is out of bounds: there are {len(self)}")
        return at

    def __iter__(self) -> Iterator[Self]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._memory == other._memory

    __hash__ = None  # type: ignore[assignment]

    def __bytes__(self) -> bytes:
        return bytes(self._memory)

    def __copy__(self) -> Self:
        return self._of_memory(bytearray(self._memory), None, dict(self._kept))

    def __reduce__(self) -> tuple[object, tuple[bytearray]]:
        if any(isinstance(item, Pointer) and item.count(part) for item in self._fields() for part in self):
            raise TypeError(f"{type(self).__name__} points to memory that cannot be pickled")
        return type(self).from_buffer if self._memory.nbytes else type(self)._of_memory, (bytearray(self._memory),)

    @classmethod
    def _fields(cls) -> list[Field]:
        return [value for value in vars(cls).values() if isinstance(value, Field)]

    def __repr__(self) -> str:
        if len(self) != 1:
            return f"<{type(self).__name__}: {len(self)} of {self._size} bytes>"
        told = (f"{item.name}={getattr(self, item.name)!r}" for item in self._fields())
        return f"{type(self).__name__}({', '.join(told)})"

    # -- NumPy, where there is one

    @property
    def _data(self) -> Any:
        import numpy  # type: ignore[import-not-found, unused-ignore]

        return numpy.frombuffer(self._memory, dtype=numpy_dtype(type(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        data = self._data
        if dtype is not None and dtype != data.dtype:
            if copy is False:
                raise ValueError(f"{type(self).__name__} cannot be an array of {dtype} without a copy")
            return data.astype(dtype)
        return data.copy() if copy else data


def _at(address: int, size: int) -> memoryview:
    from ctypes import c_char

    return memoryview((c_char * size).from_address(address)).cast("B")


class Field:
    """A field of the class: a descriptor that reads and writes the memory."""

    __slots__ = ("name", "offset", "owner")

    def __init__(self, owner: str, name: str, offset: int) -> None:
        self.owner = owner
        self.name = name
        self.offset = offset

    def __get__(self, struct: Struct | None, cls: type | None = None) -> Any:
        if struct is None:
            return self
        return self.get(struct) if struct._one else self.column(struct)

    def __set__(self, struct: Struct, value: Any) -> None:
        if len(struct) == 1:
            self.set(struct, value)
            return
        one = isinstance(value, (int, float, str)) or hasattr(value, "__index__")  # NumPy's numbers too
        values = [value] * len(struct) if one else list(value)
        if len(values) != len(struct):
            raise ValueError(f"{self} takes {len(struct)} values, not {len(values)}")
        for part, own in zip(struct, values, strict=True):
            self.set(part, own)

    def column(self, struct: Struct) -> Any:
        return tuple(self.get(part) for part in struct)

    def get(self, struct: Struct) -> Any:
        raise NotImplementedError

    def set(self, struct: Struct, value: Any) -> None:
        raise NotImplementedError

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}"


class Number(Field):
    __slots__ = ("format", "unpack")

    def __init__(self, owner: str, name: str, offset: int, code: str) -> None:
        super().__init__(owner, name, offset)
        self.format = Format("=" + code)
        self.unpack = self.format.unpack_from

    def __get__(self, struct: Struct | None, cls: type | None = None) -> Any:
        if struct is not None and struct._one:
            return self.unpack(struct._memory, self.offset)[0]
        return super().__get__(struct, cls)

    def get(self, struct: Struct) -> int | float:
        return self.unpack(struct._memory, self.offset)[0]  # type: ignore[no-any-return]

    def set(self, struct: Struct, value: Any) -> None:
        if self.format.format[1:] not in ("f", "d") and isinstance(value, float):
            raise TypeError(f"{self} must be an int, not float")
        try:
            self.format.pack_into(struct._memory, self.offset, value)
        except format_error as error:
            if hasattr(value, "__index__"):
                raise OverflowError(f"{self}: {int(value)} does not fit: {error}") from None
            raise TypeError(f"{self} must be a number, not {type(value).__name__}") from None

    def column(self, struct: Struct) -> memoryview:
        """A copy, which cannot be written to: what is assigned to the field as a whole goes to the structs."""
        code = self.format.format[1:]
        places = range(self.offset, struct._memory.nbytes, struct._size)
        return numbers(code, [self.format.unpack_from(struct._memory, at)[0] for at in places]).toreadonly()


def numbers(code: str, values: Sequence[Any]) -> memoryview:
    """Numbers of a format, in memory of their own."""
    return cast(memoryview(bytearray(Format(f"={len(values)}{code}").pack(*values))), code)


def cast(memory: memoryview, code: str) -> memoryview:
    # An empty memoryview cannot be cast.
    return memory.cast(code) if memory.nbytes else memory  # type: ignore[call-overload]


class Text(Field):
    __slots__ = ("room",)

    def __init__(self, owner: str, name: str, offset: int, room: int) -> None:
        super().__init__(owner, name, offset)
        self.room = room

    def get(self, struct: Struct) -> str:
        return bytes(struct._memory[self.offset : self.offset + self.room]).partition(b"\0")[0].decode()

    def set(self, struct: Struct, value: str | bytes) -> None:
        if not isinstance(value, (str, bytes)):
            raise TypeError(f"{self} must be str or bytes, not {type(value).__name__}")
        encoded = value.encode() if isinstance(value, str) else value
        if len(encoded) >= self.room:
            raise ValueError(f"{self} has room for {self.room - 1} bytes, not {len(encoded)}")
        struct._memory[self.offset : self.offset + self.room] = encoded.ljust(self.room, b"\0")


class PointedText(Field):
    """An address of a text."""

    __slots__ = ()

    def get(self, struct: Struct) -> str:
        from ctypes import string_at

        (address,) = unpack_from("=Q", struct._memory, self.offset)
        return string_at(address).decode() if address else ""

    def set(self, struct: Struct, value: str | bytes) -> None:
        from ctypes import addressof, create_string_buffer

        if not isinstance(value, (str, bytes)):
            raise TypeError(f"{self} must be str or bytes, not {type(value).__name__}")
        text = create_string_buffer(value.encode() if isinstance(value, str) else value)
        struct._memory[self.offset : self.offset + 8] = addressof(text).to_bytes(8, "little")
        struct._kept[(id(struct._owner) if struct._memory.nbytes != struct._size else 0, self.offset)] = text


class Inside(Field):
    """A struct or an array of structs or numbers inside; `used` is the field that says how many elements are meant."""

    __slots__ = ("code", "room", "used")

    def __init__(self, owner: str, name: str, offset: int, room: int, code: str, used: str) -> None:
        super().__init__(owner, name, offset)
        self.room = room
        self.code = code
        self.used = used

    def _part(self, struct: Struct, count: int) -> memoryview:
        return struct._memory[self.offset : self.offset + count * _size_of(self.code)]

    def get(self, struct: Struct) -> Any:
        count = min(self.room, getattr(struct, self.used)) if self.used else self.room
        part = self._part(struct, count)
        if self.code.startswith("="):
            inside = _class_of(self.code)._of_memory(part, struct, struct._kept)
            if struct._several and self.room == 1:
                inside._one = False
            return inside
        return cast(part, self.code)

    def column(self, struct: Struct) -> Any:
        """Of structs inside a copy, which cannot be written to, since they do not lie one behind the other."""
        if not self.code.startswith("=") or self.room != 1 or len(struct) == 1:
            return super().column(struct) if len(struct) != 1 else self.get(struct)
        parts = bytearray().join(self._part(part, 1) for part in struct)
        inside = _class_of(self.code)._of_memory(memoryview(parts).toreadonly())
        inside._one = False
        return inside

    def set(self, struct: Struct, value: Any) -> None:
        raw = _raw(self, self.code, value)
        count = len(raw) // _size_of(self.code)
        if count > self.room or (count < self.room and not self.used):
            raise ValueError(f"{self} takes {'at most ' if self.used else ''}{self.room} elements, not {count}")
        self._part(struct, count)[:] = raw
        if self.used:
            setattr(struct, self.used, count)


class Pointer(Field):
    """An address of an array, of which another field tells the length."""

    __slots__ = ("code", "used")

    def __init__(self, owner: str, name: str, offset: int, code: str, used: str) -> None:
        super().__init__(owner, name, offset)
        self.code = code
        self.used = used

    def count(self, struct: Struct) -> int:
        return int(getattr(struct, self.used))

    def get(self, struct: Struct) -> Any:
        count = self.count(struct)
        (address,) = unpack_from("=Q", struct._memory, self.offset)
        if not address or not count:
            memory = memoryview(bytearray())
        else:
            kept = struct._kept.get(self._key(struct))
            size = count * _size_of(self.code)
            # What the library was given to fill; where it put an address of its own, that is what counts.
            memory = kept[1][:size] if kept and kept[0] == address and kept[1].nbytes >= size else _at(address, size)  # type: ignore[index]
        if self.code.startswith("="):
            return _class_of(self.code)._of_memory(memory, struct)
        return cast(memory, self.code)

    def set(self, struct: Struct, value: Any) -> None:
        raw = bytearray(_raw(self, self.code, value))
        self._point(struct, raw)
        setattr(struct, self.used, len(raw) // _size_of(self.code))

    def reserve(self, struct: Struct, count: int) -> None:
        raw = bytearray(count * _size_of(self.code))
        if self.code.startswith("="):
            elements = _class_of(self.code)._of_memory(raw)
            for element in elements:
                element._tell_version()
        self._point(struct, raw)
        setattr(struct, self.used, count)

    def empty(self, struct: Struct) -> None:
        struct._memory[self.offset : self.offset + 8] = bytes(8)
        setattr(struct, self.used, 0)

    def _key(self, struct: Struct) -> tuple[int, int]:
        return (id(struct._owner) if struct._memory.nbytes != struct._size else 0, self.offset)

    def _point(self, struct: Struct, raw: bytearray) -> None:
        from ctypes import addressof, c_char

        address = addressof(c_char.from_buffer(raw)) if raw else 0
        struct._memory[self.offset : self.offset + 8] = address.to_bytes(8, "little")
        struct._kept[self._key(struct)] = (address, memoryview(raw))


def _raw(field: Field, code: str, value: Any) -> bytes | memoryview:
    """The bytes of elements that are assigned."""
    if code.startswith("="):
        if not isinstance(value, _class_of(code)):
            raise TypeError(f"{field} must be {code[1:]}, not {type(value).__name__}")
        return value._memory
    if isinstance(value, str):
        raise TypeError(f"{field} must be a sequence of numbers, not str")
    numbers = list(value)
    try:
        return Format(f"={len(numbers)}{code}").pack(*numbers)
    except format_error as error:
        if all(hasattr(number, "__index__") for number in numbers):
            raise OverflowError(f"{field}: {error}") from None
        raise TypeError(f"{field} must be a sequence of numbers: {error}") from None


def _class_of(code: str) -> type[Struct]:
    from ._structs import kind

    found: type[Struct] = kind(code[1:])
    return found


def _size_of(code: str) -> int:
    return _class_of(code)._size if code.startswith("=") else FORMAT_SIZES[code]


def field(owner: str, name: str, offset: int, code: str) -> Field:
    """`_generated/tables.py` tells what the codes mean."""
    code, _, used = code.partition("@")
    if code.startswith("*"):
        return Pointer(owner, name, offset, code[1:], used)
    if code == "c":
        return PointedText(owner, name, offset)
    if code.startswith("s"):
        return Text(owner, name, offset, int(code[1:]))
    element = code.lstrip("0123456789")
    if element.startswith("=") or element != code:
        return Inside(owner, name, offset, int(code[: len(code) - len(element)] or 1), element, used)
    return Number(owner, name, offset, code)


def numpy_dtype(cls: type[Struct]) -> Any:
    import numpy  # type: ignore[import-not-found, unused-ignore]

    names, formats, offsets = [], [], []
    for item in cls._fields():
        names.append(item.name)
        offsets.append(item.offset)
        formats.append(_numpy_format(item))
    return numpy.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": cls._size})


def _numpy_format(item: Field) -> Any:
    if isinstance(item, Number):
        return item.format.format
    if isinstance(item, Text):
        return ("i1", (item.room,))
    if isinstance(item, (Pointer, PointedText)):
        return "u8"
    assert isinstance(item, Inside)
    one = numpy_dtype(_class_of(item.code)) if item.code.startswith("=") else item.code
    return one if item.room == 1 and item.code.startswith("=") else (one, (item.room,))
