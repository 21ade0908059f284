# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the installed wheels with the ledgers of all earlier releases, or writes the ledger of a release.

`python -m ci.abi` checks, `python -m ci.abi write` is for a release: it writes ci/abi/WHEEL/VERSION.txt. A ledger that
was written for a release is never changed; a new release has a new one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import installed, report
from .compare import compare, excuses
from .facts import Facts, dump
from .ledgers import Ledgers
from .wheels import WHEELS, Wheel

HERE = Path(__file__).parent


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m ci.abi", description=__doc__)
    parser.add_argument("command", nargs="?", choices=("check", "write", "print"), default="check")
    parser.add_argument(
        "--ledgers", type=Path, default=HERE, metavar="DIR", help="a folder with a folder of each wheel"
    )
    parser.add_argument("--wheel", action="append", choices=sorted(WHEELS), help="only this one of those installed")
    options = parser.parse_args(arguments)
    wheels = [WHEELS[name] for name in options.wheel or WHEELS if is_installed(WHEELS[name])]
    for wheel in wheels:
        use_stub(wheel)
    if not wheels:
        print("None of the wheels is installed here: `nox -s abi` builds and installs them.", file=sys.stderr)
        return 2
    broken = 0
    for wheel in wheels:
        facts = installed.facts(wheel)
        ledgers = Ledgers(options.ledgers / wheel.series(installed.version(wheel)))
        if options.command == "check":
            broken += check(wheel, facts, ledgers)
        elif options.command == "write":
            path = ledgers.write(installed.version(wheel), installed.title(wheel), facts)
            print(f"wrote {path}: {len(facts)} facts")
        else:
            print(dump(facts, installed.title(wheel)), end="")
    return 1 if broken else 0


def use_stub(wheel: Wheel) -> None:
    """What is in the function table shows only with a library that has every symbol. Without one it is built."""
    core: Any = import_module(f"{wheel.module}._core")
    if not os.environ.get(core.PATH_VARIABLE):
        from codegen.model.api import Release
        from codegen.model.fold import fold
        from support.build import stub_library

        release = Release.from_number(core.RELEASE) if wheel.per_major else fold(wheel.library).release
        library = f"{wheel.library}{release.major}" if wheel.per_major else wheel.library
        os.environ[core.PATH_VARIABLE] = str(stub_library(str(release), library))


def is_installed(wheel: Wheel) -> bool:
    parent, _, _ = wheel.module.rpartition(".")
    return find_spec(parent) is not None and find_spec(wheel.module) is not None


def check(wheel: Wheel, facts: Facts, ledgers: Ledgers) -> int:
    """The number of promises that are broken."""
    releases = ledgers.releases
    print(
        f"{wheel.distribution} {installed.version(wheel)}: {len(facts)} facts, {len(releases)} ledgers to compare with"
    )
    if not releases:
        print("Nothing of it was released yet; `nox -s abi -- write` is for its first release.")
    broken = 0
    allowed = excuses()
    for release in releases:
        found = compare(ledgers.facts(release), facts, release, allowed)
        print("\n".join(report.lines(release, found)))
        broken += len(found.broken)
    print("\n".join(report.not_covered()))
    if broken:
        print(
            f"{broken} promises are broken. What was released stays as it was; where a change is CUDA's own and does\n"
            "no harm, ci/abi/exceptions.toml is the place for it, with the reason.",
            file=sys.stderr,
        )
    return broken


if __name__ == "__main__":
    sys.exit(main())
