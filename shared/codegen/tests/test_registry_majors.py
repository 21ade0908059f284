# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The registries of the runtime, NVRTC, nvJitLink and libNVVM: counts measured from headers and libraries."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from codegen.ingest import libraries
from codegen.model import registry as store
from codegen.model.api import Api, CType, Function, Release
from codegen.model.fold import fold

# Later releases only add to what is counted here.
LAST = {11: Release(11, 8), 12: Release(12, 9), 13: Release(13, 5)}


@cache
def api(library: str, major: int) -> Api:
    return fold(library, LAST[major])


@cache
def exports(library: str, release: Release) -> frozenset[str]:
    registry = store.load(store.folder_of(library, release.major))
    (row,) = (row for row in registry.libraries if row.cuda == release)
    return libraries.exported(registry, row.version)


def one(library: str, major: int, name: str) -> Function:
    return api(library, major).by_name[name]


def types(library: str, major: int, name: str) -> list[str]:
    return [str(parameter.type) for parameter in one(library, major, name).parameters]


@pytest.mark.parametrize(
    ("library", "major", "releases"),
    [
        ("runtime", 11, "11.7 11.8"),
        ("runtime", 12, "12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.8 12.9"),
        ("runtime", 13, "13.0 13.1 13.2 13.3 13.4 13.5"),
        ("nvrtc", 11, "11.7 11.8"),
        ("nvrtc", 12, "12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.8 12.9"),
        ("nvrtc", 13, "13.0 13.1 13.2 13.3 13.4 13.5"),
        ("nvjitlink", 12, "12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.8 12.9"),
        ("nvjitlink", 13, "13.0 13.1 13.2 13.3 13.4 13.5"),
        ("nvvm", 12, "12.0 12.1 12.2 12.3 12.4 12.5 12.6 12.8 12.9"),
        ("nvvm", 13, "13.0 13.1 13.2 13.3 13.4 13.5"),
    ],
)
def test_releases(library: str, major: int, releases: str) -> None:
    known = store.load(store.folder_of(library, major)).known
    assert " ".join(str(release) for release in known if release <= LAST[major]) == releases


def test_a_major_is_asked_for() -> None:
    with pytest.raises(ValueError, match="each major of nvrtc is an API of its own: give one of 11, 12, 13"):
        fold("nvrtc")
    assert fold("nvrtc", Release(12, 7)).release == Release(12, 6)
    assert fold("nvrtc", major=12).release == LAST[12]
    with pytest.raises(ValueError, match=r"the registry of nvrtc knows no release up to 12\.9"):
        fold("nvrtc", Release(12, 9), major=13)


# -- runtime


def test_functions_of_the_runtime() -> None:
    streams = {major: Counter(f.stream for f in api("runtime", major).functions) for major in (12, 13)}
    assert streams == {12: {"": 350, "ptds": 15, "ptsz": 56}, 13: {"": 367, "ptds": 15, "ptsz": 58}}
    assert {major: len(api("runtime", major).bases) for major in (12, 13)} == {12: 335, 13: 365}
    several = {
        major: {base for base, listed in api("runtime", major).bases.items() if len({f.version for f in listed}) > 1}
        for major in (12, 13)
    }
    assert several[13] == {"cudaGraphConditionalHandleCreate", "cudaLaunchHostFunc"}
    assert len(several[12]) == 14
    assert one("runtime", 12, "cudaStreamGetCaptureInfo_v3").plain is None
    assert one("runtime", 13, "cudaStreamGetCaptureInfo_v1") is one("runtime", 13, "cudaStreamGetCaptureInfo")
    results = Counter(f.result for f in api("runtime", 13).functions)
    assert results == {"cudaError_t": 437, "const char *": 2, "cudaChannelFormatDesc": 1}


def test_what_the_runtime_lost_at_majors() -> None:
    """Two more of 12.0's were no API: __cudaRegisterSurface and __cudaRegisterTexture."""
    assert len(exports("runtime", LAST[11]) - exports("runtime", Release(12, 0))) == 12
    gone = exports("runtime", LAST[12]) - exports("runtime", Release(13, 0))
    assert len(gone) == 30
    assert {"cudaGetDeviceProperties_v2", "cudaMemAdvise_v2", "cudaThreadExit", "cudaSetDoubleForHost"} <= gone


def test_names_are_used_again_with_other_signatures() -> None:
    assert types("runtime", 12, "cudaMemAdvise_v1") == ["const void *", "size_t", "cudaMemoryAdvise", "int"]
    assert types("runtime", 12, "cudaMemAdvise_v2") == ["const void *", "size_t", "cudaMemoryAdvise", "cudaMemLocation"]
    assert types("runtime", 13, "cudaMemAdvise") == types("runtime", 12, "cudaMemAdvise_v2")
    # By symbol: cudaGetDeviceProperties takes a struct of the same name, of another size.
    again = {
        function.base
        for function in api("runtime", 12).functions
        if (other := api("runtime", 13).by_name.get(function.name))
        and [p.type for p in function.parameters] != [p.type for p in other.parameters]
    }
    assert again == {
        "cudaGraphAddDependencies",
        "cudaGraphAddNode",
        "cudaGraphGetEdges",
        "cudaGraphNodeGetDependencies",
        "cudaGraphNodeGetDependentNodes",
        "cudaGraphRemoveDependencies",
        "cudaMemAdvise",
        "cudaMemPrefetchAsync",
        "cudaMemcpy3DBatchAsync",
        "cudaMemcpyBatchAsync",
        "cudaSignalExternalSemaphoresAsync",
        "cudaStreamGetCaptureInfo",
        "cudaStreamUpdateCaptureDependencies",
        "cudaWaitExternalSemaphoresAsync",
    }


def test_views_of_the_runtime() -> None:
    (old,), (new,) = api("runtime", 12).views, api("runtime", 13).views
    assert (old.major, old.release, new.major, new.release) == (12, LAST[12], 13, LAST[13])
    assert old.functions["cudaGetDeviceProperties"] == "cudaGetDeviceProperties_v2"
    assert new.functions["cudaGetDeviceProperties"] == "cudaGetDeviceProperties_v1"
    assert old.functions["cudaStreamGetCaptureInfo"] == "cudaStreamGetCaptureInfo_v2"
    assert old.functions["cudaSignalExternalSemaphoresAsync"] == "cudaSignalExternalSemaphoresAsync_v2"
    for view in (old, new):
        assert view.functions["cudaMemcpy"] == "cudaMemcpy_v1"
        assert view.per_thread["cudaMemcpy"] == "cudaMemcpy_v1_ptds"
        # A wrapper of the header's own takes its place there; the symbol is the same.
        assert view.per_thread["cudaLaunchKernel"] == "cudaLaunchKernel_v1_ptsz"
        assert view.functions["cudaLaunchKernel"] == "cudaLaunchKernel_v1"
        assert view.per_thread["cudaMalloc"] == view.functions["cudaMalloc"] == "cudaMalloc_v1"
    assert (len(old.functions), len(old.per_thread)) == (350, 415)
    assert (len(new.functions), len(new.per_thread)) == (367, 440)
    assert (old.constants["CUDART_VERSION"].value, new.constants["CUDART_VERSION"].value) == (12090, 13050)
    assert new.types["cudaError"] == new.types["cudaError_t"] == "cudaError_t"
    # Macros, but of types.
    assert new.types["cudaStreamAttrID"] == "cudaLaunchAttributeID"
    assert new.types["cudaStreamAttrValue"] == "cudaLaunchAttributeValue"
    assert {"cudaDeviceProp", "cudaMemcpyKind"} <= new.tags
    assert not {"cudaLaunchAttributeValue", "cudaError_t", "dim3"} & new.tags


def test_a_default_that_moved_within_a_major() -> None:
    """12.0 to 12.2 forgot one function in the per-thread mapping."""
    state = store.load(store.folder_of("runtime", 12)).state
    key = ("default", "cudaStreamUpdateCaptureDependencies")
    told = {str(r): dict(state(r)[key].value or {})["per_thread"] for r in (Release(12, 2), Release(12, 3))}
    assert told == {
        "12.2": "cudaStreamUpdateCaptureDependencies",
        "12.3": "cudaStreamUpdateCaptureDependencies_ptsz",
    }


def test_types_of_the_runtime() -> None:
    records = {major: {r.name: r for r in api("runtime", major).records} for major in (12, 13)}
    assert {major: r["cudaDeviceProp"].size for major, r in records.items()} == {12: 1032, 13: 1008}
    old = store.load(store.folder_of("runtime", 11)).state(LAST[11])
    assert dict(old[("record", "cudaDeviceProp")].value or {})["size"] == 728
    sizes = {m: {r.name: [s for _, s in r.sizes] for r in rs.values() if len(r.sizes) > 1} for m, rs in records.items()}
    assert sizes == {
        12: {"cudaChildGraphNodeParams": [8, 16]},
        13: {
            "cudaConditionalNodeParams": [24, 32],
            "cudaDevSmResource": [16, 20],
            "cudaEventRecordNodeParams": [8, 16],
            "cudaExternalSemaphoreSignalNodeParamsV2": [24, 32],
            "cudaExternalSemaphoreWaitNodeParamsV2": [24, 32],
            "cudaHostNodeParamsV2": [16, 24, 32],
            "cudaKernelNodeParamsV2": [56, 64, 72],
            "cudaMemsetParamsV2": [40, 48],
        },
    }
    assert records[13]["dim3"].size == 12
    assert records[13]["float4"].align == 16
    assert records[13]["cudaGraphNodeParams"].size == 256
    handles = {handle.name: handle.underlying for handle in api("runtime", 13).handles}
    assert handles["cudaStream_t"] == handles["cudaArray_const_t"] == "void *"
    assert handles["cudaTextureObject_t"] == "unsigned long long"
    # The headers write `struct cudaGraphicsResource **` here.
    assert types("runtime", 13, "cudaGraphicsGLRegisterBuffer")[0] == "cudaGraphicsResource_t *"
    view = api("runtime", 13).views[0]
    assert view.spelled["cudaGraphicsGLRegisterBuffer_v1"][0] == CType.parse("cudaGraphicsResource **")
    assert view.constants["cudaStreamPerThread"].type == "cudaStream_t"
    assert view.constants["cudaStreamPerThread"].value == 2


def test_sizes_that_changed_under_one_name() -> None:
    found: dict[str, set[object]] = {}
    for major in store.majors("runtime"):
        for key, timeline in store.load(store.folder_of("runtime", major)).timelines.items():
            if key[0] == "record" and "." not in key[1] and major <= 13:
                found.setdefault(key[1], set()).update(f.value["size"] for f in timeline if f.value)
    assert len([name for name, sizes in found.items() if len(sizes) > 1]) >= 19
    assert found["cudaDeviceProp"] >= {728, 1032, 1008}


def test_introduced_is_told_across_majors() -> None:
    assert one("runtime", 13, "cudaMalloc").introduced == Release(11, 7)
    assert one("runtime", 13, "cudaMalloc").declared == one("runtime", 13, "cudaMalloc").exported == Release(13, 0)
    assert one("runtime", 13, "cudaLaunchKernelExC").introduced == Release(11, 8)
    assert one("runtime", 13, "cudaGetKernel").introduced == Release(12, 1)
    assert one("runtime", 13, "cudaGreenCtxCreate").introduced == Release(13, 1)
    assert one("runtime", 13, "cudaGreenCtxCreate").exported == Release(13, 1)
    # The library of 11.7 has it, while no header of it was at hand.
    assert one("runtime", 13, "cudaProfilerStart").introduced == Release(11, 7)
    subgrids = {f.symbol: f.exported for f in api("runtime", 13).undeclared}
    assert subgrids == dict.fromkeys(
        ("cudaSubgridCreate", "cudaSubgridWorkerGridCreate", "cudaSubgridWorksetCreate"), Release(13, 3)
    )


def test_interop_is_there_on_its_platform() -> None:
    platforms = Counter((f.header, f.platform) for f in api("runtime", 13).functions if "interop" in f.header)
    assert platforms == {
        ("cuda_gl_interop.h", "any"): 11,
        ("cuda_egl_interop.h", "linux"): 12,
        ("cuda_vdpau_interop.h", "linux"): 4,
    }


# -- NVRTC


def test_functions_of_nvrtc() -> None:
    counts = {
        str(release): len(exports("nvrtc", release))
        for release in (*map(Release.parse, ("11.7", "12.0", "12.6", "12.8", "13.0", "13.2", "13.3")), LAST[13])
    }
    assert counts == {
        "11.7": 17,
        "12.0": 21,
        "12.6": 21,
        "12.8": 26,
        "13.0": 24,
        "13.2": 26,
        "13.3": 29,
        "13.5": 29,
    }
    assert exports("nvrtc", LAST[12]) - exports("nvrtc", Release(13, 0)) == {"nvrtcGetNVVM", "nvrtcGetNVVMSize"}
    assert len(api("nvrtc", 13).functions) == 29
    assert all(f.plain and not f.stream for f in api("nvrtc", 13).functions)
    assert one("nvrtc", 13, "nvrtcGetErrorString").result == "const char *"
    assert not api("nvrtc", 13).views[0].per_thread


def test_a_callback_without_a_name() -> None:
    (callback,) = api("nvrtc", 13).callbacks
    assert (callback.name, callback.result, callback.inline) == ("nvrtcSetFlowCallback.callback", "int", True)
    assert [str(p.type) for p in callback.parameters] == ["void *", "void *"]
    assert types("nvrtc", 13, "nvrtcSetFlowCallback") == ["nvrtcProgram", "nvrtcSetFlowCallback.callback", "void *"]
    assert "nvrtcSetFlowCallback.callback" not in api("nvrtc", 13).views[0].types


def test_the_enum_of_nvrtc_only_grows() -> None:
    values: dict[str, int] = {}
    for major in (12, 13):
        for release in store.load(store.folder_of("nvrtc", major)).known:
            (enum,) = fold("nvrtc", release).enums
            now = {e.name: e.value for e in enum.enumerators}
            assert values.items() <= now.items(), release
            values = now
    assert values["NVRTC_ERROR_BUSY"] == 18


# -- nvJitLink


@pytest.mark.parametrize(("major", "minors"), [(12, range(10)), (13, range(6))])
def test_each_release_of_nvjitlink_has_a_symbol_of_its_own(major: int, minors: range) -> None:
    """12.7 too, which was never released: 12.8's library exports it."""
    numbered = [f for f in api("nvjitlink", major).functions if f.symbols]
    assert len(numbered) == {12: 13, 13: 15}[major]
    for function in numbered:
        wanted = [(Release(major, n), f"__{function.plain}_{major}_{n}") for n in reversed(minors)]
        assert list(function.symbols) == wanted
        assert function.symbol == wanted[0][1]
    version = one("nvjitlink", major, "nvJitLinkVersion")
    assert (version.symbol, version.symbols, version.introduced) == ("nvJitLinkVersion", (), Release(12, 3))


def test_a_library_of_nvjitlink_has_the_symbols_up_to_its_release() -> None:
    for major in (12, 13):
        registry = store.load(store.folder_of("nvjitlink", major))
        for release in registry.known:
            exported = exports("nvjitlink", release)
            for function in api("nvjitlink", major).functions:
                if function.symbols and function.exported and function.exported <= release:
                    found = [at for at, symbol in function.symbols if symbol in exported]
                    assert found[0] == release, f"{function.plain} of {release}"
                    assert found == [at for at, _ in function.symbols if at <= release]
    assert not {s for s in exports("nvjitlink", Release(13, 0)) if "_12_" in s}


def test_unversioned_names_of_nvjitlink() -> None:
    plain = {str(r): "nvJitLinkCreate" in exports("nvjitlink", r) for r in (Release(12, 2), Release(12, 3), LAST[13])}
    assert plain == {"12.2": False, "12.3": True, "13.5": True}


def test_a_function_that_a_library_has_before_its_header() -> None:
    function = one("nvjitlink", 13, "nvJitLinkGetLinkedLTOIR")
    assert (function.exported, function.declared, function.introduced) == (
        Release(13, 2),
        Release(13, 3),
        Release(13, 2),
    )


def test_results_of_nvjitlink() -> None:
    """12.4 to 12.9 have six names as macros, for values that 13.0 made their own."""
    names = ("NVJITLINK_ERROR_NULL_INPUT", "NVJITLINK_ERROR_ARCH_MISMATCH")
    old, new = (api("nvjitlink", major).views[0] for major in (12, 13))
    assert [old.constants[name].value for name in names] == [3, 6]
    assert [new.enumerators[name] for name in names] == [("nvJitLinkResult", 10), ("nvJitLinkResult", 13)]
    assert not new.constants


# -- libNVVM


def test_functions_of_nvvm() -> None:
    assert {major: len(api("nvvm", major).functions) for major in (12, 13)} == {12: 13, 13: 14}
    new = {f.base for f in api("nvvm", 13).functions} - {f.base for f in api("nvvm", 12).functions}
    assert new == {"nvvmLLVMVersion"}
    assert one("nvvm", 13, "nvvmLLVMVersion").introduced == Release(13, 1)
    assert "nvvmLLVMVersion" not in exports("nvvm", Release(13, 0))
    for major in (12, 13):
        declared = {f.symbol for f in api("nvvm", major).functions}
        assert exports("nvvm", LAST[major]) - declared == {"nvvmDisableConcurrentAPI"}


def test_results_of_nvvm() -> None:
    (old,), (new,) = (
        ({e.name: e.since for e in enum.enumerators} for enum in api("nvvm", 12).enums),
        ({e.name: e.since for e in enum.enumerators} for enum in api("nvvm", 13).enums),
    )
    assert old.keys() == new.keys()
    assert (len(old), old["NVVM_ERROR_CANCELLED"]) == (11, Release(12, 8))
