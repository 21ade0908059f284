# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What an editor and a type checker tell: the examples are right, and a wrong handle is not.

`nox -s editor` installs both checkers.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import cuda.driver_stable as driver

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))
SITE = Path(str(driver.__file__)).resolve().parents[2]

RIGHT = """
from cuda.driver_stable import (
    CUdeviceptr_v2, CUevent, CUresult, CUstream, cuEventQuery, cuLaunchKernel, cuMemAlloc_v2, cuStreamQuery,
)
from cuda.driver_stable import cu12, cu13
import cuda.driver_stable as driver

err, pointer = cuMemAlloc_v2(64)
status: CUresult = err
address: CUdeviceptr_v2 | None = pointer
cuStreamQuery(CUstream(5))
cuStreamQuery(0)
cuStreamQuery(None)
cuEventQuery(hEvent=CUevent(1))
cu12.cuCtxCreate(0, 0)
cu13.cuCtxCreate(None, 0, 0)
name: str = driver.resolve("cuCtxCreate", cuda=12)
majors: tuple[int, ...] = driver.versions("cuCtxCreate")[0].default_in
symbol: str | None = driver.versions("cuCtxCreate")[0].symbol
there: bool = driver.is_available("cuInit")
needs: driver.CudaVersion = driver.required_cuda("cuInit")
"""

# Each is one line, and one mistake.
WRONG = {
    "a handle of another class": "import cuda.driver_stable as d; d.cuStreamQuery(d.CUcontext(5))",
    "a handle of another class by name": "import cuda.driver_stable as d; d.cuEventQuery(hEvent=d.CUstream(1))",
    "a handle of another class in a view": "from cuda.driver_stable import cu12; cu12.cuCtxDestroy(cu12.CUmodule(5))",
    "arguments of another version": "from cuda.driver_stable import cu12; cu12.cuCtxCreate(None, 0, 0)",
    "too few arguments": "import cuda.driver_stable as d; d.cuMemAlloc_v2()",
    "text for bytes": "import cuda.driver_stable as d; d.cuModuleGetFunction(d.CUmodule(1), 'name')",
    "an enum of another class": "import cuda.driver_stable as d; x: d.CUresult = d.CUjit_option.CU_JIT_TARGET",
    "a name without a version": "from cuda.driver_stable import cuCtxCreate",
    "a major as text": "import cuda.driver_stable as d; d.resolve('cuInit', cuda='12')",
}  # fmt: skip


def mypy(files: Sequence[Path]) -> list[str]:
    if not importlib.util.find_spec("mypy"):
        pytest.skip("mypy is not installed")
    environment = dict(os.environ)
    if SITE.name != "site-packages":  # mypy finds those itself, and wants them named nowhere
        environment["MYPYPATH"] = str(SITE)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--explicit-package-bases",
        "--cache-dir",
        str(files[0].parent),
    ]
    done = subprocess.run([*command, *map(str, files)], capture_output=True, text=True, env=environment)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if ": error: " in line]


def pyright(files: Sequence[Path]) -> list[str]:
    if not importlib.util.find_spec("basedpyright"):
        pytest.skip("basedpyright is not installed")
    folder = files[0].parent
    config = {"typeCheckingMode": "standard", "extraPaths": [str(SITE)], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps({**config, "include": [file.name for file in files]}))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout, done.stderr
    found = json.loads(done.stdout)
    assert found["summary"]["filesAnalyzed"] == len(files)
    return [f"{d['file']}: {d['message']}" for d in found["generalDiagnostics"] if d["severity"] == "error"]


def test_stubs_tell_the_life_of_a_function() -> None:
    """What an editor shows where a name is hovered over."""
    tree = ast.parse((SITE / "cuda" / "driver_stable" / "__init__.pyi").read_text("utf-8"))
    documented = {node.name: ast.get_docstring(node) or "" for node in tree.body if isinstance(node, ast.FunctionDef)}
    told = documented["cuCtxCreate_v2"].splitlines()
    assert told[0] == "Symbol cuCtxCreate_v2, since CUDA 3.2, declared in cuda.h."
    assert told[1] == "What CUDA 11, 12 means by cuCtxCreate."
    assert told[2] == "Later versions: cuCtxCreate_v3 (CUDA 11.4), cuCtxCreate_v4 (CUDA 12.5)."
    assert "dev (in): CUdevice_v1" in told
    assert "Later versions" not in documented["cuCtxCreate_v4"]
    assert documented["cuInit"].splitlines()[1] == ""
    means = "What CUDA 11, 12 means by cuMemPrefetchAsync with per-thread default streams."
    assert means in documented["cuMemPrefetchAsync_v1_ptsz"].splitlines()


CHECKERS = {"mypy": mypy, "pyright": pyright}


@pytest.mark.parametrize("checker", CHECKERS)
def test_passes_what_is_right(tmp_path: Path, checker: str) -> None:
    """The examples, and every way to write a call."""
    files = [tmp_path / path.name for path in EXAMPLES]
    for file, example in zip(files, EXAMPLES, strict=True):
        file.write_text(example.read_text())
    files.append(tmp_path / "right.py")
    files[-1].write_text(RIGHT)
    assert CHECKERS[checker](files) == []


@pytest.mark.parametrize("checker", CHECKERS)
def test_flags_what_is_wrong(tmp_path: Path, checker: str) -> None:
    files = []
    for number, line in enumerate(WRONG.values()):
        files.append(tmp_path / f"wrong{number}.py")
        files[-1].write_text(line + "\n")
    errors = CHECKERS[checker](files)
    silent = [name for number, name in enumerate(WRONG) if not any(f"wrong{number}.py" in error for error in errors)]
    assert silent == []


@pytest.mark.parametrize("checker", CHECKERS)
def test_names_what_was_expected(tmp_path: Path, checker: str) -> None:
    file = tmp_path / "wrong.py"
    file.write_text(WRONG["a handle of another class"] + "\n")
    (error,) = CHECKERS[checker]([file])
    assert "CUcontext" in error
    assert "CUstream" in error
