# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from support.history import HistoryTests


class TestHistory(HistoryTests):
    name = "nvvm"
