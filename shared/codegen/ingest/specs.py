# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What ingest has to know of each library: its headers, how its names look, which wheels hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..model.api import Release
from ..model.registry import ROOT, folder_of
from . import standins
from .assign import FIRST

Mode = Literal["legacy", "per_thread", "internal"]
MODES: Mapping[Mode, tuple[str, ...]] = {
    "legacy": (),
    "per_thread": ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",),
    "internal": ("-D__CUDA_API_VERSION_INTERNAL",),
}


@dataclass(frozen=True)
class Spec:
    name: str
    headers: tuple[str, ...]  # facts are taken of these, and of no other file they include
    function: re.Pattern[str]
    exports: re.Pattern[str]  # which symbols of a real library belong to the API
    sources: Mapping[str, str]  # for each platform, the key of sources.toml that names its wheels
    windows_headers: tuple[str, ...] = ()
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # what a header uses and does not include
    standins: Mapping[str, str] = field(default_factory=lambda: standins.LINUX)
    defines: tuple[str, ...] = ()
    modes: tuple[Mode, ...] = ("legacy",)  # where several show a prototype, the first decides its spelling
    mode_defines: Mapping[Mode, tuple[str, ...]] = field(default_factory=lambda: MODES)
    usual_result: str = ""  # the return type that facts do not spell
    version_macro: str | None = None
    library: re.Pattern[str] | None = None  # the library's file in a wheel; None: libraries come by themselves
    # Whether each function is a wrapper in the header around a symbol of the library's own version.
    wrappers: bool = False
    per_major: bool = True  # each major is an API of its own, in a folder of its own
    # Permanent names are given from this release of a major on, since earlier ones do not tell yet which bases have
    # several versions; None: never. A major that is not listed has names from its first release on.
    named_from: Mapping[int, Release | None] = field(default_factory=dict)

    def folder(self, release: Release, root: Path = ROOT) -> Path:
        return folder_of(self.name, release.major if self.per_major else None, root)

    def names_since(self, major: int | None) -> Release | None:
        if not self.per_major or major is None:
            return FIRST
        return self.named_from.get(major, Release(major, 0))


DRIVER = Spec(
    name="driver",
    headers=(
        "cuda.h",
        "cudaGL.h",
        "cudaEGL.h",
        "cudaVDPAU.h",
        "cudaProfiler.h",
        "cudaTypedefs.h",
        "cudaGLTypedefs.h",
        "cudaEGLTypedefs.h",
        "cudaVDPAUTypedefs.h",
        "cudaProfilerTypedefs.h",
    ),
    windows_headers=(
        "cuda.h",
        "cudaGL.h",
        "cudaD3D9.h",
        "cudaD3D10.h",
        "cudaD3D11.h",
        "cudaGLTypedefs.h",
        "cudaD3D9Typedefs.h",
        "cudaD3D10Typedefs.h",
        "cudaD3D11Typedefs.h",
    ),
    needs={
        "cudaVDPAU.h": ("vdpau/vdpau.h",),
        "cudaD3D9.h": ("d3d9.h",),
        "cudaD3D10.h": ("D3D10_1.h",),
        "cudaD3D11.h": ("D3D11_1.h",),
    },
    function=re.compile(r"cu[A-Z]\w*$"),
    exports=re.compile(r"cu[A-Z]\w*$"),  # not the debugger's interface, cudbg…
    sources={"linux": "linux", "windows": "windows"},
    modes=("legacy", "per_thread", "internal"),
    usual_result="CUresult",
    version_macro="CUDA_VERSION",
    per_major=False,
)

RUNTIME = Spec(
    name="runtime",
    headers=(
        "cuda_runtime_api.h",
        "driver_types.h",
        "vector_types.h",
        "texture_types.h",
        "surface_types.h",
        "device_types.h",
        "library_types.h",
        "cuda_profiler_api.h",
        "cuda_gl_interop.h",
        "cuda_egl_interop.h",
        "cuda_vdpau_interop.h",
    ),
    function=re.compile(r"cuda[A-Z]\w*$"),
    exports=re.compile(r"cuda[A-Z]\w*$"),  # not what compiled kernels register with, __cuda…
    sources={"linux": "linux"},
    standins=standins.RUNTIME,
    defines=("-D__CUDA_RUNTIME_H__",),  # the C++ API, which the EGL header includes
    modes=("legacy", "per_thread", "internal"),
    version_macro="CUDART_VERSION",
    library=re.compile(r"libcudart\.so\.[\d.]+$"),
    named_from={11: None, 12: Release(12, 9), 13: Release(13, 5)},
)

NVRTC = Spec(
    name="nvrtc",
    headers=("nvrtc.h",),
    function=re.compile(r"nvrtc[A-Z]\w*$"),
    exports=re.compile(r"nvrtc[A-Z]\w*$"),
    sources={"linux": "nvrtc"},
    library=re.compile(r"libnvrtc\.so\.[\d.]+$"),
    named_from={11: None, 12: Release(12, 9), 13: Release(13, 5)},
)

NVJITLINK = Spec(
    name="nvjitlink",
    headers=("nvJitLink.h",),
    function=re.compile(r"nvJitLink[A-Z]\w*$"),
    exports=re.compile(r"(__)?nvJitLink[A-Z]\w*$"),
    sources={"linux": "nvjitlink"},
    library=re.compile(r"libnvJitLink\.so\.[\d.]+$"),
    wrappers=True,
    named_from={12: Release(12, 9), 13: Release(13, 5)},
)

# Part of the driver, as libcuda is: one library for all majors.
NVML = Spec(
    name="nvml",
    headers=("nvml.h",),
    function=re.compile(r"nvml[A-Z]\w*$"),
    exports=re.compile(r"nvml(?!Internal|Retry_)[A-Z]\w*$"),  # not what NVIDIA's own programs call
    sources={"linux": "nvml"},
    modes=("legacy", "internal"),
    # What shows the symbols and types that the header keeps for binaries built long ago.
    mode_defines={"legacy": (), "internal": ("-DNVML_NO_UNVERSIONED_FUNC_DEFS",)},
    per_major=False,
)

NVVM = Spec(
    name="nvvm",
    headers=("nvvm.h",),
    function=re.compile(r"nvvm[A-Z]\w*$"),
    exports=re.compile(r"nvvm[A-Z]\w*$"),
    sources={"linux": "nvvm"},
    library=re.compile(r"libnvvm\.so(\.[\d.]+)?$"),
    named_from={12: Release(12, 9), 13: Release(13, 5)},
)

SPECS = {spec.name: spec for spec in (DRIVER, RUNTIME, NVRTC, NVJITLINK, NVML, NVVM)}
