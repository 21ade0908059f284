# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Whether what one ledger promised is kept by another: what is there stays as it was, and new things may come.

A record may grow at its end or into bytes that were reserved, since whoever was compiled before fills and reads what it
knew. A Python function may get more parameters that can be left out. A view of a finished CUDA major gets nothing new.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .facts import Facts

EXCEPTIONS = Path(__file__).with_name("exceptions.toml")

_RECORD = re.compile(r"(?P<kind>struct|union), (?P<size>\d+) bytes, aligned to (?P<align>\d+)")
_PYTHON_RECORD = re.compile(r"record, (?P<size>\d+) bytes")
_FIELD = re.compile(r"at (?P<at>\d+), (?P<size>\d+) bytes(?:, (?P<type>.*))?")
_SIGNATURE = re.compile(r"\((?P<inputs>.*?)\)(?P<result> -> .*)?")
_RESERVED = re.compile(r"_*(?:cu_?)?(?:reserved|pad|padding|oversize)\d*_?", re.IGNORECASE)
_VIEW = re.compile(r"(?:python \S+\.cu|capsule capi\(|cython cycu|c cuda)(?P<major>\d+)")


@dataclass(frozen=True)
class Excuse:
    """What may change, and why."""

    names: tuple[str, ...]  # last parts of keys
    facts: tuple[str, ...]  # whole keys
    reason: str
    until: tuple[int, ...] | None = None  # only against ledgers before that release
    removed: bool = False  # and not only changed
    wheel: str = ""  # of a toolkit, that it is about

    def covers(self, key: str, new: str | None, release: str) -> bool:
        if new is None and not self.removed:
            return False
        if self.until is not None and release_number(release) >= self.until:
            return False
        return key in self.facts or re.split(r"[ .]", key)[-1] in self.names


@dataclass(frozen=True)
class Finding:
    key: str
    old: str | None
    new: str | None
    why: str = ""


@dataclass(frozen=True)
class Comparison:
    broken: tuple[Finding, ...]
    excused: tuple[Finding, ...]
    grown: tuple[Finding, ...]
    added: tuple[str, ...]
    used: frozenset[Excuse]


def release_number(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def excuses(path: Path = EXCEPTIONS) -> tuple[Excuse, ...]:
    def one(
        *,
        reason: str,
        names: Sequence[str] = (),
        facts: Sequence[str] = (),
        until: str | None = None,
        removed: bool = False,
        wheel: str = "",
    ) -> Excuse:
        return Excuse(tuple(names), tuple(facts), reason, release_number(until) if until else None, removed, wheel)

    return tuple(one(**row) for row in tomllib.loads(path.read_text(encoding="utf-8"))["change"])


def compare(old: Facts, new: Facts, release: str, allowed: Sequence[Excuse] = ()) -> Comparison:
    """`release` is that of `old`."""
    judge = _Judge(old, new)
    broken, excused, grown, used = [], [], [], set()
    for finding in judge.findings():
        excuse = next(
            (one for one in allowed if judge.may_move(finding.key) and one.covers(finding.key, finding.new, release)),
            None,
        )
        if not finding.why:
            grown.append(finding)
        elif excuse:
            excused.append(Finding(finding.key, finding.old, finding.new, excuse.reason))
            used.add(excuse)
        else:
            broken.append(finding)
    added = sorted(new.keys() - old.keys())
    return Comparison(tuple(broken), tuple(excused), tuple(grown), tuple(added), frozenset(used))


class _Judge:
    def __init__(self, old: Facts, new: Facts) -> None:
        self._old = old
        self._new = new
        majors = [int(match["major"]) for key in old if (match := _VIEW.match(key))]
        self._current = max(majors, default=0)

    def findings(self) -> Iterator[Finding]:
        """What is not as it was; `why` is empty where that is growth."""
        for key, value in sorted(self._old.items()):
            now = self._new.get(key)
            if now != value:
                yield Finding(key, value, now, self._verdict(key, value, now))
        for key in sorted(self._new.keys() - self._old.keys()):
            if not self.may_move(key):
                yield Finding(key, None, self._new[key], "the view of a finished CUDA major got a new name")

    def may_move(self, key: str) -> bool:
        """Whether it is no name of a finished major's view."""
        match = _VIEW.match(key)
        return match is None or int(match["major"]) >= self._current

    def _verdict(self, key: str, old: str, new: str | None) -> str:
        kind = key.split(" ")[0]
        if self._is_reserved(key):
            return self._reserved(old, new) if kind == "field" else ""
        if new is None:
            return "removed"
        if kind == "record":
            return self._record(key, old, new)
        if kind == "field":
            return self._field(old, new)
        if kind == "python":
            return _python(old, new)
        return "changed"

    @staticmethod
    def _is_reserved(key: str) -> bool:
        """A field of C, or the attribute of a Python record."""
        kind, _, name = key.partition(" ")
        return kind in ("field", "python") and _RESERVED.fullmatch(name.rpartition(".")[2]) is not None

    @staticmethod
    def _reserved(old: str, new: str | None) -> str:
        """Reserved bytes may be used up from their start; if what follows them moved, it is found by itself."""
        if new is None:
            return ""
        before, after = _matched(_FIELD, old, new)
        return "" if int(after["at"]) >= int(before["at"]) else "reserved bytes reach into what was in use"

    def _record(self, key: str, old: str, new: str) -> str:
        before, after = _matched(_RECORD, old, new)
        if before["kind"] != after["kind"] or before["align"] != after["align"]:
            return "changed"
        if int(after["size"]) < int(before["size"]):
            return "got smaller"
        name = key.split(" ")[1]
        users = [user for user, value in self._old.items() if user.startswith("capsule ") and _by_value(name, value)]
        return f"grew, but {users[0].split(' ')[-1]} takes it by value" if users else ""

    def _field(self, old: str, new: str) -> str:
        before, after = _matched(_FIELD, old, new)
        if before["at"] != after["at"] or before["type"] != after["type"]:
            return "changed"
        grew = int(after["size"]) > int(before["size"]) and f"record {after['type']}" in self._new
        return "" if grew else "changed"


def _by_value(record: str, signature: str) -> bool:
    return re.search(rf"\b{re.escape(record)}\b(?! const)(?! ?\*)", signature) is not None


def _python(old: str, new: str) -> str:
    if (before := _PYTHON_RECORD.fullmatch(old)) and (after := _PYTHON_RECORD.fullmatch(new)):
        return "" if int(after["size"]) > int(before["size"]) else "got smaller"
    was, now = _SIGNATURE.fullmatch(old), _SIGNATURE.fullmatch(new)
    if not was or not now or was["result"] != now["result"]:
        return "changed"
    first, second = _split(was["inputs"]), _split(now["inputs"])
    kept = second[: len(first)] == first
    optional = all("=" in text or text == "*" for text in second[len(first) :])
    return "" if kept and optional else "changed"


def _split(parameters: str) -> list[str]:
    """At the commas that are not inside brackets."""
    return [text.strip() for text in re.split(r",(?![^\[(]*[\])])", parameters) if text.strip()]


def _matched(pattern: re.Pattern[str], *texts: str) -> Sequence[Mapping[str, str]]:
    found = [pattern.fullmatch(text) for text in texts]
    for text, match in zip(texts, found, strict=True):
        if match is None:
            raise ValueError(f"a ledger cannot say {text!r} here")
    return [match.groupdict() for match in found if match]
