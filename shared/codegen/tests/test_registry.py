# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The driver's registry as it is: counts measured from the headers and libraries."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from codegen.ingest import libraries
from codegen.model import registry as store
from codegen.model.api import Api, Release
from codegen.model.fold import fold
from codegen.model.registry import Registry

AS_OF = Release(13, 5)  # later releases only add to what is counted here
WINDOWS_ENUMS = ("cudaD3D9.h", "cudaD3D10.h", "cudaD3D11.h")


@pytest.fixture(scope="module")
def registry() -> Registry:
    return store.load(store.ROOT / "driver")


@pytest.fixture(scope="module")
def api() -> Api:
    return fold(as_of=AS_OF)


def test_releases(registry: Registry) -> None:
    known = " ".join(str(release) for release in registry.known if release <= AS_OF)
    assert known == "11.2 11.7 11.8 12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.8 12.9 13.0 13.1 13.2 13.3 13.4 13.5"


def test_functions(api: Api) -> None:
    linux = [function for function in api.functions if function.platform != "windows"]
    assert len(api.functions) - len(linux) == 57
    assert Counter(function.stream for function in linux) == {"": 616, "ptds": 21, "ptsz": 86}
    assert len({function.base for function in linux}) == 516
    versions = Counter(function.base for function in linux if not function.stream)
    assert Counter(versions.values()) == {1: 421, 2: 91, 3: 3, 4: 1}
    assert {base for base, count in versions.items() if count == 3} == {
        "cuGraphAddNode",
        "cuStreamGetCaptureInfo",
        "cuTexRefSetAddress2D",
    }
    assert versions["cuCtxCreate"] == 4
    assert {function.symbol for function in api.undeclared} == {
        "cuMemGetAttribute",
        "cuMemGetAttribute_v2",
        "cuEGLApiInit",
    }


def test_defaults_moved_at_majors_only(registry: Registry) -> None:
    moved: dict[str, set[str]] = {}
    for before, after in pairwise(release for release in registry.known if release <= AS_OF):
        old, new = registry.state(before), registry.state(after)
        for key in new:
            if key[0] == "default" and key in old:
                was, now = (dict(state[key].value or {}).get("legacy") for state in (old, new))
                if was and now and was != now:
                    moved.setdefault(str(after), set()).add(key[1])
    assert {release: len(names) for release, names in moved.items()} == {"12.0": 13, "13.0": 15}
    assert "cuGraphInstantiate" in moved["12.0"]
    assert {"cuCtxCreate", "cuMemcpy3DBatchAsync", "cuGraphAddNode"} <= moved["13.0"]


def test_views(api: Api) -> None:
    views = {view.major: view for view in api.views}
    assert {major: str(view.release) for major, view in views.items()} == {11: "11.8", 12: "12.9", 13: "13.5"}
    made = {major: view.functions["cuCtxCreate"] for major, view in views.items()}
    assert made == {11: "cuCtxCreate_v2", 12: "cuCtxCreate_v2", 13: "cuCtxCreate_v4"}
    assert views[13].functions["cuGraphInstantiate"] == "cuGraphInstantiateWithFlags_v1"
    assert views[11].per_thread["cuLaunchKernel"] == "cuLaunchKernel_v1_ptsz"
    # A wrapper of the header's own takes its place there; the symbol is the same.
    assert views[13].per_thread["cuGetProcAddress"] == "cuGetProcAddress_v2"
    attribute = "CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS"
    assert {major: view.enumerators[attribute][1] for major, view in views.items()} == {11: 93, 12: 122, 13: 122}
    assert views[12].constants["CUDA_VERSION"].value == 12090
    not_default = {
        f.symbol
        for f in api.functions
        if not f.stream
        and f.version > 1
        and f.symbol in views[13].functions
        and views[13].functions.get(f.base) != f.name
    }
    assert not_default == {
        "cuCtxGetDevice_v2",
        "cuCtxSynchronize_v2",
        "cuStreamGetCtx_v2",
        "cuLaunchHostFunc_v2",
        "cuMulticastBindAddr_v2",
        "cuMulticastBindMem_v2",
        "cuGraphAddNode_v3",
        "cuGraphNodeSetParams_v2",
    }


def test_types(api: Api) -> None:
    enums = [enum for enum in api.enums if enum.header not in WINDOWS_ENUMS]
    assert len({e.name for enum in enums for e in enum.enumerators}) == 1131
    assert sum(not enum.tags for enum in enums) == 6  # 5 in 13.5, and CUdevSmResourceSplit_flags, which 13.1 renamed
    assert len(api.callbacks) == 7
    assert sum(handle.underlying == "void *" and handle.name.startswith("CU") for handle in api.handles) == 28
    assert len(api.views[-1].constants) == 74
    assert sum(constant.alias is not None for constant in api.views[-1].constants.values()) == 15
    assert dict(api.aliases) == {
        "CUkernelNodeAttrID": "CUlaunchAttributeID",
        "CUkernelNodeAttrValue_v1": "CUlaunchAttributeValue",
        "CUstreamAttrID": "CUlaunchAttributeID",
        "CUstreamAttrValue_v1": "CUlaunchAttributeValue",
    }
    sizes = {r.name: [size for _, size in r.sizes] for r in api.records if len(r.sizes) > 1}
    assert sizes == {
        "CUDA_CHILD_GRAPH_NODE_PARAMS": [8, 16],
        "CUDA_EVENT_RECORD_NODE_PARAMS": [8, 16],
        "CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2": [24, 32],
        "CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2": [24, 32],
        "CUDA_HOST_NODE_PARAMS_v2": [16, 24, 32],
        "CUdevSmResource": [4, 12, 16, 20],
    }
    records = {record.name: record for record in api.records}
    assert (records["CUDA_KERNEL_NODE_PARAMS_v1"].size, records["CUDA_KERNEL_NODE_PARAMS_v2"].size) == (56, 72)
    assert records["CUtensorMap"].align == 128
    assert records["CUgraphNodeParams"].size == 256
    assert records["CUDA_RESOURCE_DESC_v1.res.array"].inline


def test_signatures_of_old_symbols(api: Api) -> None:
    def types(name: str) -> list[str]:
        return [str(parameter.type) for parameter in api.by_name[name].parameters]

    assert types("cuMemAlloc_v1") == ["CUdeviceptr_v1 *", "unsigned int"]
    assert types("cuMemAlloc_v2") == ["CUdeviceptr_v2 *", "size_t"]
    assert types("cuCtxCreate_v1") == ["CUcontext *", "unsigned int", "CUdevice_v1"]
    assert types("cuMemcpy3D_v1") == ["const CUDA_MEMCPY3D_v1 *"]
    assert types("cuMemcpy3D_v2") == ["const CUDA_MEMCPY3D_v2 *"]
    assert types("cuGraphAddKernelNode_v1")[-1] == "const CUDA_KERNEL_NODE_PARAMS_v1 *"
    assert types("cuGraphAddKernelNode_v2")[-1] == "const CUDA_KERNEL_NODE_PARAMS_v2 *"


def test_introduced(api: Api) -> None:
    by_symbol = {function.symbol: function for function in api.functions}
    for function in api.functions:
        assert function.declared is not None
        assert function.introduced <= function.declared, function.symbol
        if function.stream:
            plain = by_symbol[function.symbol.removesuffix(f"_{function.stream}")]
            assert function.introduced == max(Release(7, 0), plain.introduced), function.symbol
    for version, made in enumerate((Release(2, 0), Release(3, 2), Release(11, 4), Release(12, 5)), 1):
        assert api.by_name[f"cuCtxCreate_v{version}"].introduced == made


def test_real_libraries_export_what_was_introduced_by_then(registry: Registry, api: Api) -> None:
    """The pairing of symbols with PFN numbers, against libraries that had no part in it."""
    assert len(registry.libraries) >= 9
    for row in registry.libraries:
        exports = libraries.exported(registry, row.version)
        assert len(exports) == row.count
        by_then = {f.symbol for f in api.functions if f.platform != "windows" and f.introduced <= row.cuda}
        late = {symbol for symbol in exports if symbol not in by_then} - {f.symbol for f in api.undeclared}
        assert late == set(), f"{row.version} exports what came after CUDA {row.cuda}"
        missing = by_then - exports - {"cuEventCreateFromEGLSync"}  # on Tegra only
        if row.cuda < Release(11, 2):
            missing -= {"cuDeviceGetLuid"}  # of Windows alone until then
        assert missing == set(), f"{row.version} lacks what CUDA {row.cuda} has"
