# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Make the files of a release from the last commit, and try them: `python -m ci.release`, or some of its steps.

    quick    build the wheels of this machine once; their sizes and contents
    build    build everything twice from clean clones, which has to give the same bytes, and check every file
    windows  compile the wheels for Windows, which nobody has run
    suites   the packages' tests on every Python and architecture; `suites:3.14` or `suites:aarch64` is a part of it
    nothing  install and uninstall in a Debian system that has only Python
    table    what was built, and what it was tried on
    files    `files:cuda-nvrtc-v12.9.0` puts the files of that tag into wheelhouse/upload

Files are written to wheelhouse/, where `quick` leaves nothing. What cannot be tried on a machine is skipped with the
reason, and is an error where the variable CI is set.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from . import checks, nothing, results, suites, windows
from .build import ANY, Built, build, clone, compare
from .commands import ReleaseError, UnavailableError, run
from .distributions import distributions
from .settings import REPOSITORY, Settings, load

OUT = REPOSITORY / "wheelhouse"
UPLOAD = OUT / "upload"
CACHE = REPOSITORY / ".cache" / "release"
OUTCOMES = OUT / "outcomes.json"


def main(arguments: Sequence[str] | None = None) -> int:
    layout = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m ci.release", description=__doc__, formatter_class=layout)
    parser.add_argument("steps", nargs="*", metavar="STEP", help="all but `quick` and `files` by default")
    options = parser.parse_args(arguments)
    os.umask(0o022)  # what is built has the modes of files and folders in it
    settings = load()
    problems = 0
    for name in options.steps or [step for step in STEPS if step not in ("quick", "files")]:
        step, _, part = name.partition(":")
        if step not in STEPS:
            parser.error(f"there is no step {step}; there is {', '.join(STEPS)}")
        print(f"== {name}", flush=True)
        try:
            STEPS[step](settings, part)
        except UnavailableError as error:
            if os.environ.get("CI"):
                raise
            print(f"  skipped: {error}", flush=True)
        except ReleaseError as error:
            print(error, file=sys.stderr)
            problems += 1
    return 1 if problems else 0


def quick(settings: Settings, part: str) -> None:
    with tempfile.TemporaryDirectory(prefix="release-") as scratch:
        source = clone(REPOSITORY, Path(scratch, "clone"))
        here = [target for target in settings.targets if target.machine == platform.machine()]
        files = build(source, Path(scratch, "out"), here, CACHE / "zig")
        _check(files, checks.QUICK)
        for built in files:
            print(f"  {built.name}: {built.path.stat().st_size:,} bytes")


def build_twice(settings: Settings, part: str) -> None:
    if run(["git", "status", "--porcelain"], folder=REPOSITORY).stdout:
        print("  what is not committed is not in it", flush=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    source = _source(fresh=True)
    files = build(source, OUT, settings.targets, CACHE / "zig")
    with tempfile.TemporaryDirectory(prefix="release-") as scratch:
        # Another path, another cache of the compiler: neither must be seen in what is built.
        other = clone(source, Path(scratch, "clone"))
        compare(files, build(other, Path(scratch, "out"), settings.targets, Path(scratch, "zig")))
    print(f"  {len(files)} files, built twice: identical", flush=True)
    _check(files, checks.ALL)


def compile_for_windows(settings: Settings, part: str) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    files = windows.compile_wheels(_source(), CACHE / "windows", settings.windows, CACHE)
    _check(files, {"abi3audit --strict": checks.stable_abi})
    for built in files:
        print(f"  {built.name} compiles; untested: it was never run, and is not part of a release")


def run_suites(settings: Settings, part: str) -> None:
    """`part` is a Python, which is not emulated then, or a root."""
    files, source = _built(settings), _source()
    logs = OUT / "tests"
    logs.mkdir(exist_ok=True)
    work = CACHE / "work"
    work.mkdir(parents=True, exist_ok=True)
    pip = suites.pip_wheel(work)
    failed = []
    for row in settings.runs:
        emulated = bool(row.root and settings.roots[row.root].architecture)
        if part not in ("", row.root) and (emulated or part not in row.pythons):
            continue
        try:
            for machine in suites.machines(row, settings, source, work, CACHE, OUT):
                if part in ("", row.root, machine.python):
                    for outcome in suites.run_suites(machine, files, row, settings, pip, logs):
                        results.keep(OUTCOMES, [outcome])
                        failed += [] if outcome.good else [f"{outcome.file} on {outcome.machine} {outcome.python}"]
        except UnavailableError as error:
            if os.environ.get("CI"):
                raise
            print(f"  skipped: {error}", flush=True)
    if failed:
        raise ReleaseError(f"tests failed, see {logs}: " + "; ".join(failed))


def from_nothing(settings: Settings, part: str) -> None:
    work = CACHE / "nothing"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    nothing.check(_built(settings), settings, _source(), work, CACHE)


def print_table(settings: Settings, part: str) -> None:
    print(results.table(_built(settings), results.load(OUTCOMES)))


def collect(settings: Settings, part: str) -> None:
    """`part` is a tag of the repository."""
    files = [built for built in _built(settings) if built.distribution.tag == part]
    if not files:
        tags = sorted({distribution.tag for distribution in distributions(_source())})
        raise ReleaseError(f"no distribution has the tag {part!r}; there is {', '.join(tags)}")
    shutil.rmtree(UPLOAD, ignore_errors=True)
    UPLOAD.mkdir(parents=True)
    for built in files:
        print(f"  {shutil.copy2(built.path, UPLOAD)}")


STEPS: Mapping[str, Callable[[Settings, str], None]] = {
    "quick": quick,
    "build": build_twice,
    "windows": compile_for_windows,
    "suites": run_suites,
    "nothing": from_nothing,
    "table": print_table,
    "files": collect,
}


def _source(*, fresh: bool = False) -> Path:
    """The clone that everything comes from, with its tests."""
    folder = CACHE / "source"
    if fresh or not folder.is_dir():
        clone(REPOSITORY, folder)
    return folder


def _built(settings: Settings) -> tuple[Built, ...]:
    """What `build` left."""
    found: list[Built] = []
    for distribution in distributions(_source()):
        paths = {path.name: path for path in OUT.glob(f"{distribution.stem}*")}
        for target in (None, *(settings.targets if distribution.compiled else (ANY,))):
            ending = ".tar.gz" if target is None else f"-{target.platform}.whl"
            match = [path for name, path in paths.items() if name.endswith(ending)]
            if not match:
                raise ReleaseError(f"{OUT} has no {distribution.stem}…{ending}: the step `build` makes it")
            found.append(Built(distribution, match[0], target))
    return tuple(found)


def _check(files: Sequence[Built], wanted: Mapping[str, checks.Check]) -> None:
    problems = []
    for name, check in wanted.items():
        found = list(check(files))
        print(f"  {name}: {len(found)} problems" if found else f"  {name}: clean", flush=True)
        problems += found
    if problems:
        raise ReleaseError("\n".join(problems))


if __name__ == "__main__":
    sys.exit(main())
