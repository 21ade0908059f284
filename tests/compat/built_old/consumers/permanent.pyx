# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""A program with permanent names, of several CUDA majors side by side."""

from cuda.driver_stable.cydriver cimport (
    CU_GRAPH_NODE_TYPE_HOST,
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CU_MEM_LOCATION_TYPE_HOST_NUMA,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST,
    CUDA_KERNEL_NODE_PARAMS_v2,
    CUDA_MEMCPY3D_v2,
    CUcontext,
    CUdevice_v1,
    CUdeviceptr_v2,
    CUfunction,
    CUgraph,
    CUgraphExec,
    CUgraphNode,
    CUgraphNodeParams,
    CUipcMemHandle_v1,
    CUlaunchAttribute,
    CUlaunchConfig,
    CUmemLocation_v1,
    CUresult,
    CUstream,
    cuCtxCreate_v2,
    cuCtxCreate_v4,
    cuCtxDestroy_v2,
    cuCtxGetCurrent,
    cuCtxGetDevice_v1,
    cuCtxPopCurrent_v2,
    cuCtxPushCurrent_v2,
    cuDeviceGet,
    cuGraphAddKernelNode_v2,
    cuGraphAddNode_v2,
    cuGraphCreate,
    cuGraphDestroy,
    cuGraphExecDestroy,
    cuGraphGetNodes,
    cuGraphInstantiateWithFlags,
    cuGraphLaunch,
    cuInit,
    cuIpcOpenMemHandle_v2,
    cuLaunchHostFunc_v1,
    cuLaunchKernel,
    cuLaunchKernelEx,
    cuMemAlloc_v2,
    cuMemFree_v2,
    cuMemPrefetchAsync_v2,
    cuMemcpy3D_v2,
    cuMemcpyDtoH_v2,
    cuMemcpyHtoD_v2,
    cuMemsetD8_v2,
)
from libc.string cimport memset


cdef void called(void *data) noexcept nogil:
    (<int *>data)[0] += 1


def contexts():
    cdef CUcontext context = NULL, current = NULL
    cdef CUdevice_v1 device = -1, found = -1
    done = [cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate_v2(&context, 0, device), cuCtxGetCurrent(&current)]
    done += [current == context and context != NULL, cuCtxGetDevice_v1(&found), found]
    done += [cuCtxPopCurrent_v2(&current), current == context, cuCtxPushCurrent_v2(context), cuCtxDestroy_v2(context)]
    return done


def memory():
    cdef CUcontext context = NULL
    cdef CUdeviceptr_v2 block = 0
    cdef unsigned char sent[256]
    cdef unsigned char got[256]
    cdef CUDA_MEMCPY3D_v2 copy
    cdef CUmemLocation_v1 location
    for i in range(256):
        sent[i] = i
    done = [cuInit(0), cuCtxCreate_v4(&context, NULL, 0, 0), cuMemAlloc_v2(&block, 256)]
    done += [cuMemcpyHtoD_v2(block, sent, 256)]
    done += [cuMemsetD8_v2(block + 128, 7, 128), cuMemcpyDtoH_v2(got, block, 256), got[127], got[128], got[255]]
    memset(&copy, 0, sizeof(copy))
    copy.srcXInBytes, copy.srcMemoryType, copy.srcHost, copy.srcPitch = 1, CU_MEMORYTYPE_HOST, <void *>2, 3
    copy.dstMemoryType, copy.dstDevice, copy.dstHeight = CU_MEMORYTYPE_DEVICE, 4, 5
    copy.WidthInBytes, copy.Height, copy.Depth = 6, 7, 8
    location.type, location.id = CU_MEM_LOCATION_TYPE_HOST_NUMA, 9
    done += [cuMemcpy3D_v2(&copy), cuMemPrefetchAsync_v2(block, 256, location, 0, <CUstream>9)]
    done += [cuMemFree_v2(block), cuCtxDestroy_v2(context)]
    return done


def graphs():
    cdef CUgraph graph = NULL
    cdef CUgraphNode node = NULL
    cdef CUgraphExec executable = NULL
    cdef CUDA_KERNEL_NODE_PARAMS_v2 kernel
    cdef CUgraphNodeParams host
    cdef size_t count = 0
    memset(&kernel, 0, sizeof(kernel))
    kernel.func = <CUfunction>0x77
    kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ = 1, 2, 3
    kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ = 4, 5, 6
    kernel.sharedMemBytes, kernel.extra, kernel.ctx = 7, <void **>8, <CUcontext>9
    done = [cuGraphCreate(&graph, 0), cuGraphAddKernelNode_v2(&node, graph, NULL, 0, &kernel)]
    memset(&host, 0, sizeof(host))
    host.type, host.host.fn, host.host.userData = CU_GRAPH_NODE_TYPE_HOST, called, <void *>10
    done += [cuGraphAddNode_v2(&node, graph, NULL, NULL, 0, &host)]
    done += [cuGraphGetNodes(graph, NULL, &count), cuGraphInstantiateWithFlags(&executable, graph, 0)]
    with nogil:
        launched = cuGraphLaunch(executable, NULL)
    done += [launched, cuGraphExecDestroy(executable), cuGraphDestroy(graph)]
    return done


def launch():
    cdef CUresult status
    cdef int number = 11, calls = 0
    cdef double other = 2.5
    cdef void *parameters[2]
    cdef CUlaunchConfig config
    cdef CUlaunchAttribute attribute
    cdef CUipcMemHandle_v1 handle
    cdef CUdeviceptr_v2 opened = 0
    parameters[0], parameters[1] = &number, &other
    with nogil:
        status = cuLaunchKernel(<CUfunction>0x77, 1, 2, 3, 4, 5, 6, 7, <CUstream>8, parameters, NULL)
    done = [status]
    memset(&attribute, 0, sizeof(attribute))
    attribute.id, attribute.value.priority = CU_LAUNCH_ATTRIBUTE_PRIORITY, -5
    memset(&config, 0, sizeof(config))
    config.gridDimX, config.gridDimY, config.gridDimZ = 1, 2, 3
    config.blockDimX, config.blockDimY, config.blockDimZ = 4, 5, 6
    config.sharedMemBytes, config.hStream, config.attrs, config.numAttrs = 7, <CUstream>8, &attribute, 1
    done.append(cuLaunchKernelEx(&config, <CUfunction>0x77, parameters, NULL))
    for i in range(64):
        handle.reserved[i] = i
    done.append(cuIpcOpenMemHandle_v2(&opened, handle, 1))
    done += [cuLaunchHostFunc_v1(NULL, called, &calls), calls]
    return done
