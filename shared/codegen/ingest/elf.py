# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The dynamic symbols that an ELF library offers, read without loading it."""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from pathlib import Path

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_DYNSYM = 11
_GLOBAL, _WEAK = 1, 2


class ElfError(Exception):
    """Not a 64-bit little-endian ELF file with dynamic symbols."""


def defined_symbols(path: Path) -> frozenset[str]:
    with path.open("rb") as file:
        try:
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise ElfError(f"{path} is empty") from None
        with content:
            try:
                return frozenset(_defined(content))
            except (struct.error, ElfError, IndexError, ValueError) as error:
                raise ElfError(f"{path}: {error}") from None


def _defined(content: mmap.mmap) -> Iterator[str]:
    identity, _, _, _, _, _, offset, _, _, _, _, size, count, _ = _HEADER.unpack_from(content, 0)
    if identity[:6] != b"\x7fELF\x02\x01":
        raise ElfError("not a 64-bit little-endian ELF file")
    sections = [_SECTION.unpack_from(content, offset + index * size) for index in range(count)]
    table = next((section for section in sections if section[1] == _DYNSYM), None)
    if table is None:
        raise ElfError("no dynamic symbols")
    start, length, link, entry = table[4], table[5], table[6], table[9]
    strings = sections[link][4]
    for at in range(start, start + length, entry):
        name, info, _, section, _, _ = _SYMBOL.unpack_from(content, at)
        if section and info >> 4 in (_GLOBAL, _WEAK):
            begin = strings + name
            yield content[begin : content.find(b"\0", begin)].decode("ascii")
