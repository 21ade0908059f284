# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.driver_stable`: which driver is here, and what names stand for."""

from __future__ import annotations

import sys

from ._tools.cli import main

if __name__ == "__main__":
    sys.exit(main())
