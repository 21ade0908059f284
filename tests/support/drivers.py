# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is known of the real driver libraries of ci/drivers.toml, and how a program is run on one without a GPU."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from functools import cache

from .build import ROOT

sys.path.insert(0, str(ROOT / "ci"))

import fetch_drivers

__all__ = ["CRASH_ON_NULL", "DRIVERS", "LACKS", "PYTHON_CALLS", "fetch_drivers", "isolated", "those"]

DRIVERS = fetch_drivers.drivers()
ALL = frozenset(DRIVERS)
WITH_V2 = frozenset({"525", "535", "550", "555"})

# What each driver lacks of its own version: one symbol is Tegra's, another came to Linux later than to Windows.
LACKS = {"cuEventCreateFromEGLSync_v1": ALL, "cuDeviceGetLuid_v1": {"418", "450"}}

# Measured: these read through a NULL pointer, as C lets them.
CRASH_ON_NULL = {
    "cuGetErrorName_v1": ALL,
    "cuGetErrorString_v1": ALL,
    "cuGetProcAddress_v1": {*WITH_V2, "470"},
    "cuGetProcAddress_v2": WITH_V2,
    "cuEventRecord_v1": {"390"},
    "cuEventRecord_v1_ptsz": {"390"},
    "cuGraphRemoveDependencies_v1": {"470", "525"},
    "cuMemcpy3DPeer_v1": {"550", "555"},
    "cuMemcpy3DPeer_v1_ptds": {"550", "555"},
    "cuMemcpy3DPeerAsync_v1": {"550", "555"},
    "cuMemcpy3DPeerAsync_v1_ptsz": {"550", "555"},
    "cuCtxCreate_v4": {"555"},
}


def those(table: Mapping[str, AbstractSet[str]], name: str) -> set[str]:
    return {function for function, drivers in table.items() if name in drivers}


@cache
def isolated() -> tuple[str, ...]:
    """What a command has to begin with to run where /dev cannot be written; nothing where that is not allowed."""
    mount = 'mount --bind /dev /dev && mount -o remount,bind,ro /dev && exec "$@"'
    command = ("unshare", "-m", "sh", "-c", mount, "sh")
    if shutil.which("unshare") and subprocess.run([*command, "true"], capture_output=True).returncode == 0:
        return command
    return ()


# Every function that is there, with nothing for every argument, each in a child of its own: what it answered.
PYTHON_CALLS = """
import json, os
from cuda import driver_stable as cuda
from cuda.driver_stable import _core
inputs = {"in", "in_record", "in_array", "in_handle_ref", "in_typed", "kernel_params", "option_values", "inout"}
found = {}
def nothing(kind, elem):
    if elem == "record" and kind == "in":
        return None
    return 0 if kind == "in" and elem not in ("cstr", "ptr", "callback", "handle") else None
for row in _core.functions():
    name = row["name"]
    if not _core.address(name):
        continue
    arguments = [nothing(kind, elem) for _, _, kind, elem in row["parameters"] if kind in inputs]
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            results = getattr(cuda, name)(*arguments)
            text = f"{int(results[0])} {len(results) - 1}"
        except (TypeError, ValueError) as error:
            text = f"refused {error}"
        os.write(writer, text.encode()[:2000])
        os._exit(0)
    os.close(writer)
    text = os.read(reader, 4000).decode()
    os.close(reader)
    ended = os.waitpid(child, 0)[1]
    found[name] = text if text and ended == 0 else None
print(json.dumps(found))
"""
