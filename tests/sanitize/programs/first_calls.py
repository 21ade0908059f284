# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""16 threads at once ask for every name, then call every function for the first time."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from codegen.model.bind import bind
from codegen.model.fold import fold
from cuda import driver_stable as cuda
from cuda.driver_stable import _core
from support.calls import Preparer
from support.stub import Stub
from support.values import Values

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

    binding = bind(fold("driver"))
    preparer = Preparer(Values(cuda, binding))
    calls: list[tuple[Any, list[Any]]] = []
    stub = Stub(sys.argv[1])
    for bound in binding.functions:
        if bound.function.platform == "windows":
            continue
        prepared = preparer.prepare(bound)
        stub.returns(bound.function.symbol)
        calls.append((getattr(cuda, bound.function.name), list(prepared.arguments.values())))
    stub.library.stub_record(0)

    def call(number: int) -> None:
        for function, arguments in calls:
            assert function(*arguments)[0] == 0

    together(call)
    counted = [stub.count(row["symbol"]) for row in _core.functions() if row["symbol"] in stub.symbols]
    assert counted == [THREADS] * len(calls), set(counted)
    print(len(names), "names and", len(calls), "functions, from", THREADS, "threads")


if __name__ == "__main__":
    main()
