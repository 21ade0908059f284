# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The module that Cython modules cimport permanent names from: cynvml.pxd says what there is.

From Python there is nothing to call here. A function is looked for in the library on its first call.
"""

from ._core import capsules as _capsules

__pyx_capi__ = _capsules("", False)
