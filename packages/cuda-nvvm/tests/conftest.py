# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Loads the stub of the newest library of the installed wheel's major, before anything asks for a library."""

from __future__ import annotations

from support.loaded import stub_of

stub = stub_of("nvvm")
