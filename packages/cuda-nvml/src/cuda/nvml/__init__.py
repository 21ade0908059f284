# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""NVML: what nvidia-smi knows of the GPUs, their memory, clocks, temperatures, links and processes.

`init_v2`, `device_get_count_v2` and the rest take and return what Python has, and raise `NvmlError`: a subclass of it
for each status. The library's functions are here too under their permanent names, nvmlDeviceGetCount_v2 and so on, and
return their status; the views `cu11`, `cu12` and `cu13` have the names that nvml.h of that CUDA major gives them.

Importing loads no library. It is the driver's, and is found, and each function in it, on the first call.
"""

# Whoever imports this pays for every line of it, so what can wait is made and imported when it is asked for.
from . import _core as _core
from . import _errors as _errors  # what the core raises is to be caught from the start as what is raised here
from ._generated.names import CONSTANTS as _CONSTANTS
from ._generated.names import OWN as _OWN

__version__ = "13.5.0"


def __getattr__(name: str) -> object:
    value: object
    if name == "__all__":
        value = sorted({*_core.names(""), *_own_names(), *_CONSTANTS, *_view_names()})
    elif name in _OWN or name in _view_names():
        from importlib import import_module

        module = import_module(f"{__name__}.{_OWN.get(name, name)}")
        value = getattr(module, name) if name in _OWN else module
    elif name in _CONSTANTS:
        value = _CONSTANTS[name]
    else:
        value = _core.lookup("", name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})  # type: ignore[misc]


def _own_names() -> list[str]:
    """What can be had here: the dtypes of structs are NumPy's, which need not be installed."""
    from importlib.util import find_spec

    numpy = find_spec("numpy") is not None
    return [name for name in _OWN if numpy or not name.endswith("_dtype")]


def _view_names() -> list[str]:
    return [scope for scope in _core.scopes() if scope]
