# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Compile the client in Cython, in an environment with the official packages, Cython and a C++ compiler.

    A/bin/python tests/clients/extension/build.py FOLDER INCLUDE …

FOLDER gets the module; the INCLUDE folders have the headers of that CUDA.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

SOURCE = Path(__file__).with_name("official_client.pyx")


def build(folder: Path, includes: list[str]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    translated = folder / f"{SOURCE.stem}.cpp"
    packages = sysconfig.get_path("purelib")
    options = ["-3", "--cplus", "-I", packages, "-o", str(translated)]
    subprocess.run([sys.executable, "-m", "cython", *options, str(SOURCE)], check=True)
    output = folder / f"{SOURCE.stem}{sysconfig.get_config_var('EXT_SUFFIX')}"
    flags = [f"-I{path}" for path in (*includes, sysconfig.get_path("include"))]
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-shared", "-fPIC", "-w", *flags, str(translated), "-o", str(output)], check=True
    )
    return output


if __name__ == "__main__":
    print(build(Path(sys.argv[1]), sys.argv[2:]))
