# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Hostile arguments and field values chosen by libFuzzer: `python tests/fuzz/guided.py 20000` makes 20000 inputs.

The bytes of an input are the choices of hostile.py. The edges of the C code that it reaches decide which inputs are
kept and varied, so the modules have to be compiled as tests/sanitize/build.py does for "coverage". The Python code
around them is not instrumented. Checks are those of test_arguments.py and test_records.py. The process ends with
another status than 0 at the first that fails, and at a crash, a hang or an error that ASan sees. The input is then in a
file that libFuzzer names: `guided.py FILE` runs that one.
"""

from __future__ import annotations

import atexit
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import atheris

from fuzz import test_arguments, test_records
from fuzz.conftest import LIBRARY, SECONDS
from support.stub import Stub
from support.subject import BY_NAME, core

SEED = 4
SIZE = 1024  # bytes of an input: more choices than nearly any call needs
STARTS = 64  # inputs to begin with, for libFuzzer's own first one is empty

core.library()  # loading it may ask for its version, which is no call of an input
stub = Stub(LIBRARY)
counts: Counter[str] = Counter()


class Choices(random.Random):
    """A random.Random whose choices are read from an input; all of them are 0 behind its end."""

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._provider: Any = atheris.FuzzedDataProvider(data)

    def random(self) -> float:
        return min(float(self._provider.ConsumeProbability()), 1 - 2**-53)

    def getrandbits(self, k: int, /) -> int:
        return int.from_bytes(self._provider.ConsumeBytes((k + 7) // 8), "little") & ((1 << k) - 1)

    def _randbelow(self, n: int) -> int:  # what choice(), sample() and randrange() are made of
        return int(self._provider.ConsumeIntInRange(0, n - 1))


def one_input(data: bytes) -> None:
    rng = Choices(data)
    if not test_records.FIELDS or rng.randrange(2):
        counts["arguments"] += 1
        test_arguments.attempt(stub, BY_NAME[rng.choice(test_arguments.WITH_INPUTS)], rng)
    else:
        counts["records"] += 1
        test_records.attempt(*rng.choice(test_records.FIELDS), rng)
    if counts.total() % 1000 == 0:
        stub.reset()


def main(asked: str) -> None:
    # Fuzz() does not return: Python ends in it.
    atexit.register(lambda: print(json.dumps({**counts, **test_arguments.seen}), flush=True))
    with tempfile.TemporaryDirectory() as folder:
        rng = random.Random(SEED)
        for number in range(STARTS):
            Path(folder, str(number)).write_bytes(rng.randbytes(SIZE))
        is_count = asked.isdecimal()
        options = {
            "atheris_runs": int(asked) if is_count else 1,
            "seed": SEED,
            "max_len": SIZE,
            "len_control": 0,
            "timeout": SECONDS,
            "detect_leaks": 0,  # test_leaks.py measures them
            "malloc_limit_mb": 1 << 20,  # objects that claim to be huge are refused by malloc itself
            "artifact_prefix": f"{tempfile.gettempdir()}/",
        }
        settings = [f"-{name}={value}" for name, value in options.items()]
        atheris.Setup([sys.argv[0], *settings, folder if is_count else asked], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1])
