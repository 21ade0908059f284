# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m codegen.ingest VERSION`: read a CUDA release, append its facts, print what is new."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..model import registry as store
from ..model.api import Release
from . import append, assign, check, cursors, elf, fetch, libraries, parse, report


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen.ingest", description=__doc__)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="a CUDA release, such as 13.6")
    parser.add_argument(
        "--headers", type=Path, metavar="DIR", help="read the Linux headers in DIR instead of downloading"
    )
    parser.add_argument("--windows-headers", type=Path, metavar="DIR", help="the Windows headers to go with --headers")
    parser.add_argument(
        "--library", type=Path, metavar="FILE", help="read a driver library, of the driver VERSION, instead"
    )
    parser.add_argument("--registry", type=Path, default=store.ROOT / "driver", metavar="DIR")
    parser.add_argument("--cache", type=Path, default=fetch.CACHE, metavar="DIR")
    parser.add_argument("--check", action="store_true", help="fail if a recorded fact was removed or changed")
    parser.add_argument("--against", default="HEAD", metavar="REF", help="the git revision --check compares with")
    options = parser.parse_args(arguments)
    if options.check == bool(options.versions):
        parser.error("give a VERSION, or --check")
    if options.headers and len(options.versions) != 1:
        parser.error("--headers goes with one VERSION")
    if options.library and len(options.versions) != 1:
        parser.error("--library goes with one VERSION, the driver's own: 470.256.02")
    if options.check:
        return check.run(options.registry, options.against)
    if options.library:
        return ingest_library(options.library, options.versions[0], options.registry)
    for version in options.versions:
        release = Release.parse(version)
        try:
            if options.headers:
                got = fetch.Headers(options.headers, options.windows_headers, ())
            else:
                got = fetch.headers(release, options.cache)
            ingest(release, got, options.registry)
        except (fetch.FetchError, cursors.HeaderError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    return 0


def ingest(release: Release, headers: fetch.Headers, folder: Path) -> None:
    snapshot = parse.parse_headers(headers.linux, headers.windows)
    said = snapshot.values.get(("constant", "CUDA_VERSION"), {}).get("value")
    if said != release.number:
        raise cursors.HeaderError(f"{headers.linux}/cuda.h is of CUDA_VERSION {said}, not {release.number}")
    before = store.load(folder)
    after, facts = append.append(before, release, snapshot, headers.sources)
    after = assign.assign(after)
    store.save(folder, after, {fact.path for fact in facts})
    store.save_index(folder, after)
    sys.stdout.write(report.text(before, after, release, facts))


def ingest_library(path: Path, version: str, folder: Path) -> int:
    before = store.load(folder)
    try:
        after = assign.assign(libraries.append(before, path, version))
    except (libraries.LibraryError, elf.ElfError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    store.save_index(folder, after)
    sys.stdout.write(report.library(before, after, version))
    return 0


if __name__ == "__main__":
    sys.exit(main())
