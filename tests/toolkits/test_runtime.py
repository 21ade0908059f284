# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.runtime on NVIDIA's libcudart, as far as it goes without a driver: what it has and says, and how it fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cuda.runtime as runtime
from codegen.ingest import elf
from codegen.model.api import Release
from support.symbols import Suite

from .compile import check

Status: Any = runtime.cudaError_t
SUITE = Suite(f"runtime{runtime._core.RELEASE // 1000}", runtime)
WHEEL = SUITE.library.wheel
ROWS = {row["name"]: row for row in runtime._core.functions() if row["platform"] != "windows"}


@pytest.fixture(scope="module")
def exported() -> frozenset[str]:
    """What the file says it has; the registry has no part in it."""
    return frozenset(elf.defined_symbols(Path(runtime._core.library()["path"])))


@pytest.fixture(scope="module")
def without_driver() -> None:
    status, count = runtime.cudaGetDeviceCount()
    if status == 0 and count:
        pytest.skip(f"there is a driver here, and {count} devices")


def missing() -> Iterator[str]:
    for name, row in ROWS.items():
        if not runtime._core.address(name):
            yield row["name"]


def test_version(release: Release) -> None:
    assert runtime.cudaRuntimeGetVersion() == (Status.cudaSuccess, release.number)
    assert runtime._core.library()["version"] == release.number


def test_what_the_library_has_is_found_and_nothing_else(exported: frozenset[str]) -> None:
    assert len(ROWS) > 400
    found = {name for name, row in ROWS.items() if runtime._core.address(row["name"])}
    assert found == {name for name, row in ROWS.items() if row["symbol"] in exported}
    assert {name for name in ROWS if runtime.is_available(name)} == found


def test_what_the_library_has_is_offered(exported: frozenset[str], release: Release) -> None:
    """Every export that looks like a function of the API is one of the module's, or nobody has declared it."""
    undeclared = {f.symbol for f in SUITE.binding.api.undeclared}
    offered = {row["symbol"] for row in ROWS.values()}
    assert {s for s in exported if s.startswith("cuda") and s[4].isupper()} - offered <= undeclared


def test_what_the_library_lacks_raises_and_says_since_when(release: Release) -> None:
    """A wheel of the newest minor on the library of an older one: never a crash, and what to install is said."""
    lacking = list(missing())
    newest = {12: Release(12, 9), 13: Release(13, 5)}[release.major]
    assert bool(lacking) == (release < newest)
    bound = {b.function.name: b for b in SUITE.functions}
    for name in lacking:
        row = ROWS[name]
        since = Release.from_number(row["introduced"])
        assert since > release, name
        arguments = SUITE.preparer.prepare(bound[name]).arguments
        with pytest.raises(runtime.FunctionNotFoundError) as caught:
            getattr(runtime, name)(*arguments.values())
        said = str(caught.value)
        assert said.startswith(f"{row['plain'] or name} was introduced with CUDA {since}; "), said
        assert f"libcudart.so.{release.major} supports CUDA {release} and has no symbol {row['symbol']}." in said
        assert f"nstall {WHEEL}>={since},<{release.major + 1}." in said


@pytest.mark.before("12.2")
def test_an_older_version_is_named_instead() -> None:
    """Where the library has another version of the same function, that is what the message says first."""
    with pytest.raises(runtime.FunctionNotFoundError, match=r"Use cudaMemAdvise_v1 \(CUDA .*\), or install") as caught:
        runtime.cudaMemAdvise_v2(0, 0, runtime.cudaMemoryAdvise.cudaMemAdviseSetReadMostly, runtime.cudaMemLocation())
    assert WHEEL in str(caught.value)


class TestTexts:
    def test_names_of_errors(self, release: Release) -> None:
        (enum,) = (enum for enum in SUITE.binding.api.enums if enum.name == "cudaError_t")
        since = {e.name: e.since for e in enum.enumerators}
        assert len(since) > 100
        names = {member.name: check(runtime.cudaGetErrorName(member)) for member in Status}
        known = {name for name in names if since[name] <= release}
        assert {name: said for name, said in names.items() if name in known} == {name: name.encode() for name in known}
        assert {said for name, said in names.items() if name not in known} <= {b"unrecognized error code"}

    def test_texts_of_errors(self) -> None:
        assert check(runtime.cudaGetErrorString(Status.cudaSuccess)) == b"no error"
        assert check(runtime.cudaGetErrorString(Status.cudaErrorMemoryAllocation)) == b"out of memory"
        texts = {check(runtime.cudaGetErrorString(member)) for member in Status}
        assert len(texts) > 90
        for call in (runtime.cudaGetErrorName, runtime.cudaGetErrorString):
            assert check(call(99_999)) == b"unrecognized error code"

    def test_an_error_of_a_newer_library_has_no_name_here(self) -> None:
        with pytest.raises(ValueError, match="cudaError"):
            Status(99_999)


@pytest.mark.usefixtures("without_driver")
class TestNoDriver:
    NONE = (Status.cudaErrorInsufficientDriver, Status.cudaErrorNoDevice)

    def test_no_device(self) -> None:
        outputs: list[tuple[Any, tuple[Any, ...]]] = [
            (runtime.cudaGetDeviceCount, ()),
            (runtime.cudaGetDevice, ()),
            (runtime.cudaMalloc, (16,)),
            (runtime.cudaMallocManaged, (16, runtime.cudaMemAttachGlobal)),
            (runtime.cudaStreamCreate, ()),
            (runtime.cudaEventCreate, ()),
            (runtime.cudaGetDeviceProperties, (0,)),
        ]
        for call, arguments in outputs:
            status, output = call(*arguments)
            assert status in self.NONE, call
            assert output is None, call
        statuses: list[tuple[Any, tuple[Any, ...]]] = [
            (runtime.cudaDeviceSynchronize, ()),
            (runtime.cudaStreamSynchronize, (0,)),
            (runtime.cudaMemcpy, (bytearray(4), bytes(4), 4, runtime.cudaMemcpyKind.cudaMemcpyHostToHost)),
        ]
        for call, arguments in statuses:
            (status,) = call(*arguments)
            assert status in self.NONE, call

    def test_no_driver_version(self) -> None:
        assert runtime.cudaDriverGetVersion() == (Status.cudaSuccess, 0)

    def test_the_last_error(self) -> None:
        runtime.cudaDeviceSynchronize()
        assert runtime.cudaPeekAtLastError()[0] in self.NONE
        assert runtime.cudaGetLastError()[0] in self.NONE

    def test_the_per_thread_twin_fails_the_same(self) -> None:
        from cuda.runtime import per_thread

        assert per_thread.cudaStreamSynchronize(0)[0] in self.NONE
        assert per_thread.cudaMalloc(16)[0] in self.NONE


def test_what_needs_no_device() -> None:
    kind = runtime.cudaChannelFormatKind.cudaChannelFormatKindFloat
    status, described = runtime.cudaCreateChannelDesc(32, 16, 8, 0, kind)
    assert status == 0
    assert (described.x, described.y, described.z, described.w, described.f) == (32, 16, 8, 0, kind)
