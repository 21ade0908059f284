# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Runs a case, and compares what happened with what has to happen."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from support import wheels
from support.build import stub_library

from . import build
from .consumers import Case
from .scenarios import SILENT, Scenario

RUN = Path(__file__).with_name("run.py")
TESTS = wheels.ROOT / "tests"


class Crash(Exception):  # noqa: N818 - it is what happened to the consumer
    """The process ended otherwise than by saying what happened."""


@cache
def driver(release: str) -> Path:
    return stub_library(release)


def run(case: Case, site: Path | None = None) -> dict[str, Any]:
    """`site` stands for the folder of the wheel."""
    binary = case.binary
    job = {
        "module": binary.consumer.module,
        "capi": binary.consumer.official,
        "silent": SILENT,
        "scenarios": [
            {"name": s.name, "seen": [(one.symbol, one.place, len(one.data)) for one in s.seen]}
            for s in binary.scenarios
        ],
    }
    paths = (site or wheels.site(case.wheel), build.folder(binary), TESTS)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, paths)),
        "CUDA_DRIVER_STABLE_LIBRARY": str(driver(case.driver)),
    }
    done = subprocess.run(
        [sys.executable, str(RUN)], input=json.dumps(job), capture_output=True, text=True, env=environment
    )
    if done.returncode or done.stderr:
        raise Crash(f"{case}: exit status {done.returncode}\n{done.stderr}")
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome


def expected(case: Case) -> dict[str, Any]:
    """Where something is refused, the words that the error has to have."""
    if case.refused:
        if case.binary.consumer.binding == "checked":
            return {"import": ["ImportError", f"CUDA {case.binary.built}", f"CUDA {case.wheel} "]}
        return {"import": ["ImportError", "cydriver", case.missing[0].needs]}
    return {s.name: _missing(s) if s in case.missing else _kept(s) for s in case.binary.scenarios}


def _kept(scenario: Scenario) -> dict[str, Any]:
    return {
        "results": list(scenario.results),
        "symbols": list(scenario.symbols),
        "seen": [one.data.hex() for one in scenario.seen],
    }


def _missing(scenario: Scenario) -> dict[str, Any]:
    return {
        "error": ["FunctionNotFoundError", scenario.needs, f"CUDA {scenario.since}"],
        "symbols": [],
        "seen": [None] * len(scenario.seen),
    }


def simplified(found: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """What was found, with errors as those of the words looked for that they have."""
    result = dict(found)
    for key, value in wanted.items():
        if key in ("import", "error") and key in found:
            kind, text = found[key]
            words = [word for word in value[1:] if word in text]
            result[key] = [kind, *words] if words == value[1:] else [kind, text]
        elif isinstance(value, dict) and isinstance(found.get(key), dict):
            result[key] = simplified(found[key], value)
    return result
