# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""rmm, whose extension modules are compiled against the official cyruntime."""

from __future__ import annotations

import os
from typing import Any

import rmm
import rmm.mr
from rmm.pylibrmm.stream import Stream

from .areas import Skipped, area, main

HAS_GPU = "STUB" not in os.environ


def needs_gpu() -> None:
    if not HAS_GPU:
        raise Skipped("rmm's library asks the runtime, for which a stub driver is not enough")


@area
def versions() -> object:
    return {"rmm": rmm.__version__, "classes": sorted(name for name in dir(rmm.mr) if name.endswith("Resource"))}


@area
def buffers() -> object:
    needs_gpu()
    data = bytes(range(256))
    buffer = rmm.DeviceBuffer.to_device(data)
    copied = buffer.copy()
    return {
        "size": [buffer.size, buffer.nbytes],
        "same": bytes(copied.tobytes()) == data,
        "capacity": copied.capacity(),
        "interface": copied.__cuda_array_interface__["shape"],
    }


@area
def resources() -> object:
    needs_gpu()
    found: dict[str, Any] = {}
    for name in ("CudaMemoryResource", "CudaAsyncMemoryResource", "ManagedMemoryResource"):
        resource = getattr(rmm.mr, name)()
        pool = rmm.mr.StatisticsResourceAdaptor(resource)
        rmm.mr.set_current_device_resource(pool)
        buffer = rmm.DeviceBuffer(size=1 << 20)
        found[name] = [buffer.size, pool.allocation_counts.current_bytes]
        del buffer
        found[name].append(pool.allocation_counts.current_bytes)
        rmm.mr.set_current_device_resource(rmm.mr.CudaMemoryResource())
    return found


@area
def streams() -> object:
    needs_gpu()
    from cuda.bindings import runtime

    own = Stream()
    own.synchronize()
    status, handle = runtime.cudaStreamCreate()
    buffer = rmm.DeviceBuffer(size=64, stream=own)
    return {"default": own.is_default(), "created": int(status), "size": buffer.size, "handle": int(handle) != 0}


@area
def too_much() -> object:
    needs_gpu()
    return rmm.DeviceBuffer(size=1 << 60).size


if __name__ == "__main__":
    main()
