# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Headers to facts: what is recorded, and that facts are only ever added."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from codegen.ingest import __main__ as command
from codegen.ingest import append, cursors, parse
from codegen.model import registry as store
from codegen.model.api import Release
from codegen.tests import made_headers as made

R14_0, R14_1, R15_0 = made.ALL


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> parse.Snapshot:
    return parse.parse_headers(made.write(tmp_path_factory.mktemp("headers"), R15_0))


def test_a_symbol_has_the_prototype_of_its_own_version(newest: parse.Snapshot) -> None:
    def parameters(symbol: str) -> object:
        return newest.values[("declared", symbol)]["parameters"]

    assert parameters("cuThingMake") == "CUthing *thing, unsigned int size, CUaddr_v1 at"
    assert parameters("cuThingMake_v2") == "CUthing *thing, const CUshape_v1 *shape"
    assert parameters("cuThingMake_v3") == "CUthing *thing, const CUshape *shape"
    assert parameters("cuThingPush_ptsz") == parameters("cuThingPush") == "CUthing thing, CUaddr to, CUcallback then"


def test_what_names_mean_in_each_mode(newest: parse.Snapshot) -> None:
    meanings = {key[1]: value for key, value in newest.values.items() if key[0] == "default"}
    assert meanings["cuThingMake"] == {"legacy": "cuThingMake_v3", "per_thread": "cuThingMake_v3"}
    assert meanings["cuThingMake_v3"] == {"legacy": "cuThingMake_v3", "per_thread": "cuThingMake_v3"}
    assert "cuThingMake_v2" not in meanings  # for binaries built long ago only
    assert meanings["cuThingPush"] == {"legacy": "cuThingPush", "per_thread": "cuThingPush_ptsz"}
    assert meanings["cuThingPush_ptsz"] == {"per_thread": "cuThingPush_ptsz"}


def test_an_inline_wrapper_is_no_symbol(newest: parse.Snapshot) -> None:
    assert ("declared", "cuThingFind_ptsz") not in newest.values
    assert newest.values[("default", "cuThingFind")] == {"legacy": "cuThingFind", "per_thread": "cuThingFind"}


def test_layout_of_a_record(newest: parse.Snapshot) -> None:
    fields = {key[2]: value for key, value in newest.values.items() if key[:2] == ("field", "CUshape_st")}
    assert {name: (value["offset"], value["size"]) for name, value in fields.items()} == {
        "kind": (0, 4),
        "thing": (8, 8),
        "low": (8, 2),
        "high": (10, 2),
        "extent": (16, 8),
        "at": (24, 16),
        "more": (40, 8),
    }
    assert fields["at"]["count"] == 2
    assert fields["extent"]["type"] == "CUshape_st.extent"
    assert newest.values[("field", "CUshape_st.extent", "y")]["offset"] == 4
    assert newest.values[("record", "CUshape_st")]["size"] == 48


def test_types_and_constants(newest: parse.Snapshot) -> None:
    values = newest.values
    assert values[("typedef", "CUthing")] == {"type": "CUthing_st *", "size": 8, "header": "cuda.h"}
    assert values[("typedef", "CUaddr_v1")]["internal"] is True
    assert values[("callback", "CUcallback")]["parameters"] == "CUresult status, const char *const *words, void *data"
    assert values[("constant", "CU_THING_LEGACY")] == {"value": 1, "type": "CUthing", "header": "cuda.h"}
    assert values[("constant", "CU_WIDTH")]["value"] == 16
    assert values[("constant", "CU_BREADTH")]["alias"] == "CU_WIDTH"
    assert values[("constant", "CU_GREETING")]["value"] == "hello"
    assert values[("enumerator", "CUkind_enum", "CU_KIND_MAX")]["value"] == 21


def test_a_second_run_adds_nothing(tmp_path: Path) -> None:
    registry = made.ingest(tmp_path, *made.ALL)
    for release in made.ALL:
        snapshot = parse.parse_headers(tmp_path / str(release))
        again, facts = append.append(registry, release, snapshot, ("made up",))
        assert facts == []
        assert again == registry


@pytest.mark.parametrize("order", list(itertools.permutations(made.ALL)))
def test_the_order_of_reading_does_not_matter(tmp_path: Path, order: tuple[Release, ...]) -> None:
    straight = made.ingest(tmp_path, *made.ALL)
    other = made.ingest(tmp_path, *order)
    for release in made.ALL:
        assert _said(other, release) == _said(straight, release)


def _said(registry: store.Registry, release: Release) -> dict[store.Key, store.Value | None]:
    return {key: fact.value for key, fact in registry.state(release).items()}


def test_adding_an_older_release_only_inserts_lines(tmp_path: Path) -> None:
    folder = tmp_path / "registry"
    _run(tmp_path, folder, R14_0)
    _run(tmp_path, folder, R15_0)
    before = _lines(folder)
    _run(tmp_path, folder, R14_1)
    after = _lines(folder)
    assert set(before) <= set(after)
    for name, lines in before.items():
        rest = iter(after[name])
        assert all(line in rest for line in lines), f"{name}: a line is gone or has moved"
    assert sum(map(len, after.values())) > sum(map(len, before.values()))
    _run(tmp_path, folder, R14_1)
    assert _lines(folder) == after


def _run(tmp_path: Path, registry: Path, release: Release) -> None:
    headers = made.write(tmp_path / str(release), release)
    assert command.main([str(release), "--headers", str(headers), "--registry", str(registry)]) == 0


def _lines(folder: Path) -> dict[str, list[str]]:
    return {str(path.relative_to(folder)): path.read_text().splitlines() for path in folder.rglob("*.toml")}


def test_files_read_back_as_they_were(tmp_path: Path) -> None:
    registry = made.ingest(tmp_path, *made.ALL)
    store.save(tmp_path / "registry", registry, {fact.path for fact in registry.facts})
    store.save_index(tmp_path / "registry", registry)
    back = store.load(tmp_path / "registry")
    assert back.timelines == registry.timelines
    assert set(back.functions) == set(registry.functions)
    assert set(back.types) == set(registry.types)
    assert set(back.releases) == set(registry.releases)


def test_a_header_that_was_not_read_shows_nothing_gone(tmp_path: Path) -> None:
    profiler = "#include <cuda.h>\nCUresult cuProfilerStart(void);\n"
    registry = store.Registry()
    for release, more in ((R14_0, {"cudaProfiler_h": profiler}), (R14_1, {}), (R15_0, {"cudaProfiler_h": ""})):
        snapshot = parse.parse_headers(made.write(tmp_path / str(release), release, **more))
        registry, _ = append.append(registry, release, snapshot, ())
    key = ("declared", "cuProfilerStart")
    assert key in registry.state(R14_1)
    assert key not in registry.state(R15_0)
    assert ("default", "cuProfilerStart") not in registry.state(R15_0)


def test_windows_adds_what_is_its_own(tmp_path: Path) -> None:
    linux = made.write(tmp_path / "linux", R14_0)
    d3d = (
        "#include <cuda.h>\n"
        "typedef enum CUd3d9list_enum { CU_D3D9_ALL = 1 } CUd3d9list;\n"
        "CUresult cuD3D9Start(IDirect3DDevice9 *device, CUd3d9list list);\n"
    )
    windows = made.write(tmp_path / "windows", R14_0, cudaD3D9_h=d3d)
    snapshot = parse.parse_headers(linux, windows)
    assert snapshot.values[("declared", "cuD3D9Start")]["platform"] == "windows"
    assert snapshot.values[("enumerator", "CUd3d9list_enum", "CU_D3D9_ALL")]["value"] == 1
    only_linux = parse.parse_headers(linux)
    assert set(snapshot.values) - set(only_linux.values) == {
        ("declared", "cuD3D9Start"),
        ("default", "cuD3D9Start"),
        ("enum", "CUd3d9list_enum"),
        ("enumerator", "CUd3d9list_enum", "CU_D3D9_ALL"),
        ("typedef", "CUd3d9list"),
        ("typedef", "IDirect3DDevice9"),
        ("typedef", "IDirect3DResource9"),
        ("typedef", "IDirect3DVertexBuffer9"),
    }
    assert all(snapshot.values[key] == value for key, value in only_linux.values.items())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("typedef struct CUbad_st { int a : 3; } CUbad;", "a bit-field"),
        ("typedef struct CUbad_st { int a[2][2]; } CUbad;", "an array of arrays"),
        ("CUresult cuBad(int (*rows)[2]);", "without a name of its own"),
        ("CUresult cuBad(NoSuchType x);", "NoSuchType"),
    ],
)
def test_a_header_with_a_shape_unknown_to_the_registry_is_refused(tmp_path: Path, text: str, message: str) -> None:
    headers = made.write(tmp_path, R14_0)
    (headers / "cuda.h").write_text(made.CUDA_H[R14_0] + text)
    with pytest.raises(cursors.HeaderError, match=message):
        parse.parse_headers(headers)


def test_a_header_of_another_release_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    headers = made.write(tmp_path / "headers", R14_0)
    assert command.main(["14.1", "--headers", str(headers), "--registry", str(tmp_path / "registry")]) == 1
    assert "is of CUDA_VERSION 14000, not 14010" in capsys.readouterr().err
    assert not (tmp_path / "registry").exists()


def test_the_report_says_what_is_new(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for release in made.ALL:
        _run(tmp_path, tmp_path / "registry", release)
    report = capsys.readouterr().out
    first, grown, major = report.split("CUDA 14.0")[1].replace("CUDA 15.0", "CUDA 14.1").split("CUDA 14.1")
    assert "it is the oldest that is known" in first
    assert "new bases (1)\n    cuKindName\n" in grown
    assert "CUshape_st: size 40 -> 48" in grown
    assert "CU_KIND_C = 3" in grown
    assert "cuThingMake: legacy cuThingMake_v2 -> cuThingMake_v3" in major
    assert "new symbols of known bases (2)\n    cuKindName_v2\n    cuThingMake_v3\n" in major
    assert "CUshape: type CUshape_v1 -> CUshape_v2" in major
    assert "CU_KIND_B: value 2 -> 20" in major
    assert "enumerators no longer declared (1)\n    CU_KIND_C\n" in major
    capsys.readouterr()
    _run(tmp_path, tmp_path / "registry", R15_0)
    assert capsys.readouterr().out == "driver of CUDA 15.0: 0 facts added\n"


def test_the_report_says_which_prototypes_take_other_types(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another name or spelling is none; a typedef that means another type is one, though no prototype was touched."""
    _run(tmp_path, tmp_path / "registry", R14_0)
    header = made.CUDA_H[R14_1]
    for old, new in (
        ("cuInit(unsigned int flags)", "cuInit(unsigned long long flags)"),
        ("cuThingFind(CUthing *thing)", "cuThingFind(struct CUthing_st **other)"),
        ("typedef CUaddr_v2 CUaddr;", "typedef unsigned int CUaddr_v3;\ntypedef CUaddr_v3 CUaddr;"),
        ("(*CUcallback)(CUresult status,", "(*CUcallback)(CUresult *status,"),
    ):
        assert old in header
        header = header.replace(old, new)
    monkeypatch.setitem(made.CUDA_H, R14_1, header)
    capsys.readouterr()
    _run(tmp_path, tmp_path / "registry", R14_1)
    report = capsys.readouterr().out
    assert (
        "  PROTOTYPES THAT TAKE OTHER TYPES (4)\n"
        "    CUcallback: void (CUresult, const char *const *, void *)"
        " -> void (CUresult *, const char *const *, void *)\n"
        "    cuInit: (unsigned int) -> (unsigned long long)\n"
        "    cuThingPush: (CUthing, CUaddr_v2, CUcallback) -> (CUthing, CUaddr_v3, CUcallback)\n"
        "    cuThingPush_ptsz: (CUthing, CUaddr_v2, CUcallback) -> (CUthing, CUaddr_v3, CUcallback)\n"
    ) in report
    assert "cuThingFind: parameters CUthing *thing -> CUthing_st **other" in report


@pytest.mark.parametrize("version", ["13", "latest", "13.5.1", "13.", "13.x", "-1.0"])
def test_what_names_no_release_is_an_error_before_anything_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], version: str
) -> None:
    assert command.main(["--registry", str(tmp_path / "r"), "--cache", str(tmp_path / "c"), "--", "14.0", version]) == 1
    assert capsys.readouterr().err == f"error: {version!r} is no CUDA release: 13.5 is one\n"
    assert list(tmp_path.iterdir()) == []
