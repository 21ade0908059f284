# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`_enums.py`: enums under the short names that a module written for Python gives them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen.model.api import Api, Enum

from .ctext import python_banner
from .libraries import Library
from .names import ordered


def modules(api: Api, library: Library) -> Mapping[str, str]:
    if not library.short_enums:
        return {}
    enums = {enum.name: enum for enum in api.enums}
    classes = [
        "".join(_class(name, enums[long], prefix, api, library)) for name, (long, prefix) in library.short_enums.items()
    ]
    head = f'{python_banner(api.release)}"""Enums of {library.title} under short names."""\n'
    return {"_enums.py": f"{head}\nfrom enum import IntEnum\n\n\n" + "\n\n".join(classes)}


def _class(name: str, enum: Enum, prefix: str, api: Api, library: Library) -> Iterator[str]:
    yield f"class {name}(IntEnum):\n"
    yield f'    """{enum.name} without {prefix} in front of each name."""\n\n'
    yield f'    __module__ = "{library.module}"\n\n'
    for enumerator in ordered(api, enum):
        yield f"    {enumerator.name.removeprefix(prefix)} = {enumerator.value}\n"
