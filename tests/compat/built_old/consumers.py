# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Which consumers there are, what they are built with, and what becomes of each on each release of the package."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from support import rehearsal
from support.cython import USABLE

from .scenarios import INITIALIZE, Scenario, contexts, graphs, launch, memory, since_13_0, since_13_5

RELEASES = ("12.9", "13.0", "13.5")
# Of the package that they run on: a made-up release too, with the driver of that release.
WHEELS = (*RELEASES, rehearsal.RELEASE)
CYTHONS = USABLE

# How a consumer gets at functions, which decides when it finds out that one is missing:
#   capsules  when it is imported
#   table     when it calls the function
#   checked   when it is imported, by the release alone: the C author asked for nothing older than the headers
Binding = Literal["capsules", "table", "checked"]


@dataclass(frozen=True)
class Consumer:
    name: str
    source: str  # in consumers/
    binding: Binding
    tools: tuple[str, ...]  # Cython versions, or language standards
    built: tuple[str, ...]  # releases of the package that it is compiled against, or versions of the official one
    scenarios: tuple[Scenario, ...]
    defines: tuple[str, ...] = ()
    official: int | None = None  # compiled against the official package of that CUDA major

    @property
    def module(self) -> str:
        return self.source.partition(".")[0]


_VERSION_12 = (
    contexts("cuCtxCreate_v2"),
    memory("cuCtxCreate_v2", "cuMemPrefetchAsync"),
    graphs(host_node=False),
    launch(),
)
_VERSION_13 = (
    contexts("cuCtxCreate_v4"),
    memory("cuCtxCreate_v4", "cuMemPrefetchAsync_v2"),
    graphs(host_node=True),
    launch(),
)
_PERMANENT = (contexts("cuCtxCreate_v2"), *_VERSION_13[1:])
_STANDARDS = ("c11", "c++17")
_OLDEST = "CUDA_DRIVER_STABLE_MINIMUM=12090"


def _target(major: int) -> str:
    return f"CUDA_DRIVER_STABLE_TARGET={major}"


CONSUMERS = (
    # Cython, permanent names
    Consumer("permanent", "permanent.pyx", "capsules", CYTHONS, RELEASES, _PERMANENT),
    Consumer("since_13_0", "since_13_0.pyx", "capsules", CYTHONS, RELEASES[1:], (since_13_0("cuInit"),)),
    # Cython, names of a CUDA major
    Consumer("view12", "view12.pyx", "table", CYTHONS, RELEASES, _VERSION_12),
    Consumer("view13", "view13.pyx", "table", CYTHONS, RELEASES[1:], (*_VERSION_13, since_13_0())),
    Consumer("since_13_5", "since_13_5.pyx", "table", CYTHONS, RELEASES[2:], (INITIALIZE, since_13_5())),
    # C, and the same compiled as C++
    Consumer("c12", "consumer.c", "checked", _STANDARDS, RELEASES, _VERSION_12, (_target(12),)),
    Consumer("c13", "consumer.c", "checked", _STANDARDS, RELEASES[1:], _VERSION_13, (_target(13),)),
    Consumer("c12_minimum", "consumer.c", "table", _STANDARDS, RELEASES, _VERSION_12, (_target(12), _OLDEST)),
    Consumer("c13_minimum", "consumer.c", "table", _STANDARDS, RELEASES[1:], _VERSION_13, (_target(13), _OLDEST)),
    # C++, permanent names
    Consumer("owner", "owner.cpp", "checked", ("c++17",), RELEASES, (*_VERSION_13, since_13_0())),
    Consumer("owner_minimum", "owner.cpp", "table", ("c++17",), RELEASES, (*_VERSION_13, since_13_0()), (_OLDEST,)),
    # Cython, compiled against the official package and never told of ours
    Consumer("official12", "view12.pyx", "capsules", CYTHONS, ("12.9.10",), _VERSION_12, official=12),
    Consumer("official13", "view13.pyx", "capsules", CYTHONS, ("13.5.0",), (*_VERSION_13, since_13_0()), official=13),
)


@dataclass(frozen=True)
class Binary:
    """A consumer, compiled."""

    consumer: Consumer
    tool: str
    built: str

    def __str__(self) -> str:
        return f"{self.consumer.name}-{self.tool}-built{self.built}"

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Those that the release it was built with has."""
        if self.consumer.official:
            return self.consumer.scenarios
        return tuple(s for s in self.consumer.scenarios if number(s.since) <= number(self.built))


@dataclass(frozen=True)
class Case:
    """A binary on a release of the package."""

    binary: Binary
    wheel: str
    driver: str = WHEELS[-1]  # the stub driver that it runs on

    def __str__(self) -> str:
        return f"{self.binary}-on{self.wheel}"

    @property
    def missing(self) -> tuple[Scenario, ...]:
        return tuple(s for s in self.binary.scenarios if number(s.since) > number(self.wheel))

    @property
    def refused(self) -> bool:
        """Whether it cannot even be imported, as the package is too old."""
        if self.binary.consumer.binding == "checked":
            return number(self.wheel) < number(self.binary.built)
        return self.binary.consumer.binding == "capsules" and bool(self.missing)


def number(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in release.split("."))


def binaries() -> Iterator[Binary]:
    for consumer in CONSUMERS:
        for built in consumer.built:
            for tool in consumer.tools:
                yield Binary(consumer, tool, built)


def cases() -> Iterator[Case]:
    for binary in binaries():
        for wheel in WHEELS:
            # A release that is older than a major has no capsules for it.
            if number(wheel)[0] >= (binary.consumer.official or 0):
                yield Case(binary, wheel)
