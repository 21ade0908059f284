# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Writes sources from a Binding: one module an output. Nothing here touches a file; `python -m codegen` does."""
