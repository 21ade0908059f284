# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The package as a thing that is imported, and how it finds its library."""

from __future__ import annotations

from support.package import PackageTests


class TestPackage(PackageTests):
    name = "nvvm"
