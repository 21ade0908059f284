# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver wheel of a made-up CUDA 14: what the ledger makes of it, and what its own tools tell.

What it does when it is called is for the rows with that wheel, compiled consumers are in tests/compat/built_old.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from ci.abi.compare import Comparison, compare, excuses
from ci.abi.facts import Facts, load

from codegen.rehearse import changes
from support import rehearsal, wheels
from support.build import stub_library

BEFORE = "13.5"
REUSED = changes.REUSED[1]


def run(release: str, *arguments: str) -> str:
    """Where the wheel of a release is installed, on the newest driver there is."""
    paths = (wheels.site(release), wheels.ROOT, wheels.ROOT / "shared", wheels.ROOT / "tests")
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "CUDA_DRIVER_STABLE_LIBRARY": str(stub_library(rehearsal.RELEASE)),
    }
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@cache
def ledger(release: str) -> Facts:
    return load(run(release, "-m", "ci.abi", "print"))


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compare(ledger(BEFORE), ledger(rehearsal.RELEASE), f"{BEFORE}.0", excuses())


def test_the_ledger_finds_a_reused_name_and_nothing_else(comparison: Comparison) -> None:
    """By the rule of names the permanent name of an enumerator follows its later meaning: a person has to excuse it."""
    assert {finding.key for finding in comparison.broken} == {
        f"python cuda.driver_stable CUdevice_attribute.{REUSED}",
        f"python cuda.driver_stable {REUSED}",
        f"cython cydriver {REUSED}",
    }


def test_what_the_ledger_calls_growth(comparison: Comparison) -> None:
    grown = {finding.key for finding in comparison.grown}
    assert {"record CUdevSmResource", "field CUmemPoolProps_v1.reserved"} <= grown


def test_what_is_new(comparison: Comparison) -> None:
    added = set(comparison.added)
    for base in changes.PROTOTYPES:
        assert f"python cuda.driver_stable {base}" in added
        assert f"capsule cydriver {base}_v1" in added
        assert f"capsule capi(14) {base}" in added
        assert f"cython cycu14 {base}" in added
    assert not [key for key in added if key.startswith(("python cuda.driver_stable.cu12 ", "capsule capi(12) "))]
    finished = [key for key in added if key.startswith(("python cuda.driver_stable.cu13 ", "capsule capi(13) "))]
    assert not finished


def test_history_knows_the_release() -> None:
    program = """
import json
from cuda import driver_stable as cuda
print(json.dumps({
    "cuCtxCreate": [cuda.resolve("cuCtxCreate", cuda=major) for major in (12, 13, 14)],
    "cuEventRecord": [cuda.resolve("cuEventRecord", cuda=major) for major in (12, 13, 14)],
    "cuDeviceGetName": [cuda.resolve("cuDeviceGetName", cuda=major) for major in (12, 13, 14)],
    "required": [str(cuda.required_cuda(name)) for name in ("cuCtxAttach", "cuCtxCreate_v5", "cuMeterCreate")],
    "record": [cuda.cu13.CUDA_BATCH_MEM_OP_NODE_PARAMS.__name__, cuda.cu14.CUDA_BATCH_MEM_OP_NODE_PARAMS.__name__],
    "gone": hasattr(cuda.cu14, "cuCtxAttach"),
}))
"""
    assert json.loads(run(rehearsal.RELEASE, "-c", program)) == {
        "cuCtxCreate": ["cuCtxCreate_v2", "cuCtxCreate_v4", "cuCtxCreate_v5"],
        "cuEventRecord": ["cuEventRecord", "cuEventRecord", "cuEventRecordWithFlags"],
        "cuDeviceGetName": ["cuDeviceGetName", "cuDeviceGetName", "cuDeviceGetName_v2"],
        "required": ["2.0", "14.0", "14.0"],
        "record": ["CUDA_BATCH_MEM_OP_NODE_PARAMS_v1", "CUDA_BATCH_MEM_OP_NODE_PARAMS_v2"],
        "gone": False,
    }


def test_nothing_of_it_is_in_this_tree() -> None:
    """Neither the registry nor what is generated from it has a name of the made-up release."""
    made_up = {*changes.PROTOTYPES, "cuCtxCreate_v5", changes.ERROR[0]}
    folders = [wheels.SHARED / "codegen" / "registry", wheels.PACKAGE / "src"]
    found: list[Path] = []
    for path in (path for folder in folders for path in folder.rglob("*")):
        if path.suffix in (".toml", ".py", ".pyi", ".pxd", ".c", ".h"):
            text = path.read_text(encoding="utf-8")
            found += [path] if any(name in text for name in made_up) else []
    assert not found
