# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The runtime on a GPU, and objects of the driver passed to it and back. Skipped where its wheel is not installed."""

from __future__ import annotations

import array
import ctypes
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cuda import driver_stable as cuda

from . import kernels
from .helpers import N, check

runtime: Any = pytest.importorskip("cuda.runtime", reason="cuda-runtime is not installed")
SIZE = 4 * N
Allocate = Callable[[int], Any]


@pytest.fixture(autouse=True)
def _library() -> None:
    if not runtime._core.library()["loaded"]:
        pytest.skip("NVIDIA's runtime library is not installed")


@pytest.fixture
def memory(context: Any) -> Iterator[Allocate]:
    """Device memory of the runtime, in the primary context."""
    check(runtime.cudaSetDevice(0))
    pointers: list[Any] = []

    def allocate(size: int) -> Any:
        pointers.append(check(runtime.cudaMalloc(size)))
        return pointers[-1]

    yield allocate
    for pointer in pointers:
        check(runtime.cudaFree(pointer))


@pytest.fixture
def own_stream(context: Any) -> Iterator[Any]:
    check(runtime.cudaSetDevice(0))
    stream = check(runtime.cudaStreamCreateWithFlags(1))  # non-blocking
    yield stream
    check(runtime.cudaStreamSynchronize(stream))
    check(runtime.cudaStreamDestroy(stream))


def kind(name: str) -> Any:
    return getattr(runtime.cudaMemcpyKind, f"cudaMemcpy{name}")


def upload(memory: Allocate, values: array.array[Any]) -> Any:
    size = len(values) * values.itemsize
    pointer = memory(size)
    check(runtime.cudaMemcpy(pointer, values, size, kind("HostToDevice")))
    return pointer


def download(pointer: Any, typecode: str, count: int) -> list[Any]:
    values = array.array(typecode, bytes(array.array(typecode).itemsize * count))
    check(runtime.cudaMemcpy(values, pointer, len(values) * values.itemsize, kind("DeviceToHost")))
    return list(values)


def launch_scale(kernel: Callable[[str], Any], stream: Any, out: Any, factor: float, bias: float) -> None:
    types = (None, ctypes.c_float, ctypes.c_double, ctypes.c_uint)
    values = (cuda.CUdeviceptr_v2(int(out)), factor, bias, N)
    check(cuda.cuLaunchKernel(kernel("scale"), (N + 127) // 128, 1, 1, 128, 1, 1, 0, stream, (values, types), 0))


class TestDevice:
    def test_properties_agree_with_the_driver(self, device: Any, context: Any) -> None:
        assert check(runtime.cudaGetDeviceCount()) == check(cuda.cuDeviceGetCount())
        properties = check(runtime.cudaGetDeviceProperties(0))
        name = check(cuda.cuDeviceGetName(256, device)).rstrip(b"\0")
        assert properties.name.rstrip(b"\0") == name
        assert properties.totalGlobalMem == check(cuda.cuDeviceTotalMem_v2(device))
        attribute = runtime.cudaDeviceAttr.cudaDevAttrMultiProcessorCount
        assert check(runtime.cudaDeviceGetAttribute(attribute, 0)) == properties.multiProcessorCount > 0

    def test_wrong_device(self, context: Any) -> None:
        (status,) = runtime.cudaSetDevice(10_000)
        assert status is runtime.cudaError_t.cudaErrorInvalidDevice
        assert check(runtime.cudaGetErrorName(status)) == b"cudaErrorInvalidDevice"
        assert b"invalid device" in check(runtime.cudaGetErrorString(status))
        assert runtime.cudaGetLastError()[0] is status
        assert runtime.cudaGetLastError()[0] == 0


class TestMemory:
    def test_copies(self, memory: Allocate) -> None:
        values = array.array("I", range(N))
        a, b = upload(memory, values), memory(SIZE)
        check(runtime.cudaMemcpy(b, a, SIZE, kind("DeviceToDevice")))
        assert download(b, "I", N) == list(values)
        check(runtime.cudaMemset(b, 0xAB, SIZE))
        assert set(download(b, "I", N)) == {0xABABABAB}
        free, total = check(runtime.cudaMemGetInfo())
        assert 0 < free < total

    def test_attributes_of_pointers(self, memory: Allocate) -> None:
        pointer = memory(SIZE)
        attributes = check(runtime.cudaPointerGetAttributes(pointer))
        assert attributes.type == runtime.cudaMemoryType.cudaMemoryTypeDevice
        assert (attributes.device, int(attributes.devicePointer)) == (0, int(pointer))

    def test_pinned_memory(self, memory: Allocate, own_stream: Any) -> None:
        host = check(runtime.cudaHostAlloc(SIZE, 0))
        view = (ctypes.c_uint * N).from_address(int(host))
        view[:] = list(range(N))
        pointer = memory(SIZE)
        check(runtime.cudaMemcpyAsync(pointer, host, SIZE, kind("HostToDevice"), own_stream))
        check(runtime.cudaMemsetAsync(host, 0, SIZE, own_stream))
        check(runtime.cudaMemcpyAsync(host, pointer, SIZE, kind("DeviceToHost"), own_stream))
        check(runtime.cudaStreamSynchronize(own_stream))
        assert list(view) == list(range(N))
        check(runtime.cudaFreeHost(host))

    def test_two_and_three_dimensions(self, memory: Allocate) -> None:
        extent = runtime.make_cudaExtent(64, 4, 2)
        pitched = check(runtime.cudaMalloc3D(extent))
        assert pitched.pitch >= 64
        check(runtime.cudaMemset3D(pitched, 7, extent))
        host = bytearray(64 * 4 * 2)
        copy = runtime.cudaMemcpy3DParms(
            srcPtr=pitched,
            dstPtr=runtime.make_cudaPitchedPtr(host, 64, 64, 4),
            extent=extent,
            kind=kind("DeviceToHost"),
        )
        check(runtime.cudaMemcpy3D(copy))
        assert set(host) == {7}
        rows = bytearray(64 * 4)
        check(runtime.cudaMemcpy2D(rows, 64, pitched.ptr, pitched.pitch, 64, 4, kind("DeviceToHost")))
        assert set(rows) == {7}
        check(runtime.cudaFree(pitched.ptr))

    def test_stream_ordered(self, own_stream: Any) -> None:
        pointer = check(runtime.cudaMallocAsync(SIZE, own_stream))
        check(runtime.cudaMemsetAsync(pointer, 1, SIZE, own_stream))
        host = bytearray(SIZE)
        check(runtime.cudaMemcpyAsync(host, pointer, SIZE, kind("DeviceToHost"), own_stream))
        check(runtime.cudaFreeAsync(pointer, own_stream))
        check(runtime.cudaStreamSynchronize(own_stream))
        assert set(host) == {1}


class TestStreamsAndEvents:
    def test_time_between_events(self, memory: Allocate, own_stream: Any) -> None:
        start, end = check(runtime.cudaEventCreate()), check(runtime.cudaEventCreateWithFlags(0))
        check(runtime.cudaEventRecord(start, own_stream))
        check(runtime.cudaMemsetAsync(memory(1 << 20), 0, 1 << 20, own_stream))
        check(runtime.cudaEventRecord(end, own_stream))
        check(runtime.cudaEventSynchronize(end))
        assert runtime.cudaEventQuery(end)[0] == 0
        assert check(runtime.cudaEventElapsedTime(start, end)) > 0
        for event in (start, end):
            check(runtime.cudaEventDestroy(event))

    def test_host_function(self, own_stream: Any) -> None:
        seen: list[int | None] = []
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
        check(runtime.cudaLaunchHostFunc(own_stream, function, 11))
        check(runtime.cudaStreamSynchronize(own_stream))
        assert seen == [11]

    def test_per_thread_default_stream(self, memory: Allocate) -> None:
        from cuda.runtime import per_thread

        module: Any = per_thread
        pointer = memory(SIZE)
        check(module.cudaMemsetAsync(pointer, 3, SIZE, 0))
        check(module.cudaStreamSynchronize(0))
        host = bytearray(SIZE)
        check(module.cudaMemcpy(host, pointer, SIZE, kind("DeviceToHost")))
        assert set(host) == {3}


class TestGraphs:
    def test_captured(self, memory: Allocate, own_stream: Any) -> None:
        pointer = memory(SIZE)
        mode = runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal
        check(runtime.cudaStreamBeginCapture(own_stream, mode))
        check(runtime.cudaMemsetAsync(pointer, 5, SIZE, own_stream))
        active = runtime.cudaStreamCaptureStatus.cudaStreamCaptureStatusActive
        assert check(runtime.cudaStreamIsCapturing(own_stream)) is active
        graph = check(runtime.cudaStreamEndCapture(own_stream))
        executable = check(runtime.cudaGraphInstantiate(graph, 0))
        check(runtime.cudaGraphLaunch(executable, own_stream))
        check(runtime.cudaStreamSynchronize(own_stream))
        assert set(download(pointer, "B", SIZE)) == {5}
        check(runtime.cudaGraphExecDestroy(executable))
        check(runtime.cudaGraphDestroy(graph))

    def test_built_by_runtime_and_driver(self, memory: Allocate, own_stream: Any) -> None:
        """A node of the runtime's, one of the driver's after it, and the driver launches what the runtime made."""
        pointer = memory(SIZE)
        seen: list[int | None] = []
        function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
        graph = check(runtime.cudaGraphCreate(0))
        fill = runtime.cudaMemsetParams(dst=pointer, value=9, elementSize=4, width=N, height=1)
        first = check(runtime.cudaGraphAddMemsetNode(graph, None, 0, fill))
        node = cuda.CUDA_HOST_NODE_PARAMS_v1(fn=function, userData=13)
        check(cuda.cuGraphAddHostNode(graph, [first], 1, node))
        nodes, count = check(runtime.cudaGraphGetNodes(graph, 2))
        assert (len(nodes), count) == (2, 2)
        executable = check(runtime.cudaGraphInstantiate(graph, 0))
        check(cuda.cuGraphLaunch(executable, own_stream))
        check(cuda.cuStreamSynchronize(own_stream))
        assert set(download(pointer, "I", N)) == {9}
        assert seen == [13]
        check(runtime.cudaGraphExecDestroy(executable))
        check(runtime.cudaGraphDestroy(graph))


class TestWithTheDriver:
    def test_kernel_of_the_driver_on_a_stream_of_the_runtime(
        self, kernel: Callable[[str], Any], memory: Allocate, own_stream: Any
    ) -> None:
        out = upload(memory, array.array("f", range(N)))
        launch_scale(kernel, own_stream, out, 2.0, 1.0)
        check(runtime.cudaStreamSynchronize(own_stream))
        assert download(out, "f", N) == [i * 2.0 + 1.0 for i in range(N)]

    def test_memory_and_stream_of_the_driver(self, allocate: Callable[[int], Any], stream: Any) -> None:
        pointer = allocate(SIZE)
        check(runtime.cudaMemsetAsync(pointer, 6, SIZE, stream))
        event = check(cuda.cuEventCreate(0))
        check(runtime.cudaEventRecord(event, stream))
        check(runtime.cudaEventSynchronize(event))
        check(cuda.cuEventDestroy_v2(event))
        host = bytearray(SIZE)
        check(runtime.cudaMemcpy(host, pointer, SIZE, kind("DeviceToHost")))
        assert set(host) == {6}

    def test_object_that_has_a_stream(self, memory: Allocate, own_stream: Any) -> None:
        class Wrapper:
            def __cuda_stream__(self) -> tuple[int, int]:
                return 0, int(own_stream)

        pointer = memory(SIZE)
        check(runtime.cudaMemsetAsync(pointer, 8, SIZE, Wrapper()))
        check(runtime.cudaStreamSynchronize(Wrapper()))
        assert set(download(pointer, "B", SIZE)) == {8}

    def test_another_handle_is_refused(self, context: Any) -> None:
        with pytest.raises(TypeError, match="cudaStream_t"):
            runtime.cudaStreamSynchronize(cuda.CUevent(1))


class TestLaunch:
    @pytest.fixture
    def function(self, context: Any) -> Iterator[Any]:
        check(runtime.cudaSetDevice(0))
        try:
            library = check(runtime.cudaLibraryLoadData(kernels.source(kernels.MODULE), None, None, 0, None, None, 0))
        except runtime.FunctionNotFoundError as error:
            pytest.skip(str(error))
        yield check(runtime.cudaLibraryGetKernel(library, b"scale"))
        check(runtime.cudaLibraryUnload(library))

    def test_values(self, function: Any, memory: Allocate, own_stream: Any) -> None:
        out = upload(memory, array.array("f", range(N)))
        grid, block = runtime.dim3(x=(N + 127) // 128, y=1, z=1), runtime.dim3(x=128, y=1, z=1)
        types = (ctypes.c_void_p, ctypes.c_float, ctypes.c_double, ctypes.c_uint)
        check(runtime.cudaLaunchKernel(function, grid, block, ((int(out), 3.0, 0.5, N), types), 0, own_stream))
        check(runtime.cudaStreamSynchronize(own_stream))
        assert download(out, "f", N) == [i * 3.0 + 0.5 for i in range(N)]

    def test_with_a_configuration(self, function: Any, memory: Allocate, own_stream: Any) -> None:
        out = upload(memory, array.array("f", range(N)))
        config = runtime.cudaLaunchConfig_t(
            gridDim=runtime.dim3(x=(N + 127) // 128, y=1, z=1),
            blockDim=runtime.dim3(x=128, y=1, z=1),
            stream=own_stream,
        )
        types = (ctypes.c_void_p, ctypes.c_float, ctypes.c_double, ctypes.c_uint)
        check(runtime.cudaLaunchKernelExC(config, function, ((int(out), 2.0, 0.0, N), types)))
        check(runtime.cudaStreamSynchronize(own_stream))
        assert download(out, "f", N) == [i * 2.0 for i in range(N)]


class TestPeers:
    def test_access(self, memory: Allocate) -> None:
        count = check(runtime.cudaGetDeviceCount())
        (status,) = runtime.cudaDeviceEnablePeerAccess(0, 0)
        assert status != 0  # a device is no peer of itself
        runtime.cudaGetLastError()
        if count < 2:
            pytest.skip("there is one GPU")
        values = array.array("I", range(N))
        source = upload(memory, values)
        can = check(runtime.cudaDeviceCanAccessPeer(1, 0))
        check(runtime.cudaSetDevice(1))
        target = check(runtime.cudaMalloc(SIZE))
        if can:
            check(runtime.cudaDeviceEnablePeerAccess(0, 0))
        check(runtime.cudaMemcpyPeer(target, 1, source, 0, SIZE))
        assert download(target, "I", N) == list(values)
        check(runtime.cudaFree(target))
        if can:
            check(runtime.cudaDeviceDisablePeerAccess(0))
        check(runtime.cudaSetDevice(0))


CHILD = """
import sys
from cuda import runtime
handle = runtime.cudaIpcMemHandle_t(reserved=bytes.fromhex(sys.argv[1]))
err, pointer = runtime.cudaIpcOpenMemHandle(handle, 1)
assert err == 0, err
host = bytearray(16)
(err,) = runtime.cudaMemcpy(host, pointer, 16, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost)
assert err == 0, err
(err,) = runtime.cudaMemset(pointer, 0x42, 16)
assert err == 0, err
(err,) = runtime.cudaDeviceSynchronize()
(err,) = runtime.cudaIpcCloseMemHandle(pointer)
assert err == 0, err
print(host.hex())
"""


def test_memory_of_another_process(memory: Allocate) -> None:
    """Its handle is opened, read and written there."""
    pointer = upload(memory, array.array("B", range(16)))
    status, handle = runtime.cudaIpcGetMemHandle(pointer)
    if status == runtime.cudaError_t.cudaErrorNotSupported:
        pytest.skip("this system has no IPC")
    assert status == 0
    text = bytes(memoryview(handle).cast("B")).hex()
    done = subprocess.run([sys.executable, "-c", CHILD, text], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == bytes(range(16)).hex()
    assert set(download(pointer, "B", 16)) == {0x42}
