# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A module as a user of the package writes it: permanent names, and names as three CUDA majors mean them."""

from libc.stdint cimport uintptr_t
from libc.string cimport memset

from cuda.driver_stable cimport cycu11, cycu12, cycu13, cycu13_per_thread, cydriver
from cuda.driver_stable.cycu12 cimport CUcontext, CUdevice, CUdeviceptr, cuCtxCreate
from cuda.driver_stable.cydriver cimport CUDA_ERROR_NOT_FOUND, CUhostFn, CUmemLocation_v1, CUresult


# Permanent names: functions come from the capsules of cydriver.

def init(unsigned int flags):
    return cydriver.cuInit(flags)


def init_without_gil(unsigned int flags):
    cdef CUresult status
    with nogil:
        status = cydriver.cuInit_v1(flags)
    return status


def init_by_pointer(unsigned int flags):
    cdef CUresult (*function)(unsigned int) except? CUDA_ERROR_NOT_FOUND nogil
    function = cydriver.cuInit
    return function(flags)


def set_bias(uintptr_t texture, float bias):
    return cydriver.cuTexRefSetMipmapLevelBias(<cydriver.CUtexref>texture, bias)


def allocate(size_t size):
    cdef cydriver.CUdeviceptr_v2 pointer = 0
    status = cydriver.cuMemAlloc_v2(&pointer, size)
    return status, pointer


def fill(unsigned long long pointer, unsigned char value, size_t count):
    return cydriver.cuMemsetD8_v2(pointer, value, count)


def open_memory(bytes content, unsigned int flags):
    """A record of 64 bytes by value."""
    cdef cydriver.CUipcMemHandle_v1 handle
    cdef cydriver.CUdeviceptr_v2 pointer = 0
    for i in range(64):
        handle.reserved[i] = <char>content[i]
    return cydriver.cuIpcOpenMemHandle_v2(&pointer, handle, flags)


def describe(uintptr_t array):
    """Records inside a record that have no name in C."""
    cdef cydriver.CUDA_RESOURCE_DESC_v1 description
    cdef cydriver.CUDA_RESOURCE_DESC_v1_res_array inner
    cdef cydriver.CUtexObject_v1 texture
    memset(&description, 0, sizeof(description))
    inner.hArray = <cydriver.CUarray>array
    description.resType = cydriver.CU_RESOURCE_TYPE_ARRAY
    description.res.array = inner
    description.flags = 7
    return cydriver.cuTexObjectCreate(&texture, &description, NULL, NULL)


called = []


cdef void call_back(void *data) noexcept with gil:
    called.append(<uintptr_t>data)


def launch_host(uintptr_t stream, uintptr_t data):
    cdef CUhostFn function = call_back
    function(<void *>data)
    status = cydriver.cuLaunchHostFunc_v1(<cydriver.CUstream>stream, function, <void *>data)
    return status, <uintptr_t>function


def too_new():
    """Introduced with CUDA 12.5."""
    cdef cydriver.CUcontext context = NULL
    return cydriver.cuCtxCreate_v4(&context, NULL, 0, 0)


def too_new_without_gil():
    cdef cydriver.CUcontext context = NULL
    cdef CUresult status
    with nogil:
        status = cydriver.cuCtxCreate_v4(&context, NULL, 0, 0)
    return status


# Names of a CUDA major: functions come from the C header.

def create_12(unsigned int flags, CUdevice device):
    cdef CUcontext context = NULL
    status = cuCtxCreate(&context, flags, device)
    return status, <uintptr_t>context


def create_13(unsigned int flags, int device):
    cdef cycu13.CUcontext context = NULL
    cdef cycu13.CUctxCreateParams parameters
    cdef CUresult status
    memset(&parameters, 0, sizeof(parameters))
    with nogil:
        status = cycu13.cuCtxCreate(&context, &parameters, flags, device)
    return status, <uintptr_t>context


def advise_12(CUdeviceptr pointer, size_t size, int device):
    return cycu12.cuMemAdvise(pointer, size, cycu12.CU_MEM_ADVISE_SET_READ_MOSTLY, device)


def advise_13(cycu13.CUdeviceptr pointer, size_t size, int device):
    """A record of 8 bytes by value."""
    cdef CUmemLocation_v1 location
    memset(&location, 0, sizeof(location))
    location.type = cycu13.CU_MEM_LOCATION_TYPE_DEVICE
    location.id = device
    return cycu13.cuMemAdvise(pointer, size, cycu13.CU_MEM_ADVISE_SET_READ_MOSTLY, location)


def copy(bint per_thread, cycu13.CUdeviceptr target, cycu13.CUdeviceptr source, size_t size):
    if per_thread:
        return cycu13_per_thread.cuMemcpyDtoD(target, source, size)
    return cycu13.cuMemcpyDtoD(target, source, size)


def ask(bint per_thread, bytes name, unsigned long long flags):
    cdef void *address = NULL
    if per_thread:
        return cycu13_per_thread.cuGetProcAddress(name, &address, 13000, flags, NULL)
    return cycu13.cuGetProcAddress(name, &address, 13000, flags, NULL)


def copy_rectangle(unsigned long long source, size_t width, size_t height):
    cdef cycu13.CUDA_MEMCPY2D copy
    memset(&copy, 0, sizeof(copy))
    copy.srcMemoryType = cycu13.CU_MEMORYTYPE_DEVICE
    copy.srcDevice = source
    copy.WidthInBytes = width
    copy.Height = height
    return cycu13.cuMemcpy2D(&copy)


def launch(uintptr_t function, uintptr_t stream, unsigned int shared):
    cdef void *parameters[1]
    cdef int value = 5
    parameters[0] = &value
    return cycu13.cuLaunchKernel(
        <cycu13.CUfunction>function, 1, 2, 3, 4, 5, 6, shared, <cycu13.CUstream>stream, parameters, NULL
    )


def values():
    return {
        "stream memory operations in 11": cycu11.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
        "stream memory operations in 12": cycu12.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
        "stream memory operations": cydriver.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
        "flags in 11": cycu11.CU_CTX_FLAGS_MASK,
        "flags in 13": cycu13.CU_CTX_FLAGS_MASK,
        "version in 11": cycu11.CUDA_VERSION,
        "version in 12": cycu12.CUDA_VERSION,
        "legacy stream": <uintptr_t>cycu13.CU_STREAM_LEGACY,
        "priority": cycu13.CU_KERNEL_NODE_ATTRIBUTE_PRIORITY,
        "infinite": cydriver.CUDA_EGL_INFINITE_TIMEOUT,
        "size of a handle": cycu12.CU_IPC_HANDLE_SIZE,
    }


def too_new_in_view():
    cdef cycu13.CUcontext context = NULL
    cdef CUresult status
    with nogil:
        status = cycu13.cuCtxCreate(&context, NULL, 0, 0)
    return status
