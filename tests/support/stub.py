# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Drives the stub driver (codegen.emit.stub) from a test, in the process that has it loaded.

A place is `(parameter, offset, …)`: every offset but the last is where a pointer is read and followed, starting at the
argument's own bytes. `(0, 0)` is parameter 0 itself, `(0, 0, 0)` what it points to, `(5, 0, 16, 0)` what the third
pointer behind parameter 5 points to.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

Place = tuple[int, ...]
RAW = 512


class _Recorded(ctypes.Structure):
    _fields_ = (
        ("sequence", ctypes.c_uint64),
        ("thread", ctypes.c_uint64),
        ("symbol", ctypes.c_uint32),
        ("result", ctypes.c_int32),
        ("ncaptured", ctypes.c_uint32),
        ("raw", ctypes.c_ubyte * RAW),
    )


@dataclass(frozen=True)
class Call:
    """One call as the driver saw it."""

    symbol: str
    thread: int
    result: int
    arguments: tuple[bytes, ...]  # each argument's own bytes: 8 for a pointer, a whole record where it is by value
    captured: tuple[bytes | None, ...]  # in the order they were asked for; None where a pointer was NULL


class Stub:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.library = library = ctypes.CDLL(os.fspath(path))
        u32, u64, size = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_size_t
        offsets = ctypes.POINTER(u32)
        for name, result, arguments in (
            ("count", u32, ()),
            ("name", ctypes.c_char_p, (u32,)),
            ("find", ctypes.c_int, (ctypes.c_char_p,)),
            ("parameter_count", u32, (u32,)),
            ("parameter_size", u32, (u32, u32)),
            ("parameter_offset", u32, (u32, u32)),
            ("record", None, (ctypes.c_int,)),
            ("reset", None, ()),
            ("clear", None, (u32,)),
            ("set_result", None, (u32, ctypes.c_int)),
            ("set_delay", None, (u32, u32)),
            ("set_gate", None, (u32, u32)),
            ("open_gate", None, (u32,)),
            ("waiting", ctypes.c_int, (u32,)),
            ("timed_out", ctypes.c_int, (u32,)),
            ("add_output", ctypes.c_int, (u32, u32, offsets, u32, ctypes.c_char_p, size)),
            ("add_capture", ctypes.c_int, (u32, u32, offsets, u32, size)),
            ("calls", u64, (u32,)),
            ("last", u64, ()),
            ("read", ctypes.c_int, (u64, ctypes.POINTER(_Recorded))),
            ("captured", ctypes.c_int64, (u64, u32, ctypes.c_char_p)),
            ("alive", ctypes.c_int, (ctypes.c_char_p,)),
            ("blocks", u32, ()),
        ):
            function = getattr(library, f"stub_{name}")
            function.restype = result
            function.argtypes = arguments
        self.symbols = tuple(library.stub_name(i).decode() for i in range(library.stub_count()))
        self._index = {name: i for i, name in enumerate(self.symbols)}

    # -- programming

    def reset(self) -> None:
        """Forget every recorded call and everything that was programmed."""
        self.library.stub_reset()

    def clear(self, symbol: str) -> None:
        self.library.stub_clear(self._index[symbol])

    def returns(self, symbol: str, result: int = 0) -> None:
        """From now on the symbol acts no more: it writes its programmed outputs and returns `result`."""
        self.library.stub_set_result(self._index[symbol], result)

    def writes(self, symbol: str, place: Place, data: bytes) -> None:
        parameter, path = self._path(place)
        if self.library.stub_add_output(self._index[symbol], parameter, path, len(path), data, len(data)):
            raise ValueError(f"{symbol} has no place {place}")

    def captures(self, symbol: str, place: Place, size: int) -> int:
        """Copy `size` bytes at every call before anything is written; the index into Call.captured."""
        parameter, path = self._path(place)
        number: int = self.library.stub_add_capture(self._index[symbol], parameter, path, len(path), size)
        if number < 0:
            raise ValueError(f"{symbol} has no place {place}")
        return number

    def sleeps(self, symbol: str, seconds: float) -> None:
        self.library.stub_set_delay(self._index[symbol], round(seconds * 1e6))

    def waits(self, symbol: str, seconds: float) -> None:
        """Calls wait until `open` is called, at most for so long."""
        self.library.stub_set_gate(self._index[symbol], round(seconds * 1e3))

    def open(self, symbol: str) -> None:
        self.library.stub_open_gate(self._index[symbol])

    def waiting(self, symbol: str) -> int:
        """How many calls wait."""
        return int(self.library.stub_waiting(self._index[symbol]))

    def waited_in_vain(self, symbol: str) -> bool:
        """Whether a call has given up waiting."""
        return bool(self.library.stub_timed_out(self._index[symbol]))

    @contextmanager
    def unrecorded(self) -> Iterator[None]:
        """Calls that have no program cost nothing but what they do."""
        self.library.stub_record(0)
        try:
            yield
        finally:
            self.library.stub_record(1)

    @staticmethod
    def _path(place: Place) -> tuple[int, ctypes.Array[ctypes.c_uint32]]:
        parameter, *offsets = place
        return parameter, (ctypes.c_uint32 * len(offsets))(*offsets)

    # -- what was seen

    def count(self, symbol: str | None = None) -> int:
        """Calls of a symbol since the last reset; calls of any symbol without one."""
        if symbol is None:
            return int(self.library.stub_last())
        return int(self.library.stub_calls(self._index[symbol]))

    def call(self, sequence: int | None = None) -> Call:
        """A recorded call, counted from 1; the last one without a number."""
        number = self.library.stub_last() if sequence is None else sequence
        row = _Recorded()
        if not self.library.stub_read(number, ctypes.byref(row)):
            raise LookupError(f"call {number} is not recorded")
        raw = bytes(row.raw)
        arguments = []
        for i in range(self.library.stub_parameter_count(row.symbol)):
            start = self.library.stub_parameter_offset(row.symbol, i)
            arguments.append(raw[start : start + self.library.stub_parameter_size(row.symbol, i)])
        captured = tuple(self._captured(number, i) for i in range(row.ncaptured))
        return Call(self.symbols[row.symbol], row.thread, row.result, tuple(arguments), captured)

    def calls(self, since: int = 0) -> Sequence[Call]:
        return [self.call(i) for i in range(since + 1, self.count() + 1)]

    def _captured(self, sequence: int, number: int) -> bytes | None:
        size = self.library.stub_captured(sequence, number, None)
        if size == -2:
            return None
        buffer = ctypes.create_string_buffer(max(size, 1))
        self.library.stub_captured(sequence, number, buffer)
        return buffer.raw[:size]

    def parameter_sizes(self, symbol: str) -> tuple[int, ...]:
        index = self._index[symbol]
        count = self.library.stub_parameter_count(index)
        return tuple(self.library.stub_parameter_size(index, i) for i in range(count))

    def alive(self, handle_type: str) -> int:
        """How many handles of a type were made and not yet ended."""
        count: int = self.library.stub_alive(handle_type.encode())
        if count < 0:
            raise ValueError(f"the stub driver does not count {handle_type}")
        return count

    def blocks(self) -> int:
        """Blocks of memory that were allocated and not yet freed."""
        return int(self.library.stub_blocks())
