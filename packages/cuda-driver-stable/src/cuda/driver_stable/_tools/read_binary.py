# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Reads which functions a compiled Cython module takes from other modules, from the strings in it.

Cython writes down the module, the name and the C signature of every function that is cimported, each ended by a zero
byte; releases since 3.2 put them into one constant, which may be compressed. What is compiled with this package's C
header has the name of the capsule and that of every function it calls. What a module looks up itself, with dlsym
or cuGetProcAddress, is not seen.
"""

from __future__ import annotations

import bz2
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from .library import Library, Source, libraries, library_of, sources
from .uses import Doubt, Place, Seen, UnreadableError, Use

_MAGIC = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe")
_ZLIB = re.compile(rb"\x78[\x01\x5e\x9c\xda]")
_BZ2 = re.compile(rb"BZh[1-9]1AY&SY")
_LIMIT = 1 << 24  # of a constant; no module has strings of that size
_STRING = re.compile(rb"(?<![^\0])[A-Za-z_][A-Za-z0-9_.]*")


def read(path: Path) -> Seen:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from None
    if not data.startswith(_MAGIC):
        raise UnreadableError("not a compiled module: neither ELF, PE nor Mach-O")
    strings: dict[str, bool] = {}
    for part in (data, *_constants(data)):
        for text, exact in _strings(part):
            strings[text] = strings.get(text, False) or exact
    seen = Seen(str(path))
    # One module may call both ways. A function is then the same by each, so it need not be known which it was.
    found = [source for marker, source in _markers() if marker in strings]
    seen.uses = [
        Use(Place(str(path), 0, 0), source, name)
        for source in dict.fromkeys(found)
        for name in _functions(source, strings)
    ]
    for library in dict.fromkeys(map(library_of, found)):
        seen.doubts += [
            Doubt(Place(str(path), 0, 0), f"{name} reads as a function, and {library.module} has none of that name")
            for name in _unknown(library, strings)
        ]
    return seen


def _strings(data: bytes) -> Iterator[tuple[str, bool]]:
    """What begins after a zero byte, and whether one ends it.

    The last of a constant may run into what follows: so what it could be, too.
    """
    for match in _STRING.finditer(data):
        text = match[0].decode()
        exact = data[match.end() : match.end() + 1] in (b"\0", b"")
        yield text, exact
        if not exact:
            for library in libraries():
                known = [text[:size] for size in range(len(text), 1, -1) if text[:size] in library.names]
                yield from ((name, True) for name in known[:1])


def _markers() -> Iterator[tuple[str, Source]]:
    """What stands in a module that calls functions: the module with the capsules, or the capsule with the table."""
    yield from ((name, source) for name, source in sources().items() if source.cython)
    for library in libraries():
        yield f"{library.module}._core._C_API", library.sources[f"{library.module}.{library.cython}"]


def _unknown(library: Library, strings: Mapping[str, bool]) -> Iterator[str]:
    """What a module that is newer than this package, or mistaken, may ask for in vain."""
    known = frozenset[str]().union(*(each.names | each.bases for each in libraries()))
    for text, exact in sorted(strings.items()):
        if exact and text[0].islower() and text not in known and library.pattern.fullmatch(text):
            yield text


def _functions(source: Source, strings: Mapping[str, bool]) -> Iterator[str]:
    """Names that the module would have as functions, in one view or another."""
    library = library_of(source)
    scopes = [scope for scope in library.core.scopes() if source.scope in (None, scope)]
    for text in sorted(filter(library.pattern.fullmatch, strings)):
        meanings = (library.meaning(scope, text) for scope in scopes)
        if any(meaning and meaning.kind == "function" for meaning in meanings):
            yield text


def _constants(data: bytes) -> Iterator[bytes]:
    """What Cython compressed."""
    for match in _ZLIB.finditer(data):
        stream = zlib.decompressobj()
        try:
            text = stream.decompress(memoryview(data)[match.start() :], _LIMIT)
        except zlib.error:
            continue
        if stream.eof:
            yield text
    for match in _BZ2.finditer(data):
        try:
            yield bz2.BZ2Decompressor().decompress(data[match.start() :], _LIMIT)
        except (OSError, ValueError):
            continue
