# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""CUDA headers in, a registry of facts, sources of the packages out."""
