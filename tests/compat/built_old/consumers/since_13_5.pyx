# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# cython: language_level=3
"""A program that uses a function of CUDA 13.5, and does without it where it is missing."""

from cuda.driver_stable.cycu13 cimport CUtensorMap, CUtensorMapAllocClass, cuInit, cuTensorMapSetAllocationClass


def initialize():
    return [cuInit(0)]


def since_13_5():
    cdef CUtensorMap map
    cdef CUtensorMapAllocClass out = <CUtensorMapAllocClass>0
    return [cuTensorMapSetAllocationClass(&map, <CUtensorMapAllocClass>2, &out)]
