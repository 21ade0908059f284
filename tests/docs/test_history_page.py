# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The page that browses the symbol history, in a browser and from a folder: there is no server.

`nox -s docs` builds the site and says in DOCS_SITE where it is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from codegen.model.fold import fold

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

BASES = fold("driver").bases
SITE = os.environ.get("DOCS_SITE")
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if not SITE:
    pytest.skip("DOCS_SITE does not say where the site is", allow_module_level=True)
if not BROWSER:
    pytest.skip("there is no Chromium to look at the page with", allow_module_level=True)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


class Page:
    """The page, and what went wrong on it."""

    def __init__(self, browser: Any, fragment: str = "", **options: Any) -> None:
        self.page = browser.new_page(**options)
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(Path(str(SITE), "history.html").resolve().as_uri() + fragment)

    def names(self) -> list[str]:
        return list(self.page.locator("#history-browser li:not([hidden]) summary code").all_text_contents())

    def count(self) -> str:
        return str(self.page.text_content("#history-browser .count"))

    def choose(self, label: str, value: str) -> None:
        self.page.locator(f"#history-browser label:has-text('{label}') select").select_option(value)

    def search(self, text: str) -> None:
        self.page.fill("#history-browser input[type=search]", text)


@pytest.fixture
def page(browser: Any) -> Iterator[Page]:
    page = Page(browser, viewport={"width": 1200, "height": 800})
    yield page
    assert page.errors == []
    assert [url for url in page.asked if not url.startswith(("file:", "data:"))] == []
    page.page.close()


def test_has_every_function(page: Page) -> None:
    assert page.names() == sorted(BASES)
    assert page.count() == f"{len(BASES)} of {len(BASES)} functions"
    assert page.page.text_content("h1").startswith("Symbol history")


def test_search(page: Page) -> None:
    page.search("CTX create")
    assert page.names() == sorted(name for name in BASES if "ctx" in name.lower() and "create" in name.lower())
    page.search("no such name")
    assert page.names() == []
    assert page.page.is_visible("text=No name like that.")
    page.search("")
    assert len(page.names()) == len(BASES)


def test_filters(page: Page) -> None:
    page.page.check("#history-browser input[type=checkbox]")
    several = [base for base, functions in BASES.items() if sum(not f.stream for f in functions) > 1]
    assert page.names() == sorted(several)
    page.choose("Meaning", "13")
    view12, view13 = ({v.major: v for v in fold("driver").views}[major].functions for major in (12, 13))
    changed = [base for base in BASES if base in view12 and base in view13 and view12[base] != view13[base]]
    assert page.names() == sorted(changed)
    assert len(changed) == 15
    page.page.uncheck("#history-browser input[type=checkbox]")
    page.choose("Meaning", "")
    page.choose("Header", "cudaGL.h")
    assert page.names() == sorted(b for b in BASES if b.startswith(("cuGL", "cuGraphicsGL", "cuWGL")))
    page.choose("Header", "")
    page.choose("Driver", "470.256.02")
    assert "cuCtxCreate" in page.names()
    assert "cuGraphInstantiateWithFlags" not in page.names()


def test_timeline(page: Page) -> None:
    page.page.click("details#cuCtxCreate summary")
    rows = page.page.locator("details#cuCtxCreate tbody tr")
    assert [text.split()[0] for text in rows.locator("td:first-child").all_text_contents()] == [
        "cuCtxCreate_v1", "cuCtxCreate_v2", "cuCtxCreate_v3", "cuCtxCreate_v4"]  # fmt: skip
    assert rows.locator("td:nth-child(2)").all_text_contents() == ["2.0", "3.2", "11.4", "12.5"]
    assert rows.locator("td:nth-child(3)").all_text_contents() == ["–", "11, 12", "–", "13"]
    assert [row.locator("rect.meant").count() for row in rows.all()] == [0, 2, 0, 1]
    starts = [float(row.locator("rect.there").get_attribute("x").rstrip("%")) for row in rows.all()]
    assert starts == sorted(starts)
    assert starts[0] == 0
    page.page.click("details#cuCtxCreate summary")
    assert not rows.first.is_visible()


def test_link_to_one_name(browser: Any) -> None:
    page = Page(browser, "#cuGraphInstantiate")
    assert page.page.is_visible("details#cuGraphInstantiate table")
    assert page.page.is_visible("text=CUDA 12 means cuGraphInstantiateWithFlags by this name.")
    page.page.click("details#cuGraphInstantiate >> text=Signatures")
    assert page.page.url.endswith("_generated/reference/cuGraphInstantiate.html")
    assert page.page.text_content("h1").startswith("cuGraphInstantiate")
    assert page.errors == []
    page.page.close()


def test_is_quick(page: Page) -> None:
    """Milliseconds for a filter over all names, measured in the page."""
    spent = page.page.evaluate(
        """() => {
            const field = document.querySelector("#history-browser input[type=search]");
            const start = performance.now();
            for (const text of ["g", "gr", "gra", "grap", "graph", ""]) {
                field.value = text;
                field.dispatchEvent(new Event("input"));
                document.body.offsetHeight;
            }
            return (performance.now() - start) / 6;
        }"""
    )
    assert spent < 200


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 390, 1200])
def test_fits(browser: Any, scheme: str, width: int) -> None:
    """No page-wide scrolling, on a phone neither; text stands out from its ground."""
    page = Page(browser, "#cuStreamGetCaptureInfo", viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width
    contrast = page.page.evaluate(
        """() => {
            const light = (color) => {
                const [r, g, b] = color.match(/[\\d.]+/g).map(Number)
                    .map((v) => v / 255).map((v) => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
                return .2126 * r + .7152 * g + .0722 * b;
            };
            const text = light(getComputedStyle(document.querySelector("#history-browser .count")).color);
            const ground = light(getComputedStyle(document.body).backgroundColor);
            return (Math.max(text, ground) + .05) / (Math.min(text, ground) + .05);
        }"""
    )
    assert contrast >= 4.5
    assert page.errors == []
    page.page.close()
