# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a row of ci/matrix.toml runs in its own environment, on the wheels and the libraries that ci.compat gives it."""
