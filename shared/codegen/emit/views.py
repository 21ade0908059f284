# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The modules of the views. What is in them comes from the core, so all of them say the same."""

from __future__ import annotations

from codegen.model.api import Release

from .ctext import python_banner

# In cu13/__init__.py and in cu13/per_thread.py alike, two dots are the module with the permanent names.
_BODY = """
from .._views import view as _view

__getattr__, __dir__ = _view(__name__)
"""


def module(release: Release) -> str:
    return python_banner(release) + _BODY
