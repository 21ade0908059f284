# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Two environments from folders of wheels, without an index: one with the official packages, one with the shim.

    python tests/clients/offline.py --wheels FOLDER --cuda 13 --into ENVS [--core 1.2.2] [--also numba_cuda …]

Whatever else is needed (numpy, NVIDIA's libraries) is taken from the Python that runs this. Prints the two Pythons.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

OURS = ("cuda_driver_stable", "cuda_nvml", "cuda_core_shim")
TOOLKITS = ("cuda_runtime", "cuda_nvrtc", "cuda_nvjitlink", "cuda_nvvm")
MAJORS = {"12": "12.", "13": "13."}


def wheel(folders: list[Path], name: str, version: str = "") -> str:
    """The file of a distribution whose version begins so."""
    found = sorted({path for folder in folders for path in folder.glob(f"{name}-{version}*.whl")})
    if not found:
        raise SystemExit(f"no wheel {name}-{version}* in {', '.join(map(str, folders))}")
    return str(found[-1])


def environment(folder: Path, wheels: list[str]) -> str:
    python = str(folder / "bin" / "python")
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(folder)], check=True)
    subprocess.run(
        [python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--force-reinstall", *wheels], check=True
    )
    return python


def main() -> None:
    parser = argparse.ArgumentParser(description="Make the two environments.")
    parser.add_argument("--wheels", type=Path, nargs="+", required=True)
    parser.add_argument("--cuda", choices=sorted(MAJORS), default="13")
    parser.add_argument("--core", default="1.2.2", help="the version of cuda-core")
    parser.add_argument("--also", nargs="*", default=[], help="other wheels, by their name as in the file")
    parser.add_argument("--without", nargs="*", default=[], help="wheels of ours that are to be absent")
    parser.add_argument("--into", type=Path, required=True)
    chosen = parser.parse_args()
    version = MAJORS[chosen.cuda]
    common = [wheel(chosen.wheels, "cuda_pathfinder"), wheel(chosen.wheels, "cuda_core", chosen.core)]
    common += [wheel(chosen.wheels, name) for name in chosen.also]
    ours = [wheel(chosen.wheels, name) for name in OURS if name not in chosen.without]
    ours += [wheel(chosen.wheels, name, version) for name in TOOLKITS if name not in chosen.without]
    official = environment(
        chosen.into / f"official{chosen.cuda}", [*common, wheel(chosen.wheels, "cuda_bindings", version)]
    )
    shim = environment(chosen.into / f"shim{chosen.cuda}", [*common, *ours])
    subprocess.run([shim, "-m", "cuda.core_shim", "enable"], check=True)
    subprocess.run([shim, "-m", "cuda.core_shim", "status"], check=True)
    print(f"official: {official}\nshim: {shim}")


if __name__ == "__main__":
    main()
