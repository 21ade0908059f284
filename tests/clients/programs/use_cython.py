# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A client in Cython that was compiled against the official package: EXTENSION names the folder that has it."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

from .areas import Skipped, area, main

HAS_GPU = "STUB" not in os.environ


def client() -> Any:
    if "EXTENSION" not in os.environ:
        raise Skipped("EXTENSION does not name the folder of the compiled client")
    if os.environ["EXTENSION"] not in sys.path:
        sys.path.insert(0, os.environ["EXTENSION"])
    return import_module("official_client")


@area
def driver() -> object:
    return {"version": client().driver_version(), "copied": client().copy_through_device(bytes(range(100)))}


@area
def runtime() -> object:
    # The official package has the runtime of its own release in it, so versions are not compared.
    return {"status": client().runtime_version()[0], "name": client().runtime_error(2)}


@area
def nvrtc() -> object:
    return {"version": client().nvrtc_version(), "name": client().nvrtc_error(6)}


@area
def nvjitlink() -> object:
    return client().nvjitlink_version()


if __name__ == "__main__":
    main()
