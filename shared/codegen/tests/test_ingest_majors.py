# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Libraries of which each major is an API of its own: headers made for the test, with the habits of the real ones."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from codegen.ingest import __main__ as command
from codegen.ingest import cursors, fetch, libraries, parse, specs
from codegen.model import registry as store
from codegen.model.api import CType, Release
from codegen.model.fold import fold

# A function is a wrapper of the header's own around a symbol of the release; one is an ordinary symbol.
_LINK_H = """
#pragma once
#include <stdint.h>
typedef enum {{ NVJITLINK_SUCCESS = 0, NVJITLINK_ERROR_OTHER }} nvJitLinkResult;
typedef struct nvJitLink *nvJitLinkHandle;
extern nvJitLinkResult __nvJitLinkCreate_{0}(nvJitLinkHandle *handle, const char *const *options);
static inline nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *handle, const char **options)
{{
    return __nvJitLinkCreate_{0}(handle, options);
}}
extern nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor);
"""

_RUNTIME_H = """
#pragma once
#include "crt/host_defines.h"
#include "driver_types.h"
#define CUDART_VERSION 14000
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) || defined(__CUDA_API_VERSION_INTERNAL)
    #define __CUDART_API_PTSZ(api) api ## _ptsz
    #define cudaPush __CUDART_API_PTSZ(cudaPush)
#else
    #define __CUDART_API_PTSZ(api) api
#endif
#define cudaGetProp cudaGetProp_v2
extern __host__ cudaError_t CUDARTAPI cudaPush(struct cudaThing *thing, enum cudaKind kind);
extern __host__ cudaError_t CUDARTAPI cudaGetProp(cudaKindID *id, struct cudaThing **things, const struct cudaThing *t);
extern const char *cudaGetText(cudaError_t error);
#if defined(__CUDA_API_VERSION_INTERNAL)
    #undef cudaPush
    #undef cudaGetProp
    extern cudaError_t cudaPush(struct cudaThing *only_internal, enum cudaKind kind);
    extern cudaError_t cudaGetProp(int old);
#elif defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    #undef cudaPush
    static __inline__ cudaError_t cudaPush(struct cudaThing *thing, enum cudaKind kind)
    {
        return cudaPush_ptsz(thing, kind);
    }
    #define cudaPush __CUDART_API_PTSZ(cudaPush)
#endif
"""

_TYPES_H = """
#pragma once
typedef enum cudaError { cudaSuccess = 0 } cudaError_t;
typedef enum cudaKindID_t { cudaKindFirst = 1 } cudaKindID;
enum cudaKind { cudaKindA = 3 };
typedef struct cudaThing *cudaThing_t;
struct __device_builtin__ __builtin_align__(16) cudaProp { int a; };
#define cudaKindOther cudaKindID
#define cudaKindAlso cudaKindA
#define cudaStreamOne ((cudaThing_t)0x1)
#define cudaInvalid ((int)-2)
#define cudaPropDontCare { 0, 0 }
"""


def _link(folder: Path, number: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "nvJitLink.h").write_text(_LINK_H.format(number))
    return folder


def _runtime(folder: Path, types: str = "", calls: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cuda_runtime_api.h").write_text(_RUNTIME_H + calls)
    (folder / "driver_types.h").write_text(_TYPES_H + types)
    return folder


def _run(*arguments: object) -> int:
    return command.main([str(argument) for argument in arguments])


# -- nvJitLink


def test_wrappers_are_the_api(tmp_path: Path) -> None:
    values = parse.parse_headers(_link(tmp_path, "14_0"), spec=specs.NVJITLINK).values
    assert values[("declared", "nvJitLinkCreate")] == {
        "header": "nvJitLink.h",
        "result": "nvJitLinkResult",
        "parameters": "nvJitLinkHandle *handle, const char **options",
    }
    assert values[("wraps", "nvJitLinkCreate")] == {"symbol": "__nvJitLinkCreate_14_0"}
    assert values[("default", "nvJitLinkCreate")] == {"legacy": "nvJitLinkCreate"}
    assert ("declared", "nvJitLinkVersion") in values
    assert ("wraps", "nvJitLinkVersion") not in values
    assert ("declared", "__nvJitLinkCreate_14_0") not in values


def test_each_major_has_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "registry"
    for release in ("14.0", "14.2", "15.0"):
        headers = _link(tmp_path / release, release.replace(".", "_"))
        assert _run(release, "--library", "nvjitlink", "--headers", headers, "--registry", root) == 0
    said = capsys.readouterr().out
    assert "nvJitLinkCreate: symbol __nvJitLinkCreate_14_0 -> __nvJitLinkCreate_14_2" in said
    assert "nvjitlink of CUDA 15.0: " in said
    assert store.majors("nvjitlink", root) == (14, 15)
    with pytest.raises(ValueError, match="give one of 14, 15"):
        fold("nvjitlink", registry=root)
    old, new = (fold("nvjitlink", registry=root, major=major) for major in (14, 15))
    create = old.by_name["nvJitLinkCreate"]
    assert create.symbols == ((Release(14, 2), "__nvJitLinkCreate_14_2"), (Release(14, 0), "__nvJitLinkCreate_14_0"))
    assert create.symbol == "__nvJitLinkCreate_14_2"
    assert (create.introduced, create.declared, create.exported) == (Release(14, 0), Release(14, 0), None)
    create = new.by_name["nvJitLinkCreate"]
    assert create.symbols == ((Release(15, 0), "__nvJitLinkCreate_15_0"),)
    assert (create.introduced, create.declared) == (Release(14, 0), Release(15, 0))
    assert [view.major for view in new.views] == [15]
    then = fold("nvjitlink", Release(14, 1), registry=root)
    assert then.by_name["nvJitLinkCreate"].symbols == ((Release(14, 0), "__nvJitLinkCreate_14_0"),)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("library")
    names: tuple[str, ...] = (
        "__nvJitLinkCreate_14_0",
        "__nvJitLinkCreate_14_1",
        "__nvJitLinkCreate_14_2",
        "nvJitLinkVersion",
    )
    names += ("nvJitLinkHidden", "__other", "nvJitLink")
    (folder / "a.c").write_text("".join(f"int {name}(void) {{ return 0; }}\n" for name in names))
    built = folder / "libnvJitLink.so.14"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(built), str(folder / "a.c")], check=True)
    return built


def test_symbols_that_only_a_library_shows(tmp_path: Path, library: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = tmp_path / "registry"
    headers = _link(tmp_path / "headers", "14_2")
    assert _run("14.2", "--library", "nvjitlink", "--headers", headers, "--registry", root) == 0
    capsys.readouterr()
    assert _run("14.2.7", "--library", "nvjitlink", "--exports", library, "--registry", root) == 0
    said = capsys.readouterr().out
    assert said.startswith(
        "library nvjitlink 14.2.7 of CUDA 14.2: 5 symbols, 5 that no older one has\n  in no header (3)"
    )
    api = fold("nvjitlink", registry=root, major=14)
    assert [symbol for _, symbol in api.by_name["nvJitLinkCreate"].symbols] == [
        "__nvJitLinkCreate_14_2",
        "__nvJitLinkCreate_14_1",
        "__nvJitLinkCreate_14_0",
    ]
    assert api.by_name["nvJitLinkVersion"].exported == Release(14, 2)
    assert [f.symbol for f in api.undeclared] == ["nvJitLinkHidden"]
    assert _run("14.2.7", "--library", "nvjitlink", "--exports", library, "--registry", root) == 0
    assert capsys.readouterr().out == "library nvjitlink 14.2.7: nothing new\n"


def test_headers_and_library_of_a_wheel(tmp_path: Path, library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `python -m codegen.ingest 14.2` gets them, but for the download."""
    cache = tmp_path / "wheels" / fetch.PLATFORMS["linux"]
    cache.mkdir(parents=True)
    with zipfile.ZipFile(cache / "made_up_link-14.2.7-py3-none-manylinux2014_x86_64.whl", "w") as wheel:
        wheel.write(_link(tmp_path / "h", "14_2") / "nvJitLink.h", "made/up/include/nvJitLink.h")
        wheel.write(library, "made/up/lib/libnvJitLink.so.14")
        wheel.writestr("made/up/lib/libnvJitLink.alt.so.14", "")
    sources = tmp_path / "sources.toml"
    sources.write_text('[newest]\n[release."14.2"]\nnvjitlink = ["made-up-link==14.2.7"]\n')
    monkeypatch.setattr(fetch, "SOURCES", sources)
    root = tmp_path / "registry"
    assert _run("14.2", "--registry", root, "--cache", tmp_path) == 0
    assert [path.name for path in root.iterdir()] == ["nvjitlink"]  # all that this release has
    registry = store.load(root / "nvjitlink" / "14")
    assert registry.releases == (store.ReleaseRow(Release(14, 2), ("nvJitLink.h",), ("made-up-link 14.2.7",)),)
    assert [(row.version, row.cuda, row.count) for row in registry.libraries] == [("14.2.7", Release(14, 2), 5)]
    assert _run("14.2", "--library", "nvrtc", "--registry", root, "--cache", tmp_path) == 1


def test_what_was_read_of_a_release_without_pins_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pasted into sources.toml it is what that says of the release, and nothing is said any more."""
    wheel = tmp_path / "nvml_dev-14.2.7-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(
            "nvml/include/nvml.h", "typedef enum { NVML_SUCCESS } nvmlReturn_t;\nnvmlReturn_t nvmlInit(void);\n"
        )
    monkeypatch.setattr(fetch, "_wheel", lambda *_: wheel)
    sources = tmp_path / "sources.toml"
    newest = '[newest]\nnvml = ["nvml-dev"]\n[release."14.1"]\n'
    sources.write_text(newest)
    monkeypatch.setattr(fetch, "SOURCES", sources)
    arguments = ("14.2", "--library", "nvml", "--registry", tmp_path / "registry", "--cache", tmp_path)
    assert _run(*arguments) == 0
    _, said, pins = capsys.readouterr().out.partition("\nWhat was read, for sources.toml:\n\n")
    assert said
    assert pins == '[release."14.2"]\nnvml = ["nvml-dev==14.2.7"]\n'
    sources.write_text(newest + pins)
    assert _run(*arguments) == 0
    assert "sources.toml" not in capsys.readouterr().out


def test_a_wheel_without_a_library_is_refused(tmp_path: Path) -> None:
    wheel = tmp_path / "made_up-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("made/up/lib/libother.so.1", "")
    headers = fetch.Headers(tmp_path, None, (), (wheel,))
    with pytest.raises(fetch.FetchError, match="0 libraries of the nvrtc"), fetch.library(headers, specs.NVRTC):
        pass


def test_names_wait_for_the_release_that_tells_all_versions(tmp_path: Path) -> None:
    for release, named in (("12.8", False), ("12.9", True), ("14.0", True), ("11.8", False)):
        root = tmp_path / release
        headers = _link(tmp_path / "headers", release.replace(".", "_"))
        (headers / "nvrtc.h").write_text(
            "typedef enum { NVRTC_SUCCESS } nvrtcResult;\nnvrtcResult nvrtcVersion(int *a);\n"
        )
        assert _run(release, "--library", "nvrtc", "--headers", headers, "--registry", root) == 0
        (major,) = store.majors("nvrtc", root)
        assert bool(store.load(store.folder_of("nvrtc", major, root)).functions) is named, release


# -- the runtime


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> parse.Snapshot:
    return parse.parse_headers(_runtime(tmp_path_factory.mktemp("headers")), spec=specs.RUNTIME)


def test_macros_mean_functions_types_or_values(snapshot: parse.Snapshot) -> None:
    values = snapshot.values
    defaults = {key[1]: value for key, value in values.items() if key[0] == "default"}
    assert defaults["cudaGetProp"] == {"legacy": "cudaGetProp_v2", "per_thread": "cudaGetProp_v2"}
    assert defaults["cudaPush"] == {"legacy": "cudaPush", "per_thread": "cudaPush_ptsz"}
    assert not {"cudaKindOther", "cudaKindAlso", "cudaStreamOne", "cudaInvalid"} & set(defaults)
    assert values[("typedef", "cudaKindOther")] == {"type": "cudaKindID", "header": "driver_types.h"}
    assert values[("constant", "cudaKindAlso")]["alias"] == "cudaKindA"
    assert values[("constant", "cudaStreamOne")] == {"value": 1, "type": "cudaThing_t", "header": "driver_types.h"}
    assert values[("constant", "cudaInvalid")]["value"] == -2
    assert ("constant", "cudaPropDontCare") not in values


def test_prototypes_are_those_a_program_sees(snapshot: parse.Snapshot) -> None:
    declared = {key[1]: value for key, value in snapshot.values.items() if key[0] == "declared"}
    for symbol in ("cudaPush", "cudaPush_ptsz"):
        assert declared[symbol]["parameters"] == "cudaThing *thing, cudaKind kind"
    assert declared["cudaGetProp"]["parameters"] == "int old"
    assert declared["cudaGetProp_v2"]["result"] == "cudaError_t"
    assert declared["cudaGetText"]["result"] == "const char *"


def test_facts_are_taken_of_the_listed_headers_only(snapshot: parse.Snapshot) -> None:
    assert snapshot.headers == {"cuda_runtime_api.h", "driver_types.h"}
    assert snapshot.values[("record", "cudaProp")]["align"] == 16
    assert not any(key[1].startswith("CUDART_CB") for key in snapshot.values)


def test_a_struct_behind_a_handle(tmp_path: Path) -> None:
    root = tmp_path / "registry"
    headers = _runtime(tmp_path / "headers")
    assert _run("14.0", "--library", "runtime", "--headers", headers, "--registry", root) == 0
    api = fold("runtime", registry=root, major=14)
    newest = api.by_name["cudaGetProp_v2"]
    assert newest.plain is None
    assert [str(p.type) for p in newest.parameters] == ["cudaKindID *", "cudaThing_t *", "cudaThing_t"]
    assert [str(t) for t in api.views[0].spelled["cudaGetProp_v2"]][1:] == ["cudaThing **", "const cudaThing *"]
    assert api.by_name["cudaGetText"].result == "const char *"
    assert api.views[0].types["cudaKindID_t"] == "cudaKindID"
    assert api.views[0].types["cudaKindOther"] == "cudaKindID"
    assert api.views[0].tags == {"cudaError", "cudaKindID_t", "cudaKind", "cudaProp"}
    assert api.by_name["cudaPush_ptsz"].parameters[0].type == CType.parse("cudaThing_t")


def test_a_release_is_checked_by_its_own_macro(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    headers = _runtime(tmp_path / "headers")
    assert _run("14.1", "--library", "runtime", "--headers", headers, "--registry", tmp_path / "registry") == 1
    assert "cuda_runtime_api.h is of CUDART_VERSION 14000, not 14010" in capsys.readouterr().err


def test_a_name_for_a_function_that_is_not_declared_is_refused(tmp_path: Path) -> None:
    headers = _runtime(tmp_path, calls="#define cudaLost cudaLost_v2\n")
    with pytest.raises(cursors.HeaderError, match="cudaLost stands for cudaLost_v2, which is not declared"):
        parse.parse_headers(headers, spec=specs.RUNTIME)


def test_a_missing_header_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("14.0", "--library", "nvrtc", "--headers", tmp_path, "--registry", tmp_path / "registry") == 1
    assert f"no nvrtc.h in {tmp_path}" in capsys.readouterr().err


# -- NVRTC


def test_a_pointer_to_a_function_without_a_name(tmp_path: Path) -> None:
    (tmp_path / "nvrtc.h").write_text(
        "typedef enum { NVRTC_SUCCESS } nvrtcResult;\n"
        "nvrtcResult nvrtcCall(int (*callback)(void *, const char *text), void *payload);\n"
    )
    values = parse.parse_headers(tmp_path, spec=specs.NVRTC).values
    assert values[("declared", "nvrtcCall")]["parameters"] == "nvrtcCall.callback callback, void *payload"
    assert values[("callback", "nvrtcCall.callback")] == {
        "result": "int",
        "parameters": "void *, const char *text",
        "header": "nvrtc.h",
    }


def test_exports_are_those_of_the_api(library: Path) -> None:
    assert libraries.exports(library, specs.NVJITLINK) == {
        "__nvJitLinkCreate_14_0",
        "__nvJitLinkCreate_14_1",
        "__nvJitLinkCreate_14_2",
        "nvJitLinkVersion",
        "nvJitLinkHidden",
    }
    assert libraries.exports(library, specs.RUNTIME) == frozenset()
