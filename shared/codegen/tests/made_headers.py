# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Headers made for the tests: an API of a few functions with the habits of the real one, over three releases."""

from __future__ import annotations

from pathlib import Path

from codegen.ingest import append, assign, parse
from codegen.model import registry as store
from codegen.model.api import Release

_TOP = """
#pragma once
#include <stdlib.h>
#define CUDA_VERSION {number}
#if defined(__CUDA_API_VERSION_INTERNAL) || defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    #define __CUDA_API_PER_THREAD_DEFAULT_STREAM
    #define __CUDA_API_PTSZ(api) api ## _ptsz
#else
    #define __CUDA_API_PTSZ(api) api
#endif
#define cuThingMake cuThingMake_v{make}
#if defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
    #define cuThingPush __CUDA_API_PTSZ(cuThingPush)
#endif
typedef enum cuResult_enum {{ CUDA_SUCCESS = 0, CUDA_ERROR_OTHER = 999 }} CUresult;
typedef struct CUthing_st *CUthing;
typedef unsigned long long CUaddr_v2;
typedef CUaddr_v2 CUaddr;
typedef void (*CUcallback)(CUresult status, const char *const *words, void *data);
#define CU_THING_LEGACY ((CUthing)0x1)
#define CU_WIDTH (1 << 4)
#define CU_BREADTH CU_WIDTH
#define CU_GREETING "hello"
"""

_CALLS = """
CUresult cuInit(unsigned int flags);
CUresult cuThingMake(CUthing *thing, const CUshape *shape);
CUresult cuThingPush(CUthing thing, CUaddr to, CUcallback then);
"""

_INTERNAL = """
#if defined(__CUDA_API_VERSION_INTERNAL)
    #undef cuThingMake
    #undef cuThingPush
    typedef unsigned int CUaddr_v1;
    CUresult cuThingMake(CUthing *thing, unsigned int size, CUaddr_v1 at);
    CUresult cuThingPush(CUthing otherName, CUaddr to, CUcallback then);
    {internal}
#elif defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
static inline CUresult cuThingFind_ptsz(CUthing *thing) {{ return cuThingFind(thing); }}
#define cuThingFind cuThingFind_ptsz
#endif
"""

_SHAPE = """
typedef struct CUshape_st {{
    int kind;
    union {{ CUthing thing; struct {{ short low, high; }}; }};
    struct {{ unsigned int x, y; }} extent;
    CUaddr at[2];
    {more}
}} CUshape_v1;
"""

_TYPEDEFS = """
#pragma once
#include <cuda.h>
typedef CUresult (*PFN_cuInit_v2000)(unsigned int);
typedef CUresult (*PFN_cuThingMake_v3020)(CUthing *, const CUshape_v1 *);
typedef CUresult (*PFN_cuThingPush_v4000)(CUthing, CUaddr_v2, CUcallback);
typedef CUresult (*PFN_cuThingPush_v7000_ptsz)(CUthing, CUaddr_v2, CUcallback);
#if defined(__CUDA_API_VERSION_INTERNAL)
typedef CUresult (*PFN_cuThingMake_v2000)(CUthing *, unsigned int, CUaddr_v1);
#endif
"""

# 14.0: the first. 14.1: a record and an enumeration grow, a base comes.
# 15.0: a name means another symbol, an alias moves.
CUDA_H = {
    Release(14, 0): _TOP.format(number=14000, make=2)
    + _SHAPE.format(more="")
    + "typedef CUshape_v1 CUshape;\n"
    + "typedef enum CUkind_enum { CU_KIND_A = 1, CU_KIND_B = 2, CU_KIND_MAX } CUkind;\n"
    + "CUresult cuThingFind(CUthing *thing);\n"
    + _CALLS
    + _INTERNAL.format(internal=""),
    Release(14, 1): _TOP.format(number=14010, make=2)
    + _SHAPE.format(more="CUaddr more;")
    + "typedef CUshape_v1 CUshape;\n"
    + "typedef enum CUkind_enum { CU_KIND_A = 1, CU_KIND_B = 2, CU_KIND_C = 3, CU_KIND_MAX } CUkind;\n"
    + "CUresult cuThingFind(CUthing *thing);\n"
    + "CUresult cuKindName(CUkind kind, char *name, int length);\n"
    + _CALLS
    + _INTERNAL.format(internal=""),
    Release(15, 0): _TOP.format(number=15000, make=3)
    + "#define cuKindName cuKindName_v2\n"
    + _SHAPE.format(more="CUaddr more;")
    + "typedef struct CUshape_v2_st { CUaddr only; } CUshape_v2;\n"
    + "typedef CUshape_v2 CUshape;\n"
    + "typedef enum CUkind_enum { CU_KIND_A = 1, CU_KIND_B = 20, CU_KIND_MAX } CUkind;\n"
    + "CUresult cuThingFind(CUthing *thing);\n"
    + "CUresult cuKindName(CUkind kind, char *name, size_t length);\n"
    + _CALLS
    + _INTERNAL.format(
        internal="CUresult cuThingMake_v2(CUthing *thing, const CUshape_v1 *shape);\n"
        "#undef cuKindName\nCUresult cuKindName(CUkind kind, char *name, int length);"
    ),
}
ALL = tuple(CUDA_H)


def write(folder: Path, release: Release, **more: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cuda.h").write_text(CUDA_H[release])
    typedefs = _TYPEDEFS
    if release.major == 15:
        typedefs += "typedef CUresult (*PFN_cuThingMake_v15000)(CUthing *, const CUshape_v2 *);\n"
    (folder / "cudaTypedefs.h").write_text(typedefs)
    for name, text in more.items():
        (folder / name.replace("_h", ".h")).write_text(text)
    return folder


def ingest(folder: Path, *releases: Release) -> store.Registry:
    """Read made-up releases, in this order, into a registry in memory."""
    registry = store.Registry()
    for release in releases:
        snapshot = parse.parse_headers(write(folder / str(release), release))
        registry, _ = append.append(registry, release, snapshot, ("made up",))
        registry = assign.assign(registry)
    return registry
