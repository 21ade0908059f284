# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.compute: algorithms that it compiles at run time, on operators that it knows."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from cuda import compute, core  # type: ignore[attr-defined, unused-ignore]

from .areas import Skipped, area, main

HAS_GPU = "STUB" not in os.environ


class Array:
    """Device memory that says so."""

    def __init__(self, content: Any) -> None:
        self.device = core.Device(0)
        self.device.set_current()
        self.stream = self.device.default_stream
        self.host = content
        self.buffer = core.DeviceMemoryResource(self.device).allocate(content.nbytes, stream=self.stream)
        self._copy(to_device=True)
        self.__cuda_array_interface__ = {
            "shape": content.shape,
            "typestr": content.dtype.str,
            "data": (int(self.buffer.handle), False),
            "version": 3,
            "strides": None,
        }
        self.dtype, self.shape, self.size = content.dtype, content.shape, content.size

    def _copy(self, to_device: bool) -> None:
        from cuda.bindings import driver

        # By its address: the official package takes an array of one element for the number in it.
        host, size = self.host.ctypes.data, self.host.nbytes
        if to_device:
            (status,) = driver.cuMemcpyHtoD(int(self.buffer.handle), host, size)
        else:
            self.stream.sync()
            (status,) = driver.cuMemcpyDtoH(host, int(self.buffer.handle), size)
        if status:
            raise RuntimeError(status.name)

    def get(self) -> Any:
        self._copy(to_device=False)
        return self.host


def needs_gpu() -> None:
    if not HAS_GPU:
        raise Skipped("a stub driver runs no kernel")


@area
def imports() -> object:
    return {"names": [name for name in sorted(compute.__all__) if not name.startswith("_")]}


@area
def reduce() -> object:
    needs_gpu()
    source, target = Array(np.arange(1000, dtype=np.int32)), Array(np.zeros(1, dtype=np.int32))
    seven = np.array([7], dtype=np.int32)
    compute.reduce_into(d_in=source, d_out=target, num_items=1000, op=compute.OpKind.PLUS, h_init=seven)
    return int(target.get()[0])


@area
def scan() -> object:
    needs_gpu()
    source, target = Array(np.arange(100, dtype=np.int64)), Array(np.zeros(100, dtype=np.int64))
    one = np.array([1], dtype=np.int64)
    compute.exclusive_scan(d_in=source, d_out=target, op=compute.OpKind.PLUS, init_value=one, num_items=100)
    return [int(value) for value in target.get()[:8]]


@area
def sort() -> object:
    needs_gpu()
    keys = np.array([5, 3, 9, 1, 7, 0], dtype=np.int32)
    source, target = Array(keys), Array(np.zeros_like(keys))
    compute.radix_sort(d_in_keys=source, d_out_keys=target, num_items=6, order=compute.SortOrder.ASCENDING)
    return [int(value) for value in target.get()]


if __name__ == "__main__":
    main()
