# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What libraries since CUDA 12.3 ask of an input before they read it.

Those of 12.0 to 12.2 believe the caller: given a file that is not there, or garbage for PTX, an object or a library,
they end the process (seen on 12.0.140, 12.1.105 and 12.2.140).
"""

from __future__ import annotations

from ._enums import InputType, Result
from ._linker import nvJitLinkError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from typing_extensions import Buffer

_HOLDS = {
    int(InputType.PTX): b".version",
    int(InputType.OBJECT): b".nv_fatbin",  # the section that has the device code
    int(InputType.LIBRARY): b"!<arch>\n",
}


def check_data(kind: int, data: int | Buffer | None, size: int) -> None:
    """What an address leads to is the caller's word."""
    if data is not None and not isinstance(data, int):
        _check(kind, bytes(memoryview(data).cast("B")[:size]))


def check_file(kind: int, path: bytes) -> None:
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - importing pathlib takes longer than reading the file
            held = file.read()
    except OSError as error:
        _refuse(str(error))
    _check(kind, held)


def _check(kind: int, held: bytes) -> None:
    if _HOLDS.get(kind, b"") not in held:
        _refuse(f"bad input: does not match type {InputType(kind).name}")


def _refuse(why: str) -> NoReturn:
    error = nvJitLinkError(Result.ERROR_INVALID_INPUT)
    error.add_note(why)
    raise error
