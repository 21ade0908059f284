# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m benchmarks`: measure every row on a driver, and write tables and a plot.

Without `--gpu` that is the stub driver, whose own time is next to nothing, so that what is measured are the bindings;
it needs shared/ and tests/ on PYTHONPATH. With `--gpu` it is the real driver, and the time is what a program sees.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from . import costs, floor, report
from .rows import HERE, Suite, World, empty_loop, loop, names, raw_loop, read
from .runner import measure

ROOT = HERE.parent
STUB = "BENCHMARKS_ON_STUB"  # set in the process that this one starts


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--suite", choices=names(), default="driver", help="the file in rows/ (default: driver)")
    parser.add_argument("--gpu", action="store_true", help="the driver is a real one")
    parser.add_argument("--machine", default="", help="what the machine is called in the report")
    parser.add_argument("--quick", action="store_true", help="few rounds: shows that it works, measures little")
    parser.add_argument("--dist", type=Path, help="also time a build from the sdist there, and weigh what comes out")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "benchmarks", help="folder of the results")
    parser.add_argument("--page", action="store_true", help="measure nothing: write the page again from the results")
    options = parser.parse_args()
    page = options.out.with_suffix(".md")
    if options.page:
        page.write_text(report.page(options.out))
        return

    suite = read(HERE / "rows" / f"{options.suite}.toml")
    if not options.gpu and STUB not in os.environ:
        environment = {**os.environ, **on_the_stub(suite), STUB: "1"}
        os.execve(sys.executable, [sys.executable, "-m", "benchmarks", *sys.argv[1:]], environment)
    found = run(suite, options)
    options.out.mkdir(parents=True, exist_ok=True)
    name = f"{options.suite}-{'gpu' if options.gpu else 'stub'}"
    (options.out / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")
    report.plot(found, options.out / f"{name}.svg")
    page.write_text(report.page(options.out))
    print(report.markdown(found))


def run(suite: Suite, options: argparse.Namespace) -> dict[str, Any]:
    path = library_of(suite)
    version = import_module(suite.core).library()["version"]
    by_hand = floor.load(ROOT / ".cache" / "bench")
    # The stub never waits, so there the thread's own time leaves out what other programs on the machine take.
    by_hand.of_thread(not options.gpu)
    world = World(suite, path, by_hand, time.perf_counter if options.gpu else time.thread_time, options.gpu)
    rounds, seconds = (7, 0.001) if options.quick else (41, 0.002)
    found: dict[str, Any] = {
        "title": suite.title,
        "official": suite.official,
        "driver": f"CUDA {version // 1000}.{version % 1000 // 10}",
        "gpu": options.gpu,
        "machine": options.machine or f"{os.cpu_count()} cores, {_processor()}",
        "python": platform.python_version(),
        "missing": world.missing,
        "rows": [],
    }
    with nullcontext() if options.gpu else unrecorded(path):
        for row in suite.rows:
            loops = {name: timed_loop for name in suite.modules if (timed_loop := loop(world, row, name))}
            if raw := raw_loop(world, row):
                loops["raw"] = raw
            chunk = row.chunk if options.gpu else None
            loops["empty"] = empty_loop(world)
            times = measure(loops, rounds=rounds, seconds=seconds, chunk=chunk, between=world.synchronize)
            base = times.pop("empty").median
            timed = {
                name: {
                    "median": round(took.median - (0 if name == "raw" else base), 1),
                    "best": round(took.best - (0 if name == "raw" else base), 1),
                }
                for name, took in times.items()
            }
            found["rows"].append({"name": row.name, "short": row.short, "times": timed, "targets": asdict(row.targets)})
            print(row.short, {name: took["median"] for name, took in timed.items()}, file=sys.stderr, flush=True)
        if suite.c_level:
            found["c_level"] = _c_level(world, rounds, seconds)
    made = {name: package.module for name, package in suite.packages.items() if name in world.modules}
    found["imports"] = {name: asdict(cost) for name, cost in costs.imports(made, 5 if options.quick else 15).items()}
    found["sizes"] = {name: costs.installed_size(row.distribution) for name, row in suite.packages.items()}
    found["limits"] = suite.limits
    if options.dist:
        name = suite.packages["ours"].distribution.replace("-", "_")
        (sdist,) = options.dist.glob(f"{name}-{suite.release}*.tar.gz")
        found["build_seconds"], found["wheel_bytes"] = costs.build_time(sdist)
    return found


def _c_level(world: World, rounds: int, seconds: float) -> dict[str, Any]:
    """A call from compiled code: through the library's own address and through each one's capsule."""
    symbol = world.suite.c_level["symbol"]
    targets: dict[str, Any] = {"raw": None}
    for name, module in world.suite.c_level.items():
        if name in world.modules:
            targets[name] = import_module(module).__pyx_capi__[symbol]
    loops = {name: lambda n, t=target: float(world.floor.through(t, n)) for name, target in targets.items()}
    times = measure(loops, rounds=rounds, seconds=seconds)
    return {name: {"median": round(took.median, 2), "best": round(took.best, 2)} for name, took in times.items()}


def on_the_stub(suite: Suite) -> dict[str, str]:
    """The environment in which everybody finds the stub library, and no other."""
    from support.build import stub_library

    library = stub_library(suite.release, suite.library)
    variable = import_module(suite.core).PATH_VARIABLE
    # The official bindings look where LD_LIBRARY_PATH said when the process began.
    return {variable: str(library), "LD_LIBRARY_PATH": str(library.parent)}


def library_of(suite: Suite) -> Path:
    found = import_module(suite.core).library()
    if not found["loaded"]:
        sys.exit(f"no library: {found['tried']}")
    return Path(found["path"])


def unrecorded(library: Path) -> AbstractContextManager[None]:
    from support.stub import Stub

    return Stub(library).unrecorded()


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


if __name__ == "__main__":
    main()
