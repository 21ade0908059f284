# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The classes of structs, each made when somebody asks for it."""

from __future__ import annotations

import re

from ._generated.tables import DTYPES, STRUCTS
from ._struct import Struct, field, numpy_dtype

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from typing import Any

_MODULE = __name__.rpartition(".")[0]


def __getattr__(name: str) -> object:
    value: object
    if name in STRUCTS:
        value = _made(name)
    elif name in DTYPES:
        try:
            value = numpy_dtype(kind(DTYPES[name]))
        except ModuleNotFoundError as error:
            raise AttributeError(f"{_MODULE}.{name} needs NumPy, and {error.name} is not installed") from None
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def kind(name: str) -> Any:
    """The class of that name."""
    return globals().get(name) or __getattr__(name)


def _made(name: str) -> type[Struct]:
    c_name, size, version, several, fields = STRUCTS[name]
    members = {attribute: field(name, attribute, offset, code) for attribute, offset, code in fields}
    family = re.sub(r"_v\d+$", "", name)
    own = {
        "__slots__": (),
        "__module__": _MODULE,
        "__doc__": f"{c_name}: {size} bytes.",
        "_c_name": c_name,
        "_family": family,
        "_several": several,
        "_size": size,
        "_version_number": version,
        "_version": version.to_bytes(4, "little") if version else b"",
    }
    return type(name, (Struct,), {**own, **members})
