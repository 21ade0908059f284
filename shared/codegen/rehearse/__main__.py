# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m codegen.rehearse DIR`: the registry and the overrides as they would be after a made-up CUDA 14.0."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from .release import rehearse


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m codegen.rehearse", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR", help="gets headers/, registry/ and overrides/")
    made = rehearse(parser.parse_args(arguments).folder)
    options = f"--as-of {made.release} --registry {made.registry} --overrides {made.overrides}"
    print(f"`python -m codegen --library driver {options} --out DIR` reads it")


if __name__ == "__main__":
    main()
