# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the modules of a toolkit package are made of: names that the compiled core makes when somebody asks for them."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

# What every package has beside the library's names, and the module of the package that has it.
COMMON = {
    **dict.fromkeys(("CudaVersion", "Version", "is_available", "required_cuda", "resolve", "versions"), "_api"),
    **dict.fromkeys(("capi", "get_include"), "_capi"),
}


def scope(
    core: ModuleType, module: str, own: Mapping[str, str] = {}
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a module that holds the names of a scope of `core`.

    The scope of `cuda.runtime` is "", that of `cuda.runtime.per_thread` "per_thread". `own` gives names that are not
    the library's but the package's, and the module of the package that has each; a name that is a module has itself.
    """
    package = core.__name__.rpartition(".")[0]
    name_of_scope = module.removeprefix(package).removeprefix(".")

    def __getattr__(name: str) -> object:  # noqa: N807  # it becomes the module's
        value: object
        if name == "__all__":
            errors = () if name_of_scope else ("FunctionNotFoundError", "LibraryNotFoundError")
            value = sorted({*core.names(name_of_scope), *own, *errors})
        elif name == "__version__":
            from importlib.metadata import version

            value = version(package.replace(".", "-"))
        elif name in own:
            from importlib import import_module

            found = import_module(f"{package}.{own[name]}")
            value = found if own[name] == name else getattr(found, name)
        else:
            value = core.lookup(name_of_scope, name)
        vars(sys.modules[module])[name] = value
        return value

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[module]), *core.names(name_of_scope), *own, "__version__"})

    return __getattr__, __dir__
