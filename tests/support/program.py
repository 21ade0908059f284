# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A program of an official binding's user, and what it calls of the driver: for tests that change how it gets there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Each major writes two of the calls otherwise.
SPELLED = {12: {"create": "", "data": ""}, 13: {"create": "None, ", "data": "None, "}}
MEANT = {
    12: {"cuCtxCreate_v2", "cuMemAlloc_v2", "cuEventElapsedTime", "cuDeviceGetUuid", "cuGraphAddDependencies"},
    13: {"cuCtxCreate_v4", "cuMemAlloc_v2", "cuEventElapsedTime_v2", "cuDeviceGetUuid_v2", "cuGraphAddDependencies_v2"},
}

_PROGRAM = """
from cuda.bindings import driver
from cuda.bindings.driver import cuMemAlloc, cuMemcpyHtoD, cuMemFree, CUevent_flags as Flags

def check(returned):
    assert returned[0] == driver.CUresult.CUDA_SUCCESS, returned
    return returned[1] if len(returned) == 2 else returned[1:]

check(driver.cuInit(0))
device = check(driver.cuDeviceGet(0))
context = check(driver.cuCtxCreate({create}0, device))
pointer = check(cuMemAlloc(64))
check(cuMemcpyHtoD(pointer, bytes(range(64)), 64))
start, end = (check(driver.cuEventCreate(Flags.CU_EVENT_DEFAULT)) for _ in range(2))
driver.cuEventElapsedTime(start, end)
getattr(driver, "cuDeviceGetUuid")(device)
graph = check(driver.cuGraphCreate(0))
nodes = [check(driver.cuGraphAddEmptyNode(graph, None, 0)) for _ in range(2)]
check(driver.cuGraphAddDependencies(graph, nodes[:1], nodes[1:], {data}1))
executable = check(driver.cuGraphInstantiate(graph, 0))
params = driver.CUDA_KERNEL_NODE_PARAMS()
params.gridDimX = 7
driver.cuGraphAddKernelNode(graph, None, 0, params)
stream = check(driver.cuStreamCreate(0))
driver.cuStreamUpdateCaptureDependencies(stream, None, {data}0, 0)
check(cuMemFree(pointer))
check(driver.cuCtxDestroy(context))
"""

_RUNNER = """
import json, sys
from support.stub import Stub

library, program, view = sys.argv[1:]
if view:
    import importlib, types
    package = types.ModuleType("cuda.bindings")
    package.driver = importlib.import_module(f"cuda.driver_stable.{view}")
    sys.modules["cuda.bindings"], sys.modules["cuda.bindings.driver"] = package, package.driver
stub = Stub(library)
exec(compile(open(program).read(), program, "exec"), {"__name__": "__main__"})
# Bit for bit but for pointers, which are where the allocator puts things; and without what a binding asks for itself.
own = ("cuGetProcAddress", "cuGetProcAddress_v2", "cuDriverGetVersion")
rows = [[c.symbol, c.result, [a.hex() if len(a) != 8 else "pointer" for a in c.arguments]] for c in stub.calls()]
print(json.dumps([row for row in rows if row[0] not in own]))
"""

Calls = list[tuple[str, int, list[str]]]


def write(folder: Path, major: int) -> Path:
    path = folder / "program.py"
    path.write_text(_PROGRAM.format(**SPELLED[major]))
    return path


def calls(program: Path, library: Path, view: str = "") -> Calls:
    """What the driver saw. With a view, that stands for `cuda.bindings.driver`; without, the real one is imported."""
    runner = program.with_name("runner.py")
    runner.write_text(_RUNNER)
    roots = [str(ROOT / "tests"), str(ROOT / "shared"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(roots),
        "CUDA_DRIVER_STABLE_LIBRARY": str(library),
        "LD_LIBRARY_PATH": str(library.parent),  # where the official binding finds it
    }
    command = [sys.executable, str(runner), str(library), str(program), view]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return [(symbol, result, arguments) for symbol, result, arguments in json.loads(done.stdout)]
