# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Results as a table and a plot."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

CALLED = {
    "ours": "ours",
    "official": "cuda-bindings",
    "v2": "its _v2",
    "ctypes": "ctypes",
    "floor": "C by hand",
    "raw": "library alone",
}
Results = Mapping[str, Any]


def checks(found: Results) -> Iterator[tuple[str, str, float, float]]:
    """(what, unit, measured, at most) of every target."""
    for row in found["rows"]:
        times = {name: time["median"] for name, time in row["times"].items()}
        targets = row["targets"]
        for name, above in (("floor", found["gpu"]), ("official", found["gpu"] or targets["above"])):
            if targets[name] and name in times:
                # A real driver takes time of its own, which no binding can save.
                below = times.get("raw", 0.0) if above else 0.0
                text = f"{row['short']}: of {CALLED[name]}{', above the driver' if above else ''}"
                yield text, "×", (times["ours"] - below) / (times[name] - below), targets[name]
    limits = found["limits"]
    if "c_level" in found and not found["gpu"]:  # there the driver's own time differs by more from round to round
        level = {name: time["best"] for name, time in found["c_level"].items()}
        yield "C level, above a raw pointer", " ns", level["ours"] - level["raw"], limits["c_level"]
    yield "import, warm", " ms", found["imports"]["ours"]["warm"], limits["warm"]
    yield "import, memory", " MB", found["imports"]["ours"]["memory"], limits["memory"]
    if found["sizes"]["ours"]:
        yield "installed", " MB", found["sizes"]["ours"] / 1e6, limits["installed"]
    if "wheel_bytes" in found:
        yield "wheel", " MB", found["wheel_bytes"] / 1e6, limits["wheel"]
        yield "build from source", " s", found["build_seconds"], limits["build"]


def markdown(found: Results) -> str:
    where = f"{found['driver']}, Python {found['python']}, {found['machine']}"
    lines = [f"Nanoseconds a call, the median of interleaved rounds; {where}.", ""]
    columns = [name for name in CALLED if any(name in row["times"] for row in found["rows"])]
    lines.append("| | " + " | ".join(CALLED[name] for name in columns) + " |")
    lines.append("|---" * (len(columns) + 1) + "|")
    for row in found["rows"]:
        cells = [f"{row['times'][name]['median']:,.0f}" if name in row["times"] else "–" for name in columns]
        lines.append(f"| {row['name']} | " + " | ".join(cells) + " |")
    if "c_level" in found:
        lines += ["", "| C level: cuStreamQuery from compiled code, best | ns a call |", "|---|---|"]
        lines += [f"| {CALLED[name]} | {time['best']:.2f} |" for name, time in found["c_level"].items()]
    lines += [
        "",
        "| import | warm, ms | cold, ms | memory, MB | modules | installed, MB |",
        "|---|---|---|---|---|---|",
    ]
    for name, cost in found["imports"].items():
        size = f"{found['sizes'][name] / 1e6:.1f}" if found["sizes"][name] else "–"
        figures = " | ".join(f"{cost[key]:.1f}" for key in ("warm", "cold", "memory"))
        lines.append(f"| {CALLED[name]} | {figures} | {cost['modules']} | {size} |")
    lines += ["", "| target | measured | at most | |", "|---|---|---|---|"]
    for what, unit, measured, most in checks(found):
        lines.append(
            f"| {what} | {measured:.2f}{unit} | {most:g}{unit} | {'met' if measured <= most else '**missed**'} |"
        )
    for name, why in found["missing"].items():
        lines += ["", f"{CALLED[name]} was not there: {why}."]
    return "\n".join(lines) + "\n"


PAGE = """# What a call costs

Made by `nox -s bench`; the rows are data in `benchmarks/rows/`. Everything that is compared runs in one process in
turn, a few milliseconds each, in rounds and in an order that changes; what is shown is the median of the rounds, less
the time of an empty loop. (pyperf runs one benchmark after another, and on a shared machine the minutes between them
make noise of a ratio.) On a stub the clock is the thread's own, so the time of other programs does not count.

- *ours*: `cuda.driver_stable.cu13` and the toolkit wheels of CUDA 13, built for the limited API as the wheels are.
- *cuda-bindings*: the official package, version 13.5.0, called with the same statements; *its _v2* is the interface
  that raises exceptions, takes plain ints for handles, and returns no status.
- *ctypes*: with prototypes. *C by hand*: `benchmarks/floor.c`, an extension with nothing but these calls, in CPython's
  own API.
- *library alone*: the same call from a loop in C.

The official runtime carries a CUDA runtime of its own, which does nothing without a device: on the stub it has those
rows only that need none. `python -m benchmarks.instructions` counts instructions in place of time, and
[decision 0007](decisions/0007-targets-of-speed-that-are-missed.md) says what of them is due to the limited API, and why
targets are missed.

Only calls of the driver, the runtime and NVRTC have targets. What is met of `cuda.nvjitlink`, `cuda.nvvm` and
`cuda.nvml` is their import, their size and their build, and no call: their functions in snake_case are Python around
the engine's, where the official ones are compiled, and take three to eleven times as long as those.
"""


def summary(results: Iterable[Results]) -> str:
    """How many targets are met, of each run."""
    lines = ["| run | targets met | missed |", "|---|---|---|"]
    for found in results:
        outcome = [measured <= most for _, _, measured, most in checks(found)]
        where = HEADINGS["gpu" if found["gpu"] else "stub"]
        lines.append(f"| {found['title']}, {where} | {sum(outcome)} of {len(outcome)} | {outcome.count(False)} |")
    return "\n".join(lines) + "\n"


HEADINGS = {"stub": "on a stub", "gpu": "on an H200"}


def page(folder: Path) -> str:
    """Everything that was ever measured and is still there, as one page."""
    text = PAGE
    paths = sorted(folder.glob("*.json"), key=lambda path: (not path.stem.endswith("stub"), path.stem))
    results = {path: json.loads(path.read_text()) for path in paths}
    text += "\n" + summary(results.values())
    for path, found in results.items():
        heading = HEADINGS[path.stem.rpartition("-")[2]]
        text += f"\n## {found['title']}: {heading}\n\n"
        if path.with_suffix(".svg").exists():
            text += f"![Time a call, by contestant]({folder.name}/{path.stem}.svg)\n\n"
        text += markdown(found)
    return text


def plot(found: Results, path: Path) -> None:
    if not importlib.util.find_spec("matplotlib"):
        print("matplotlib is not installed: no plot")
        return
    import matplotlib  # type: ignore[import-not-found,unused-ignore]

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "benchmarks"
    from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]

    rows = [row for row in found["rows"] if "official" in row["times"]]
    figure, axes = pyplot.subplots(figsize=(9, 0.42 * len(rows) + 1.4))
    shown = {"official": "#b0b0b0", "ours": "#2a7f3f", "floor": "#1f3b63"}
    for offset, (name, color) in enumerate(shown.items()):
        places = [i + (offset - 1) * 0.27 for i, row in enumerate(rows) if name in row["times"]]
        widths = [max(row["times"][name]["median"], 1.0) for row in rows if name in row["times"]]
        axes.barh(places, widths, height=0.25, color=color, label=CALLED[name])
    axes.set_yticks(range(len(rows)), [row["short"] for row in rows])
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("nanoseconds a call (median), logarithmic")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="upper right", frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
