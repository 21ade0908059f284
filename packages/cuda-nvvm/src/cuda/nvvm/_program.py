# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""libNVVM as Python writes it: programs are ints, names and options are str, and what fails is an exception.

Each function calls the one of the library that its name comes from: `compile_program` calls nvvmCompileProgram.
"""

from __future__ import annotations

from _operator import index

from . import _core
from ._pythonic import StatusError, call, check_size, encoded, strings, text

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from typing_extensions import Buffer


class nvvmError(StatusError):  # noqa: N801 - it is what programs catch
    """A call of libNVVM failed. `status` is its result; what the compiler said is in the notes of the exception."""


nvvmError.__module__ = __name__.rpartition(".")[0]


def create_program() -> int:
    """Make a program without modules, and return its handle, which `destroy_program` has to end."""
    return int(_call("nvvmCreateProgram"))


def destroy_program(prog: int) -> None:
    """End a program and free what it holds."""
    _call("nvvmDestroyProgram", _core.lookup("", "nvvmProgram")(prog))


def add_module_to_program(prog: int, buffer: int | Buffer | None, size: int, name: str | bytes) -> None:
    """Add a module of `size` bytes, bitcode or text, under a name for messages. The library copies both."""
    _add("add_module_to_program", "nvvmAddModuleToProgram", prog, buffer, size, name)


def lazy_add_module_to_program(prog: int, buffer: int | Buffer | None, size: int, name: str | bytes) -> None:
    """Add a module of which only what others need is read: libdevice, for example. The library copies it."""
    _add("lazy_add_module_to_program", "nvvmLazyAddModuleToProgram", prog, buffer, size, name)


def compile_program(prog: int, num_options: int, options: int | Sequence[str | bytes | int]) -> None:
    """Link the modules of a program and compile them to PTX. Other threads run meanwhile.

    `options` is a sequence of str or bytes, or of addresses of C strings, or the address of an array of those.
    """
    _compiled("compile_program", "nvvmCompileProgram", prog, num_options, options)


def verify_program(prog: int, num_options: int, options: int | Sequence[str | bytes | int]) -> None:
    """Check the modules of a program as `compile_program` would. `options` are the same."""
    _compiled("verify_program", "nvvmVerifyProgram", prog, num_options, options)


def get_compiled_result_size(prog: int) -> int:
    """How many bytes `get_compiled_result` writes, the NUL at its end included."""
    return int(_call("nvvmGetCompiledResultSize", prog))


def get_compiled_result(prog: int, buffer: int | Buffer) -> None:
    """Write the PTX into a buffer."""
    _call("nvvmGetCompiledResult", prog, buffer)


def get_program_log_size(prog: int) -> int:
    """How many bytes `get_program_log` writes, the NUL at its end included: 1 where there is nothing to tell."""
    return int(_call("nvvmGetProgramLogSize", prog))


def get_program_log(prog: int, buffer: int | Buffer) -> None:
    """Write what the compiler or the verifier told into a buffer."""
    _call("nvvmGetProgramLog", prog, buffer)


def get_error_string(result: int) -> str:
    """The name of a result, as the library knows it."""
    said: bytes = _call("nvvmGetErrorString", index(result))
    return said.decode()


def version() -> tuple[int, int]:
    """Major and minor version of libNVVM, which is not that of CUDA: 2.0 in all of CUDA 12 and 13."""
    major, minor = _call("nvvmVersion")
    return major, minor


def ir_version() -> tuple[int, int, int, int]:
    """Major and minor version of the NVVM IR that the library reads, and of its debug metadata."""
    major, minor, debug_major, debug_minor = _call("nvvmIRVersion")
    return major, minor, debug_major, debug_minor


def llvm_version(arch: str | bytes) -> int:
    """The major version of LLVM whose IR is sure to be read for a target, such as "compute_100"."""
    return int(_call("nvvmLLVMVersion", encoded("llvm_version", "arch", arch)))


def _add(function: str, name: str, prog: int, buffer: int | Buffer | None, size: int, label: str | bytes) -> None:
    check_size(function, "buffer", buffer, size)
    _call(name, prog, buffer, size, encoded(function, "name", label))


def _compiled(function: str, name: str, prog: int, count: int, options: int | Sequence[str | bytes | int]) -> None:
    """A call whose failure is explained in the program's log."""
    given = strings(function, count, options)
    try:
        _call(name, prog, count, given)
    except nvvmError as error:
        if log := _log(prog):
            error.add_note(log)
        raise


def _log(prog: int) -> str:
    try:
        log = bytearray(get_program_log_size(prog))
        get_program_log(prog, log)
    except nvvmError:  # of a program that is none
        return ""
    said: str = text(log)
    return said


def _call(name: str, *arguments: object) -> Any:
    return call(nvvmError, name, *arguments)
