# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Tests that the row's library is not for are not collected."""

from __future__ import annotations

from . import facts

collect_ignore: list[str] = []
if not facts.NAME:
    collect_ignore += ["test_promises.py", "test_real.py", "test_stub.py", "test_toolkits.py"]
else:
    collect_ignore += ["test_real.py"] if facts.KIND == "stub" else ["test_stub.py"]
    collect_ignore += [] if facts.toolkits() else ["test_toolkits.py"]
