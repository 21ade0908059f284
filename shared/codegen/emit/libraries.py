# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the generator has to know of a library beyond its API: where its package lives and what errors call it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath


@dataclass(frozen=True)
class Library:
    name: str  # the registry's name for it
    module: str  # what users import
    core: str  # the compiled module
    cython: str  # the module in it that Cython modules cimport from
    header: str  # the C header that the package ships; header_api has what needs Python.h
    package: PurePosixPath  # the module's folder, from the root of the repository
    title: str
    docs_url: str
    soname: str
    soname_windows: str
    version_symbol: str
    not_found_error: str
    path_variable: str
    result: str  # the enum every function returns
    result_success: str
    result_not_found: str  # what a C-level caller gets where a symbol is missing

    @property
    def header_api(self) -> str:
        return self.header.removesuffix(".h") + "_api.h"


LIBRARIES = {
    library.name: library
    for library in (
        Library(
            name="driver",
            module="cuda.driver_stable",
            core="cuda.driver_stable._core",
            cython="cydriver",
            header="cuda_driver_stable.h",
            package=PurePosixPath("packages/cuda-driver-stable/src/cuda/driver_stable"),
            title="the CUDA driver",
            docs_url="https://docs.nvidia.com/cuda/cuda-driver-api/",
            soname="libcuda.so.1",
            soname_windows="nvcuda.dll",
            version_symbol="cuDriverGetVersion",
            not_found_error="DriverNotFoundError",
            path_variable="CUDA_DRIVER_STABLE_LIBRARY",
            result="CUresult",
            result_success="CUDA_SUCCESS",
            result_not_found="CUDA_ERROR_NOT_FOUND",
        ),
    )
}
