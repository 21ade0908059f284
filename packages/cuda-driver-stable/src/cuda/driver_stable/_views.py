# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the view modules are made of: `cuda.driver_stable.cu12` holds the names of the core's scope `cu12`."""

from __future__ import annotations

import sys

from . import _core

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable

_PREFIX = __name__.removesuffix("_views")  # "cuda.driver_stable."


def view(module: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of the view module of that name."""
    scope = module.removeprefix(_PREFIX)
    twins = {"per_thread"} if f"{scope}.per_thread" in _core.scopes() else set()

    def __getattr__(name: str) -> object:  # noqa: N807  # it becomes the module's
        value: object
        if name == "__all__":
            value = sorted({*_core.names(scope), *twins})
        elif name in twins:
            from importlib import import_module

            value = import_module(f"{module}.{name}")
        elif name == "cuGetProcAddress" and scope.endswith(".per_thread"):
            from ._asking import asking

            value = asking(_core.lookup(scope, name), module)
        else:
            value = _core.lookup(scope, name)
        vars(sys.modules[module])[name] = value
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[module]), *_core.names(scope), *twins})

    return __getattr__, __dir__
