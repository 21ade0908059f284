# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Enums and constants of a library: names, values, and values that no header knows.

A package's tests say which library, and with which headers the compiler is asked, the newest first:

    class TestEnums(EnumTests):
        suite = EnumSuite("runtime13", cuda.runtime, [Release(13, 5), Release(13, 0)])
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest

from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Enum, Release
from codegen.model.fold import fold

from .headers import headers, names_of

UNKNOWN = 987_654


class EnumSuite:
    def __init__(self, library: str, module: Any, releases: Sequence[Release], defines: Sequence[str] = ()) -> None:
        facts = LIBRARIES[library]
        self.library = facts.name
        self.releases = releases
        self.defines = defines
        self.module = module
        self.api = fold(facts.name, major=facts.major or None)
        known = names_of(facts.name)
        self.enums = [enum for enum in self.api.enums if enum.header in known]

    def class_of(self, enum: Enum) -> Any:
        return getattr(self.module, enum.name)

    def numbers(self) -> Mapping[str, Release]:
        """Every name of the module that is a number, and since when: enumerators and integer constants."""
        (view,) = self.api.views
        since = {(enum.name, e.name): e.since for enum in self.api.enums for e in enum.enumerators}
        found = {name: since[view.types[enum], name] for name, (enum, _) in view.enumerators.items()}
        return found | {c.name: c.since for c in view.constants.values() if isinstance(c.value, int)}

    def compiled(self, release: Release) -> Mapping[str, int]:
        return headers(release, self.library).numbers(self.numbers(), self.defines)


class EnumTests:
    suite: ClassVar[EnumSuite]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "enum" in metafunc.fixturenames:
            metafunc.parametrize("enum", self.suite.enums, ids=lambda enum: enum.name)

    def test_members(self, enum: Enum) -> None:
        class_ = self.suite.class_of(enum)
        assert issubclass(class_, int)
        assert set(class_.__members__) == {e.name for e in enum.enumerators}
        for enumerator in enum.enumerators:
            member = getattr(class_, enumerator.name)
            assert member is class_[enumerator.name] is class_(enumerator.value)
            assert type(member) is class_
            assert member == enumerator.value == member.value == int(member)
            assert class_[member.name] is member
            assert enumerator.name in class_.__members__
            assert member in class_
        members = list(class_)
        assert len(members) == len(class_) == len({e.value for e in enum.enumerators})
        assert {int(member) for member in members} == {e.value for e in enum.enumerators}

    def test_enumerators_are_names_of_the_module_too(self, enum: Enum) -> None:
        """Where an enum went and another took its names, they are the newer one's."""
        for enumerator in enum.enumerators:
            owner = max(
                (e for e in self.suite.enums if any(m.name == enumerator.name for m in e.enumerators)),
                key=lambda e: e.since,
            )
            assert getattr(self.suite.module, enumerator.name) is getattr(self.suite.class_of(owner), enumerator.name)

    def test_pickle_copy_and_hash(self, enum: Enum) -> None:
        for member in self.suite.class_of(enum):
            assert pickle.loads(pickle.dumps(member)) is member
            assert copy.copy(member) is member
            assert copy.deepcopy(member) is member
            assert hash(member) == hash(int(member))
        assert pickle.loads(pickle.dumps(self.suite.class_of(enum))) is self.suite.class_of(enum)

    def test_text(self, enum: Enum) -> None:
        for member in self.suite.class_of(enum):
            assert repr(member) == f"<{enum.name}.{member.name}: {int(member)}>"
            assert member.name in str(member)

    def test_values_that_are_none(self, enum: Enum) -> None:
        class_ = self.suite.class_of(enum)
        with pytest.raises(ValueError, match=enum.name):
            class_(UNKNOWN)
        with pytest.raises(KeyError):
            class_["NO_SUCH_MEMBER"]
        with pytest.raises(AttributeError):
            getattr(class_, "NO_SUCH_MEMBER")  # noqa: B009 - a bare attribute says nothing to a reader
        assert UNKNOWN not in class_
        assert "x" not in class_
        with pytest.raises((TypeError, ValueError)):
            class_("x")


class NumberTests:
    """For a module that is of one major: each number is the compiler's, with its last header and with others."""

    suite: ClassVar[EnumSuite]

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        metafunc.parametrize("release", self.suite.releases, ids=str)

    def test_numbers(self, release: Release) -> None:
        newest = self.suite.compiled(self.suite.releases[0])
        found = self.suite.compiled(release)
        assert found
        ours = {name: int(getattr(self.suite.module, name)) % (1 << 64) for name in self.suite.numbers()}
        # Values that a later header of the major moves, as ends of enumerations are, are those of the last one.
        moved = {name: (ours[name], number) for name, number in found.items() if ours[name] != number}
        assert all(newest[name] == ours[name] for name in moved), moved
        if release == self.suite.releases[0]:
            assert not moved
        missing = self.suite.numbers().keys() - found.keys()
        assert {name for name in missing if self.suite.numbers()[name] <= release} == set()
