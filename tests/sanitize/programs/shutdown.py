# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Ends while objects of every kind are alive, some in cycles, and a thread sits in the driver."""

from __future__ import annotations

import atexit
import copy
import ctypes
import sys
import threading
import time
from typing import Any

from cuda import driver_stable as cuda
from cuda.driver_stable import _core
from support.stub import Stub


class Late:
    """Uses the module when hardly anything of Python is left."""

    def __init__(self, *held: Any) -> None:
        self.held = held
        self.call = cuda.cuDriverGetVersion
        self.copy = copy.copy

    def __del__(self) -> None:
        assert self.call()[0] == 0
        for one in self.held:
            repr(one)
        self.copy(self.held[0])


def main() -> None:
    stub = Stub(sys.argv[1])
    everything = [_core.lookup(scope, name) for scope in _core.scopes() for name in _core.names(scope)]
    records = [cls() for cls in everything if isinstance(cls, type) and hasattr(cls, "__copy__")]
    attribute = cuda.CUlaunchAttribute(id=1)
    config = cuda.CUlaunchConfig(attrs=[attribute], numAttrs=1)
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
    callback = cuda.CUhostFn(function)
    cycle: list[Any] = [config, attribute, callback, everything, records]
    cycle.append(Late(config, attribute, callback, cycle))
    sys.modules["kept"] = cycle  # type: ignore[assignment]
    atexit.register(cuda.cuDriverGetVersion)
    stub.returns("cuStreamSynchronize")
    stub.sleeps("cuStreamSynchronize", 30)
    threading.Thread(target=lambda: cuda.cuStreamSynchronize(0), daemon=True).start()
    time.sleep(0.1)
    print(len(everything), "objects")


if __name__ == "__main__":
    main()
