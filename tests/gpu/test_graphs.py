# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Graphs: built node by node, captured, updated, and instantiated by every version there is."""

from __future__ import annotations

import array
import ctypes
from collections.abc import Callable
from typing import Any

import pytest

from cuda import driver_stable as cuda

from .helpers import N, check, download

Upload = Callable[["array.array[Any]"], Any]
Kernel = Callable[[str], Any]
TYPES = (None, ctypes.c_float, ctypes.c_double, ctypes.c_uint)


def kernel_node(record: Any, function: Any, values: tuple[Any, ...]) -> Any:
    record.func = function
    record.gridDimX, record.gridDimY, record.gridDimZ = (N + 127) // 128, 1, 1
    record.blockDimX, record.blockDimY, record.blockDimZ = 128, 1, 1
    record.kernelParams = (values, TYPES)
    return record


INSTANTIATE: dict[str, Callable[[Any], Any]] = {
    "cuGraphInstantiateWithFlags": lambda graph: check(cuda.cuGraphInstantiateWithFlags(graph, 0)),
    "cuGraphInstantiate_v1": lambda graph: check(cuda.cuGraphInstantiate_v1(graph, bytearray(256), 256))[0],
    "cuGraphInstantiate_v2": lambda graph: check(cuda.cuGraphInstantiate_v2(graph, None, 0))[0],
    "cuGraphInstantiateWithParams": lambda graph: check(
        cuda.cuGraphInstantiateWithParams(graph, cuda.CUDA_GRAPH_INSTANTIATE_PARAMS())
    ),
}


@pytest.mark.parametrize("instantiate", INSTANTIATE)
@pytest.mark.parametrize("version", ["v1", "v2"])
def test_kernel_nodes(kernel: Kernel, upload: Upload, stream: Any, version: str, instantiate: str) -> None:
    """Two nodes, one after the other; both versions of the record and of the call."""
    out = upload(array.array("f", range(N)))
    versions: dict[str, tuple[Any, Any]] = {
        "v1": (cuda.CUDA_KERNEL_NODE_PARAMS_v1, cuda.cuGraphAddKernelNode_v1),
        "v2": (cuda.CUDA_KERNEL_NODE_PARAMS_v2, cuda.cuGraphAddKernelNode_v2),
    }
    make, add = versions[version]
    graph = check(cuda.cuGraphCreate(0))
    first = check(add(graph, None, 0, kernel_node(make(), kernel("scale"), (out, 2.0, 0.0, N))))
    second = check(add(graph, [first], 1, kernel_node(make(), kernel("scale"), (out, 1.0, 5.0, N))))
    nodes, count = check(cuda.cuGraphGetNodes(graph, 2))
    assert count == 2
    assert set(nodes) == {first, second}
    executable = INSTANTIATE[instantiate](graph)
    check(cuda.cuGraphLaunch(executable, stream))
    check(cuda.cuStreamSynchronize(stream))
    assert list(download(out, "f", N)) == [i * 2.0 + 5.0 for i in range(N)]
    check(cuda.cuGraphExecDestroy(executable))
    check(cuda.cuGraphDestroy(graph))


def test_memory_and_host_nodes(upload: Upload, context: Any, stream: Any) -> None:
    out = upload(array.array("I", range(N)))
    seen: list[int | None] = []
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(seen.append)
    graph = check(cuda.cuGraphCreate(0))
    fill = cuda.CUDA_MEMSET_NODE_PARAMS_v1(dst=out, value=7, elementSize=4, width=N, height=1)
    filled = check(cuda.cuGraphAddMemsetNode(graph, None, 0, fill, context))
    host = cuda.CUDA_HOST_NODE_PARAMS_v1(fn=function, userData=11)
    check(cuda.cuGraphAddHostNode(graph, [filled], 1, host))
    assert check(cuda.cuGraphMemsetNodeGetParams(filled)).value == 7
    assert check(cuda.cuGraphNodeGetType(filled)) == cuda.CUgraphNodeType.CU_GRAPH_NODE_TYPE_MEMSET
    executable = check(cuda.cuGraphInstantiateWithFlags(graph, 0))
    check(cuda.cuGraphLaunch(executable, stream))
    check(cuda.cuStreamSynchronize(stream))
    assert set(download(out, "I", N)) == {7}
    assert seen == [11]
    check(cuda.cuGraphExecDestroy(executable))
    check(cuda.cuGraphDestroy(graph))


def test_generic_node(kernel: Kernel, upload: Upload, stream: Any) -> None:
    if not cuda.is_available("cuGraphAddNode_v1"):
        pytest.skip("the driver has no cuGraphAddNode")
    out = upload(array.array("f", range(N)))
    graph = check(cuda.cuGraphCreate(0))
    parameters = cuda.CUgraphNodeParams(type=cuda.CUgraphNodeType.CU_GRAPH_NODE_TYPE_KERNEL)
    kernel_node(parameters.kernel, kernel("scale"), (out, 3.0, 0.0, N))
    check(cuda.cuGraphAddNode_v1(graph, None, 0, parameters))
    executable = check(cuda.cuGraphInstantiateWithFlags(graph, 0))
    check(cuda.cuGraphLaunch(executable, stream))
    check(cuda.cuStreamSynchronize(stream))
    assert list(download(out, "f", N)) == [i * 3.0 for i in range(N)]
    check(cuda.cuGraphExecDestroy(executable))
    check(cuda.cuGraphDestroy(graph))


def test_capture(upload: Upload, stream: Any) -> None:
    out = upload(array.array("I", range(N)))
    mode = cuda.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
    check(cuda.cuStreamBeginCapture_v2(stream, mode))
    status = cuda.CUstreamCaptureStatus.CU_STREAM_CAPTURE_STATUS_ACTIVE
    assert check(cuda.cuStreamIsCapturing(stream)) == status
    check(cuda.cuMemsetD32Async(out, 3, N, stream))
    found, number, graph, dependencies, count = check(cuda.cuStreamGetCaptureInfo_v2(stream))
    assert found == status
    assert int(number) > 0
    assert int(graph)
    assert count == len(dependencies) == 1
    if cuda.is_available("cuStreamGetCaptureInfo_v3"):
        assert check(cuda.cuStreamGetCaptureInfo_v3(stream))[0] == status
    graph = check(cuda.cuStreamEndCapture(stream))
    executable = check(cuda.cuGraphInstantiateWithFlags(graph, 0))
    check(cuda.cuGraphLaunch(executable, stream))
    check(cuda.cuStreamSynchronize(stream))
    assert set(download(out, "I", N)) == {3}
    check(cuda.cuGraphExecDestroy(executable))
    check(cuda.cuGraphDestroy(graph))
