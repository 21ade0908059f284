# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What driver libraries export, with libraries compiled for the test."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from pathlib import Path

import pytest

from codegen.ingest import elf, libraries
from codegen.model.api import Release
from codegen.model.registry import Registry

_VERSION = "int cuDriverGetVersion(int *n) { *n = 14010; return 0; }\n"


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder = tmp_path_factory.mktemp("libraries")
    sources = {
        "600.1": "int cuA(void) { return 0; }\nint cudbgB(void) { return 0; }\n"
        "static int cuHidden(void) { return cuA(); }\nint other(void) { return cuHidden(); }\n"
        "extern int cuUndefined(void) __attribute__((weak));\nint use(void) { return cuUndefined(); }\n",
        "600.20": "int cuA(void) { return 0; }\nint cuB_v2(void) { return 0; }\n",
        "610": "int cuB_v2(void) { return 0; }\nint cuC_ptsz(void) { return 0; }\n",
    }
    found = {}
    for version, source in sources.items():
        text, library = folder / f"{version}.c", folder / f"libcuda.so.{version}"
        text.write_text(_VERSION + source)
        subprocess.run([compiler, "-shared", "-fPIC", "-o", str(library), str(text)], check=True)
        found[version] = library
    return found


def test_exports(build: dict[str, Path]) -> None:
    assert libraries.exports(build["600.1"]) == {"cuA", "cuDriverGetVersion"}
    assert libraries.exports(build["610"]) == {"cuB_v2", "cuC_ptsz", "cuDriverGetVersion"}


@pytest.mark.parametrize("order", list(itertools.permutations(["600.1", "600.20", "610"])))
def test_libraries_are_told_by_version_and_not_by_order(build: dict[str, Path], order: tuple[str, ...]) -> None:
    registry = Registry()
    for version in order:
        registry = libraries.append(registry, build[version], version, Release(14, 1))
    for version, library in build.items():
        assert libraries.exported(registry, version) == libraries.exports(library)
    assert libraries.append(registry, build["610"], "610") is registry


def test_a_row_names_only_what_is_new(build: dict[str, Path]) -> None:
    registry = libraries.append(Registry(), build["600.1"], "600.1")
    registry = libraries.append(registry, build["610"], "610", Release(15, 0))
    first, second = registry.libraries
    assert (first.cuda, first.count) == (Release(14, 1), 2)  # as the library says
    assert (second.exports, second.lacks) == (("cuB_v2", "cuC_ptsz"), ("cuA",))


def test_the_same_version_with_other_exports_is_refused(build: dict[str, Path]) -> None:
    registry = libraries.append(Registry(), build["600.1"], "600.1", Release(14, 1))
    with pytest.raises(libraries.LibraryError, match=r"other exports of 600\.1"):
        libraries.append(registry, build["610"], "600.1")


@pytest.mark.parametrize("content", [b"", b"text", b"\x7fELF\x01\x01" + bytes(80), b"\x7fELF\x02\x01" + bytes(80)])
def test_what_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "libcuda.so").write_bytes(content)
    with pytest.raises(elf.ElfError, match=r"libcuda\.so"):
        libraries.exports(tmp_path / "libcuda.so")
