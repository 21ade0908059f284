# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`python -m ci.abi.recorded [REVISION]`: fail where a ledger of that git revision was changed or is gone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def changed(root: Path, since: str) -> list[str]:
    """The ledgers of a revision that are in the tree no more as they were."""
    # Whatever is not simply added; a file under another name counts as gone.
    command = ["git", "diff", "--name-only", "--no-renames", "--diff-filter=a", since, "--", "ci/abi/*/*.txt"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout.splitlines()


def main(root: Path, since: str = "HEAD") -> int:
    try:
        found = changed(root, since)
    except subprocess.CalledProcessError as error:
        print(f"error: git: {error.stderr.strip()}", file=sys.stderr)
        return 2
    for path in found:
        print(f"{path}: the ledger of a release is not as it is in {since}")
    if found:
        print(f"A release said it, so it stays: `git checkout {since} -- ci/abi` puts it back.")
        return 1
    print(f"the ledgers are as they are in {since}")
    return 0


if __name__ == "__main__":
    sys.exit(main(ROOT, *sys.argv[1:]))
