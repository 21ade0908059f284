# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Two versions of a function or of a type beside each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from .library import Library


def parameters(library: Library, permanent: str) -> tuple[str, ...]:
    """Each parameter as C writes it."""
    return tuple(_joined(ctype, name) for name, ctype, *_ in library.rows[permanent]["parameters"])


def fields(signature: str) -> tuple[str, ...]:
    """Each field of a record, from the signature of its `Version`; the whole of it for what has no fields."""
    _, brace, inner = signature.partition("{ ")
    return tuple(f"{text};" for text in inner.removesuffix("; }").split("; ")) if brace else (signature,)


def same(library: Library, one: str, other: str) -> bool:
    """Whether two functions take the same types; the names of parameters come and go."""
    rows = library.rows
    return [p[1] for p in rows[one]["parameters"]] == [p[1] for p in rows[other]["parameters"]]


def compared(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """What only the old one has with a minus, what only the new one has with a plus."""
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for operation, i, j, k, m in matcher.get_opcodes():
        if operation == "equal":
            yield from (f"  {text}" for text in before[i:j])
        else:
            yield from (f"- {text}" for text in before[i:j])
            yield from (f"+ {text}" for text in after[k:m])


def _joined(ctype: str, name: str) -> str:
    return f"{ctype}{name}" if ctype.endswith("*") else f"{ctype} {name}"
