# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""16 threads at once ask for every name, then call every function for the first time."""

from __future__ import annotations

import json
import os
import struct
import sys
import threading
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from typing import Any

from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from support.stub import Stub
from support.symbols import Suite

# Not support.subject, which has asked for every name before a test can.
FACTS = LIBRARIES[os.environ.get("SUBJECT", "driver")]
_core: Any = import_module(FACTS.core)
THREADS = 16


def together(work: Callable[[int], None]) -> None:
    barrier = threading.Barrier(THREADS)
    failed: list[BaseException] = []

    def run(number: int) -> None:
        barrier.wait()
        try:
            work(number)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]


def version(release: Release) -> tuple[int, ...]:
    """What the library's call for it writes; one of another major is refused."""
    return (release.major, release.minor) if FACTS.version_in_parts else (release.number,)


def main() -> None:
    sys.setswitchinterval(1e-5)
    found: list[list[int]] = [[] for _ in range(THREADS)]
    names = [(scope, name) for scope in _core.scopes() for name in _core.names(scope)]

    def ask(number: int) -> None:
        # Constants are made anew; everything else is one object for ever.
        found[number] = [id(made) for made in (_core.lookup(*name) for name in names) if not isinstance(made, bytes)]

    together(ask)
    assert len({len(ids) for ids in found}) == 1
    kept = [i for i, (scope, name) in enumerate(names) if isinstance(_core.lookup(scope, name), type)]
    assert all(len({id(_core.lookup(*names[i])) for _ in range(2)}) == 1 for i in kept)

    suite = Suite(FACTS.key, import_module(FACTS.module))
    calls: list[tuple[Any, list[Any]]] = []
    expected: Counter[str] = Counter()
    stub = Stub(sys.argv[1])
    for bound in suite.functions:
        prepared = suite.preparer.prepare(bound)
        stub.returns(bound.function.symbol)
        if FACTS.version_symbol in (bound.function.name, bound.function.plain):
            for i, number in enumerate(version(suite.binding.api.release)):
                stub.writes(bound.function.symbol, (i, 0, 0), struct.pack("=i", number))
        calls.append((suite.callable_of(bound), list(prepared.arguments.values())))
        expected[bound.function.symbol] += THREADS
        for other, place, data in prepared.asked:
            stub.writes(other, place, data)
            expected[other] += THREADS
    stub.library.stub_record(0)

    def call(number: int) -> None:
        for function, arguments in calls:
            assert function(*arguments)[0] == 0

    together(call)
    # Finding the library may call what tells of which release it is, once.
    more = {symbol: stub.count(symbol) - times for symbol, times in expected.items()}
    assert set(more.values()) <= {0, 1}, more
    assert FACTS.major or not any(more.values()), more
    print(json.dumps({"names": len(names), "functions": len(calls), "threads": THREADS}))


if __name__ == "__main__":
    main()
