# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the functions of `_generated` are made of: the call, its status, and what comes in and goes out."""

from __future__ import annotations

from . import _core, _errors
from ._struct import Struct, numbers
from ._structs import kind

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_SUCCESS = 0
_INSUFFICIENT_SIZE = 7
# A list may grow between the call that counts and the call that fills: processes come and go.
_ATTEMPTS = 16
_SPARE = 8


def check_status(status: int) -> int:
    """The status, where it is success."""
    if status != _SUCCESS:
        raise _errors.of(status)
    return status


def check_status_size(status: int) -> int:
    """Success, where the status is that or tells that there was not enough room."""
    return _SUCCESS if status == _INSUFFICIENT_SIZE else check_status(status)


# What was looked up already; a call costs little more than C's.
_functions: dict[str, Callable[..., Any]] = {}


def function_of(name: str) -> Callable[..., Any]:
    found = _functions.get(name)
    if found is None:
        looked_up: Any = _core.lookup("", name)
        found = _functions[name] = looked_up
    return found


def call(name: str, *arguments: object) -> Any:
    """The outputs of a call: None, one, or a tuple of several."""
    result = (_functions.get(name) or function_of(name))(*arguments)
    if result[0]:
        raise _errors.of(int(result[0]))
    return result[1] if len(result) == 2 else result[1:]


def counted(name: str, at: int, arguments: Callable[[int], tuple[object, ...]]) -> list[Any]:
    """The outputs but the count, which is the one `at` that index: asked how many there are, then with that room."""
    function = function_of(name)
    room = 0
    for _ in range(_ATTEMPTS):
        status, *outputs = function(*arguments(room))
        count = outputs.pop(at)
        if status == _SUCCESS and count <= room:
            return list(outputs)
        if status not in (_SUCCESS, _INSUFFICIENT_SIZE):
            break
        room = count + (_SPARE if room else 0)
    raise _errors.of(int(status or _INSUFFICIENT_SIZE))


def listed(struct: Struct, field: str, name: str, *arguments: object) -> Struct:
    """As `counted`, where count and array are fields of a struct."""
    function = function_of(name)
    descriptor = type(struct).__dict__[field]
    descriptor.empty(struct)
    room = 0
    for _ in range(_ATTEMPTS):
        (status,) = function(*arguments, struct._record())
        count = descriptor.count(struct)
        if status == _SUCCESS and count <= room:
            return struct
        if status not in (_SUCCESS, _INSUFFICIENT_SIZE):
            break
        room = count + (_SPARE if room else 0)
        descriptor.reserve(struct, room)
    raise _errors.of(int(status or _INSUFFICIENT_SIZE))


def new(name: str) -> Any:
    """A struct of zeros that tells its version."""
    return kind(name)._new()


def wrap(name: str, record: object) -> Any:
    return kind(name)._of_record(record)


def structs(name: str, records: Sequence[Any] | None) -> Any:
    """The records of an array, one behind the other."""
    return kind(name)._of_memory(bytearray().join(memoryview(record) for record in records or ()))


def arrays(code: str, values: Sequence[int] | None) -> memoryview:
    return numbers(code, list(map(int, values or ())))


def given(function: str, argument: str, name: str, value: object) -> Any:
    """A struct for the core: of its class, a record of the core, or the address of one."""
    wanted = kind(name)
    if isinstance(value, Struct):
        if type(value)._c_name != wanted._c_name and type(value)._family != wanted._family:
            raise TypeError(f"{function}() argument '{argument}' must be {name}, not {type(value).__name__}")
        if len(value) != 1:
            raise ValueError(f"{function}() argument '{argument}' must be one {name}, not {len(value)}")
        value._tell_version()
        return value._record()
    record: Any = _core.lookup("", wanted._c_name)
    if isinstance(value, record):
        return value
    if isinstance(value, int) and not isinstance(value, bool) and value:
        return record(_ptr=value)
    raise TypeError(f"{function}() argument '{argument}' must be {name} or its address, not {type(value).__name__}")


def plain(value: Any) -> Any:
    """A member of an enum under a short name is, to the core, of a class that it does not know."""
    return int(value) if isinstance(value, int) else value


def encoded(function: str, argument: str, value: object) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(f"{function}() argument '{argument}' must be str or bytes, not {type(value).__name__}")


def text(value: bytes | None) -> str:
    """Up to the NUL."""
    return (value or b"").partition(b"\0")[0].decode()


def integers(values: Sequence[Any]) -> tuple[int, ...]:
    return tuple(map(int, values))
