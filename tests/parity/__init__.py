# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Our views beside the official `cuda.bindings.driver`, name by name."""
