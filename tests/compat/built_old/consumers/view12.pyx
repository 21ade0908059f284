# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""A program for CUDA 12, with names as cuda.h of CUDA 12 means them."""

from cuda.driver_stable.cycu12 cimport (
    CU_LAUNCH_ATTRIBUTE_PRIORITY,
    CUDA_KERNEL_NODE_PARAMS,
    CUDA_MEMCPY3D,
    CU_MEMORYTYPE_DEVICE,
    CU_MEMORYTYPE_HOST,
    CUcontext,
    CUdevice,
    CUdeviceptr,
    CUfunction,
    CUgraph,
    CUgraphExec,
    CUgraphNode,
    CUipcMemHandle,
    CUlaunchAttribute,
    CUlaunchConfig,
    CUresult,
    CUstream,
    cuCtxCreate,
    cuCtxDestroy,
    cuCtxGetCurrent,
    cuCtxGetDevice,
    cuCtxPopCurrent,
    cuCtxPushCurrent,
    cuDeviceGet,
    cuGraphAddKernelNode,
    cuGraphCreate,
    cuGraphDestroy,
    cuGraphExecDestroy,
    cuGraphGetNodes,
    cuGraphInstantiate,
    cuGraphLaunch,
    cuInit,
    cuIpcOpenMemHandle,
    cuLaunchHostFunc,
    cuLaunchKernel,
    cuLaunchKernelEx,
    cuMemAlloc,
    cuMemFree,
    cuMemPrefetchAsync,
    cuMemcpy3D,
    cuMemcpyDtoH,
    cuMemcpyHtoD,
    cuMemsetD8,
)
from libc.string cimport memset


def contexts():
    cdef CUcontext context = NULL, current = NULL
    cdef CUdevice device = -1, found = -1
    done = [cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device), cuCtxGetCurrent(&current)]
    done += [current == context and context != NULL, cuCtxGetDevice(&found), found]
    done += [cuCtxPopCurrent(&current), current == context, cuCtxPushCurrent(context), cuCtxDestroy(context)]
    return done


def memory():
    cdef CUcontext context = NULL
    cdef CUdeviceptr block = 0
    cdef unsigned char sent[256]
    cdef unsigned char got[256]
    cdef CUDA_MEMCPY3D copy
    for i in range(256):
        sent[i] = i
    done = [cuInit(0), cuCtxCreate(&context, 0, 0), cuMemAlloc(&block, 256), cuMemcpyHtoD(block, sent, 256)]
    done += [cuMemsetD8(block + 128, 7, 128), cuMemcpyDtoH(got, block, 256), got[127], got[128], got[255]]
    memset(&copy, 0, sizeof(copy))
    copy.srcXInBytes, copy.srcMemoryType, copy.srcHost, copy.srcPitch = 1, CU_MEMORYTYPE_HOST, <void *>2, 3
    copy.dstMemoryType, copy.dstDevice, copy.dstHeight = CU_MEMORYTYPE_DEVICE, 4, 5
    copy.WidthInBytes, copy.Height, copy.Depth = 6, 7, 8
    done += [cuMemcpy3D(&copy), cuMemPrefetchAsync(block, 256, 0, <CUstream>9), cuMemFree(block), cuCtxDestroy(context)]
    return done


def graphs():
    cdef CUgraph graph = NULL
    cdef CUgraphNode node = NULL
    cdef CUgraphExec executable = NULL
    cdef CUDA_KERNEL_NODE_PARAMS kernel
    cdef size_t count = 0
    memset(&kernel, 0, sizeof(kernel))
    kernel.func = <CUfunction>0x77
    kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ = 1, 2, 3
    kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ = 4, 5, 6
    kernel.sharedMemBytes, kernel.extra, kernel.ctx = 7, <void **>8, <CUcontext>9
    done = [cuGraphCreate(&graph, 0), cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel)]
    done += [cuGraphGetNodes(graph, NULL, &count), cuGraphInstantiate(&executable, graph, 0)]
    with nogil:
        launched = cuGraphLaunch(executable, NULL)
    done += [launched, cuGraphExecDestroy(executable), cuGraphDestroy(graph)]
    return done


cdef void called(void *data) noexcept nogil:
    (<int *>data)[0] += 1


def launch():
    cdef CUresult status
    cdef int number = 11, calls = 0
    cdef double other = 2.5
    cdef void *parameters[2]
    cdef CUlaunchConfig config
    cdef CUlaunchAttribute attribute
    cdef CUipcMemHandle handle
    cdef CUdeviceptr opened = 0
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
    done.append(cuIpcOpenMemHandle(&opened, handle, 1))
    done += [cuLaunchHostFunc(NULL, called, &calls), calls]
    return done
