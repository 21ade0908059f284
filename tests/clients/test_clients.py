# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""On a stub driver, which records every call: the shim's side does what the official side does, by the right symbols.

OFFICIAL names the Python of an environment with the official packages (`nox -s clients`); this one has ours.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import BuiltinFunctionType
from typing import Any

import pytest

from codegen.ingest import fetch, standins
from codegen.ingest.specs import SPECS
from codegen.model.api import Release
from cuda.core_shim._wheels import SERVES, environment
from cuda.driver_stable import _core
from support import toolkits
from support.build import stub_library

from .compare import calls, compare, run

if "OFFICIAL" not in os.environ:
    pytest.skip("no environment to compare with: nox -s clients makes one", allow_module_level=True)
OFFICIAL = os.environ["OFFICIAL"]
MAJOR = environment().major
RELEASE = Release.of_version(SERVES[MAJOR])
PROGRAMS = ("core", "bindings", "use_cython")

# Symbols that only the shim's side calls, where the official package has a text of its own.
EXPLAINED = {("core", "memory_wrong"): ["cuGetErrorString"]}


@cache
def outcome(side: str, program: str) -> Mapping[str, Any]:
    library = stub_library(str(RELEASE))
    python = sys.executable if side == "shim" else OFFICIAL
    _link_libraries(python)
    variables = {"STUB": str(library), "LD_LIBRARY_PATH": str(library.parent)}
    if program == "use_cython":
        variables["EXTENSION"] = str(extension())
    return run(python, program, environment=variables)


@cache
def extension() -> Path:
    """The folder of the client in Cython, compiled in the environment with the official packages."""
    folder = Path(tempfile.mkdtemp(prefix="client-"))
    atexit.register(shutil.rmtree, folder)
    # What <cuda_runtime.h> needs beside it; that of CUDA 12 is content with less.
    crt = folder / "include"
    if MAJOR >= 13:
        pip = [OFFICIAL, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder / "crt")]
        subprocess.run([*pip, f"nvidia-cuda-crt=={RELEASE}.*", f"nvidia-cuda-runtime=={RELEASE}.*"], check=True)
        (crt,) = (folder / "crt").glob("nvidia/*/include")
    else:
        standins.write(crt, {name: text for name, text in SPECS["runtime"].standins.items() if "/" in name})
    includes = [crt, *(fetch.headers(RELEASE, spec=SPECS[name]).linux for name in ("runtime", "nvrtc", "nvjitlink"))]
    script = Path(__file__).parent / "extension" / "build.py"
    subprocess.run([OFFICIAL, str(script), str(folder), *map(str, includes)], check=True)
    return folder


def _link_libraries(python: str) -> None:
    """NVIDIA's own libraries, where cuda-pathfinder looks: as pip would install them."""
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()
    link, wanted = Path(packages, "nvidia"), toolkits.site(RELEASE) / "nvidia"
    if not link.exists():
        link.symlink_to(wanted)
    assert link.resolve() == wanted.resolve()


@pytest.fixture(scope="module", autouse=True)
def enabled() -> Any:
    """Children of a program, too, get the shim."""
    command = [sys.executable, "-m", "cuda.core_shim"]
    subprocess.run([*command, "enable"], check=True)
    yield
    subprocess.run([*command, "disable"], check=True)


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_happens(program: str) -> None:
    rows = list(compare(outcome("official", program), outcome("shim", program)))
    assert [f"{row.area}: {row.difference}" for row in rows if row.difference] == []
    assert sum(row.outcome == "ok" for row in rows) >= {"core": 12, "bindings": 8, "use_cython": 4}[program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_same_symbols_are_called(program: str) -> None:
    official, shim = outcome("official", program), outcome("shim", program)
    has_more = {row.area for row in compare(official, shim) if row.more}
    theirs, ours = calls(official), calls(shim)
    for area, symbols in ours.items():
        more = EXPLAINED.get((program, area), [])
        if area in has_more:  # it asks the driver for what the official package has no name for
            assert set(symbols) - set(more) == set(theirs[area]), area
        else:
            assert [symbol for symbol in symbols if symbol not in more] == theirs[area], area
    assert sum(map(len, ours.values())) > {"core": 300, "bindings": 20, "use_cython": 7}[program]


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_symbol_is_the_one_that_the_major_means(program: str) -> None:
    rows = {row[key]: row["symbol"] for row in _core.functions() for key in ("name", "plain") if row[key]}
    functions = (_core.lookup(f"cu{MAJOR}", name) for name in _core.names(f"cu{MAJOR}"))
    meant = {rows[function.__name__] for function in functions if isinstance(function, BuiltinFunctionType)}
    called = {symbol for symbols in calls(outcome("shim", program)).values() for symbol in symbols}
    assert called - meant == set()
    assert {"core": "cuEventDestroy_v2", "bindings": "cuMemAlloc_v2", "use_cython": "cuMemFree_v2"}[program] in called
