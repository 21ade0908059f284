# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What modules that are written as Python writes things have in common: exceptions for statuses, str for `char *`."""

from __future__ import annotations

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import Buffer

_functions: dict[str, Any] = {}  # that were called before
_UNKNOWN = "unknown status"  # of a library that is newer than this package


class StatusError(Exception):
    """A call of the library failed. `status` is its result; what the library said is in the notes of the exception."""

    def __init__(self, status: int) -> None:
        from importlib import import_module

        result = import_module(f"{__package__}._enums").Result
        known = status in result.__members__.values()
        super().__init__(f"{result(status).name if known else _UNKNOWN} ({int(status)})")
        self.status = result(status) if known else status

    def __reduce__(self) -> tuple[type[StatusError], tuple[int], dict[str, Any]]:
        return type(self), (self.status,), self.__dict__  # which has the notes


def call(error: type[StatusError], name: str, *arguments: object) -> Any:
    """The outputs of a call: None, one, or a tuple of several."""
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = _core.lookup("", name)
    result = function(*arguments)
    if result[0]:
        raise error(result[0])
    return result[1] if len(result) == 2 else result[1:] or None


def text(log: bytes | bytearray) -> str:
    """A log of the library, for the notes of an exception."""
    return log.rstrip(b"\0").decode(errors="replace").strip()


def strings(function: str, count: int, options: int | Sequence[str | bytes | int]) -> list[bytes]:
    """Options as C takes them, out of all the forms in which Python may give them."""
    if isinstance(options, int):
        from ctypes import POINTER, c_char_p, cast

        return cast(options, POINTER(c_char_p))[:count] if count else []
    if isinstance(options, (str, bytes)):
        raise TypeError(f"{function}() argument 'options' must be a sequence of str or bytes, not one of them")
    if not hasattr(options, "__iter__"):
        raise TypeError(f"{function}() argument 'options' must be a sequence of str or bytes, not {_kind(options)}")
    return [_string(function, f"options[{i}]", option) for i, option in enumerate(options)]


def _string(function: str, argument: str, option: str | bytes | int) -> bytes:
    if isinstance(option, int):
        from ctypes import string_at

        return string_at(option)
    return encoded(function, argument, option)


def _kind(value: object) -> str:
    return "None" if value is None else type(value).__name__


def encoded(function: str, argument: str, value: str | bytes) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(f"{function}() argument '{argument}' must be str or bytes, not {_kind(value)}")


def check_size(function: str, argument: str, value: int | Buffer | None, size: int) -> None:
    """What an address leads to is the caller's word."""
    if isinstance(value, str):
        raise TypeError(f"{function}() argument '{argument}' must be bytes or another buffer, not str")
    if value is not None and not isinstance(value, int) and (has := memoryview(value).nbytes) < size:
        raise ValueError(f"{function}() argument '{argument}' has {has} bytes, and 'size' says {size}")
