# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every field of every record with hostile values: what is refused changes nothing, what is kept can be shown."""

from __future__ import annotations

import contextlib
import copy
import random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from fuzz.conftest import EXAMPLES, watch
from fuzz.hostile import ALLOWED, Boom, Scene, _fields, anything
from support.counts import counts
from support.subject import FACTS, RECORDS

FIELDS = [(record, name) for record in RECORDS for name in _fields(record)]


def contents(record: Any) -> bytes:
    return bytes(memoryview(record).cast("B"))


def attempt(cls: type, name: str, rng: random.Random) -> None:
    record = cls()
    scene = Scene(rng, [record])
    for _ in range(rng.choice((1, 1, 3))):
        value = anything(rng, scene)
        before = contents(record)
        try:
            setattr(record, name, value)
        except (*ALLOWED, Boom):
            # An object that acts may have set fields itself.
            assert scene.acted or contents(record) == before, f"{cls.__name__}.{name} was changed and refused"
    use(record, scene)
    try:
        made = cls(**{name: anything(rng, scene)})
    except (*ALLOWED, Boom):
        return
    use(made, scene)


def use(record: Any, scene: Scene) -> None:
    """Texts and copies never follow a pointer that is not ours."""
    scene.arguments = []
    try:
        str(record)
        repr(record)
    except (*ALLOWED, Boom):
        assert scene.acted
    again = copy.copy(record)
    assert contents(again) == contents(record)
    assert again == record
    del record
    copy.deepcopy(again)
    repr(again)


@given(st.sampled_from(FIELDS), st.randoms(use_true_random=False))
def test_hostile_values(field: tuple[type, str], rng: random.Random) -> None:
    watch()
    counts["examples of Hypothesis"] += 1
    attempt(*field, rng)


def test_every_field_with_every_seed() -> None:
    for seed in range(max(1, EXAMPLES // 250)):
        for number, field in enumerate(FIELDS):
            watch()
            counts["fields with values of a seed"] += 1
            try:
                attempt(*field, random.Random(seed * 10_000 + number))
            except AssertionError as error:
                raise AssertionError(f"{field} with seed {seed * 10_000 + number}: {error}") from error


@given(st.randoms(use_true_random=False))
def test_records_in_each_other(rng: random.Random) -> None:
    """Records by value, by reference and in lists, set into each other and into themselves, in any order."""
    watch()
    counts["examples of Hypothesis"] += 1
    records = [cls() for cls in rng.sample(RECORDS, min(4, len(RECORDS)))]
    records += [type(records[0])()]
    for _ in range(20):
        record = rng.choice(records)
        name = rng.choice(_fields(type(record)))
        try:
            inner = getattr(record, name)
        except ValueError:
            continue
        if type(inner).__module__ == FACTS.module and hasattr(inner, "__copy__"):
            records.append(inner)
        elif isinstance(inner, list) and inner:
            records += [one for one in inner if hasattr(one, "__copy__")]
        value = rng.choice(
            (inner, *records, [rng.choice(records) for _ in range(rng.randrange(3))], None, bytearray(4))
        )
        with contextlib.suppress(*ALLOWED):
            setattr(record, name, value)
        if rng.random() < 0.2:
            records.remove(rng.choice(records))
        if not records:
            return
    for record in records:
        repr(record)
        copy.copy(record)
