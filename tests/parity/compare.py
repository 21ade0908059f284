# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Find the differences between the two sides."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from .official import is_nameless
from .shape import NUMBERS, Function, Side

NOTHING = "nothing"


@dataclass(frozen=True, order=True)
class Difference:
    """`subject` is "cuInit(1)" for an input, "cuInit -> 1" for an output, "CUuuid.bytes" for a field or enumerator."""

    subject: str
    official: str
    ours: str

    @property
    def is_field_type(self) -> bool:
        """Whether both sides have the field, of different types; enumerators differ by value."""
        return "." in self.subject and self.ours != NOTHING and not self.official.lstrip("-").isdigit()

    def __str__(self) -> str:
        return f"{self.subject}: official {self.official}, ours {self.ours}"


def differences(official: Side, ours: Side) -> Iterator[Difference]:
    """Everything the official wheel offers that the view does not, or offers otherwise."""
    yield from _functions(official, ours)
    yield from _enums(official, ours)
    yield from _records(official, ours)
    # A record of which the official wheel shows no field, CUipcMemHandle say, looks like a handle there.
    for name in sorted(official.other_types() - ours.other_types() - ours.records().keys()):
        if not is_nameless(name):
            yield Difference(name, "a type", NOTHING)
    constants = ours.constants()
    for name, value in official.constants().items():
        if constants.get(name) != value:
            yield Difference(name, str(value), str(constants.get(name, NOTHING)))


def _functions(official: Side, ours: Side) -> Iterator[Difference]:
    found = ours.functions()
    for name, theirs in official.functions().items():
        if name in found:
            yield from _signature(name, theirs, found[name], ours)
        else:
            yield Difference(name, "a function", NOTHING)


def _signature(name: str, theirs: Function, found: Function, ours: Side) -> Iterator[Difference]:
    for i in range(max(len(theirs.inputs), len(found.inputs))):
        here = f"{name}({i + 1})"
        a = theirs.inputs[i] if i < len(theirs.inputs) else None
        b = found.inputs[i] if i < len(found.inputs) else None
        if a is None or b is None:
            yield Difference(here, a.type if a else NOTHING, b.type if b else NOTHING)
            continue
        yield from _input_types(here, a.type, b.type, ours)
        if a.optional and not b.optional:
            yield Difference(here, "optional", "required")
        if _plain_name(a.name) != _plain_name(b.name):
            yield Difference(f"{here} by name", a.name, b.name)
    if theirs.outputs is None or found.outputs is None:
        return
    for i in range(max(len(theirs.outputs), len(found.outputs))):
        official_type = theirs.outputs[i] if i < len(theirs.outputs) else NOTHING
        our_type = found.outputs[i] if i < len(found.outputs) else NOTHING
        if not _fits_output(official_type, our_type, ours):
            yield Difference(f"{name} -> {i + 1}", official_type, our_type)


def _input_types(here: str, theirs: str, found: str, ours: Side) -> Iterator[Difference]:
    if not found:
        return
    if not _fits_input(theirs, found, ours):
        yield Difference(here, theirs, found)
        return
    either = theirs.split(" or ")
    for other in either if len(either) > 1 else ():
        if not _fits(other, found, ours) and not ours.accepts(found, other):
            yield Difference(here, other, found)


def _plain_name(name: str) -> str:
    """The official wheel renames what is taken in Python; keywords apart, ours are the header's names."""
    renamed = {"typename": "type", "length": "len", "input_": "input", "numbytes": "bytes", "pformat": "format"}
    return renamed.get(name, name)


def _fits_input(theirs: str, found: str, ours: Side) -> bool:
    """`any` of the official wheel is an untyped parameter: a handle, an address, a callback."""
    if theirs == "any":
        return found not in NUMBERS and not found.startswith("list[")
    return any(_fits(one, found, ours) for one in theirs.split(" or "))


def _fits_output(theirs: str, found: str, ours: Side) -> bool:
    if theirs in NUMBERS and found in NUMBERS:
        return True  # one type in Python
    return _fits(theirs, found, ours)


def _fits(theirs: str, found: str, ours: Side) -> bool:
    a, b = re.fullmatch(r"list\[(.+)\]", theirs), re.fullmatch(r"list\[(.+)\]", found)
    if a and b:
        if a[1] in NUMBERS and b[1] in NUMBERS:
            return True
        return _fits(a[1], b[1], ours)
    return theirs == found or ours.same(theirs) == found


def _enums(official: Side, ours: Side) -> Iterator[Difference]:
    found = ours.enums()
    for name, members in official.enums().items():
        if name not in found:
            yield Difference(name, "an enumeration", NOTHING)
            continue
        for member, value in members.items():
            if found[name].get(member) != value:
                yield Difference(f"{name}.{member}", str(value), str(found[name].get(member, NOTHING)))


def _records(official: Side, ours: Side) -> Iterator[Difference]:
    theirs, found = official.records(), ours.records()
    for name in theirs:
        if is_nameless(name):
            continue  # met where it is the type of a field
        if name in found:
            yield from _fields(ours.same(name), name, name, theirs, found, ours)
        else:
            yield Difference(name, "a record", NOTHING)


def _fields(
    path: str,
    their_name: str,
    our_name: str,
    theirs: Mapping[str, Mapping[str, str]],
    found: Mapping[str, Mapping[str, str]],
    ours: Side,
) -> Iterator[Difference]:
    for field, their_type in theirs[their_name].items():
        our_type = found[our_name].get(field)
        if our_type is None:
            yield Difference(f"{path}.{field}", their_type, NOTHING)
        elif is_nameless(their_type):
            if our_type not in found:
                yield Difference(f"{path}.{field}", "a record", our_type)
            else:
                yield from _fields(f"{path}.{field}", their_type, our_type, theirs, found, ours)
        elif their_type and our_type and not _fits_field(their_type, our_type, ours):
            yield Difference(f"{path}.{field}", their_type, our_type)


def _fits_field(theirs: str, found: str, ours: Side) -> bool:
    """The official docstrings name the element where a field points to an array, and call one byte `bytes`: the
    attribute is a number."""
    if found == "any":
        return theirs in ("any", "list[any]")
    if theirs == "bytes":
        return found in ("bytes", "unsigned char")
    if found.startswith("list[") and not theirs.startswith("list["):
        theirs = f"list[{theirs}]"
    return _fits_output(theirs, found, ours)
