# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the programs are made of: areas, each a function whose result must not depend on who serves cuda.bindings.

A program prints one JSON object: for each area its result, or the exception that ended it. With STUB set to the library
of a stub driver, also which symbols of the driver it reached, in order.
"""

from __future__ import annotations

import json
import os
import re
import sys
import traceback
from collections.abc import Callable
from typing import Any

_areas: dict[str, Callable[[], object]] = {}


class Skipped(Exception):  # noqa: N818 - it is none
    """This cannot be tried here, and why."""


def area(function: Callable[[], object]) -> Callable[[], object]:
    _areas[function.__name__] = function
    return function


def main() -> None:
    chosen = sys.argv[1:] or list(_areas)
    stub = _stub(os.environ.get("STUB"))
    found = {}
    for name in chosen:
        if stub:
            stub.reset()
        found[name] = _outcome(_areas[name])
        if stub:
            found[name]["calls"] = [call.symbol for call in stub.calls()]
    json.dump({"origin": _origin(), "areas": found}, sys.stdout, indent=1)
    sys.stdout.write("\n")


def _outcome(function: Callable[[], object]) -> dict[str, Any]:
    try:
        return {"result": _plain(function())}
    except Skipped as why:
        return {"skipped": str(why)}
    except Exception as error:
        if os.environ.get("CLIENTS_TRACE"):
            traceback.print_exc()
        if kind_of(error) in ("DynamicLibNotFoundError", "TypeError"):
            return {"error": kind_of(error)}  # each side says it in its own words
        # Compared is which error ends the area, and not who explains it in which words.
        said = _EXPLAINED.sub(r"\1", str(error).partition("\n")[0])
        return {"error": f"{type(error).__name__}: {said}"}


def kind_of(error: Exception) -> str:
    """What programs catch it by."""
    kinds = [kind.__name__ for kind in type(error).__mro__]
    known = "DynamicLibNotFoundError"  # ours derive from it
    return known if known in kinds else kinds[0]


_EXPLAINED = re.compile(r"\b((?:CUDA_ERROR|cudaError|NVRTC_ERROR)\w*): .*")


def _plain(value: object) -> object:
    """As JSON has it."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, (float, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, bytes):
        return value.hex()
    raise TypeError(f"an area returned a {type(value).__name__}: {value!r}")


def _origin() -> str:
    """Who serves cuda.bindings."""
    import cuda.bindings

    return "cuda-core-shim" if cuda.bindings.__spec__.origin == "cuda-core-shim" else "cuda-bindings"


def _stub(path: str | None) -> Any:
    if not path:
        return None
    from support.stub import Stub

    return Stub(path)
