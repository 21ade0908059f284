# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m codegen.ingest VERSION`: read a CUDA release, append its facts, print what is new."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ..model import registry as store
from ..model.api import Release, ReleaseError
from . import append, assign, check, cursors, elf, fetch, libraries, parse, report
from .specs import DRIVER, SPECS, Spec


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.check == bool(options.versions):
        parser.error("give a VERSION, or --check")
    if options.check:
        return check.run(options.registry, options.against)
    files = options.headers or options.exports
    specs = [SPECS[name] for name in options.library or ([DRIVER.name] if files else SPECS)]
    if files and (len(options.versions), len(specs)) != (1, 1):
        parser.error("--headers and --exports go with one VERSION and one --library")
    try:
        if options.exports:
            ingest_library(specs[0], options.exports, options.versions[0], options.registry, options.cuda)
            return 0
        for release in [Release.parse(version) for version in options.versions]:
            if options.headers:
                got = fetch.Headers(options.headers, options.windows_headers, ())
                ingest(specs[0], release, got, options.registry)
            else:
                ingest_release(release, specs, options.cache, options.registry)
    except (
        ReleaseError,
        fetch.FetchError,
        cursors.HeaderError,
        libraries.LibraryError,
        elf.ElfError,
        OSError,
    ) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m codegen.ingest", description=__doc__)
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="a CUDA release, such as 13.6")
    parser.add_argument(
        "--library", action="append", choices=SPECS, help="only this one; without it all that the release has"
    )
    parser.add_argument(
        "--headers", type=Path, metavar="DIR", help="read the Linux headers in DIR instead of downloading"
    )
    parser.add_argument("--windows-headers", type=Path, metavar="DIR", help="the Windows headers to go with --headers")
    parser.add_argument(
        "--exports", type=Path, metavar="FILE", help="read a real library instead; VERSION is its own: 470.256.02"
    )
    parser.add_argument("--cuda", type=Release.parse, metavar="X.Y", help="of --exports, where it does not tell itself")
    parser.add_argument("--registry", type=Path, default=store.ROOT, metavar="DIR", help="holds a folder a library")
    parser.add_argument("--cache", type=Path, default=fetch.CACHE, metavar="DIR")
    parser.add_argument("--check", action="store_true", help="fail if a recorded fact was removed or changed")
    parser.add_argument("--against", default="HEAD", metavar="REF", help="the git revision --check compares with")
    return parser


def ingest_release(release: Release, specs: list[Spec], cache: Path, root: Path) -> None:
    listed = [spec for spec in specs if fetch.has(release, spec)]
    if not listed:
        raise fetch.FetchError(f"sources.toml names nothing of CUDA {release} for {', '.join(s.name for s in specs)}")
    pins: dict[str, list[str]] = {}
    for spec in listed:
        got = fetch.headers(release, cache, spec)
        pins |= got.pins
        ingest(spec, release, got, root)
        if spec.library:
            with fetch.library(got, spec) as (path, version):
                ingest_library(spec, path, version, root)
    sys.stdout.write(fetch.unpinned(release, pins))


def ingest(spec: Spec, release: Release, headers: fetch.Headers, root: Path) -> None:
    snapshot = parse.parse_headers(headers.linux, headers.windows, spec)
    if spec.version_macro:
        said = snapshot.values.get(("constant", spec.version_macro), {}).get("value")
        if said != release.number:
            where = f"{headers.linux}/{spec.headers[0]}"
            raise cursors.HeaderError(f"{where} is of {spec.version_macro} {said}, not {release.number}")
    folder = spec.folder(release, root)
    before = store.load(folder)
    after, facts = append.append(before, release, snapshot, headers.sources)
    after = assign.assign(after, spec.names_since(release.major))
    store.save(folder, after, {fact.path for fact in facts})
    store.save_index(folder, after)
    sys.stdout.write(report.text(before, after, release, facts, spec.name))


def ingest_library(spec: Spec, path: Path, version: str, root: Path, cuda: Release | None = None) -> None:
    # Only a driver has to be asked for its CUDA version: others are numbered by it.
    if spec.per_major:
        cuda = Release.of_version(version)
    folder = spec.folder(cuda or Release(0, 0), root)
    before = store.load(folder)
    after = libraries.append(before, path, version, cuda, spec)
    after = assign.assign(after, spec.names_since(cuda.major if cuda else None))
    store.save_index(folder, after)
    sys.stdout.write(report.library(before, after, version, spec.name))


if __name__ == "__main__":
    sys.exit(main())
