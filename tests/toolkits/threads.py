# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Whether other threads run while a call is on its way."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def ticks_during(call: Callable[[], T]) -> tuple[int, T]:
    """How often another thread woke up, every 5 ms, well inside of a call; and what the call returned."""
    ticks: list[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    start = time.monotonic()
    result = call()
    end = time.monotonic()
    done.set()
    thread.join()
    # The interpreter may switch threads just before the call and just after it, with or without the GIL.
    edge = (end - start) / 10
    return sum(start + edge < moment < end - edge for moment in ticks), result
