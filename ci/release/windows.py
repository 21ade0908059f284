# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compile the wheels for Windows, with the headers and the list of symbols that CPython's own sources have for it.

That shows that the code compiles and asks for nothing that python3.dll does not export. No Windows machine has run it.
The sources are those of a Python that the Debian or Ubuntu here packages; any from 3.11 on will do.
"""

from __future__ import annotations

import re
import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

from .build import Built, build, zig
from .commands import ReleaseError, UnavailableError, run
from .settings import Target

_LIBRARY = "libpython3.a"


def compile_wheels(source: Path, out: Path, target: Target, work: Path) -> tuple[Built, ...]:
    files = python_files(work)
    library = import_library(files / "PC" / "python3dll.c", target, work)
    with_python = replace(target, include=str(files / "Include"), link=str(library))
    return tuple(built for built in build(source, out, [with_python], work / "zig") if built.target == with_python)


def python_files(work: Path) -> Path:
    """CPython's Include, with the pyconfig.h of Windows in it, and PC."""
    archive = download(work / "source")
    folder = work / "cpython"
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as opened:
        for member in opened:
            part = member.name.partition("/")[2]
            if part.startswith(("Include/", "PC/pyconfig.h", "PC/python3dll.c")) and member.isfile():
                member.name = part
                opened.extract(member, folder, filter="data")
    # 3.13 and newer: the build puts in only whether there is a GIL.
    for name in ("pyconfig.h", "pyconfig.h.in"):
        if (folder / "PC" / name).is_file():
            shutil.copy(folder / "PC" / name, folder / "Include" / "pyconfig.h")
            return folder
    raise ReleaseError(f"{archive.name} has no PC/pyconfig.h")


def download(folder: Path) -> Path:
    """The archive of CPython that this machine's own apt knows of, with package lists of our own."""
    if not shutil.which("apt-get"):
        raise UnavailableError("there is no apt-get here to get CPython's sources with")
    if found := _archive(folder):
        return found
    parts = folder / "sources"
    for made in (parts, folder / "lists" / "partial"):
        made.mkdir(parents=True, exist_ok=True)
    _sources(Path("/etc/apt"), parts)
    options = [
        "-oDir::Etc::sourcelist=/dev/null",
        f"-oDir::Etc::sourceparts={parts}",
        f"-oDir::State::lists={folder / 'lists'}",
        "-oAPT::Sandbox::User=",
    ]
    run(["apt-get", *options, "-qq", "update"])
    sources = (f"python3.{minor}" for minor in range(11, 30))
    name = next((n for n in sources if run(["apt-cache", *options, "showsrc", n], check=False).stdout), None)
    if name is None:
        raise UnavailableError("apt knows of no sources of Python 3.11 or newer")
    run(["apt-get", *options, "-qq", "source", "--tar-only", "--download-only", name], folder=folder)
    if found := _archive(folder):
        return found
    raise UnavailableError(f"apt brought no sources of {name}")


def _archive(folder: Path) -> Path | None:
    return next(iter(sorted(folder.glob("python3.*.orig.tar.*z"))), None)


def _sources(etc: Path, parts: Path) -> None:
    """This machine's list of package sources, made to name those of sources."""
    for path in (etc / "sources.list.d").glob("*.sources"):
        text = re.sub(r"^Types:.*$", "Types: deb-src", path.read_text(), flags=re.MULTILINE)
        (parts / path.name).write_text(text)
    lists = [etc / "sources.list", *(etc / "sources.list.d").glob("*.list")]
    for path in (path for path in lists if path.is_file()):
        text = re.sub(r"^deb ", "deb-src ", path.read_text(), flags=re.MULTILINE)
        (parts / (path.name if path.suffix == ".list" else "main.list")).write_text(text)


def import_library(listed: Path, target: Target, work: Path) -> Path:
    """For python3.dll, from the list that CPython builds that very library from."""
    text = listed.read_text("utf-8")
    functions = re.findall(r"^EXPORT_FUNC\((\w+)\)", text, re.MULTILINE)
    data = re.findall(r"^EXPORT_DATA\((\w+)\)", text, re.MULTILINE)
    if not functions or not data:
        raise ReleaseError(f"{listed} does not list what python3.dll exports")
    definition = work / "python3.def"
    lines = ["LIBRARY python3.dll", "EXPORTS", *functions, *(f"{name} DATA" for name in data)]
    definition.write_text("\n".join(lines) + "\n")
    library = work / _LIBRARY
    run([*zig("dlltool"), "-m", "i386:x86-64", "-d", str(definition), "-l", str(library)])
    return library
