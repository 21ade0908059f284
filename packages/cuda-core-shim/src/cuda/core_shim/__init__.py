# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Lets programs that ask for NVIDIA's `cuda.bindings`, `cuda.core` among them, run on the split wheels.

Importing this activates it: from then on `cuda.bindings` and what is in it come from `cuda.driver_stable`,
`cuda.runtime` and so on, where the official package is not installed. No file lies under `cuda/bindings`.
`python -m cuda.core_shim enable` does that whenever Python starts; `status` tells which wheel serves which module.
"""

# Where it is enabled, every start of Python pays for every line of this, so nothing is imported before it is asked for.
from ._finder import activate as activate
from ._finder import deactivate as deactivate

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from ._status import status as status
    from ._wheels import ShimError as ShimError

__all__ = ["ShimError", "activate", "deactivate", "status"]
__version__ = "13.5.0"

_OWN = {"ShimError": "_wheels", "status": "_status"}


def __getattr__(name: str) -> object:
    if name not in _OWN:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_OWN[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_OWN})


activate()
