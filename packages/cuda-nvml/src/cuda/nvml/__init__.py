# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
from . import _core as _core
from ._core import FunctionNotFoundError as FunctionNotFoundError
from ._core import LibraryNotFoundError as LibraryNotFoundError
from ._scope import scope as _scope

__getattr__, __dir__ = _scope(_core, __name__)
