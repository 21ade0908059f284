# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is emitted for the driver, as of this release and of older ones: names never change their meaning."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import pytest

from codegen.emit import names, pyi, tables, thunks
from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Release
from codegen.model.bind import bind
from codegen.model.binding import Binding
from codegen.model.fold import fold
from codegen.tests.test_emit_compile import STRICT

DRIVER = LIBRARIES["driver"]

# What names the header's own version or the end of an enumeration follows it.
FOLLOWS = re.compile(r"^CUDA_VERSION$|_MASK$|_MAX$|_NUM_|_LIGHTWEIGHT_FLAGS$")
# 12.0 gave these names other values.
REUSED = {"CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS", "CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR"}
# 11.8 made types of launches of these.
MERGED = {"CUkernelNodeAttrID", "CUkernelNodeAttrValue_v1", "CUstreamAttrID", "CUstreamAttrValue_v1"}
# 13.1 took these out of the header, before our first release.
LEFT = {"CUdevSmResourceSplit_flags", "RESOURCE_ABI_EXTERNAL_BYTES", "RESOURCE_ABI_VERSION"}

OLDER = ["11.2", "11.8", "12.0", "12.9", "13.0", "13.4"]


@cache
def binding(release: str | None = None) -> Binding:
    return bind(fold("driver", Release.parse(release) if release else None))


@cache
def meanings(release: str | None = None) -> Mapping[str, Mapping[str, object]]:
    """For each scope its names, each with what it stands for, in words that do not depend on the release."""
    collected, api = names.collect(binding(release)), binding(release).api
    members = list(names.members(collected.enum_views))
    named: Mapping[str, Sequence[object]] = {
        "function": [f.symbol for f in api.functions],
        "enum": [e.name for e in api.enums],
        "enum_view": [v.enum for v in collected.enum_views],
        "enumerator": [e.value for _, e in collected.enumerators],
        "member": [m.value for m in members],
        "handle": [h.name for h in api.handles],
        "callback": [c.name for c in api.callbacks],
        "record": [r.name for r in api.records],
        "constant": [c.value for c in collected.constants],
    }
    return {s.name: {n: named[m.kind][m.ref] for n, m in s.names.items()} for s in collected.scopes}


def changed(older: Mapping[str, object], newer: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    return {name: (what, newer.get(name)) for name, what in older.items() if newer.get(name) != what}


@pytest.mark.parametrize("release", OLDER)
def test_an_older_release_has_the_same_names_only_fewer(release: str) -> None:
    older, newest = meanings(release)[""], meanings()[""]
    assert 1500 < len(older) < len(newest)
    others = {name for name in changed(older, newest) if not FOLLOWS.search(name)}
    assert others == (REUSED if release < "12.0" else set()) | (MERGED if release < "11.8" else set())


@pytest.mark.parametrize(("major", "release"), [(11, "11.8"), (12, "12.9")])
@pytest.mark.parametrize("twin", ["", ".per_thread"])
def test_a_view_of_a_finished_major_never_changes(major: int, release: str, twin: str) -> None:
    assert meanings(release)[f"cu{major}{twin}"] == meanings()[f"cu{major}{twin}"]


@pytest.mark.parametrize("release", ["13.0", "13.4"])
def test_the_view_of_the_current_major_only_grows(release: str) -> None:
    others = changed(meanings(release)["cu13"], meanings()["cu13"])
    assert {name for name in others if not FOLLOWS.search(name)} == (LEFT if release < "13.1" else set())


def test_a_base_with_several_versions_has_no_name_of_its_own() -> None:
    module = meanings()[""]
    several = {base for base, functions in binding().api.bases.items() if len({f.version for f in functions}) > 1}
    assert len(several) >= 95
    assert not several & set(module)
    assert all(f.name in module for f in binding().api.functions)


def test_windows_functions_are_rows_everywhere() -> None:
    windows = {f.name for f in binding().api.functions if f.platform == "windows"}
    assert len(windows) == 57
    assert windows <= set(meanings()[""])


@pytest.mark.parametrize("release", [None, "11.2", "12.9"])
def test_the_rows_of_the_driver_compile_without_a_warning(release: str | None, tmp_path: Path) -> None:
    (tmp_path / "tables.c").write_text(tables.emit(binding(release), DRIVER))
    (tmp_path / "thunks.c").write_text(thunks.emit(binding(release)))
    for name in ("tables.c", "thunks.c"):
        command = ["gcc", *STRICT, "-c", str(tmp_path / name), "-o", str(tmp_path / "object.o")]
        built = subprocess.run(command, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr


def test_the_stubs_stay_small() -> None:
    sizes = [len(pyi.module(binding(), DRIVER)), *map(len, pyi.views(binding(), DRIVER).values())]
    assert sum(sizes) < 1_500_000
