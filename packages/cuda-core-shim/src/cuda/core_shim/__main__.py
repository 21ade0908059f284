# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m cuda.core_shim enable`, `disable` and `status`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from ._permanent import disable, enable
from ._status import lines, status
from ._wheels import ShimError


def main(arguments: Sequence[str] | None = None) -> int:
    """Leaves with 1 where cuda.bindings cannot be had, or what was asked for could not be done."""
    parser = argparse.ArgumentParser(
        prog="python -m cuda.core_shim", description="Serve cuda.bindings from the split wheels."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("enable", help="activate it whenever the Python of this environment starts")
    command.add_argument("--force", action="store_true", help="even where the official cuda-bindings is installed")
    commands.add_parser("disable", help="undo that")
    command = commands.add_parser("status", help="which wheel serves which module")
    command.add_argument("--json", action="store_true", help="for programs")
    chosen = parser.parse_args(arguments)
    try:
        match chosen.command:
            case "enable":
                return _enable(force=chosen.force)
            case "disable":
                return _disable()
            case _:
                return _status(as_json=chosen.json)
    except (ShimError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


def _enable(*, force: bool) -> int:
    from . import activate

    activate(force=force)
    found = status()
    if found.problem:
        raise ShimError(f"cuda.bindings cannot be served: {found.problem}. Nothing was enabled")
    print(f"enabled: {enable(force=force)}")
    if found.server != "cuda-core-shim":
        print(
            f"The official cuda-bindings {found.version} is installed and wins; enable --force prefers the split wheels"
        )
    return 0


def _disable() -> int:
    path = disable()
    print(f"disabled: removed {path}" if path else "it was not enabled")
    return 0


def _status(*, as_json: bool) -> int:
    found = status()
    print(json.dumps(found.as_dict(), indent=2) if as_json else "\n".join(lines(found)))
    return 1 if found.problem else 0


if __name__ == "__main__":
    sys.exit(main())
