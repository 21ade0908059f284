# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is in a capsule: the spelling of a function's type, and its address."""

from __future__ import annotations

import ctypes
from typing import Any

_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def spelling(capsule: Any) -> str:
    return (_name(capsule) or b"").decode()


def address(capsule: Any) -> int:
    return int(_pointer(capsule, _name(capsule)))
