# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""nvJitLink as Python writes it: handles are ints, names are str, and what fails is an exception.

Each function calls the one of the library that its name comes from: `get_linked_cubin` calls nvJitLinkGetLinkedCubin.
"""

from __future__ import annotations

from _operator import index
from functools import partial

from . import _core
from ._pythonic import StatusError, call, check_size, encoded, strings, text

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import Buffer

# What `create` made. The library reads names of inputs until the end of the link, and these objects keep them.
_handles: dict[int, Any] = {}


class nvJitLinkError(StatusError):  # noqa: N801 - it is what programs catch
    """A call of nvJitLink failed. `status` is its result; what the linker said is in the notes of the exception."""


_call = partial(call, nvJitLinkError)
_before: bool | None = None  # whether the library is older than 12.3, once it is loaded
nvJitLinkError.__module__ = __name__.rpartition(".")[0]


def create(num_options: int, options: int | Sequence[str | bytes | int]) -> int:
    """Begin a link, and return its handle, which `destroy` has to end.

    `options` is a sequence of str or bytes, or of addresses of C strings, or the address of an array of those.
    """
    handle = _call("nvJitLinkCreate", num_options, strings("create", num_options, options))
    _handles[int(handle)] = handle
    return int(handle)


def destroy(handle: int) -> None:
    """End a link and free what it holds."""
    _call("nvJitLinkDestroy", _handles.get(handle) or _core.lookup("", "nvJitLinkHandle")(handle))
    _handles.pop(index(handle), None)


def add_data(handle: int, input_type: int, data: int | Buffer | None, size: int, name: str | bytes) -> None:
    """Add `size` bytes of code to the link, under a name for its messages. The library copies them."""
    check_size("add_data", "data", data, size)
    kind, own_name = index(input_type), encoded("add_data", "name", name)
    if _is_before_12_3():
        from ._before_12_3 import check_data

        check_data(kind, data, size)
    _linked(handle, "nvJitLinkAddData", kind, data, size, own_name)


def add_file(handle: int, input_type: int, file_name: str | bytes | os.PathLike[str]) -> None:
    """Add the code that a file holds to the link."""
    from os import fsencode

    kind, path = index(input_type), fsencode(file_name)
    if _is_before_12_3():
        from ._before_12_3 import check_file

        check_file(kind, path)
    _linked(handle, "nvJitLinkAddFile", kind, path)


def complete(handle: int) -> None:
    """Link what was added. Other threads run meanwhile."""
    _linked(handle, "nvJitLinkComplete")


def get_linked_cubin_size(handle: int) -> int:
    """How many bytes `get_linked_cubin` writes."""
    return int(_call("nvJitLinkGetLinkedCubinSize", handle))


def get_linked_cubin(handle: int, cubin: int | Buffer) -> None:
    """Write the linked cubin into a buffer."""
    _call("nvJitLinkGetLinkedCubin", handle, cubin)


def get_linked_ptx_size(handle: int) -> int:
    """How many bytes `get_linked_ptx` writes, the NUL at its end included."""
    return int(_call("nvJitLinkGetLinkedPtxSize", handle))


def get_linked_ptx(handle: int, ptx: int | Buffer) -> None:
    """Write the linked PTX into a buffer. There is one after a link with the options -lto and -ptx."""
    _call("nvJitLinkGetLinkedPtx", handle, ptx)


def get_linked_ltoir_size(handle: int) -> int:
    """How many bytes `get_linked_ltoir` writes."""
    return int(_call("nvJitLinkGetLinkedLTOIRSize", handle))


def get_linked_ltoir(handle: int, ltoir: int | Buffer) -> None:
    """Write the linked LTO-IR into a buffer. There is one after a link with the options -lto and -ltoir."""
    _call("nvJitLinkGetLinkedLTOIR", handle, ltoir)


def get_error_log_size(handle: int) -> int:
    """How many bytes `get_error_log` writes: 0 where nothing went wrong."""
    return int(_call("nvJitLinkGetErrorLogSize", handle))


def get_error_log(handle: int, log: int | Buffer) -> None:
    """Write what went wrong into a buffer."""
    _call("nvJitLinkGetErrorLog", handle, log)


def get_info_log_size(handle: int) -> int:
    """How many bytes `get_info_log` writes: 0 where there is nothing to tell."""
    return int(_call("nvJitLinkGetInfoLogSize", handle))


def get_info_log(handle: int, log: int | Buffer) -> None:
    """Write what else the linker told into a buffer."""
    _call("nvJitLinkGetInfoLog", handle, log)


def version() -> tuple[int, int]:
    """Major and minor version of the library."""
    major, minor = _call("nvJitLinkVersion")
    return major, minor


def _is_before_12_3() -> bool:
    global _before
    if _before is None:
        if not _core.library()["loaded"]:
            return False
        _before = not _core.address("nvJitLinkVersion")
    return _before


def _linked(handle: int, name: str, *arguments: object) -> None:
    """A call whose failure the linker explains in its log."""
    try:
        _call(name, _handles.get(handle, handle), *arguments)
    except nvJitLinkError as error:
        if log := _error_log(handle):
            error.add_note(log)
        raise


def _error_log(handle: int) -> str:
    try:
        log = bytearray(get_error_log_size(handle))
        get_error_log(handle, log)
    except nvJitLinkError:  # of a handle that is none
        return ""
    said: str = text(log)
    return said
