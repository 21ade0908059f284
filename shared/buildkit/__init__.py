# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How the binding wheels of this repository are built; every sdist carries a copy."""
