# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What an import costs, what lies on the disk, and how long a build takes."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

# Modules that Python itself brings are imported first: they are not what is asked about.
PROGRAM = """
import sys, time, gc
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1])
before = set(sys.modules)
memory = resident()
start = time.perf_counter()
import {module}
taken = time.perf_counter() - start
print(taken, (resident() - memory) * {page}, len(set(sys.modules) - before))
"""


@dataclass(frozen=True)
class Import:
    warm: float  # milliseconds
    cold: float  # with the package's files not in the page cache
    memory: float  # MB that stay resident
    modules: int


def imports(modules: dict[str, str], rounds: int) -> dict[str, Import]:
    """In turn, each in a process of its own."""
    warm: dict[str, list[tuple[float, int, int]]] = {name: [] for name in modules}
    cold: dict[str, list[float]] = {name: [] for name in modules}
    files = {name: _files(module) for name, module in modules.items()}
    for module in modules.values():
        _import(module)  # writes the .pyc files
    for _ in range(rounds):
        for name, module in modules.items():
            warm[name].append(_import(module))
    for _ in range(max(3, rounds // 4)):
        for name, module in modules.items():
            _forget(files[name])
            cold[name].append(_import(module)[0])
    return {
        name: Import(
            warm=statistics.median(taken for taken, _, _ in warm[name]) * 1e3,
            cold=statistics.median(cold[name]) * 1e3,
            memory=statistics.median(memory for _, memory, _ in warm[name]) / 1e6,
            modules=warm[name][0][2],
        )
        for name in modules
    }


def _import(module: str) -> tuple[float, int, int]:
    program = PROGRAM.format(module=module, page=os.sysconf("SC_PAGE_SIZE"))
    done = _run(program)
    taken, memory, count = done.stdout.split()
    return float(taken), int(memory), int(count)


def _run(program: str) -> subprocess.CompletedProcess[str]:
    # Modules are compiled once and kept, as they are where programs run.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True, env=environment)


def _files(module: str) -> list[Path]:
    """Every file that an import of the module maps or reads."""
    listed = "[print(f) for m in list(sys.modules.values()) if (f := getattr(m, '__file__', None)) and '/cuda' in f]"
    program = f"import sys, {module}\n{listed}"
    done = _run(program)
    files = [Path(line) for line in done.stdout.splitlines()]
    return files + [pyc for file in files for pyc in file.parent.glob(f"__pycache__/{file.stem}.*.pyc")]


def _forget(files: list[Path]) -> None:
    """Have the kernel drop what it keeps of the files; what another process has mapped stays."""
    for path in files:
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(handle)


def installed_size(distribution: str) -> int | None:
    """Bytes of the files that a distribution installed, without what Python compiled of them."""
    try:
        files = importlib.metadata.distribution(distribution).files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    paths = {Path(str(file.locate())) for file in files if file.suffix != ".pyc"}
    return sum(path.stat().st_size for path in paths if path.exists())


def build_time(sdist: Path) -> tuple[float, int]:
    """Seconds that a wheel takes from its sdist, all tools installed, and the wheel's size."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(sdist, folder)
        (source,) = Path(folder).iterdir()
        out = Path(folder, "wheels")
        start = time.perf_counter()
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
        subprocess.run(command, cwd=source, check=True, capture_output=True)
        taken = time.perf_counter() - start
        (wheel,) = out.glob("*.whl")
        return taken, wheel.stat().st_size
