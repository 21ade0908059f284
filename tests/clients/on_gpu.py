# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every program, on a machine that has a GPU and no index: makes the environments, runs both sides, compares.

    python tests/clients/on_gpu.py --wheels FOLDER … --into ENVS --out RESULTS [--cuda 13] [--without cuda_nvml]

A client whose wheels are in none of the folders is left out, and said to be.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# Versions of cuda-core, and on each the programs with the wheels that they need beyond it.
RUNS: dict[str, dict[str, tuple[str, ...]]] = {
    "1.2.2": {
        "core": (),
        "bindings": (),
        "use_rmm": ("rmm_cu{cuda}", "librmm_cu{cuda}", "rapids_logger"),
        "use_nvmath": ("nvmath_python",),
        "use_compute": ("cuda_cccl", "typing_extensions"),
    },
    "1.0.1": {"core": ()},
}
COMMON = ("numpy", "packaging")


def main() -> int:
    parser = argparse.ArgumentParser(description="Run every program on both sides.")
    parser.add_argument("--wheels", type=Path, nargs="+", required=True)
    parser.add_argument("--cuda", default="13")
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--without", nargs="*", default=[])
    chosen = parser.parse_args()
    failed = []
    for core, programs in RUNS.items():
        needed = {name: [wheel.format(cuda=chosen.cuda) for wheel in wheels] for name, wheels in programs.items()}
        there = {
            name: wheels for name, wheels in needed.items() if all(_is_there(wheel, chosen.wheels) for wheel in wheels)
        }
        for name in needed.keys() - there.keys():
            print(f"LEFT OUT {name}: its wheels are not there")
        folder = chosen.into / core
        also = [*COMMON, *sorted({wheel for wheels in there.values() for wheel in wheels})]
        make = [sys.executable, str(HERE / "offline.py"), "--wheels", *map(str, chosen.wheels), "--cuda", chosen.cuda]
        make += ["--core", core, "--into", str(folder), "--also", *also]
        subprocess.run(make + (["--without", *chosen.without] if chosen.without else []), check=True)
        pythons = [str(folder / f"{side}{chosen.cuda}" / "bin" / "python") for side in ("official", "shim")]
        for program in there:
            print(f"== cuda-core {core}: {program}", flush=True)
            run = [sys.executable, str(HERE / "compare.py"), "--official", pythons[0], "--shim", pythons[1]]
            if subprocess.run([*run, "--out", str(chosen.out / core), program]).returncode:
                failed.append(f"{program} on cuda-core {core}")
    print("differ or failed: " + (", ".join(failed) or "nothing"))
    return 1 if failed else 0


def _is_there(name: str, folders: list[Path]) -> bool:
    return any(any(folder.glob(f"{name}-*.whl")) for folder in folders)


if __name__ == "__main__":
    sys.exit(main())
