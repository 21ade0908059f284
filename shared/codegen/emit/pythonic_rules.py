# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Names of a library's functions, records and enums in Python, and what no rule tells: pythonic/<library>.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from codegen.model.api import Api

from .errors import EmitError

DIRECTORY = Path(__file__).resolve().parent.parent / "pythonic"


@dataclass(frozen=True)
class EnumRule:
    enum: str = ""  # the header's enum…
    constants: str = ""  # … or what the names of constants begin with
    strip: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    words: Mapping[str, str]
    names: Mapping[str, str]
    spelled: Mapping[str, str]
    renamed: frozenset[str]
    text: Mapping[str, int]  # symbol -> bytes
    made: frozenset[str]
    given: frozenset[str]
    structs: Mapping[str, str]
    fields: Mapping[str, Mapping[str, str]]
    returns: Mapping[str, str]
    lists: Mapping[str, str]
    by_hand: Mapping[str, str]
    counts: Mapping[str, Mapping[str, str]]
    errors: Mapping[str, str]
    constants: tuple[str, ...]
    enums: Mapping[str, EnumRule]

    @cached_property
    def _word(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self.words)))

    def function(self, symbol: str) -> str:
        """nvmlDeviceGetCount_v2 -> device_get_count_v2"""
        if symbol in self.names:
            return self.names[symbol]
        plain, version = re.fullmatch(r"nvml(.*?)(_v\d+)?", symbol).groups()  # type: ignore[union-attr]
        return snake(self._word.sub(lambda match: self.words[match[0]], plain)) + (version or "")

    def field(self, name: str) -> str:
        """pciDeviceId -> pci_device_id"""
        found = self.spelled.get(name) or snake(name)
        return f"{found}_" if found in self.renamed else found

    def dtype(self, name: str) -> str:
        """Memory_v2 -> memory_v2_dtype"""
        return f"{self.spelled.get(name) or snake(name)}_dtype"


def snake(name: str) -> str:
    """GetClkMonStatus -> get_clk_mon_status"""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def record_name(name: str) -> str:
    """nvmlMemory_v2_t -> Memory_v2; a struct inside another is called after both."""
    outer, _, inner = name.partition(".")
    found = outer.removeprefix("nvml").removesuffix("_t")
    return found + inner[:1].upper() + inner[1:]


def load(library: str) -> Rules:
    path = DIRECTORY / f"{library}.toml"
    data = tomllib.loads(path.read_text("utf-8"))
    return Rules(
        words=data["words"],
        names=data["names"],
        spelled=data["spelled"],
        renamed=frozenset(data["renamed"]["fields"]),
        text={symbol: int(size) for size, symbols in data["text"].items() for symbol in symbols},
        made=frozenset(data["made"]["functions"]),
        given=frozenset(data["given"]["functions"]),
        structs=data["structs"],
        fields=data["fields"],
        returns=data["returns"],
        lists=data["lists"],
        by_hand=data["by_hand"],
        counts=data["counts"],
        errors=data["errors"],
        constants=tuple(data["constants"]["names"]),
        enums={name: EnumRule(**_tuples(row)) for name, row in data["enums"].items()},
    )


def _tuples(row: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}


def check(rules: Rules, api: Api) -> None:
    """Rules that speak of what there is not: a name that is misspelled would go unnoticed."""
    symbols = {function.symbol for function in api.functions}
    fields = {record.name: {f.name for f in record.fields} for record in api.records}
    named = (rules.names, rules.text, rules.made, rules.given, rules.structs, rules.fields, rules.returns)
    unknown = {name for group in (*named, rules.lists, rules.by_hand) for name in group} - symbols
    wrong = [f"there is no {symbol}" for symbol in unknown]
    for record, pairs in rules.counts.items():
        lacking = {*pairs, *pairs.values()} - fields.get(record, set())
        wrong += [f"{record} has no field {name}" for name in lacking]
    if wrong:
        raise EmitError(f"pythonic/{api.library}.toml: {'; '.join(sorted(wrong))}")
