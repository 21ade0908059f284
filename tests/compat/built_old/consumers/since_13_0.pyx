# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""A program with permanent names that needs CUDA 13.0."""

from cuda.driver_stable.cydriver cimport CUcontext, CUdevice_v1, cuCtxGetDevice_v2, cuInit


def since_13_0():
    cdef CUdevice_v1 device = -1
    return [cuInit(0), cuCtxGetDevice_v2(&device, <CUcontext>1)]
