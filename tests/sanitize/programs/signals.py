# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Signals while a call is in the driver: other threads run, the handler runs after the call, nothing is lost."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from types import FrameType

from cuda import driver_stable as cuda
from support.stub import Stub


def main() -> None:
    stub = Stub(sys.argv[1])
    stub.returns("cuStreamSynchronize")
    stub.sleeps("cuStreamSynchronize", 0.3)
    times: list[float] = []

    def handler(number: int, frame: FrameType | None) -> None:
        times.append(time.monotonic())

    signal.signal(signal.SIGUSR1, handler)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # jobs of a shell may ignore it
    ticks = 0
    done = False

    def tick() -> None:
        nonlocal ticks
        while not done:
            ticks += 1
            os.kill(os.getpid(), signal.SIGUSR1)
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    for _ in range(5):
        assert cuda.cuStreamSynchronize(0) == (cuda.CUresult.CUDA_SUCCESS,)
    took = time.monotonic() - start
    done = True
    thread.join()
    # The stub's sleep is not resumed when a signal ends it early, which is the hardest case: the call just returns.
    assert ticks >= 3, f"the other thread ran {ticks} times in {took:.2f} s: the GIL was held"
    assert times, "no handler ran"

    # Ctrl-C ends the program with KeyboardInterrupt after the call, not in it.
    main_thread = threading.get_ident()
    timer = threading.Timer(0.05, signal.pthread_kill, (main_thread, signal.SIGINT))
    timer.start()
    try:
        for _ in range(100):
            cuda.cuStreamSynchronize(0)
        raise AssertionError("no KeyboardInterrupt")
    except KeyboardInterrupt:
        pass
    assert cuda.cuDriverGetVersion()[0] == 0
    print(ticks, "ticks", len(times), "signals")


if __name__ == "__main__":
    main()
