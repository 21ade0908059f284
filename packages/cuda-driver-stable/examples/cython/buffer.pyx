# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""Device memory as a Cython class, compiled without a CUDA toolkit.

    cython -3 buffer.pyx
    cc -shared -fPIC buffer.c -o buffer.so \
      -I "$(python -c 'import cuda.driver_stable as d; print(d.get_include())')" \
      -I "$(python -c 'import sysconfig; print(sysconfig.get_path("include"))')"
    python -c 'import buffer; buffer.main()'

What is compiled here holds `cuMemAlloc_v2` and its like, and runs with every later release of cuda-driver-stable. The
context comes from the view of CUDA 12, whose `cuCtxCreate` is `cuCtxCreate_v2` in the binary.
"""

from cuda.driver_stable.cycu12 cimport cuCtxCreate, cuCtxDestroy
from cuda.driver_stable.cydriver cimport (
    CUcontext,
    CUdevice_v1,
    CUdeviceptr_v2,
    CUresult,
    cuDeviceGet,
    cuInit,
    cuMemAlloc_v2,
    cuMemcpyDtoH_v2,
    cuMemFree_v2,
    cuMemsetD8_v2,
)


cdef int check(CUresult status) except -1 nogil:
    if status != 0:
        with gil:
            from cuda import driver_stable

            raise RuntimeError(driver_stable.CUresult(status).name)
    return 0


cdef class Buffer:
    """Bytes on the device; given back with the object."""

    cdef CUdeviceptr_v2 address
    cdef readonly size_t size

    def __cinit__(self, size_t size):
        with nogil:
            check(cuMemAlloc_v2(&self.address, size))
        self.size = size

    def __dealloc__(self):
        if self.address:
            cuMemFree_v2(self.address)

    def fill(self, unsigned char value):
        with nogil:
            check(cuMemsetD8_v2(self.address, value, self.size))

    def tobytes(self):
        cdef bytearray content = bytearray(self.size)
        cdef unsigned char[::1] view = content
        with nogil:
            check(cuMemcpyDtoH_v2(&view[0], self.address, self.size))
        return bytes(content)


def main():
    cdef CUcontext context
    cdef CUdevice_v1 device
    check(cuInit(0))
    check(cuDeviceGet(&device, 0))
    check(cuCtxCreate(&context, 0, device))
    buffer = Buffer(1 << 16)
    buffer.fill(0x5A)
    ok = buffer.tobytes() == b"\x5a" * buffer.size
    del buffer
    check(cuCtxDestroy(context))
    print("OK" if ok else "FAILED: the memory is not what it was set to")
