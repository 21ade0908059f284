# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the sanitizers, the fuzzer or a reader of the engine found, each as a program that once failed."""

from __future__ import annotations

import sys

import pytest

from sanitize.conftest import Run

FOUND = {
    "a long chain of callbacks": """
made = d.CUhostFn(5)
for _ in range(10**6):
    made = d.CUhostFn(made)
assert int(made) == 5
del made
""",
    "a cycle through kernel parameters, and one through a callback": """
import ctypes, gc, weakref
class Parameter:
    def getPtr(self):
        return 4096
def node():
    parameter = Parameter()
    parameter.node = d.CUDA_KERNEL_NODE_PARAMS_v2()
    parameter.node.kernelParams = ((parameter,), (None,))
    return weakref.ref(parameter)
def callback():
    kept = Parameter()
    made = d.CUhostFn(ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: (made, kept)))
    return weakref.ref(kept)
gone = node(), callback()
gc.collect()
assert [one() for one in gone] == [None, None]
""",
    "an interrupt while a class of another package is looked at": """
class Type(type):
    def __getattribute__(cls, name):
        if name in ("__cuda_handle__", "__cuda_stream__"):
            raise KeyboardInterrupt
        return super().__getattribute__(name)
class Stranger(metaclass=Type):
    pass
for call in (lambda: d.CUevent(Stranger()), lambda: d.CUhostFn(Stranger())):
    try:
        call()
    except KeyboardInterrupt:
        continue
    raise AssertionError("the interrupt was lost")
""",
    "the text of a record whose pointer leads nowhere": """
config = d.CUlaunchConfig(numAttrs=2, attrs=0x1234)
assert "4660" in repr(config) or "0x1234" in repr(config), repr(config)
assert "4660" in str(config) or "0x1234" in str(config), str(config)
""",
    "a number of more digits than Python writes": """
for number in (10**5000, -10**5000):
    try:
        d.cuMemAlloc_v2(number)
    except OverflowError as error:
        assert "bytesize" in str(error)
""",
    "a number that has no text": """
class Number(int):
    def __repr__(self):
        raise KeyError("no text")
try:
    d.cuMemAlloc_v2(Number(-1))
except OverflowError as error:
    assert "bytesize" in str(error)
""",
    "a name that is no text": """
assert not hasattr(d, "\\ud800")
assert not hasattr(d, "cuInit\\0")
assert not hasattr(d.cu13, "\\ud800")
""",
    "an object that is set again while it goes": """
import gc
class Again:
    def __init__(self, record):
        self.record = record
    def getPtr(self):
        return 0x1000
    def __del__(self):
        self.record.srcHost = bytearray(64)
record = d.CUDA_MEMCPY2D_v2()
record.srcHost = Again(record)
target = bytearray(64)
record.srcHost = target
# Whatever the order was, the address and what is kept belong together: a bytearray that is held cannot be resized.
import ctypes
holds = ctypes.addressof((ctypes.c_char * 64).from_buffer(target)) == record.srcHost
try:
    target.append(1)
    assert not holds, "the record leads to memory that it does not hold"
except BufferError:
    assert holds, "the record holds memory that it does not lead to"
""",
}

# A count is the caller's word: memory for it is asked for, but not touched, before the driver has refused it.
COUNTS = """
import os, resource, sys
from support.stub import Stub
stub = Stub(os.environ["CUDA_DRIVER_STABLE_LIBRARY"])
stub.returns("cuGraphGetNodes", 400)
stub.returns("cuDeviceGetName", 101)
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = peak()
for call, counts in (
    (lambda count: d.cuGraphGetNodes(d.CUgraph(4), count), (2**28, 2**32, 2**40, 2**61, 2**64 - 1)),
    (lambda count: d.cuDeviceGetName(count, 0), (2**30, 2**31 - 1, -1, -(2**31))),
):
    for count in counts:
        try:
            assert call(count)[0] in (101, 400)
        except (MemoryError, ValueError):
            pass
assert peak() - before < 100_000, peak() - before
"""

# Where a library's path is no UTF-8.
PATH = """
try:
    d.cuInit(0)
except d.DriverNotFoundError as error:
    assert "/nowhere/" in str(error)
assert not d._core.library()["loaded"]
"""

BUFFER = """
class Buffer:
    def __buffer__(self, flags):
        return memoryview(bytearray(b"x" * 4096))
record = d.CUDA_MEMCPY2D_v2()
record.srcHost = Buffer()
import ctypes
junk = [bytearray(4096) for _ in range(100)]
assert ctypes.string_at(record.srcHost, 4096) == b"x" * 4096
"""


@pytest.mark.parametrize("what", FOUND)
def test_found(run: Run, what: str) -> None:
    run("address", "import cuda.driver_stable as d\n" + FOUND[what])


def test_a_count_that_no_driver_has(run: Run) -> None:
    run("plain", "import cuda.driver_stable as d\n" + COUNTS)


def test_a_path_that_is_no_utf8(run: Run) -> None:
    run("address", "import cuda.driver_stable as d\n" + PATH, CUDA_DRIVER_STABLE_LIBRARY="/nowhere/\udcff/libcuda.so.1")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python are buffers since 3.12")
def test_a_buffer_that_is_another_each_time(run: Run) -> None:
    run("address", "import cuda.driver_stable as d\n" + BUFFER)
