# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Arguments that nobody should give, for a random.Random: of Hypothesis, which makes them smaller, or of a seed.

The stub driver is told to answer without following a pointer, so any address is harmless. What is left to fail is ours:
the parser, the converters, the results.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import enum
import gc
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

from support.subject import ENUMS, HANDLES, RECORDS

# Whatever a hostile object raises; a call must let it through or say what was wrong.
ALLOWED = (TypeError, ValueError, OverflowError, BufferError, MemoryError, RecursionError, DeprecationWarning)


class Boom(Exception):  # noqa: N818
    """What hostile objects raise: the call has to let it through."""


class Other(enum.IntEnum):
    """An enum of somebody else."""

    ONE = 1
    CUDA_SUCCESS = 0


CTYPES = [getattr(ctypes, name) for name in dir(ctypes) if name.startswith("c_")]

# A number above this is no count that a test can wait for; a call with one is answered with a failure.
PATIENCE = 4096


class Scene:
    """What hostile objects can get hold of while a call converts its arguments."""

    def __init__(self, rng: random.Random, arguments: list[Any], call: Callable[..., Any] | None = None) -> None:
        self.rng = rng
        self.arguments = arguments
        self.call = call
        self.depth = 0
        self.acted = False

    def act(self) -> None:
        """Something that code in the middle of a conversion may do."""
        self.acted = True
        self.rng.choice(
            (self._nothing, self._boom, gc.collect, self._empty, self._grow, self._resize, self._mend, self._again)
        )()

    def _nothing(self) -> None:
        pass

    def _boom(self) -> None:
        raise Boom

    def _lists(self) -> Iterator[list[Any]]:
        for argument in self.arguments:
            if type(argument) is list:
                yield argument
                yield from [inner for inner in argument if type(inner) is list and inner is not argument]

    def _empty(self) -> None:
        for one in self._lists():
            one.clear()

    def _grow(self) -> None:
        for one in self._lists():
            one.extend([object()] * 20)

    def _resize(self) -> None:
        for argument in self.arguments:
            if type(argument) is bytearray:
                argument.extend(bytes(4096))  # BufferError where somebody holds it
                del argument[64:]

    def _mend(self) -> None:
        """Set fields of records that are arguments."""
        for argument in self.arguments:
            for one in argument if type(argument) is list else (argument,):
                if type(one) in RECORDS:
                    for name in _fields(type(one)):
                        with contextlib.suppress(*ALLOWED):
                            setattr(one, name, self.rng.choice((None, 0, bytearray(8), b"", [], 1.5)))

    def _again(self) -> None:
        if self.call and self.depth < 3:
            self.depth += 1
            try:
                self.call(*self.arguments)
            finally:
                self.depth -= 1


def _fields(record: type) -> list[str]:
    return [name for name, found in vars(record).items() if type(found).__name__ == "getset_descriptor"]


def numbers(rng: random.Random) -> int:
    bits = rng.choice((0, 1, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 5000))
    return (rng.choice((1, -1)) << bits) + rng.choice((-1, 0, 1))


def plain(rng: random.Random) -> Any:
    """Things without code of their own."""
    return rng.choice(
        (
            lambda: numbers(rng),
            lambda: rng.randrange(16),
            lambda: None,
            lambda: rng.choice((True, False)),
            lambda: rng.choice((0.0, 1.5, -1.0, 1e39, 1e308, float("nan"), float("inf"), complex(1, 2))),
            lambda: rng.choice(("", "text", "\ud800", "a\0b", b"", b"bytes", b"a\0b", b"x" * 5000)),
            lambda: rng.choice((Ellipsis, NotImplemented, object(), int, len, type)),
            lambda: rng.choice((Other.ONE, Other.CUDA_SUCCESS, range(3), {}, {1: 2}, {3}, frozenset(), iter(()))),
            lambda: rng.choice(ENUMS),
            lambda: rng.choice(list(rng.choice(ENUMS).__members__.values())),
            lambda: rng.choice(HANDLES)(rng.randrange(1, 100)),
            lambda: rng.choice(RECORDS)() if RECORDS else None,
            lambda: rng.choice(CTYPES),
            lambda: ctypes.c_int(rng.randrange(100)),
            lambda: (ctypes.c_double * 3)(1, 2, 3),
            lambda: array.array("i", range(4)),
        )
    )()


def buffers(rng: random.Random, scene: Scene) -> Any:
    memory = bytearray(rng.choice((0, 1, 4, 8, 64, 5000)))
    view = memoryview(memory)
    choice = rng.randrange(7)
    if choice == 0:
        view.release()
    elif choice == 1:
        view = view[::2]
    elif choice == 2:
        view = view[::-1]
    elif choice == 3:
        view = view.toreadonly()
    elif choice == 4 and len(memory) >= 8:
        view = view[: len(memory) // 8 * 8].cast("Q")
    elif choice == 5:
        return memory
    elif choice == 6 and sys.version_info >= (3, 12):
        return _exporter(rng, scene)
    return view


def _exporter(rng: random.Random, scene: Scene) -> Any:
    class Exporter:
        def __buffer__(self, flags: int) -> Any:
            scene.act()
            return rng.choice((lambda: memoryview(bytearray(64)), lambda: memoryview(b"ro"), lambda: 5))()

        def __release_buffer__(self, view: memoryview) -> None:
            scene.act()

    return Exporter()


def objects(rng: random.Random, scene: Scene) -> Any:
    """Objects whose methods act, lie or raise."""

    def answer(*honest: Any) -> Callable[..., Any]:
        def method(*_: Any) -> Any:
            scene.act()
            return plain(rng) if rng.random() < 0.3 else rng.choice(honest)

        return method

    methods: dict[str, Any] = {
        "__index__": answer(0, 1, 5, True, -1, 1 << 70),
        "__int__": answer(0, 1, 1 << 40),
        "__float__": answer(0.0, 1.5, float("nan")),
        "__bool__": answer(True, False),
        "__len__": answer(0, 3, sys.maxsize),
        "__getitem__": _elements(rng, scene),
        "__iter__": answer(iter(()), iter((1, 2))),
        "getPtr": answer(0, 4096, -1, 1 << 64),
        "__cuda_stream__": answer((0, 1), (0, -1), (1, 0), (0,), [0, 1]),
        "__cuda_handle__": rng.choice(("CUstream", "CUdeviceptr", "", "\ud800", 5, property(answer("CUstream")))),
        "__members__": rng.choice(({}, 5, property(answer({})))),
        "__getattr__": answer(0, None),
        "__hash__": answer(0, 1),
        "__eq__": answer(True, False),
        "__repr__": answer("text", "\ud800"),
        "__class__": property(answer(int, HANDLES[0])),
        "__call__": answer(0),
    }
    chosen = {name: methods[name] for name in rng.sample(sorted(methods), rng.randrange(1, 5))}
    if chosen.get("__eq__") and "__hash__" not in chosen:
        chosen["__hash__"] = lambda self: 1
    base = rng.choice((object, object, object, int, float, list, tuple, bytes, bytearray))
    try:
        cls = type(rng.choice(("Hostile", "CUstream", "cudaStream_t", "CUhostFn")), (base,), chosen)
        return cls() if base is not int else cls(rng.choice((0, 5, 1 << 40)))
    except (Boom, TypeError, ValueError):
        return object()  # it was hostile to its maker


def _elements(rng: random.Random, scene: Scene) -> Callable[[Any, Any], Any]:
    given = 0

    def method(_: Any, index: Any) -> Any:
        nonlocal given
        scene.act()
        given += 1
        if given > rng.choice((0, 3, 50)):
            raise IndexError
        return plain(rng)

    return method


def rows(rng: random.Random, scene: Scene, depth: int = 0) -> Any:
    """Sequences of anything, in themselves too."""
    made: list[Any] = [anything(rng, scene, depth + 1) for _ in range(rng.choice((0, 1, 2, 3, 3, 3, 20)))]
    choice = rng.randrange(8)
    if choice == 0:
        made.append(made)
    elif choice == 1:
        return tuple(made)
    elif choice == 2:
        return (made, [rng.choice((*CTYPES, None, 5)) for _ in made])
    elif choice == 3:
        return (tuple(made), tuple(rng.choice((*CTYPES, None)) for _ in range(rng.randrange(5))))
    return made


def anything(rng: random.Random, scene: Scene, depth: int = 0) -> Any:
    choice = rng.randrange(10)
    if choice < 4 or depth > 3:
        return plain(rng)
    if choice < 6:
        return objects(rng, scene)
    if choice < 7:
        return buffers(rng, scene)
    if choice < 8 and scene.arguments:
        found = rng.choice(scene.arguments)
        # The honest value with something in it that is not.
        if type(found) is list and found:
            found = list(found)
            found[rng.randrange(len(found))] = anything(rng, scene, depth + 1)
        return found
    return rows(rng, scene, depth)


def is_patient(value: Any, depth: int = 0) -> bool:
    """Whether a call with this may succeed: no number in it asks for more than a test can wait for."""
    # By type: an object may say something else of itself, or do something when it is asked.
    if type(value) in (int, bool) or type(value) in ENUMS:
        return bool(-PATIENCE < value < PATIENCE)
    if type(value) in HANDLES:
        return -PATIENCE < int(value) < PATIENCE
    if type(value) in (list, tuple) and depth < 4:
        return all(is_patient(one, depth + 1) for one in value)
    return type(value) in (float, str, bytes, bytearray, type(None)) or type(value) in RECORDS
