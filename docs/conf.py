# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""How the documentation is built: `nox -s docs`. Nothing is fetched, neither here nor by a reader's browser."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "_ext"), str(HERE.parent / "shared")]

import reference_pages  # noqa: E402

import cuda.driver_stable as driver  # noqa: E402

project = "cuda-driver-stable"
author = "The cuda-driver-stable authors"
project_copyright = f"2026 {author}"
release = driver.__version__
language = "en"

extensions = ["myst_parser", "sphinx.ext.doctest"]
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3
exclude_patterns = ["_build", ".venv", "Thumbs.db"]
nitpicky = True
suppress_warnings: list[str] = []

html_theme = "furo"
html_title = "cuda-driver-stable"
html_static_path = ["_static", "_generated/static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False

doctest_global_setup = "import cuda.driver_stable as driver"
doctest_test_doctest_blocks = ""
# As Sphinx has it, but errors have to say what the page says.
doctest_default_flags = doctest.ELLIPSIS | doctest.DONT_ACCEPT_TRUE_FOR_1

# Before Sphinx looks for sources.
reference_pages.write(HERE / "_generated")


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", _history_page)


def _history_page(app: Sphinx, page: str, template: str, context: object, doctree: object) -> None:
    """Its data and its code are for that page alone."""
    if page == "history":
        app.add_css_file("history.css")
        app.add_js_file("history-data.js", loading_method="defer")
        app.add_js_file("history.js", loading_method="defer")
