# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The finder that offers `cuda.bindings` and its distribution record where nobody else does.

It stands before all others, so that nothing else answers once it has begun to; but it asks them first, and where one of
them has the official package it stays silent, unless it is forced to speak.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.machinery import ModuleSpec
    from importlib.metadata import Distribution, DistributionFinder
    from types import ModuleType

NAME = "cuda.bindings"


class Finder:
    """What is on sys.meta_path while the shim is active."""

    def __init__(self, force: bool) -> None:
        self.force = force

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != NAME and not name.startswith(f"{NAME}."):
            return None
        if name == NAME:
            if self.steps_back():
                return None
        elif not is_ours(sys.modules.get(NAME)):
            return None
        from ._facade import spec

        return spec(name)

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        """The record that `importlib.metadata` gives out for `cuda-bindings`."""
        from ._record import record

        return record(context, self)

    def steps_back(self) -> bool:
        return not self.force and official() is not None


def official() -> ModuleSpec | None:
    """What any other finder has for `cuda.bindings`; a mere folder, as an uninstalled package may leave, is nothing."""
    import cuda

    for finder in sys.meta_path:
        if not isinstance(finder, Finder):
            found = finder.find_spec(NAME, cuda.__path__)
            if found is not None and found.loader is not None and found.origin is not None:
                return found
    return None


def is_ours(module: ModuleType | None) -> bool:
    """Whether a module is the shim's."""
    spec = getattr(module, "__spec__", None)
    return spec is not None and type(spec.loader).__module__ == f"{__package__}._facade"


def active() -> Finder | None:
    return next((finder for finder in sys.meta_path if isinstance(finder, Finder)), None)


def activate(*, force: bool = False) -> None:
    """Serve `cuda.bindings` from the split wheels from now on, in this process.

    Where the official `cuda-bindings` is installed, nothing changes, and it stays what programs get; `force` takes ours
    nevertheless. That has to come before anything imports `cuda.bindings`: modules that hold functions of one cannot
    be given those of the other.
    """
    imported = sys.modules.get(NAME)
    if imported is not None and not is_ours(imported) and (force or official() is None):
        from ._wheels import ShimError

        where = getattr(imported, "__file__", None) or "a place it does not tell"
        raise ShimError(
            f"cuda.bindings is already imported, from {where}: import cuda.core_shim, and call activate(), before "
            "anything that imports cuda.bindings. Nothing was changed"
        )
    finder = active()
    if finder is None:
        sys.meta_path.insert(0, Finder(force))
    elif force and not finder.force:
        finder.force = True


def deactivate() -> None:
    """Serve nothing from now on. What has been imported stays: `cuda.core` holds addresses of our functions."""
    finder = active()
    if finder is not None:
        sys.meta_path.remove(finder)
