# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a call costs: ours, the official cuda-bindings, ctypes, C written by hand, and the driver itself, in one run.

`python -m benchmarks` measures and writes docs/benchmarks.md; rows/*.toml says what is measured.
"""
