# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The modules that are served: which names each takes from where.

A served module has no code. It takes a name from the first of its sources that has it when somebody asks for it, and
its C-level functions from a dict of capsules that the wheel makes.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import abc, import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from ._errors import raised, say_nothing_of_members
from ._finder import NAME
from ._wheels import SERVES, Environment, environment

PER_THREAD = "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM"


@dataclass(frozen=True)
class Served:
    """A module of `cuda.bindings`. In texts, `{major}` and `{per_thread}` stand for what is served."""

    wheel: str = ""  # the one that has it; "" for the shim itself
    sources: tuple[str, ...] = ()  # modules in the order in which a name is looked for; "module:name" gives that alone
    capsules: str = ""  # the module whose capi() makes what `__pyx_capi__` is
    errors: str = ""  # the enumeration of what its calls return
    pointers: tuple[str, ...] = ()  # what _pointers.pointers() takes, to tell addresses of functions
    members: tuple[str, ...] | None = None  # of a package: the modules in it that are imported when they are asked for


MODULES: Mapping[str, Served] = {
    "": Served(members=("_version", "_internal", "utils", "driver", "runtime", "nvrtc", "nvjitlink", "nvvm", "nvml")),
    "_version": Served(),
    "utils": Served(sources=(f"{__package__}._utils",), members=()),
    "driver": Served(
        "cuda-driver-stable",
        ("cuda.driver_stable.cu{major}{per_thread}", "cuda.driver_stable._core:sizeof"),
        errors="CUresult",
    ),
    "runtime": Served("cuda-runtime", ("cuda.runtime{per_thread}",), errors="cudaError_t"),
    "nvrtc": Served("cuda-nvrtc", ("cuda.nvrtc", "cuda.nvrtc._core:sizeof")),
    "nvjitlink": Served("cuda-nvjitlink", ("cuda.nvjitlink",)),
    "nvvm": Served("cuda-nvvm", ("cuda.nvvm",)),
    "nvml": Served("cuda-nvml", ("cuda.nvml",)),
    "cydriver": Served("cuda-driver-stable", capsules="cuda.driver_stable"),
    "cyruntime": Served("cuda-runtime", capsules="cuda.runtime"),
    "cynvrtc": Served("cuda-nvrtc", capsules="cuda.nvrtc"),
    "cynvjitlink": Served("cuda-nvjitlink", capsules="cuda.nvjitlink"),
    "cynvvm": Served("cuda-nvvm", capsules="cuda.nvvm"),
    "cynvml": Served("cuda-nvml", capsules="cuda.nvml"),
    "_internal": Served(members=()),
    "_internal.utils": Served(sources=(f"{__package__}._errors",)),
    "_internal._fast_enum": Served(sources=(f"{__package__}._fast_enum",)),
    "_internal.driver": Served(
        "cuda-driver-stable", pointers=("cuda.driver_stable", "cu{major}{per_thread}", "cu{major}")
    ),
    "_internal.nvrtc": Served("cuda-nvrtc", pointers=("cuda.nvrtc",)),
    "_internal.nvjitlink": Served("cuda-nvjitlink", pointers=("cuda.nvjitlink",)),
    "_internal.nvvm": Served("cuda-nvvm", pointers=("cuda.nvvm",)),
    "_internal.nvml": Served("cuda-nvml", pointers=("cuda.nvml",)),
}


def spec(name: str) -> ModuleSpec | None:
    """How to load a module of `cuda.bindings`; None of one that is not served."""
    served = MODULES.get(name[len(NAME) + 1 :])
    if served is None:
        return None
    _served_environment()
    return ModuleSpec(
        name, Loader(served), origin=served.wheel or "cuda-core-shim", is_package=served.members is not None
    )


class Loader(abc.Loader):
    def __init__(self, served: Served) -> None:
        self.served = served

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return None  # an ordinary one

    def exec_module(self, module: ModuleType) -> None:
        names = vars(module)
        served = self.served
        if served.wheel and served.wheel not in _served_environment().wheels:
            self._exec_absent(module)
            return
        if served.wheel:
            package = served.wheel.replace("-", ".", 1).replace("-", "_")
            raised(import_module(package))
        if served.capsules:
            names["__pyx_capi__"] = _capsules(served)
        if served.pointers:
            from ._errors import FunctionNotFoundError, NotSupportedError
            from ._pointers import pointers

            names.update(pointers(*map(_filled, served.pointers)))
            names.update(FunctionNotFoundError=FunctionNotFoundError, NotSupportedError=NotSupportedError)
        if module.__name__ in (NAME, f"{NAME}._version"):
            version = SERVES[_served_environment().major]
            names["__version__"] = version
            if module.__name__ != NAME:
                names["version"] = version
                names["version_tuple"] = names["__version_tuple__"] = tuple(map(int, version.split(".")))
        if served.sources or served.members:
            names["__getattr__"], names["__dir__"] = _lookup(module, served)
        if served.errors:
            say_nothing_of_members(getattr(module, served.errors))

    def _exec_absent(self, module: ModuleType) -> None:
        """Of a wheel that is not installed: what can be imported, and fails when it is called."""
        from . import _absent

        if self.served.capsules:
            vars(module)["__pyx_capi__"] = _absent.capsules(module.__name__, self.served.wheel)
        else:
            vars(module)["__getattr__"] = _absent.Absent(module.__name__, self.served.wheel)


def _lookup(module: ModuleType, served: Served) -> tuple[Any, Any]:
    """`__getattr__` and `__dir__` of a module."""
    sources = [_source(source) for source in served.sources]
    members = served.members or ()

    def offered() -> Iterator[str]:
        for source, only in sources:
            yield from (only,) if only else _public(source)
        yield from members

    def __getattr__(name: str) -> object:  # noqa: N807
        value: object
        if name == "__all__":
            value = sorted(set(offered()))
        elif name in members:
            return import_module(f"{module.__name__}.{name}")
        else:
            for source, only in sources:
                if (only == name or not only) and not name.startswith("__") and hasattr(source, name):
                    value = getattr(source, name)
                    break
            else:
                raise AttributeError(_missing(module, name, sources), name=name, obj=module)
        vars(module)[name] = value
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(module), *offered()})

    return __getattr__, __dir__


def _missing(module: ModuleType, name: str, sources: list[tuple[ModuleType, str]]) -> str:
    """What the source says of a name that it does not have: of a name with several meanings it says which."""
    said = ""
    if sources and not name.startswith("__"):
        try:
            getattr(sources[0][0], name)
        except AttributeError as error:
            said = f": {error}"
    return f"module {module.__name__!r} has no attribute {name!r}{said}"


def _source(source: str) -> tuple[ModuleType, str]:
    """A module, and the one name that is taken from it; "" for all."""
    name, _, only = _filled(source).partition(":")
    return import_module(name), only


def _public(source: ModuleType) -> list[str]:
    names = getattr(source, "__all__", None)
    if names is not None:
        return list(names)
    return [
        name
        for name, value in vars(source).items()
        if not name.startswith("_")
        and getattr(value, "__module__", None) in (source.__name__, f"{NAME}._internal.utils")
    ]


def _capsules(served: Served) -> dict[str, Any]:
    package = import_module(served.capsules)
    major, per_thread = _served_environment().major, is_per_thread()
    match served.wheel:
        case "cuda-driver-stable":
            capsules: dict[str, Any] = package.capi(major, per_thread=per_thread)
        case "cuda-runtime":
            capsules = package.capi(per_thread=per_thread)
        case _:
            capsules = package.capi()
    return capsules


def _filled(text: str) -> str:
    return text.format(major=_served_environment().major, per_thread=".per_thread" if is_per_thread() else "")


@cache
def is_per_thread() -> bool:
    """Whether default streams are each thread's own: asked once, as what is compiled can be bound to one kind only."""
    value = os.environ.get(PER_THREAD, "0")
    try:
        return bool(int(value))
    except ValueError:
        raise ValueError(f"the environment variable {PER_THREAD} has to be a number, 0 or 1, not {value!r}") from None


@cache
def _served_environment() -> Environment:
    """What is installed, as it was when the first module was served."""
    found = environment()
    found.major  # noqa: B018 - says why nothing can be served
    if found.warning:
        warnings.warn(found.warning, RuntimeWarning, stacklevel=2)
    return found
