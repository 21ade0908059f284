# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A ledger: what a release promised, one fact a line.

A line is `KIND WHERE NAME: VALUE` or `KIND NAME: VALUE`. What stands before the colon is the fact's key.
The first ledger of a wheel is whole; each later one begins with `continues: RELEASE` and has only what is new since.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

Facts = Mapping[str, str]

KINDS = {
    "c": "a name of the C header with the function table, by CUDA_DRIVER_STABLE_TARGET: the function it means",
    "callback": "the type of a function that the driver calls: result and parameters",
    "capsule": "a function for compiled modules, by the dict that holds it: how its type is spelled",
    "cython": "a name that a .pxd gives: the function or type it stands for, or type and value",
    "exception": "how Cython code finds out that a function raised an exception",
    "field": "a field of a record, as the C header has it: place, size and type",
    "file": "a file of the wheel that builds of other projects read",
    "inline": "a function of the C header with the function table: its position there",
    "module": "a module that can be imported",
    "python": "a name of a module, or an attribute of a class in it",
    "record": "a struct or union, as the C header has it",
    "table": "a position of the function table: the symbol of the driver that is there",
    "type": "a handle or a number with a name of its own",
}

NOT_COVERED = (
    "what a call does, and whether a capsule calls what its name says: tests/compat runs consumers",
    "whether a record that grew is the element of an array somewhere",
    "types that Python arguments and results have beyond their kind; texts: docstrings, reprs, error messages, stubs",
    "names of the C headers that are neither functions nor in a .pxd",
    "layouts on another platform than the one named above",
)

# A module for per-thread default streams differs from its twin in few names, so only those are written.
_TWIN_MARKS = (".per_thread", "_per_thread", ",per_thread")
_ALL = "*"
_CONTINUES = "continues"
_ABSENT = "(absent)"

# REUSE-IgnoreStart
_LICENCE = (
    "# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors",
    "# SPDX-License-Identifier: Apache-2.0",
)
# REUSE-IgnoreEnd


class LedgerError(Exception):
    """A file that is no ledger."""


def section(key: str) -> str:
    """`python cuda.driver_stable` of `python cuda.driver_stable cuInit`; `field` of `field CUuuid.bytes`."""
    words = key.split(" ")
    return " ".join(words[:2]) if len(words) > 2 else words[0]


def dump(facts: Facts, title: str, base: tuple[str, Facts] | None = None) -> str:
    """`base` is the release before, and its facts: then only what it does not say is written."""
    lines = [*_LICENCE, "#", f"# {title}", "#", "# KIND [WHERE] NAME: VALUE, where a kind is"]
    lines += [f"#   {kind:<11} {meaning}" for kind, meaning in KINDS.items()]
    lines += ["# Not in here:"]
    lines += [f"#   - {text}" for text in NOT_COVERED]
    if base:
        release, before = base
        lines += ["", f"{_CONTINUES}: {release}"]
        written = [(key, value) for key, value in facts.items() if before.get(key) != value]
        written += [(key, _ABSENT) for key in before.keys() - facts.keys()]
    else:
        written = list(_folded(facts))
    return "\n".join([*lines, "", *(f"{key}: {value}" for key, value in sorted(written)), ""])


def load(text: str, before: Callable[[str], Facts] | None = None) -> dict[str, str]:
    """`before` gives the facts of an earlier release, for a ledger that continues it."""
    lines: dict[str, str] = {}
    base: Facts | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        key, separator, value = line.partition(": ")
        if key == _CONTINUES and before:
            base = before(value)
        elif not separator or key.split(" ")[0] not in KINDS:
            raise LedgerError(f"line {number} is no fact: {line}")
        elif key in lines:
            raise LedgerError(f"line {number} says {key} a second time")
        else:
            lines[key] = value
    if base is None:
        return _unfolded(lines)
    return {key: value for key, value in {**base, **lines}.items() if value != _ABSENT}


def _twin(where: str) -> str | None:
    for mark in _TWIN_MARKS:
        if mark in where:
            return where.replace(mark, "")
    return None


def _by_section(facts: Facts) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for key, value in facts.items():
        where = section(key)
        found.setdefault(where, {})[key[len(where) + 1 :]] = value
    return found


def _folded(facts: Facts) -> Iterator[tuple[str, str]]:
    sections = _by_section(facts)
    for where, names in sections.items():
        twin = _twin(where)
        others = sections.get(twin, {}) if twin else {}
        if others:
            yield f"{where} {_ALL}", f"as in {twin}, but:"
        for name, value in names.items():
            if others.get(name) != value:
                yield f"{where} {name}", value
        for name in others.keys() - names.keys():
            yield f"{where} {name}", _ABSENT


def _unfolded(lines: Facts) -> dict[str, str]:
    sections = _by_section(lines)
    found: dict[str, str] = {}
    for where, names in sections.items():
        twin = _twin(where)
        whole = {**(sections[twin] if twin and _ALL in names else {}), **names}
        found.update((f"{where} {name}", value) for name, value in _present(whole))
    return found


def _present(names: Facts) -> Iterable[tuple[str, str]]:
    return ((name, value) for name, value in names.items() if name != _ALL and value != _ABSENT)
