# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is served where a wheel is absent: a module on which programs can be built, and in which every call fails.

The official package always has its modules, with or without the libraries, and `cuda.core` takes functions, exceptions
and enumerators of all of them when it is imported. So whatever is asked for is made up by the kind of its name.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any, NoReturn

from ._wheels import ShimError


class Absent:
    """The module-level `__getattr__` in place of a wheel's."""

    def __init__(self, module: str, wheel: str) -> None:
        self.module = module
        self.wheel = wheel

    def __call__(self, name: str) -> object:
        if name.startswith("_"):
            raise AttributeError(f"module {self.module!r} has no attribute {name!r}")
        value = self._made(name)
        setattr(sys.modules[self.module], name, value)  # an exception has to be the same one where it is caught
        return value

    def _made(self, name: str) -> object:
        if name.endswith("Error"):
            return type(name, (Exception,), {"__module__": self.module})
        if name[0].isupper():
            return _Enumeration(name, (), {"__module__": self.module})
        return self._function(name)

    def _function(self, name: str) -> Callable[..., NoReturn]:
        def function(*args: object, **kwargs: object) -> NoReturn:
            from cuda.pathfinder import DynamicLibNotFoundError

            raise DynamicLibNotFoundError(
                f"{self.module}.{name}() needs the wheel {self.wheel}, which is not installed: pip install {self.wheel}"
            )

        function.__name__ = function.__qualname__ = name
        return function


class _Enumeration(type):
    """Any enumerator, each another number; nothing gives these out, nor takes them."""

    _numbers = count(-1, -1)

    def __getattr__(cls, name: str) -> int:
        if name.startswith("_"):
            raise AttributeError(f"{cls.__name__} has no attribute {name!r}")
        value = next(cls._numbers)
        setattr(cls, name, value)
        return value


# What `cuda.core` takes from cynvvm, as the official package spells it: from 12.9 on the same in every release.
_CYNVVM = {
    "nvvmGetErrorString": "char const *(nvvmResult)",
    "nvvmLLVMVersion": "nvvmResult (char const *, int *)",
    "nvvmVersion": "nvvmResult (int *, int *)",
    "nvvmIRVersion": "nvvmResult (int *, int *, int *, int *)",
    "nvvmCreateProgram": "nvvmResult (nvvmProgram *)",
    "nvvmDestroyProgram": "nvvmResult (nvvmProgram *)",
    "nvvmAddModuleToProgram": "nvvmResult (nvvmProgram, char const *, size_t, char const *)",
    "nvvmLazyAddModuleToProgram": "nvvmResult (nvvmProgram, char const *, size_t, char const *)",
    "nvvmCompileProgram": "nvvmResult (nvvmProgram, int, char const **)",
    "nvvmVerifyProgram": "nvvmResult (nvvmProgram, int, char const **)",
    "nvvmGetCompiledResultSize": "nvvmResult (nvvmProgram, size_t *)",
    "nvvmGetCompiledResult": "nvvmResult (nvvmProgram, char *)",
    "nvvmGetProgramLogSize": "nvvmResult (nvvmProgram, size_t *)",
    "nvvmGetProgramLog": "nvvmResult (nvvmProgram, char *)",
}
_FAILED = 2  # NVVM_ERROR_PROGRAM_CREATION_FAILURE

_kept: list[object] = []  # what compiled modules hold addresses of


def capsules(module: str, wheel: str) -> Mapping[str, Any]:
    """Functions that fail, for the compiled modules that take some when they are imported."""
    if not module.endswith(".cynvvm"):
        raise ShimError(f"{module} needs the wheel {wheel}, which is not installed", name=module)
    import ctypes

    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    fails = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: _FAILED)
    text = ctypes.create_string_buffer(f"the wheel {wheel} is not installed".encode())
    says = ctypes.CFUNCTYPE(ctypes.c_void_p)(lambda: ctypes.addressof(text))
    _kept.extend((fails, says, text))
    found = {}
    for name, spelling in _CYNVVM.items():
        kept = ctypes.create_string_buffer(spelling.encode())
        _kept.append(kept)
        function = says if spelling.startswith("char") else fails
        found[name] = new(ctypes.cast(function, ctypes.c_void_p), ctypes.cast(kept, ctypes.c_char_p), None)
    return found
