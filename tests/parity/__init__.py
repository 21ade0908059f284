# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Our views and modules beside the official `cuda.bindings`, name by name."""
