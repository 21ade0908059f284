# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The commands of `python -m cuda.driver_stable` and of the script `cuda-driver`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from .. import __version__
from .._api import CudaVersion
from . import audit, history, status
from .library import driver, knowing, libraries, library_with

Command = Callable[[argparse.Namespace], int]


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    command: Command = options.command
    try:
        return command(options)
    except ValueError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # whoever read has read enough
        sys.stdout = None
        return 0


def _say(options: argparse.Namespace, data: object, lines: Iterable[str]) -> None:
    if options.json:
        print(json.dumps(data, indent=2))
    else:
        for line in lines:
            print(line)


def _status(options: argparse.Namespace) -> int:
    report = status.examine()
    _say(options, {**asdict(report), "usable": report.usable}, status.describe(report))
    return 0 if report.usable else 1


def _show(options: argparse.Namespace) -> int:
    shown = [history.show(knowing(name), name) for name in options.names]
    lines = (line for one in shown for line in (*history.describe_shown(knowing(one.name), one), ""))
    _say(options, [asdict(one) for one in shown], lines)
    return 0


def _resolve(options: argparse.Namespace) -> int:
    found = {name: history.resolve(knowing(name), name, options.cuda, options.per_thread) for name in options.names}
    _say(options, found, found.values())
    return 0


def _list(options: argparse.Namespace) -> int:
    library = library_with(f"cuda.{options.library}")
    if options.not_in_driver and not library.core.library()["loaded"]:
        raise ValueError(f"--not-in-driver needs a {library.noun}, and no {library.noun} could be loaded")
    rows = history.listed(
        library,
        pattern=options.pattern,
        since=options.since,
        not_in_driver=options.not_in_driver,
        per_thread=options.per_thread,
    )
    _say(options, [asdict(row) for row in rows], history.describe_listed(library, rows))
    return 0


def _diff(options: argparse.Namespace) -> int:
    found = history.difference(driver(), options.old, options.new)
    _say(options, asdict(found), history.describe_difference(driver(), found))
    return 0


def _audit(options: argparse.Namespace) -> int:
    found = audit.audit(
        options.paths,
        options.binary,
        majors=options.cuda,
        per_thread=options.per_thread,
        limit=options.driver,
    )
    if not options.paths and not options.binary:
        raise ValueError("name files or folders to audit, or a compiled module with --binary")
    _say(options, _plain(found), audit.describe(found))
    return 1 if found.findings or found.unread or (options.strict and found.doubts) else 0


def _pin(options: argparse.Namespace) -> int:
    from . import pin

    try:
        found = pin.pin(options.paths, pin.Choice(options.cuda, options.per_thread))
    except ModuleNotFoundError as error:
        if error.name != "libcst":
            raise
        raise ValueError("pin reads Python with libcst: install cuda-driver-stable[pin]") from None
    changed = [file for file in found.files if file.changed]
    undecided = [doubt for file in found.files for doubt in file.undecided]
    if options.write:
        for file in changed:
            file.write()
    if options.json:
        files = [
            {"path": f.path, "changed": f.changed, "diff": f.diff(), "undecided": [asdict(d) for d in f.undecided]}
            for f in found.files
        ]
        unread = [{"path": path, "problem": problem} for path, problem in found.unread]
        print(json.dumps({"files": files, "unread": unread, "written": options.write}, indent=2))
        return 1 if undecided or found.unread else 0
    for file in changed:
        print(f"wrote {file.path}" if options.write else file.diff(), end="\n" if options.write else "")
    sys.stdout.flush()
    # Apart from the diff, which can be given to `patch` as it is.
    for path, problem in found.unread:
        print(f"{path}: cannot be read: {problem}", file=sys.stderr)
    for doubt in undecided:
        print(f"{doubt.place}: undecided: {doubt.text}", file=sys.stderr)
    done = "changed" if options.write else "to change"
    print(f"{found.read} files read, {len(changed)} {done}, {len(undecided)} undecided", file=sys.stderr)
    return 1 if undecided or found.unread else 0


def _plain(found: audit.Audit) -> dict[str, object]:
    """As JSON has it: versions as text, files that could not be read with names for both parts."""
    data = asdict(found)
    for need in data["needs"]:
        need["version"] = str(CudaVersion(*need["version"]))
    data["unread"] = [{"path": path, "problem": problem} for path, problem in found.unread]
    return data


def _cuda_version(text: str) -> CudaVersion:
    try:
        return CudaVersion.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Tell which CUDA driver is here, what names stand for, and what programs need of a driver.",
        epilog="Without a command: which driver is here, what it offers and what it lacks; "
        "leaves with 1 when it cannot be used.",
    )
    if parser.prog == "__main__.py":  # what Python 3.11 to 3.13 call it
        parser.prog = "python -m cuda.driver_stable"
    parser.add_argument("--json", action="store_true", help="print JSON, for programs")
    parser.add_argument("--version", action="version", version=__version__)
    parser.set_defaults(command=_status)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, command: Command, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        # Before the command or after it; not given here must not undo what was given there.
        sub.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON, for programs")
        sub.set_defaults(command=command)
        return sub

    show = add("show", _show, "the life of a name: its versions, signatures, since when, default in which majors")
    show.add_argument("names", nargs="+", metavar="NAME")

    resolve = add("resolve", _resolve, "the permanent names of what one CUDA major means")
    resolve.add_argument("names", nargs="+", metavar="NAME")
    resolve.add_argument("--cuda", type=int, required=True, metavar="MAJOR")
    resolve.add_argument("--per-thread", action="store_true", help="as with per-thread default streams")

    listing = add("list", _list, "the functions, oldest first")
    listing.add_argument("pattern", nargs="?", default="*", help="such as 'cuGraph*'")
    listing.add_argument(
        "--library",
        choices=[library.module.removeprefix("cuda.") for library in libraries()],
        default=driver().module.removeprefix("cuda."),
        help="whose functions; those of the toolkit are known where their wheels are installed",
    )
    listing.add_argument("--since", type=_cuda_version, metavar="X.Y", help="only what came with that CUDA or later")
    listing.add_argument(
        "--not-in-driver",
        "--not-in-library",
        action="store_true",
        help="only what the driver here lacks, or the library that was asked for",
    )
    listing.add_argument("--per-thread", action="store_true", help="with variants for per-thread default streams")

    diff = add("diff", _diff, "what a move from one CUDA major to another changes")
    diff.add_argument("old", type=int, metavar="OLD")
    diff.add_argument("new", type=int, metavar="NEW")

    auditing = add("audit", _audit, "the oldest driver that sources need, and what in them does not mean one thing")
    auditing.epilog = "Leaves with 1 where something was found or could not be read."
    auditing.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="Python and Cython sources, or folders")
    auditing.add_argument(
        "--binary", action="append", default=[], type=Path, metavar="FILE", help="a compiled Cython module"
    )
    auditing.add_argument(
        "--cuda",
        action="append",
        default=[],
        type=int,
        metavar="MAJOR",
        help="a major of cuda-bindings that the sources are meant for; without, all that have their names",
    )
    auditing.add_argument(
        "--per-thread", action="store_true", help="cuda-bindings runs with per-thread default streams"
    )
    auditing.add_argument("--driver", type=_cuda_version, metavar="X.Y", help="the oldest driver that has to do")
    auditing.add_argument("--strict", action="store_true", help="leave with 1 also where something is undecided")

    pinning = add("pin", _pin, "rewrite unversioned names to permanent ones; prints a diff")
    pinning.epilog = "Leaves with 1 where something could not be decided or read. Needs libcst for Python sources."
    pinning.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="Python and Cython sources, or folders")
    pinning.add_argument("--cuda", type=int, metavar="MAJOR", help="what names of cuda.bindings mean; views say it")
    pinning.add_argument("--per-thread", action="store_true", help="cuda-bindings maps per-thread default streams")
    pinning.add_argument("--write", action="store_true", help="change the files instead")
    return parser
