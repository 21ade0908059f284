# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# A client in Cython, compiled against the official cuda-bindings: it calls the driver, the runtime, NVRTC and nvJitLink.

from libc.stdint cimport uintptr_t

from cuda.bindings cimport cydriver, cynvjitlink, cynvrtc, cyruntime


def driver_version():
    cdef int version = 0
    with nogil:
        status = cydriver.cuDriverGetVersion(&version)
    return <int>status, version


def copy_through_device(bytes content):
    """What comes back from device memory."""
    cdef cydriver.CUdeviceptr memory = 0
    cdef cydriver.CUdevice device = 0
    cdef cydriver.CUcontext context = NULL
    cdef size_t size = len(content)
    cdef char* given = content
    result = bytearray(size)
    cdef unsigned char[:] view = result
    statuses = [
        <int>cydriver.cuInit(0),
        <int>cydriver.cuDeviceGet(&device, 0),
        <int>cydriver.cuDevicePrimaryCtxRetain(&context, device),
        <int>cydriver.cuCtxSetCurrent(context),
        <int>cydriver.cuMemAlloc(&memory, size),
        <int>cydriver.cuMemcpyHtoD(memory, <void*>given, size),
        <int>cydriver.cuMemcpyDtoH(<void*>&view[0], memory, size),
        <int>cydriver.cuMemFree(memory),
    ]
    return statuses, bytes(result)


def runtime_version():
    cdef int version = 0
    status = cyruntime.cudaRuntimeGetVersion(&version)
    return <int>status, version


def runtime_error(int code):
    return cyruntime.cudaGetErrorName(<cyruntime.cudaError_t>code)


def nvrtc_version():
    cdef int major = 0, minor = 0
    status = cynvrtc.nvrtcVersion(&major, &minor)
    return <int>status, major, minor


def nvrtc_error(int code):
    return cynvrtc.nvrtcGetErrorString(<cynvrtc.nvrtcResult>code)


def nvjitlink_version():
    cdef unsigned int major = 0, minor = 0
    status = cynvjitlink.nvJitLinkVersion(&major, &minor)
    return <int>status, major, minor
