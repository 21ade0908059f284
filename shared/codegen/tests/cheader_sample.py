# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A made-up registry of three releases with every habit that the C header has to deal with, and the golden files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from codegen.emit import cheader, cheader_api, cheader_table
from codegen.emit.libraries import LIBRARIES
from codegen.model import registry as store
from codegen.model.api import Release
from codegen.model.registry import FunctionName, Registry, ReleaseRow, TablePosition, TypeName
from codegen.model.spelling import spell_registry

DRIVER = LIBRARIES["driver"]

# 11.2, 12.0 and 13.0. The enum grows, loses a name and moves a mask; CUpair's tag is renamed; CUbox grows; CUflags is
# replaced by CUoptions, with its enumerators; CUattrID was an enum of its own; CUinner is defined inside CUouter.
FACTS = """
enum = [
  { enum = "cudaError_enum", at = "11.2", header = "cuda.h" },
  { enum = "CUflags", at = "12.0", header = "cuda.h", untagged = true },
  { enum = "CUflags", at = "13.0", removed = true },
  { enum = "CUoptions", at = "13.0", header = "cuda.h", untagged = true },
  { enum = "CUattrID_enum", at = "11.2", header = "cuda.h" },
  { enum = "CUattrID_enum", at = "12.0", removed = true },
  { enum = "CUlaunchAttrID_enum", at = "12.0", header = "cuda.h" },
]
enumerator = [
  { enum = "cudaError_enum", name = "CUDA_SUCCESS", at = "11.2", value = 0 },
  { enum = "cudaError_enum", name = "CUDA_ERROR_OLD", at = "11.2", value = 7 },
  { enum = "cudaError_enum", name = "CUDA_ERROR_OLD", at = "12.0", removed = true },
  { enum = "cudaError_enum", name = "CUDA_ERROR_NOT_FOUND", at = "11.2", value = 500 },
  { enum = "cudaError_enum", name = "CUDA_ERROR_NEW", at = "13.0", value = 801 },
  { enum = "cudaError_enum", name = "CUDA_ERROR_MASK", at = "11.2", value = 1 },
  { enum = "cudaError_enum", name = "CUDA_ERROR_MASK", at = "13.0", value = -1 },
  { enum = "CUflags", name = "CU_FLAG_A", at = "12.0", value = 1 },
  { enum = "CUflags", name = "CU_FLAG_A", at = "13.0", removed = true },
  { enum = "CUoptions", name = "CU_FLAG_A", at = "13.0", value = 1 },
  { enum = "CUattrID_enum", name = "CU_ATTR_SIZE", at = "11.2", value = 2 },
  { enum = "CUattrID_enum", name = "CU_ATTR_SIZE", at = "12.0", removed = true },
  { enum = "CUlaunchAttrID_enum", name = "CU_LAUNCH_ATTR_SIZE", at = "12.0", value = 2 },
]
record = [
  { record = "CUpair_st", at = "11.2", size = 16, align = 8, header = "cuda.h" },
  { record = "CUpair_st", at = "13.0", removed = true },
  { record = "CUpair_v1_st", at = "13.0", size = 16, align = 8, header = "cuda.h" },
  { record = "CUbox_st", at = "11.2", size = 8, align = 8, header = "cuda.h" },
  { record = "CUbox_st", at = "13.0", size = 64, align = 64, header = "cuda.h" },
  { record = "CUbox_st.part", at = "11.2", union = true, size = 8, align = 8, header = "cuda.h" },
  { record = "CUinner_st", at = "11.2", size = 4, align = 4, header = "cuda.h" },
  { record = "CUouter_union", at = "11.2", union = true, size = 8, align = 8, header = "cuda.h" },
  { record = "CUuuid_st", at = "11.2", size = 16, align = 1, header = "cuda.h" },
  { record = "CUframe_st", at = "12.0", size = 8, align = 8, header = "cudaEGL.h" },
]
field = [
  { record = "CUpair_st", name = "first", at = "11.2", offset = 0, size = 8, type = "CUaddr" },
  { record = "CUpair_st", name = "first", at = "13.0", removed = true },
  { record = "CUpair_st", name = "second", at = "11.2", offset = 8, size = 8, type = "const char *" },
  { record = "CUpair_st", name = "second", at = "13.0", removed = true },
  { record = "CUpair_v1_st", name = "first", at = "13.0", offset = 0, size = 8, type = "CUaddr" },
  { record = "CUpair_v1_st", name = "second", at = "13.0", offset = 8, size = 8, type = "const char *" },
  { record = "CUbox_st", name = "part", at = "11.2", offset = 0, size = 8, type = "CUbox_st.part" },
  { record = "CUbox_st", name = "low", at = "13.0", offset = 8, size = 4, type = "uint32_t" },
  { record = "CUbox_st", name = "whole", at = "13.0", offset = 8, size = 8, type = "uint64_t" },
  { record = "CUbox_st", name = "high", at = "13.0", offset = 12, size = 4, type = "uint32_t" },
  { record = "CUbox_st", name = "rest", at = "13.0", offset = 16, size = 48, type = "char", count = 48 },
  { record = "CUbox_st.part", name = "pair", at = "11.2", offset = 0, size = 8, type = "CUpair *" },
  { record = "CUbox_st.part", name = "thing", at = "11.2", offset = 0, size = 8, type = "CUthing" },
  { record = "CUinner_st", name = "status", at = "11.2", offset = 0, size = 4, type = "CUresult" },
  { record = "CUouter_union", name = "inner", at = "11.2", offset = 0, size = 4, type = "CUinner_st" },
  { record = "CUouter_union", name = "pad", at = "11.2", offset = 0, size = 8, type = "unsigned long long" },
  { record = "CUuuid_st", name = "bytes", at = "11.2", offset = 0, size = 16, type = "char", count = 16 },
  { record = "CUframe_st", name = "image", at = "12.0", offset = 0, size = 8, type = "EGLImageKHR" },
]
typedef = [
  { name = "CUresult", at = "11.2", type = "cudaError_enum", size = 4, header = "cuda.h" },
  { name = "CUflags", at = "12.0", type = "CUflags", size = 4, header = "cuda.h" },
  { name = "CUflags", at = "13.0", removed = true },
  { name = "CUoptions", at = "13.0", type = "CUoptions", size = 4, header = "cuda.h" },
  { name = "CUattrID", at = "11.2", type = "CUattrID_enum", size = 4, header = "cuda.h" },
  { name = "CUattrID", at = "12.0", type = "CUlaunchAttrID", size = 4, header = "cuda.h" },
  { name = "CUlaunchAttrID", at = "12.0", type = "CUlaunchAttrID_enum", size = 4, header = "cuda.h" },
  { name = "CUpair", at = "11.2", type = "CUpair_st", header = "cuda.h" },
  { name = "CUpair", at = "13.0", type = "CUpair_v1", header = "cuda.h" },
  { name = "CUpair_v1", at = "13.0", type = "CUpair_v1_st", header = "cuda.h" },
  { name = "CUbox", at = "11.2", type = "CUbox_st", header = "cuda.h" },
  { name = "CUouter", at = "11.2", type = "CUouter_union", header = "cuda.h" },
  { name = "CUuuid", at = "11.2", type = "CUuuid_st", header = "cuda.h" },
  { name = "CUframe", at = "12.0", type = "CUframe_st", header = "cudaEGL.h" },
]
"""
HANDLES = """
typedef = [
  { name = "CUaddr", at = "11.2", type = "unsigned long long", size = 8, header = "cuda.h" },
  { name = "CUaddr", at = "13.0", type = "CUaddr_v2", size = 8, header = "cuda.h" },
  { name = "CUaddr_v2", at = "13.0", type = "unsigned long long", size = 8, header = "cuda.h" },
  { name = "CUthing", at = "11.2", type = "CUthing_st *", size = 8, header = "cuda.h" },
  { name = "cuuint64_t", at = "11.2", type = "uint64_t", size = 8, header = "cuda.h" },
  { name = "EGLImageKHR", at = "12.0", type = "void *", size = 8, header = "EGL/egl.h" },
]
callback = [
  { name = "CUnotify", at = "11.2", result = "void", parameters = "CUresult status, void *data", header = "cuda.h" },
]
constant = [
  { name = "CUDA_VERSION", at = "11.2", value = 11020, type = "int", header = "cuda.h" },
  { name = "CUDA_VERSION", at = "12.0", value = 12000, type = "int", header = "cuda.h" },
  { name = "CUDA_VERSION", at = "13.0", value = 13000, type = "int", header = "cuda.h" },
  { name = "CU_ATTR_SIZE", at = "12.0", value = 2, type = "int", alias = "CU_LAUNCH_ATTR_SIZE", header = "cuda.h" },
  { name = "CU_THING_LEGACY", at = "11.2", value = 1, type = "CUthing", header = "cuda.h" },
  { name = "CU_LIMIT", at = "11.2", value = -1, type = "int", header = "cuda.h" },
  { name = "CU_LIMIT", at = "12.0", value = 4294967295, type = "unsigned int", header = "cuda.h" },
  { name = "MAX_THINGS", at = "12.0", value = 3, type = "int", header = "cuda.h" },
]
declared = [
  { symbol = "cuInit", at = "11.2", header = "cuda.h", parameters = "unsigned int Flags" },
  { symbol = "cuMake", at = "11.2", header = "cuda.h", parameters = "CUthing *thing, CUpair pair" },
  { symbol = "cuMake_v2", at = "13.0", header = "cuda.h", parameters = "CUthing *thing, const CUbox *b, cuuint64_t n" },
  { symbol = "cuPush", at = "11.2", header = "cuda.h", parameters = "CUthing thing, CUaddr to, CUnotify then" },
  { symbol = "cuPush_ptsz", at = "11.2", header = "cuda.h", parameters = "CUthing thing, CUaddr to, CUnotify then" },
  { symbol = "cuAttr", at = "11.2", header = "cuda.h", parameters = "CUattrID attr" },
  { symbol = "cuFrame", at = "12.0", header = "cudaEGL.h", parameters = "CUframe *frame" },
  { symbol = "cuGetProcAddress", at = "12.0", header = "cuda.h", parameters = "const char *symbol, cuuint64_t flags" },
]
default = [
  { name = "cuInit", at = "11.2", legacy = "cuInit", per_thread = "cuInit" },
  { name = "cuMake", at = "11.2", legacy = "cuMake", per_thread = "cuMake" },
  { name = "cuMake", at = "13.0", legacy = "cuMake_v2", per_thread = "cuMake_v2" },
  { name = "cuMake_v2", at = "13.0", legacy = "cuMake_v2", per_thread = "cuMake_v2" },
  { name = "cuPush", at = "11.2", legacy = "cuPush", per_thread = "cuPush_ptsz" },
  { name = "cuAttr", at = "11.2", legacy = "cuAttr", per_thread = "cuAttr" },
  { name = "cuFrame", at = "12.0", legacy = "cuFrame", per_thread = "cuFrame" },
  { name = "cuGetProcAddress", at = "12.0", legacy = "cuGetProcAddress", per_thread = "cuGetProcAddress" },
]
"""
NAMES = {
    "cuInit": "cuInit",
    "cuMake": None,
    "cuMake_v2": None,
    "cuPush": "cuPush",
    "cuPush_ptsz": "cuPush_ptsz",
    "cuAttr": "cuAttr",
    "cuFrame": "cuFrame",
    "cuGetProcAddress": "cuGetProcAddress",
}
VERSIONED = {
    "cuInit": "cuInit_v1",
    "cuMake": "cuMake_v1",
    "cuMake_v2": "cuMake_v2",
    "cuPush": "cuPush_v1",
    "cuPush_ptsz": "cuPush_v1_ptsz",
    "cuAttr": "cuAttr_v1",
    "cuFrame": "cuFrame_v1",
    "cuGetProcAddress": "cuGetProcAddress_v1",
}
TYPES = {
    "cudaError_enum": "CUresult",
    "CUflags": "CUflags",
    "CUoptions": "CUoptions",
    "CUattrID_enum": "CUattrID",
    "CUlaunchAttrID_enum": "CUlaunchAttrID",
    "CUpair_st": "CUpair_v1",
    "CUpair_v1_st": "CUpair_v1",
    "CUbox_st": "CUbox",
    "CUinner_st": "CUinner_st",
    "CUouter_union": "CUouter",
    "CUuuid_st": "CUuuid",
    "CUframe_st": "CUframe",
    "CUaddr": "CUaddr_v2",
    "CUaddr_v2": "CUaddr_v2",
    "CUthing": "CUthing",
    "cuuint64_t": "cuuint64_t",
    "EGLImageKHR": "EGLImageKHR",
}
# Not by name: what was there first comes first.
TABLE = ("cuInit_v1", "cuMake_v1", "cuPush_v1", "cuPush_v1_ptsz", "cuAttr_v1", "cuFrame_v1", "cuGetProcAddress_v1",
         "cuMake_v2")  # fmt: skip


def registry() -> Registry:
    facts = [*store.parse(FACTS, "records/made")[0], *store.parse(HANDLES, "handles/made")[0]]
    releases = (Release(11, 2), Release(12, 0), Release(13, 0))
    return Registry(
        facts=tuple(facts),
        releases=tuple(ReleaseRow(release, ("cuda.h", "cudaEGL.h"), ()) for release in releases),
        functions=tuple(FunctionName(symbol, VERSIONED[symbol], plain) for symbol, plain in NAMES.items()),
        types=tuple(TypeName(type_, name) for type_, name in TYPES.items()),
        table=tuple(TablePosition(i, name) for i, name in enumerate(TABLE)),
    )


def emitted() -> Mapping[str, str]:
    api, spelling = spell_registry(registry(), "driver")
    return {
        "include/cuda_driver_stable.h": cheader.emit(api, spelling, DRIVER),
        "include/cuda_driver_stable_api.h": cheader_api.emit(api, spelling, DRIVER),
        "table.c": cheader_table.emit(api, spelling.positions),
    }


def golden(name: str) -> Path:
    """`.txt`, so that no tool takes them for sources of ours."""
    return Path(__file__).parent / "golden" / "cheader" / f"{name}.txt"


def write_golden() -> None:
    """Rewrite the golden files; look at the diff before it is committed."""
    for name, text in emitted().items():
        golden(name).parent.mkdir(parents=True, exist_ok=True)
        golden(name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    write_golden()
