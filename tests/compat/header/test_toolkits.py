# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The C headers of the toolkit wheels after NVIDIA's own of every release, and beside the driver's.

Sizes, offsets and values are asserted by the compiler: as the included release has them where it has them, else as the
newest one does. Alone the headers are compiled by each package's own tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest

from codegen.emit import cheader, cheader_api
from codegen.emit.cheader_major import MajorHeaders
from codegen.emit.libraries import LIBRARIES, Library
from codegen.ingest import fetch, standins
from codegen.ingest.specs import SPECS
from codegen.model import registry
from codegen.model.api import Api, Release
from codegen.model.bind import bind
from codegen.model.fold import fold
from codegen.model.spelling import Span, Spelling, spell
from support.clevel import PYTHON, STANDARDS, WARNINGS
from support.layouts import CHECK, layout

NAMES = sorted(library.key for library in LIBRARIES.values() if library.major)
# What is beside the main header; of the runtime's, one includes its C++ API unless it has been included.
BESIDE = {
    "runtime": (
        "cuda_profiler_api.h",
        "cuda_gl_interop.h",
        "cuda_egl_interop.h",
        "vdpau/vdpau.h",
        "cuda_vdpau_interop.h",
        "library_types.h",
    )
}
DEFINES = {"runtime": ("__CUDA_RUNTIME_H__",)}


@cache
def as_of(name: str, release: Release) -> Api:
    return fold(name, release, major=release.major)


@dataclass(frozen=True)
class Subject:
    """The headers of one package and major."""

    library: Library

    @cached_property
    def _spelled(self) -> tuple[Api, Spelling]:
        return spell(self.library.name, major=self.library.major)

    @property
    def api(self) -> Api:
        return self._spelled[0]

    @property
    def spelling(self) -> Spelling:
        return self._spelled[1]

    def write(self, folder: Path) -> None:
        headers = MajorHeaders(bind(self.api), self.spelling, self.library)
        (folder / self.library.header).write_text(headers.types(), "utf-8")
        (folder / self.library.header_api).write_text(headers.calls(), "utf-8")

    def had(self, release: Release | None, spans: tuple[Span, ...]) -> bool:
        return release is not None and any(s.first <= release and (s.gone is None or release < s.gone) for s in spans)

    def has(self, release: Release | None, name: str) -> bool:
        """Whether the release's header has a body for the enum or record, under any of its tags."""
        eras = self.spelling.eras.get(name, ())
        tags = any(self.had(release, self.spelling.of("tag", era.tag)) for era in eras)
        return tags if eras else self.had(release, self.spelling.of("type", name))

    def assertions(self, release: Release | None) -> Iterator[str]:
        older = {record.name: record for record in as_of(self.library.name, release).records} if release else {}
        for newest in self.api.records:
            record = older.get(newest.name) if self.has(release, newest.name.partition(".")[0]) else newest
            if record is not None:  # else a part that the included header's record does not have yet
                yield from layout(record)
        enums = {enum.name: enum for enum in as_of(self.library.name, release).enums} if release else {}
        for enum in self.api.enums:
            known = {e.name: e.value for e in enums[enum.name].enumerators} if self.has(release, enum.name) else {}
            for e in enum.enumerators:
                number = f"{known.get(e.name, e.value) & 0xFFFFFFFF}u"
                if not known or e.name in known:
                    yield f"CHECK((unsigned){e.name} == {number});"
                else:  # beyond the range of an older enum, which C++ allows no constant of
                    yield f"static inline int is_{e.name}(void) {{ return (unsigned){e.name} == {number}; }}"


SUBJECTS = {key: Subject(LIBRARIES[key]) for key in NAMES}


def known(library: Library) -> tuple[Release, ...]:
    return registry.load(registry.folder_of(library.name, library.major or None)).known


RELEASES = [(key, release) for key in NAMES for release in known(LIBRARIES[key])]


@pytest.fixture(scope="module")
def include(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each library; in it the headers as they are generated."""
    folder = tmp_path_factory.mktemp("include")
    for key, subject in SUBJECTS.items():
        (folder / key).mkdir()
        subject.write(folder / key)
    driver = LIBRARIES["driver"]
    (folder / "driver").mkdir()
    (folder / "driver" / driver.header).write_text(cheader.emit(*spell(), driver), "utf-8")
    (folder / "driver" / driver.header_api).write_text(cheader_api.emit(*spell(), driver), "utf-8")
    (folder / "standins").mkdir()
    standins.write(folder / "standins", {name: text for name, text in standins.RUNTIME.items() if "/" in name})
    return folder


def unavailable(problem: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(problem, pytrace=False)
    pytest.skip(problem)


@cache
def released(name: str, release: Release) -> Path:
    spec = SPECS[name]
    unpacked = fetch.CACHE / "headers" / str(release) / spec.sources["linux"]
    row = LIBRARIES.get(name) or LIBRARIES[f"{name}{release.major}"]
    if not (unpacked / row.c.header).exists():
        try:
            return fetch.headers(release, spec=spec).linux
        except fetch.FetchError as error:
            unavailable(f"no headers of the {name} of CUDA {release}: {error}")
    return unpacked


def compile_text(compiler: str, text: str, own: list[Path], others: list[Path], *flags: str) -> str:
    """Without warnings; gives back what the compiler said."""
    if not shutil.which(compiler):
        unavailable(f"{compiler} is not installed")
    folders = [f"-I{path}" for path in own] + [x for path in (*others, Path(PYTHON)) for x in ("-isystem", str(path))]
    language = "c++" if "++" in compiler else "c"
    command = [compiler, STANDARDS[compiler], *WARNINGS, *flags, *folders, "-fsyntax-only", "-x", language, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize(("key", "release"), RELEASES, ids=lambda value: str(value))
def test_after_the_headers_of(include: Path, key: str, release: Release) -> None:
    subject, name = SUBJECTS[key], LIBRARIES[key].name
    folder = released(name, release)
    beside = [header for header in BESIDE.get(name, ()) if "/" in header or (folder / header).exists()]
    defines = [f"-D{define}" for define in DEFINES.get(name, ())]
    own, others = [include / key], [folder, include / "standins"]
    ends = release in (known(subject.library)[0], known(subject.library)[-1])
    for compiler in STANDARDS if ends else ("gcc", "g++"):
        alone = "".join(f"#include <{header}>\n" for header in (subject.library.c.header, subject.library.header_api))
        assert not (said := compile_text(compiler, alone, own, others)), f"{compiler}, alone: {said[:3000]}"
        headers = (subject.library.c.header, *beside, subject.library.header_api)
        text = "\n".join([*(f"#include <{header}>" for header in headers), CHECK, *subject.assertions(release)]) + "\n"
        # What asserts names types that newer headers call deprecated.
        said = compile_text(compiler, text, own, others, "-Wno-deprecated-declarations", *defines)
        assert not said, f"{compiler}, with what is beside it: {said[:3000]}"


@pytest.mark.parametrize("key", [key for key in NAMES if key.startswith("runtime")])
@pytest.mark.parametrize("alone", ["driver_types.h", "vector_types.h", "library_types.h"])
def test_after_a_part_of_the_header(include: Path, key: str, alone: str) -> None:
    """A header of types does not say its release; the one that includes it does, and lies beside it."""
    subject = SUBJECTS[key]
    folder = released("runtime", subject.api.release)
    text = "\n".join([f"#include <{alone}>", f"#include <{subject.library.header}>", CHECK, *subject.assertions(None)])
    for compiler in STANDARDS:
        others = [folder, include / "standins"]
        said = compile_text(compiler, text + "\n", [include / key], others, "-Wno-deprecated-declarations")
        assert not said, f"{compiler}: {said[:3000]}"


@pytest.mark.parametrize("major", [12, 13])
def test_all_headers_together(include: Path, major: int) -> None:
    """In either order, with what each says of its types."""
    subjects = [subject for subject in SUBJECTS.values() if subject.library.major == major]
    own = [include / "driver", *(include / subject.library.key for subject in subjects)]
    headers = [LIBRARIES["driver"].header_api, *(subject.library.header_api for subject in subjects)]
    checks = [CHECK, *(line for subject in subjects for line in subject.assertions(None))]
    for order in (headers, headers[::-1]):
        text = "\n".join([*(f"#include <{header}>" for header in order), *checks]) + "\n"
        for compiler in STANDARDS:
            said = compile_text(compiler, text, own, [], f"-DCUDA_DRIVER_STABLE_TARGET={major}")
            assert not said, f"{compiler}: {said[:3000]}"


@pytest.mark.parametrize("major", [12, 13])
def test_after_both_of_nvidia(include: Path, major: int) -> None:
    """<cuda.h> and <cuda_runtime_api.h> first, then ours of the driver and of the runtime."""
    subject = SUBJECTS[f"runtime{major}"]
    folder = released("runtime", subject.api.release)
    headers = ("cuda.h", "cuda_runtime_api.h", LIBRARIES["driver"].header_api, subject.library.header_api)
    text = "\n".join(f"#include <{header}>" for header in headers) + "\n"
    own = [include / "driver", include / subject.library.key]
    for compiler in STANDARDS:
        said = compile_text(compiler, text, own, [folder, include / "standins"])
        assert not said, f"{compiler}: {said[:3000]}"


@pytest.mark.parametrize(("major", "version", "message"), [(13, 12090, "of another"), (12, 12070, "between CUDA 12.6")])
def test_refused(include: Path, major: int, version: int, message: str) -> None:
    text = f"#define __CUDA_RUNTIME_API_H__\n#define CUDART_VERSION {version}\n#include <cuda_runtime_stable.h>\n"
    assert message in compile_text("gcc", text, [include / f"runtime{major}"], [])


NVML = LIBRARIES["nvml"]


@pytest.fixture(scope="module")
def nvml(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("nvml")
    api, spelling = spell("nvml")
    (folder / NVML.header).write_text(cheader.emit(api, spelling, NVML), "utf-8")
    (folder / NVML.header_api).write_text(cheader_api.emit(api, spelling, NVML), "utf-8")
    return folder


@pytest.mark.parametrize("release", [release for release in known(NVML) if release.major == 13], ids=str)
def test_nvml_after_its_own_header(nvml: Path, release: Release) -> None:
    """That of one library for all majors."""
    text = f"#include <nvml.h>\n#include <{NVML.header_api}>\n"
    for compiler in STANDARDS:
        for target in ("", "-DCUDA_NVML_STABLE_TARGET=13"):
            flags = ["-Wno-pedantic", *filter(None, [target])]
            said = compile_text(compiler, text, [nvml], [released("nvml", release)], *flags)
            assert not said, f"{compiler} {target}: {said[:3000]}"


def test_nvml_of_another_time_is_refused(nvml: Path) -> None:
    """Before 13.0 the header had types under names that mean others since."""
    text = f"#define __nvml_nvml_h__\n#include <{NVML.header}>\n"
    assert "older than CUDA 13.0" in compile_text("gcc", text, [nvml], [])
