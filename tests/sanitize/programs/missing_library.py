# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""16 threads at once ask for a library that is not there, while the environment changes."""

from __future__ import annotations

import os
import threading

import pytest

from cuda import driver_stable as cuda
from cuda.driver_stable import _core

ROUNDS = 100


def work(number: int, barrier: threading.Barrier) -> None:
    barrier.wait()
    for i in range(ROUNDS):
        os.environ[f"NOT_OURS_{number}_{i}"] = "x" * i
        assert not _core.library()["loaded"]
        with pytest.raises(cuda.DriverNotFoundError, match="/nowhere/"):
            cuda.cuInit(0)


def main() -> None:
    barrier = threading.Barrier(16)
    threads = [threading.Thread(target=work, args=(number, barrier)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


if __name__ == "__main__":
    main()
