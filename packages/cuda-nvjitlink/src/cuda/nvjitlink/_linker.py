# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""nvJitLink as Python writes it: handles are ints, names are str, and what fails is an exception.

Each function calls the one of the library that its name comes from: `get_linked_cubin` calls nvJitLinkGetLinkedCubin.
"""

from __future__ import annotations

from _operator import index

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import Buffer

# What `create` made. The library reads names of inputs until the end of the link, and these objects keep them.
_handles: dict[int, Any] = {}

_UNKNOWN = "unknown status"  # of a library that is newer than this package


class nvJitLinkError(Exception):  # noqa: N801 - it is what programs catch
    """A call of nvJitLink failed. `status` is its result; what the linker said is in the notes of the exception."""

    def __init__(self, status: int) -> None:
        from ._enums import Result

        known = Result.__members__.values()
        name = Result(status).name if status in known else _UNKNOWN
        super().__init__(f"{name} ({int(status)})")
        self.status = Result(status) if status in known else status

    def __reduce__(self) -> tuple[type[nvJitLinkError], tuple[int]]:
        return type(self), (self.status,)


nvJitLinkError.__module__ = __name__.rpartition(".")[0]


def create(num_options: int, options: int | Sequence[str | bytes | int]) -> int:
    """Begin a link, and return its handle, which `destroy` has to end.

    `options` is a sequence of str or bytes, or of addresses of C strings, or the address of an array of those.
    """
    handle = _call("nvJitLinkCreate", num_options, _strings(num_options, options))
    _handles[int(handle)] = handle
    return int(handle)


def destroy(handle: int) -> None:
    """End a link and free what it holds."""
    _call("nvJitLinkDestroy", _core.lookup("", "nvJitLinkHandle")(handle))
    _handles.pop(index(handle), None)


def add_data(handle: int, input_type: int, data: int | Buffer | None, size: int, name: str | bytes) -> None:
    """Add `size` bytes of code to the link, under a name for its messages. The library copies them."""
    if data is not None and not isinstance(data, int) and (has := memoryview(data).nbytes) < size:
        raise ValueError(f"add_data() argument 'data' has {has} bytes, and 'size' says {size}")
    kind, encoded = index(input_type), _encoded("add_data", "name", name)
    if _is_before_12_3():
        from ._before_12_3 import check_data

        check_data(kind, data, size)
    _linked(handle, "nvJitLinkAddData", kind, data, size, encoded)


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


def _call(name: str, *arguments: object) -> Any:
    """The outputs of a call: None, one, or a tuple of several."""
    status, *outputs = _core.lookup("", name)(*arguments)
    if status:
        raise nvJitLinkError(status)
    return outputs[0] if len(outputs) == 1 else tuple(outputs) or None


def _is_before_12_3() -> bool:
    return not _core.address("nvJitLinkVersion") and bool(_core.library()["loaded"])


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
    return log.rstrip(b"\0").decode(errors="replace").strip()


def _strings(count: int, options: int | Sequence[str | bytes | int]) -> list[bytes]:
    if isinstance(options, int):
        from ctypes import POINTER, c_char_p, cast

        return cast(options, POINTER(c_char_p))[:count] if count else []
    if isinstance(options, (str, bytes)):
        raise TypeError("create() argument 'options' must be a sequence of str or bytes, not one of them")
    return [_string(option) for option in options]


def _string(option: str | bytes | int) -> bytes:
    if isinstance(option, int):
        from ctypes import string_at

        return string_at(option)
    return _encoded("create", "options", option)


def _encoded(function: str, argument: str, value: str | bytes) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError(f"{function}() argument '{argument}' must be str or bytes, not {type(value).__name__}")
