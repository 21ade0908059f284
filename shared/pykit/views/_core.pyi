# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
# The core of a package is beside the modules in its wheel; here they are checked against what all cores have.

from pykit._core import address as address
from pykit._core import functions as functions
from pykit._core import library as library
from pykit._core import lookup as lookup
from pykit._core import names as names
from pykit._core import scopes as scopes
