# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A missing library and many threads, forks, other interpreters and the end of one, under each sanitizer."""

from __future__ import annotations

import pytest

from sanitize.conftest import LIBRARY, Run

SUBINTERPRETER = """
import sys
import cuda.driver_stable
assert cuda.driver_stable.cuDriverGetVersion()[0] == 0
text = '''
try:
    import cuda.driver_stable
except ImportError as error:
    assert "interpreter" in str(error), error
else:
    raise SystemExit("imported")
'''
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
made = [interpreters.create()]
made += [interpreters.create("legacy")] if sys.version_info >= (3, 13) else []
made += [interpreters.create(isolated=False)] if sys.version_info < (3, 13) else []
for one in made:
    error = interpreters.run_string(one, text)
    assert error is None, error
    interpreters.destroy(one)
assert cuda.driver_stable.cuDriverGetVersion()[0] == 0
"""

FORK = """
import os
from cuda import driver_stable as cuda
assert cuda.cuDriverGetVersion()[0] == 0
config = cuda.CUlaunchConfig(attrs=[cuda.CUlaunchAttribute(id=1)], numAttrs=1)
held = [cuda.CUstream(5), config, cuda.CUdeviceptr_v2(64)]
children = []
for i in range(20):
    child = os.fork()
    if not child:
        status = 1
        try:
            assert cuda.cuDriverGetVersion()[0] == 0  # resolved by the parent
            assert cuda.cuGetErrorName(cuda.CUresult(1))[0] == 0  # resolved here
            assert cuda.CUlimit.CU_LIMIT_STACK_SIZE == 0  # a type made here
            assert config.attrs[0].id == 1
            held.clear()
            status = 0
        finally:
            os._exit(status)
    children.append(child)
statuses = [os.waitpid(child, 0)[1] for child in children]
assert statuses == [0] * 20, statuses
assert int(held[0]) == 5 and held[1].attrs[0].id == 1
"""

REIMPORT = """
import sys, importlib
import cuda.driver_stable as first
for i in range(20):
    kept = first.CUresult, first.cuInit, first.CUstream(4)
    for name in [n for n in sys.modules if n.startswith("cuda")]:
        del sys.modules[name]
    second = importlib.import_module("cuda.driver_stable")
    assert second.CUresult is kept[0] and second.cuInit is kept[1]
    assert second.CUstream(4) == kept[2]
    assert second.cuStreamQuery(kept[2])[0] == 0
    first = second
"""

# A C function that two threads run at once, to know that a race would be seen. It runs for long: between short calls
# the GIL goes from thread to thread, and what is handed over in order is no race.
RACE = """
import ctypes, os, pathlib, subprocess, tempfile, threading
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "race.c").write_text("volatile int n; void hit(void) { for (int i = 0; i < 20000000; i++) n++; }")
compile = ["gcc", "-shared", "-fPIC", "-g", "-O1", "-fsanitize=thread", "race.c", "-o", "race.so"]
subprocess.run(compile, cwd=folder, check=True, env={"PATH": os.environ["PATH"]})
hit = ctypes.CDLL(str(folder / "race.so")).hit
threads = [threading.Thread(target=hit) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""

# One byte behind a record that Python owns.
OVERFLOW = """
import ctypes
from cuda import driver_stable as cuda
record = cuda.CUlaunchConfig()
ctypes.memset(record.getPtr(), 0, 4096)
"""

everywhere = pytest.mark.parametrize("variant", ["plain", "address", "thread"])
alone = pytest.mark.parametrize("variant", ["plain", "address"])


@everywhere
def test_missing_library_from_many_threads(run: Run, variant: str) -> None:
    run(variant, "missing_library.py", CUDA_DRIVER_STABLE_LIBRARY="/nowhere/libcuda.so.1")


@alone
def test_fork_after_use(run: Run, variant: str) -> None:
    run(variant, FORK)


@alone
def test_another_interpreter_is_refused_clearly(run: Run, variant: str) -> None:
    run(variant, SUBINTERPRETER)


@alone
def test_import_again(run: Run, variant: str) -> None:
    run(variant, REIMPORT)


@alone
def test_shutdown_with_live_objects(run: Run, variant: str) -> None:
    assert "objects" in run(variant, "shutdown.py", str(LIBRARY)).stdout


@alone
def test_signals_during_long_calls(run: Run, variant: str) -> None:
    assert "signals" in run(variant, "signals.py", str(LIBRARY)).stdout


def test_a_race_would_be_seen(run: Run) -> None:
    with pytest.raises(AssertionError, match="data race"):
        run("thread", RACE)


def test_a_write_behind_an_object_would_be_seen(run: Run) -> None:
    with pytest.raises(AssertionError, match="heap-buffer-overflow"):
        run("address", OVERFLOW)
