# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Checks a built site: every link inside of it leads somewhere, and nothing is fetched from elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser loads by itself, where it stands. Links that a reader follows may lead anywhere.
LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
NOT_LOADED = {"canonical", "next", "prev", "index", "search", "author", "copyright", "license"}


@dataclass
class Page(HTMLParser):
    path: Path
    anchors: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.path.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors.update(found[name] for name in ("id", "name") if found.get(name))
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag in LOADED and LOADED[tag] in found and not NOT_LOADED & set(found.get("rel", "").split()):
            self.loaded.append(found[LOADED[tag]])


def problems(folder: Path) -> Iterator[str]:
    pages = {path.resolve(): Page(path) for path in sorted(folder.rglob("*.html"))}
    if not pages:
        yield f"{folder}: there is no page"
    for page in pages.values():
        shown = page.path.relative_to(folder)
        for link in page.loaded:
            if urlsplit(link).scheme not in ("", "data") or urlsplit(link).netloc:
                yield f"{shown}: loads {link} from elsewhere"
            elif not link.startswith("data:"):
                yield from _missing(pages, page, shown, link)
        for link in page.links:
            parts = urlsplit(link)
            if not parts.scheme and not parts.netloc:
                yield from _missing(pages, page, shown, link)


def _missing(pages: Mapping[Path, Page], page: Page, shown: Path, link: str) -> Iterator[str]:
    parts = urlsplit(link)
    target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path.resolve()
    if not target.exists():
        yield f"{shown}: {link} leads nowhere"
    elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
        yield f"{shown}: {link} has no such place"


def main() -> int:
    (folder,) = map(Path, sys.argv[1:])
    found = list(dict.fromkeys(problems(folder)))
    print("\n".join(found) or f"{sum(1 for _ in folder.rglob('*.html'))} pages, every link leads somewhere")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
