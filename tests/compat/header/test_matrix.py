# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda_driver_stable.h under C11 and C++17, with gcc and clang, alone and after the headers of every CUDA release.

Sizes, offsets and values are asserted by the compiler: as the included release has them where it has them, else as the
newest one does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from codegen.emit import cheader, cheader_api
from codegen.emit.libraries import LIBRARIES
from codegen.ingest import fetch, standins
from codegen.model.api import Api, Record, Release, View
from codegen.model.fold import fold
from codegen.model.spelling import Span, spell

DRIVER = LIBRARIES["driver"]
API, SPELLING = spell()
VIEWS = {view.major: view for view in API.views}
RELEASES = [Release.parse(text) for text in ("11.2", "11.7", "11.8")]
RELEASES += [Release(12, minor) for minor in (0, 1, 2, 3, 4, 5, 6, 8, 9)]
RELEASES += [Release(13, minor) for minor in range(6)]

STANDARDS = {"gcc": "-std=c11", "g++": "-std=c++17", "clang": "-std=c11", "clang++": "-std=c++17"}
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function")
PYTHON = sysconfig.get_path("include")
PER_THREAD = "CUDA_API_PER_THREAD_DEFAULT_STREAM"
WINDOWS = ("cuda.h", "cudaGL.h", "d3d9.h", "D3D10_1.h", "D3D11_1.h", "cudaD3D9.h", "cudaD3D10.h", "cudaD3D11.h")
# 11.7's wheels lack one.
OTHERS = ("vdpau/vdpau.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h")


def unavailable(problem: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(problem, pytrace=False)
    pytest.skip(problem)


@pytest.fixture(scope="module", autouse=True)
def compilers() -> None:
    if missing := [name for name in STANDARDS if not shutil.which(name)]:
        unavailable(f"not installed: {', '.join(missing)}")


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The headers as they are generated, with stand-ins for those of GL, EGL and VDPAU."""
    folder = tmp_path_factory.mktemp("include")
    (folder / "cuda_driver_stable.h").write_text(cheader.emit(API, SPELLING, DRIVER), "utf-8")
    (folder / "cuda_driver_stable_api.h").write_text(cheader_api.emit(API, SPELLING, DRIVER), "utf-8")
    standins.write(folder, {name: text for name, text in standins.LINUX.items() if "/" in name})
    return folder


@cache
def released(release: Release, platform: str = "linux") -> Path:
    unpacked = fetch.CACHE / "headers" / str(release) / platform
    if not (unpacked / "cuda.h").exists():
        try:
            fetch.headers(release)
        except fetch.FetchError as error:
            unavailable(f"no headers of CUDA {release}: {error}")
    return unpacked


@dataclass(frozen=True)
class Unit:
    """One source text and how it is compiled."""

    text: str
    compiler: str
    includes: tuple[Path, ...]
    defines: tuple[str, ...] = ()
    flags: tuple[str, ...] = ("-fsyntax-only",)

    def command(self) -> list[str]:
        language = "c++" if "++" in self.compiler else "c"
        return [
            self.compiler, STANDARDS[self.compiler], *WARNINGS, "-x", language, "-",
            *(f"-D{name}" for name in self.defines), f"-I{self.includes[0]}",
            *(argument for folder in self.includes[1:] for argument in ("-isystem", str(folder))), *self.flags,
        ]  # fmt: skip

    def run(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(), input=self.text, capture_output=True, text=True)


def compile_all(units: Sequence[Unit]) -> None:
    with ThreadPoolExecutor(2) as pool:
        for unit, done in zip(units, pool.map(Unit.run, units), strict=True):
            assert done.returncode == 0, f"{' '.join(unit.command())}\n{done.stderr[:3000]}"


# -- what is asserted


@cache
def as_of(release: Release) -> Api:
    return fold(as_of=release)


def had(spans: Sequence[Span], release: Release | None) -> bool:
    return release is not None and any(s.first <= release and (s.gone is None or release < s.gone) for s in spans)


def of_header(record: Record, release: Release | None) -> bool:
    """Whether the included header defines the record, or the one that this is a part of."""
    outer = record.name.partition(".")[0]
    return any(had(SPELLING.of("tag", era.tag), release) for era in SPELLING.eras[outer])


CHECK = """
#include <stddef.h>
#ifdef __cplusplus
#include <type_traits>
#define CHECK(condition) static_assert(condition, #condition)
#define SAME(one, two) static_assert(std::is_same<one, two>::value, #one " is " #two)
/* The range of an older enum may end below, and newer compilers allow no such constant: only C asserts the value. */
#define CHECK_ADDED(name, value) static inline bool is_##name() { return (unsigned)name == value; } CHECK(true)
#else
#define CHECK_ADDED(name, value) CHECK((unsigned)name == value)
#define CHECK(condition) _Static_assert(condition, #condition)
#define SAME(one, two) _Static_assert(__builtin_types_compatible_p(one, two), #one " is " #two)
#endif
"""


def layouts(release: Release | None) -> Iterator[str]:
    older = {record.name: record for record in as_of(release).records} if release else {}
    for newest in API.records:
        record = older.get(newest.name) if of_header(newest, release) else newest
        if record is None:
            continue  # a part that the included header's record does not have yet
        outer, _, path = record.name.partition(".")
        if not path:
            yield f"CHECK(sizeof({outer}) == {record.size});"
        start = f" - offsetof({outer}, {path})" if path else ""
        for field in record.fields:
            name = f"{path}.{field.name}" if path else field.name
            yield f"CHECK(offsetof({outer}, {name}){start} == {field.offset});"
            yield f"CHECK(sizeof((({outer} *)0)->{name}) == {field.size});"


def values(release: Release | None, view: View | None, egl: bool) -> Iterator[str]:
    older = {enum.name: enum for enum in as_of(release).enums} if release else {}
    for enum in API.enums:
        included = enum.name in older and (egl or enum.header != "cudaEGL.h")
        known = {e.name: e.value for e in older[enum.name].enumerators} if included else {}
        for e in enum.enumerators:
            value = e.value
            added = included and not had(SPELLING.of("enumerator", e.name), release)
            if included and not added:
                value = known[e.name]
            elif view and not included and view.enumerators.get(e.name, ("",))[0] == enum.name:
                value = view.enumerators[e.name][1]
            number = f"{value & 0xFFFFFFFF}u"
            yield f"CHECK_ADDED({e.name}, {number});" if added else f"CHECK((unsigned){e.name} == {number});"
    for constant in API.constants:
        if isinstance(constant.value, int) and constant.name.startswith(("CU_", "CUDA_")):
            if constant.type in ("int", "unsigned int") and constant.name != "CUDA_VERSION":
                yield f"CHECK((long long){constant.name} == {constant.value}LL);"
            elif constant.name != "CUDA_VERSION":
                yield f"static unsigned long long value_of_{constant.name}(void) {{"
                yield f"  return (unsigned long long){constant.name}; }}"


def meanings(view: View, release: Release | None) -> Iterator[str]:
    """Types without a version are those of the view."""
    if not release:
        yield f"CHECK(CUDA_VERSION == {view.release.number});"
    foreign = {handle.name for handle in API.handles if not handle.header.startswith("cuda")}
    for name, target in view.types.items():
        if name not in SPELLING.typedefs or name in API.aliases or name in foreign:
            continue
        if release and target in API.aliases.values() and name in as_of(release).views[-1].types:
            continue  # CUkernelNodeAttrValue was a type of its own until 11.8
        yield f"SAME({name}, {target});"


def source(*includes: str, release: Release | None = None, view: View | None = None) -> str:
    lines = [f"#include <{name}>" for name in includes]
    lines += [
        CHECK,
        *layouts(release),
        *values(release, view, "cudaEGL.h" in includes),
        *(meanings(view, release) if view else ()),
    ]
    return "\n".join(lines) + "\n"


# -- what names expand to


def expansions(text: str, names: Sequence[str], includes: tuple[Path, ...], *defines: str) -> Mapping[str, str]:
    probes = "".join(f'probe "{name}" {name} end\n' for name in names)
    done = Unit(text + probes, "gcc", includes, defines, ("-E", "-P")).run()
    assert done.returncode == 0, done.stderr
    return dict(re.findall(r'probe "(\w+)" (\w+) end', done.stdout))


def wrapped(names: Mapping[str, str], asking: bool = False) -> Mapping[str, str]:
    """The inline functions that names lead to; where `asking`, cuGetProcAddress looks for per-thread functions."""
    found = {name: f"cuda_driver_stable_{function}" for name, function in names.items()}
    found.update(
        (name, f"cuda_driver_stable_{function}_per_thread")
        for name, function in names.items()
        if asking and function.startswith("cuGetProcAddress")
    )
    return found


PERMANENT = {name: f.name for f in API.functions for name in (f.name, f.plain) if name}
CALLS = "#include <cuda_driver_stable_api.h>\n"


# -- alone


@pytest.mark.parametrize("compiler", STANDARDS)
def test_alone(include: Path, compiler: str) -> None:
    folders = (include, Path(PYTHON))
    units = [Unit(source("cuda_driver_stable.h"), compiler, folders)]
    for major, view in VIEWS.items():
        target = f"CUDA_DRIVER_STABLE_TARGET={major}"
        units.append(Unit(source("cuda_driver_stable_api.h", view=view), compiler, folders, (target,)))
        units.append(Unit(CALLS, compiler, folders, (target, "CUDA_DRIVER_STABLE_PER_THREAD")))
    compile_all(units)


@pytest.mark.parametrize("release", [RELEASES[0], *(view.release for view in API.views)], ids=str)
def test_as_of(tmp_path: Path, release: Release) -> None:
    """What a package of that day would have shipped, from today's registry."""
    api, spelling = spell(as_of=release)
    (tmp_path / "cuda_driver_stable.h").write_text(cheader.emit(api, spelling, DRIVER), "utf-8")
    (tmp_path / "cuda_driver_stable_api.h").write_text(cheader_api.emit(api, spelling, DRIVER), "utf-8")
    target = f"CUDA_DRIVER_STABLE_TARGET={release.major}"
    # 11.2 had enumerators of 32 bits, which every compiler takes and ISO C does not.
    flags = ("-fsyntax-only", "-Wno-pedantic")
    folders = (tmp_path, Path(PYTHON))
    compile_all([Unit(CALLS, compiler, folders, (target,), flags) for compiler in STANDARDS])


def test_permanent_names_are_there_without_a_target(include: Path) -> None:
    folders = (include, Path(PYTHON))
    assert expansions(CALLS, list(PERMANENT), folders) == wrapped(PERMANENT)
    several = [f.base for f in API.functions if not f.plain and f.version == 1 and not f.stream]
    assert len(several) > 90
    assert expansions(CALLS, several, folders) == {name: name for name in several}


@pytest.mark.parametrize("major", VIEWS)
def test_names_without_a_version_mean_what_the_target_says(include: Path, major: int) -> None:
    folders, target = (include, Path(PYTHON)), f"CUDA_DRIVER_STABLE_TARGET={major}"
    view = VIEWS[major]
    assert expansions(CALLS, list(view.functions), folders, target) == wrapped(view.functions)
    for way in ("CUDA_DRIVER_STABLE_PER_THREAD", PER_THREAD):
        assert expansions(CALLS, list(view.per_thread), folders, target, way) == wrapped(view.per_thread, asking=True)


# -- after <cuda.h>


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_after_the_headers_of(include: Path, release: Release) -> None:
    folder, view = released(release), VIEWS[release.major]
    folders = (include, folder, Path(PYTHON))
    others = [name for name in OTHERS if "/" in name or (folder / name).exists()]
    target = f"CUDA_DRIVER_STABLE_TARGET={release.major}"
    plain = source("cuda.h", "cuda_driver_stable.h", release=release)
    calls = source(*others, "cuda_driver_stable_api.h", release=release, view=view)
    per_thread = f"#include <cuda.h>\n{CALLS}"
    units = []
    for compiler in STANDARDS:
        units.append(Unit(plain, compiler, folders))
        units.append(Unit(calls, compiler, folders, (target,)))
        units.append(Unit(per_thread, compiler, folders, (target, PER_THREAD)))
    compile_all(units)


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_names_keep_their_meaning_after_the_headers_of(include: Path, release: Release) -> None:
    folders = (include, released(release), Path(PYTHON))
    text, target = f"#include <cuda.h>\n{CALLS}", f"CUDA_DRIVER_STABLE_TARGET={release.major}"
    view, then = VIEWS[release.major], as_of(release).views[-1]
    assert expansions(text, list(view.functions), folders, target) == wrapped(view.functions)
    assert expansions(text, list(view.per_thread), folders, target, PER_THREAD) == wrapped(view.per_thread, asking=True)
    # Without a target the header's own macros lead to the table; a name that it has as it is stays as it is.
    found = expansions(text, list(then.functions), folders)
    expected = wrapped(then.functions)
    assert {n: found[n] for n in found if found[n] != n} == {n: expected[n] for n in found if found[n] != n}
    untouched = {name for name in found if found[name] == name}
    assert untouched == {name for name in then.functions if name not in PERMANENT} & untouched


# -- what is refused


REFUSED = {
    "another major": (("CUDA_DRIVER_STABLE_TARGET=12",), 13050, "another CUDA major"),
    "no such major": (("CUDA_DRIVER_STABLE_TARGET=10",), 0, "is one of 11, 12, 13"),
    "per thread without a target": (("CUDA_DRIVER_STABLE_PER_THREAD",), 0, "goes with CUDA_DRIVER_STABLE_TARGET"),
    "per thread too late": (
        ("CUDA_DRIVER_STABLE_TARGET=13", "CUDA_DRIVER_STABLE_PER_THREAD"), 13050,
        "needs CUDA_API_PER_THREAD_DEFAULT_STREAM",
    ),
    "a release that was not read": ((), 11040, "between CUDA 11.2 and 11.7"),
    "a release from before": ((), 10020, "older than CUDA 11.2"),
    "the internal part": (("__CUDA_API_VERSION_INTERNAL",), 0, "does not go with __CUDA_API_VERSION_INTERNAL"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(include: Path, case: str) -> None:
    defines, version, message = REFUSED[case]
    cuda = f"#define __cuda_cuda_h__\n#define CUDA_VERSION {version}\n" if version else ""
    done = Unit(f"{cuda}#include <cuda_driver_stable.h>\n", "gcc", (include,), defines).run()
    assert done.returncode != 0
    assert re.search(rf"#error .*{message}", done.stderr), done.stderr[:2000]


# -- beside others


UUID = "typedef struct CUuuid_st { char bytes[16]; } CUuuid;"
GUARDED = f"#ifndef CU_UUID_HAS_BEEN_DEFINED\n#define CU_UUID_HAS_BEEN_DEFINED\n{UUID}\n#endif\n"


@pytest.mark.parametrize("compiler", STANDARDS)
def test_shares_the_uuid_with_the_runtime_headers(include: Path, compiler: str) -> None:
    ours = "#include <cuda_driver_stable.h>\n"
    compile_all([Unit(text, compiler, (include,)) for text in (GUARDED + ours, ours + GUARDED, ours + ours)])


@pytest.mark.parametrize("compiler", ["clang", "clang++"])
def test_on_windows(compiler: str, tmp_path: Path, include: Path) -> None:
    """As far as it can be seen from here: Direct3D's functions, alone and after CUDA's headers for it."""
    flags = ("-fsyntax-only", "--target=x86_64-pc-windows-msvc", "-nostdinc")
    standins.write(tmp_path, standins.WINDOWS)
    ours = "#include <cuda_driver_stable.h>\n"
    uses = "void use(ID3D11Device *device) { CUdevice_v1 found; cuD3D11GetDevice(&found, 0); (void)device; }\n"
    units = [Unit(ours, compiler, (include, tmp_path), flags=flags)]
    for release in (RELEASES[1], RELEASES[-1]):
        after = "".join(f"#include <{name}>\n" for name in WINDOWS)
        folders = (include, tmp_path, released(release, "windows"))
        units.append(Unit(after + ours + uses, compiler, folders, flags=(*flags, "-Wno-error")))
    compile_all(units)
