# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Runs one consumer in a process of its own: a job as JSON on stdin, what happened as JSON on stdout."""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

from support.stub import Stub


def main(job: dict[str, Any]) -> dict[str, Any]:
    if job["capi"]:
        give_capsules(job["capi"])
    stub = Stub(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])
    try:
        consumer = import_module(job["module"])
    except Exception as error:
        return {"import": describe(error)}
    return {row["name"]: scenario(stub, consumer, row, job["silent"]) for row in job["scenarios"]}


def give_capsules(major: int) -> None:
    """A plain module of the official name, with our capsules: all that the consumer of the official one needs."""
    from cuda.driver_stable import capi

    for name in ("cuda.bindings", "cuda.bindings.cydriver"):
        sys.modules[name] = ModuleType(name)
    sys.modules["cuda.bindings.cydriver"].__pyx_capi__ = capi(major)  # type: ignore[attr-defined]


def scenario(stub: Stub, consumer: ModuleType, row: dict[str, Any], silent: list[str]) -> dict[str, Any]:
    stub.reset()
    for symbol in set(silent) & set(stub.symbols):
        stub.returns(symbol)
    wanted: dict[str, list[int]] = {}  # by symbol, rows of `seen` in the order in which they are captured
    for number, (symbol, place, size) in enumerate(row["seen"]):
        if symbol in stub.symbols:
            stub.captures(symbol, tuple(place), size)
            wanted.setdefault(symbol, []).append(number)
    outcome: dict[str, Any]
    try:
        outcome = {"results": [int(value) for value in getattr(consumer, row["name"])()]}
    except Exception as error:
        outcome = {"error": describe(error)}
    calls = stub.calls()
    seen: list[str | None] = [None] * len(row["seen"])
    for call in calls:
        for number, data in zip(wanted.get(call.symbol, ()), call.captured, strict=True):
            seen[number] = data.hex() if data is not None else None
    return {**outcome, "symbols": [call.symbol for call in calls], "seen": seen}


def describe(error: Exception) -> list[str]:
    return [type(error).__name__, str(error)]


if __name__ == "__main__":
    json.dump(main(json.load(sys.stdin)), sys.stdout)
