# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every function the CUDA driver ever exported, under names that are given once and never change or go away.

`cuCtxCreate_v2` here is the symbol `cuCtxCreate_v2` of the driver, today and after every upgrade. A name that had
several meanings is not here without its suffix, but in the views `cu11`, `cu12` and `cu13`: as `cuda.h` of that major
maps it, and in `cu13.per_thread` as it maps it for per-thread default streams.

Importing loads no driver, and asks for none. The driver library is found, and each function in it, on the first call.
"""

# Whoever imports this pays for every line of it, so nothing is made or imported before it is asked for.
from . import _core
from ._core import DriverNotFoundError as DriverNotFoundError
from ._core import FunctionNotFoundError as FunctionNotFoundError

__version__ = "13.5.0"

# What is not CUDA's but the package's own, and the module that has it.
_OWN = {
    "CudaVersion": "_api",
    "Version": "_api",
    "capi": "_capi",
    "get_include": "_capi",
    "is_available": "_api",
    "required_cuda": "_api",
    "resolve": "_api",
    "versions": "_api",
}


def __getattr__(name: str) -> object:
    value: object
    if name == "__all__":
        value = sorted({*_core.names(""), *_OWN, *_view_names(), "DriverNotFoundError", "FunctionNotFoundError"})
    elif name in _OWN:
        from importlib import import_module

        value = getattr(import_module(f"{__name__}.{_OWN[name]}"), name)
    elif name in _view_names():
        from importlib import import_module

        value = import_module(f"{__name__}.{name}")
    else:
        value = _core.lookup("", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})  # type: ignore[misc]


def _view_names() -> list[str]:
    return [scope for scope in _core.scopes() if scope and "." not in scope]
