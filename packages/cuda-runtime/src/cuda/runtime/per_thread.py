# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The CUDA runtime as `CUDA_API_PER_THREAD_DEFAULT_STREAM` maps it: for default streams of each thread's own."""

from . import _OWN, _core
from ._scope import scope as _scope

__getattr__, __dir__ = _scope(_core, __name__, _OWN)
