# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The same rows on a real driver, for a machine that has nothing but Python and the wheels: no NumPy, no matplotlib.

`python -m benchmarks.gpu` is `python -m benchmarks --gpu`; where matplotlib is missing there is no plot.
"""

from __future__ import annotations

import sys

from .__main__ import main

if __name__ == "__main__":
    sys.argv.insert(1, "--gpu")
    main()
