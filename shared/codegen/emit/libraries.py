# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the generator has to know of a library beyond its API: where its package lives and what errors call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from codegen.model.api import Release

# What every package tells of its names, in its module _api.
HISTORY = ("CudaVersion", "Version", "is_available", "required_cuda", "resolve", "versions")


@dataclass(frozen=True)
class CHeader:
    """The C header of the library, for which the package's own gives way where it was included first."""

    header: str  # cuda.h
    guard: str  # the macro that tells that it was included
    version_macro: str = ""  # what tells its release; none: the macros that a release brought do
    parts: tuple[str, ...] = ()  # guards of headers that it includes and that programs may include alone
    internal: bool = False  # whether __CUDA_API_VERSION_INTERNAL shows more of it
    since: Release | None = None  # the oldest that ours can follow, where that is not the oldest that was read


@dataclass(frozen=True)
class Library:
    name: str  # the registry's name for it
    module: str  # what users import
    core: str  # the compiled module
    cython: str  # the module in it that Cython modules cimport from; none for a library without a C level
    header: str  # the C header that the package ships, where it does; header_api has what needs Python.h
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
    c: CHeader
    wheel: str = ""  # NVIDIA's wheel that has the library; none for what comes with the driver
    stub: str = ""  # the file beside this one with what the package's stub has beyond the library's names
    # Enums that the package has under short names too: InputType -> the enum, and what its enumerators lose.
    short_enums: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    major: int = 0  # the only CUDA major of a library that breaks at majors; 0: one library for all of them
    pythonic: bool = False  # the module is written as Python writes it too, by the rules of pythonic/<name>.toml
    version_in_parts: bool = False  # the version call has two outputs, major and minor
    # A C function of the package that tells the CUDA release of a library whose version call tells something else.
    release_of: str = ""
    in_wheel: str = ""  # where NVIDIA's wheel has the library, from its folder in nvidia/ on

    @property
    def key(self) -> str:
        """What the command line calls it: driver, runtime13."""
        return f"{self.name}{self.major or ''}"

    @property
    def generated(self) -> str:
        """The folder of what is compiled, from the module's own."""
        return f"_generated/cuda{self.major}" if self.major else "_generated"

    @property
    def header_api(self) -> str:
        return self.header.removesuffix(".h") + "_api.h"


_RUNTIME_PARTS = tuple(
    f"__{name}_TYPES_H__" for name in ("DEVICE", "DRIVER", "LIBRARY", "SURFACE", "TEXTURE", "VECTOR")
)


def _toolkit(
    name: str,
    major: int,
    *,
    c: CHeader,
    short_enums: Mapping[str, tuple[str, str]] | None = None,
    version_in_parts: bool = True,
    wheel: str = "",
    in_wheel: str = "",
    **facts: str,
) -> Library:
    """A library of the toolkit: one wheel a major, all of them from one package."""
    suffix = "-cu12" if major == 12 else ""
    return Library(
        name=name,
        module=f"cuda.{name}",
        core=f"cuda.{name}._core",
        cython=f"cy{name}",
        header=f"cuda_{name}_stable.h",
        package=PurePosixPath(f"packages/cuda-{name}/src/cuda/{name}"),
        not_found_error="LibraryNotFoundError",
        path_variable=f"CUDA_{name.upper()}_LIBRARY",
        wheel=(wheel or f"nvidia-cuda-{name}") + suffix,
        in_wheel=in_wheel or f"lib/{facts['soname']}",
        short_enums=short_enums or {},
        c=c,
        major=major,
        version_in_parts=version_in_parts,
        pythonic=False,
        **facts,
    )


def _toolkits(major: int) -> tuple[Library, ...]:
    return (
        _toolkit(
            "runtime",
            major,
            title="the CUDA runtime",
            docs_url="https://docs.nvidia.com/cuda/cuda-runtime-api/",
            soname=f"libcudart.so.{major}",
            soname_windows=f"cudart64_{major}.dll",
            version_symbol="cudaRuntimeGetVersion",
            version_in_parts=False,
            stub="pyi_runtime.txt",
            result="cudaError_t",
            result_success="cudaSuccess",
            result_not_found="cudaErrorSymbolNotFound",
            c=CHeader("cuda_runtime_api.h", "__CUDA_RUNTIME_API_H__", "CUDART_VERSION", _RUNTIME_PARTS),
        ),
        _toolkit(
            "nvrtc",
            major,
            title="NVRTC",
            docs_url="https://docs.nvidia.com/cuda/nvrtc/",
            soname=f"libnvrtc.so.{major}",
            soname_windows=f"nvrtc64_{major}0_0.dll",
            version_symbol="nvrtcVersion",
            result="nvrtcResult",
            result_success="NVRTC_SUCCESS",
            result_not_found="NVRTC_ERROR_INTERNAL_ERROR",
            c=CHeader("nvrtc.h", "__NVRTC_H__"),
        ),
        _toolkit(
            "nvjitlink",
            major,
            title="nvJitLink",
            wheel="nvidia-nvjitlink",
            docs_url="https://docs.nvidia.com/cuda/nvjitlink/",
            soname=f"libnvJitLink.so.{major}",
            soname_windows=f"nvJitLink_{major}0_0.dll",
            version_symbol="nvJitLinkVersion",
            stub="pyi_nvjitlink.txt",
            short_enums={
                "InputType": ("nvJitLinkInputType", "NVJITLINK_INPUT_"),
                "Result": ("nvJitLinkResult", "NVJITLINK_"),
            },
            result="nvJitLinkResult",
            result_success="NVJITLINK_SUCCESS",
            result_not_found="NVJITLINK_ERROR_INTERNAL",
            c=CHeader("nvJitLink.h", "nvJitLink_INCLUDED"),
        ),
        _toolkit(
            "nvvm",
            major,
            title="libNVVM",
            wheel="nvidia-cuda-nvcc" if major == 12 else "nvidia-nvvm",
            docs_url="https://docs.nvidia.com/cuda/libnvvm-api/",
            soname="libnvvm.so.4",  # in either major
            soname_windows="nvvm64_40_0.dll" if major == 12 else "nvvm70.dll",
            in_wheel="nvvm/lib64/libnvvm.so" if major == 12 else "",
            version_symbol="nvvmVersion",
            release_of="cs_nvvm_release",
            stub="pyi_nvvm.txt",
            short_enums={"Result": ("nvvmResult", "NVVM_")},
            result="nvvmResult",
            result_success="NVVM_SUCCESS",
            result_not_found="NVVM_ERROR_PROGRAM_CREATION_FAILURE",
            c=CHeader("nvvm.h", "NVVM_H"),
        ),
    )


LIBRARIES = {
    library.key: library
    for library in (
        *_toolkits(12),
        *_toolkits(13),
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
            c=CHeader("cuda.h", "__cuda_cuda_h__", "CUDA_VERSION", internal=True),
        ),
        Library(
            name="nvml",
            module="cuda.nvml",
            core="cuda.nvml._core",
            cython="cynvml",
            header="cuda_nvml_stable.h",
            package=PurePosixPath("packages/cuda-nvml/src/cuda/nvml"),
            title="NVML",
            docs_url="https://docs.nvidia.com/deploy/nvml-api/",
            soname="libnvidia-ml.so.1",
            soname_windows="nvml.dll",
            version_symbol="nvmlSystemGetCudaDriverVersion_v1",
            not_found_error="LibraryNotFoundError",
            path_variable="CUDA_NVML_LIBRARY",
            result="nvmlReturn_t",
            result_success="NVML_SUCCESS",
            result_not_found="NVML_ERROR_FUNCTION_NOT_FOUND",
            c=CHeader("nvml.h", "__nvml_nvml_h__", since=Release(13, 0)),
            pythonic=True,
        ),
    )
}
