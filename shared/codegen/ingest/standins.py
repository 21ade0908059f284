# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Small headers that stand in for the system's, so that facts do not depend on what a machine has installed."""

from __future__ import annotations

from pathlib import Path

_STDDEF = """
#pragma once
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
#define NULL ((void *)0)
"""

# `long long` on every platform: sizes agree, and one spelling serves Linux and Windows.
_STDINT = """
#pragma once
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
typedef __UINTPTR_TYPE__ uintptr_t;
typedef __INTPTR_TYPE__ intptr_t;
"""

_LIMITS = """
#pragma once
#define INT_MAX __INT_MAX__
#define UINT_MAX (__INT_MAX__ * 2U + 1U)
"""

# Only what concerns a C compiler of the host.
_HOST_DEFINES = """
#pragma once
#define __host__
#define __device__
#define __device_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __cudart_builtin__
#define __inline__ __inline
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDART_CB
#define CUDART_DEVICE
"""

_GL = """
#pragma once
typedef unsigned int GLenum;
typedef unsigned int GLuint;
"""

_EGL = """
#pragma once
typedef int EGLint;
typedef unsigned int EGLenum;
typedef void *EGLStreamKHR;
typedef void *EGLImageKHR;
typedef void *EGLSyncKHR;
"""

_VDPAU = """
#pragma once
#include <stdint.h>
typedef uint32_t VdpDevice;
typedef uint32_t VdpVideoSurface;
typedef uint32_t VdpOutputSurface;
typedef uint32_t VdpFuncId;
typedef int VdpStatus;
typedef VdpStatus VdpGetProcAddress(VdpDevice device, VdpFuncId function_id, void **function_pointer);
"""

_WGL = """
#define WGL_NV_gpu_affinity 1
typedef void *HGPUNV;
"""

_D3D = """
#pragma once
"""


def _opaque(*names: str) -> str:
    return "".join(f"typedef struct {name} {name};\n" for name in names)


LINUX = {
    "stddef.h": _STDDEF,
    "stdlib.h": "#include <stddef.h>\n",
    "stdint.h": _STDINT,
    "GL/gl.h": _GL,
    "EGL/egl.h": _EGL,
    "EGL/eglext.h": "#include <EGL/egl.h>\n",
    "vdpau/vdpau.h": _VDPAU,
}

RUNTIME = {**LINUX, "limits.h": _LIMITS, "crt/host_defines.h": _HOST_DEFINES}

WINDOWS = {
    "stddef.h": _STDDEF,
    "stdlib.h": "#include <stddef.h>\n",
    "stdint.h": _STDINT,
    "GL/gl.h": _GL + _WGL,
    "rpcsal.h": "",
    "d3d9.h": _D3D + _opaque("IDirect3DDevice9", "IDirect3DResource9", "IDirect3DVertexBuffer9"),
    "D3D10_1.h": _D3D + _opaque("ID3D10Device", "ID3D10Resource", "IDXGIAdapter"),
    "D3D11_1.h": _D3D + _opaque("ID3D11Device", "ID3D11Resource", "IDXGIAdapter"),
}


def write(folder: Path, headers: dict[str, str]) -> Path:
    for name, text in headers.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return folder
