# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the reference, one a family, and the data of the page that browses them."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path

from symbol_history import Family, History, Version, read

import cuda.driver_stable as driver
from cuda.driver_stable._tools.prototypes import compared


def write(folder: Path) -> None:
    """Everything under `folder`, anew; what did not change keeps its time, so that Sphinx need not read it again."""
    history = read()
    wanted = {f"reference/{family.base}.md": "\n".join(_page(history, family)) + "\n" for family in history.families}
    wanted["reference/index.md"] = "\n".join(_index(history)) + "\n"
    wanted["reference/types.md"] = "\n".join(_types()) + "\n"
    wanted["static/history-data.js"] = (
        f"window.SYMBOL_HISTORY = {json.dumps(history.as_json(), separators=(',', ':'))};\n"
    )
    for name, text in wanted.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
    for path in folder.rglob("*"):
        if path.is_file() and str(path.relative_to(folder)) not in wanted:
            path.unlink()


def _page(history: History, family: Family) -> Iterator[str]:
    yield "---\norphan: true\n---\n"
    yield f"# {family.base}\n"
    where = f"Declared in `{family.header}`" if family.header else "Declared in no header"
    yield f"{where}{'' if family.platform == 'any' else f'; on {family.platform.capitalize()} only'}.\n"
    yield from _choices(history, family)
    yield "| permanent name | symbol | CUDA | what majors mean by the plain name | seen in drivers |"
    yield "|---|---|---|---|---|"
    for version in family.versions:
        yield (
            f"| `{version.name}` | `{version.symbol}` | {version.introduced} | {_majors(version)} "
            f"| {_libraries(history, version)} |"
        )
    yield ""
    previous: Version | None = None
    for version in (v for v in family.versions if not v.stream):
        yield f"## {version.name}\n"
        yield from _prototype(version, previous)
        yield from _call(version)
        previous = version
    yield "[All functions](index.md) · [browse the history](../../history.md)"


def _choices(history: History, family: Family) -> Iterator[str]:
    plain = [v for v in family.versions if not v.stream]
    if len(plain) == 1 and not family.elsewhere:
        yield f"It has had one version. `cuda.driver_stable.{plain[0].name}` is that function for ever.\n"
        return
    yield f"`{family.base}` has no permanent name without a version, because majors mean different functions by it:\n"
    for major in history.majors:
        meant = family.elsewhere.get(major) or next((v.name for v in plain if major in v.majors), None)
        if meant:
            yield f"- CUDA {major} code means `{meant}`"
    newest = plain[-1]
    if not newest.majors:
        yield f"- no major means `{newest.name}` yet: it is asked for by its name"
    yield ""


def _majors(version: Version) -> str:
    text = ", ".join(map(str, version.majors)) or "–"
    return f"{text} (per-thread)" if version.stream and version.majors else text


def _libraries(history: History, version: Version) -> str:
    """Drivers never drop a symbol, so the first tells it all; where one has a gap, the list is given."""
    known = [name for name, _ in history.libraries]
    seen = list(version.libraries)
    if not seen:
        return f"none up to {known[-1]}"
    return f"{seen[0]} and newer" if seen == known[known.index(seen[0]) :] else ", ".join(seen)


def _prototype(version: Version, previous: Version | None) -> Iterator[str]:
    if previous and previous.parameters == version.parameters:
        yield f"Takes what `{previous.name}` takes.\n"
        return
    if previous:
        yield "```diff"
        yield from compared(previous.parameters, version.parameters)
        yield "```\n"
        return
    yield "```c"
    yield f"CUresult {version.symbol}({', '.join(version.parameters) or 'void'});"
    yield "```\n"


def _call(version: Version) -> Iterator[str]:
    function = getattr(driver, version.name)
    yield "```python"
    yield f"{version.name}{inspect.signature(function)}  # {_returns(function.__doc__ or '')}"
    yield "```\n"


def _returns(doc: str) -> str:
    """The line that tells the tuple."""
    lines = doc.splitlines()
    start = lines.index("Returns") + 2
    return lines[start].removeprefix("A tuple: ").split(" (None")[0].split(" (also")[0].rstrip(".")


def _index(history: History) -> Iterator[str]:
    yield "# Functions\n"
    yield (
        f"Every family of functions up to CUDA {history.release}: {len(history.families)} names. "
        "To search and filter them, [browse the history](../../history.md).\n"
    )
    yield "```{toctree}\n:hidden:\n\ntypes\n```\n"
    headers: dict[str, list[Family]] = {}
    for family in history.families:
        headers.setdefault(family.header, []).append(family)
    for header, families in sorted(headers.items(), key=lambda item: -len(item[1])):
        yield f"## {header or 'no header'}\n"
        yield f"| name | versions | {' | '.join(f'CUDA {major}' for major in history.majors)} |"
        yield "|---|---|" + "---|" * len(history.majors)
        for family in families:
            plain = [v for v in family.versions if not v.stream]
            cells = " | ".join(_meant(family, major) for major in history.majors)
            yield f"| [{family.base}]({family.base}.md) | {len(plain)} | {cells} |"
        yield ""


def _meant(family: Family, major: int) -> str:
    meant = family.elsewhere.get(major)
    meant = meant or next((v.name for v in family.versions if not v.stream and major in v.majors), None)
    return f"`{meant}`" if meant else "–"


def _types() -> Iterator[str]:
    yield "# Types with versions\n"
    yield (
        "A type of several versions, or of one that carries its number, has no permanent name without it. "
        "All others go by the name that C gives them.\n"
    )
    yield "| name in views | permanent name | seen since CUDA | what majors mean it |"
    yield "|---|---|---|---|"
    bases = sorted({name.rpartition("_v")[0] for name in driver._core.names("") if _versioned(name)})
    for base in bases:
        for version in driver.versions(base):
            majors = ", ".join(map(str, version.default_in)) or "–"
            yield f"| `{base}` | `{version.name}` | {version.introduced} | {majors} |"
    yield "\n“Seen since” is the first of the headers that were read, the oldest of which is CUDA 11.2."


def _versioned(name: str) -> bool:
    base, _, number = name.rpartition("_v")
    return bool(base) and number.isdigit() and isinstance(getattr(driver, name), type)
