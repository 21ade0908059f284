# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Toolkit wheels of CUDA 12 where only libraries of CUDA 13 are: the error names both, and nothing else is hurt."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from codegen.emit.libraries import LIBRARIES
from support.build import stub_library

OTHER = "13.5"
NAMES = ("runtime", "nvrtc", "nvjitlink")


def first_call(name: str, **environment: str) -> subprocess.CompletedProcess[str]:
    library = LIBRARIES[f"{name}12"]
    code = (
        "from cuda import driver_stable;"
        f"from cuda import {name} as m;"
        "assert driver_stable.cuDriverGetVersion()[0] == 0;"
        f"print(m.{library.version_symbol}())"
    )
    clean = {key: value for key, value in os.environ.items() if key != library.path_variable}
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={**clean, **environment})


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_named(name: str) -> None:
    path = stub_library(OTHER, f"{name}13")
    done = first_call(name, **{LIBRARIES[f"{name}12"].path_variable: str(path)})
    assert done.returncode == 1
    assert f"cuda.{name}.LibraryNotFoundError" in done.stderr
    assert f"{path}: the file was loaded but is of CUDA {OTHER}, and this package is for CUDA 12" in done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_a_library_that_would_be_found(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """NVIDIA's wheels of CUDA 13 lie in the environment: none of them is loaded in place of what is asked for."""
    site = tmp_path_factory.mktemp("site")
    folder = site / "nvidia" / "cu13" / "lib"
    folder.mkdir(parents=True)
    facts = LIBRARIES[f"{name}13"]
    (folder / facts.soname).symlink_to(stub_library(OTHER, facts.key))
    tools = os.environ["PYTHONPATH"]
    done = first_call(name, PYTHONPATH=os.pathsep.join((str(site), tools)))
    if "LibraryNotFoundError" not in done.stderr:
        # One of CUDA 12 is installed elsewhere on this machine: then that one is taken.
        assert done.stdout.rstrip().endswith(")"), done.stderr
        assert "13, 5" not in done.stdout
        assert "13050" not in done.stdout
        return
    assert f"Install NVIDIA's wheel {LIBRARIES[f'{name}12'].wheel}>=12.0,<13." in done.stderr
