# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Times several loops in turn, again and again, and keeps for each the median and the best of all rounds.

pyperf runs one benchmark after another, each in processes of its own. On a machine that others use too, minutes lie
between two of them, and their ratio is noise; here the loops that are compared run within milliseconds of each other.
"""

from __future__ import annotations

import gc
import random
import statistics
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .rows import Loop


@dataclass(frozen=True)
class Timing:
    median: float  # nanoseconds a run
    best: float


def measure(
    loops: Mapping[str, Loop],
    *,
    rounds: int,
    seconds: float,
    chunk: int | None = None,
    between: Callable[[], object] = lambda: None,
) -> dict[str, Timing]:
    """Each round runs every loop once, in another order, for about `seconds`; at most `chunk` runs at a time."""
    counts = {name: _calibrate(loop, seconds, chunk, between) for name, loop in loops.items()}
    samples: dict[str, list[float]] = {name: [] for name in loops}
    order = list(loops)
    shuffle = random.Random(0).shuffle
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            shuffle(order)
            for name in order:
                samples[name].append(_sample(loops[name], counts[name], chunk, between))
    finally:
        gc.enable()
    return {name: Timing(statistics.median(found), min(found)) for name, found in samples.items()}


def _sample(loop: Loop, count: int, chunk: int | None, between: Callable[[], object]) -> float:
    """Nanoseconds a run."""
    if chunk is None:
        return loop(count) / count * 1e9
    total = 0.0
    for _ in range(count // chunk):
        total += loop(chunk)
        between()
    return total / (count // chunk * chunk) * 1e9


def _calibrate(loop: Loop, seconds: float, chunk: int | None, between: Callable[[], object]) -> int:
    step = chunk or 1
    _sample(loop, step, chunk, between)  # a first call finds libraries and makes types
    count = step
    while True:
        taken = _sample(loop, count, chunk, between) * count * 1e-9
        if taken > seconds / 4 or count > 10_000_000:
            return max(step, round(count * seconds / max(taken, 1e-9) / step) * step)
        count *= 4
