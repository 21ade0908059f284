# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Programs of others, unmodified, on the split wheels: with the shim they do what they do on the official packages."""
