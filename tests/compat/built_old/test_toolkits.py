# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What was compiled against a toolkit wheel runs on every later one of its CUDA major, and says so on an earlier one.

Each consumer uses every function that there was: in Cython by the capsules and names of then, in C and C++ by the
headers of then. On the later wheel every call reaches the library to the bit.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from codegen.emit.libraries import LIBRARIES, Library
from codegen.model.api import Release
from codegen.model.bind import bind
from codegen.model.fold import fold
from support import wheels
from support.build import stub_library
from support.clevel import CLevel

RELEASES = {12: ("12.4", "12.9"), 13: ("13.0", "13.5")}  # of the wheels: an older and the newest
TOOLS = ("cython", "gcc", "g++")
KEYS = sorted(library.key for library in LIBRARIES.values() if library.major)


@dataclass(frozen=True)
class Pair:
    library: Library
    built: str  # the release of the wheel that consumers are compiled against
    run: str  # and of the one that they run on

    def level(self, folder: Path) -> CLevel:
        binding = bind(fold(self.library.name, Release.parse(self.built), major=self.library.major))
        return CLevel(self.library, binding, wheels.site(self.built, library=self.library.key), folder)

    def python(self, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """On the wheel that is run on, with the library of its release."""
        site = wheels.site(self.run, library=self.library.key)
        folders = (site, wheels.ROOT / "shared", wheels.ROOT / "tests")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            self.library.path_variable: str(stub_library(self.run, self.library.key)),
        }
        return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, env=environment)


@cache
def consumer(key: str, built: str, tool: str, folder: Path) -> tuple[Path, dict[str, str]]:
    """A compiled module and the functions that it has."""
    level = Pair(LIBRARIES[key], built, built).level(folder)
    path = level.cython() if tool == "cython" else level.compiled(tool)
    return path, {name: target for name, target in level.names.items() if target in level.here}


CALL = """
import json, sys
from support.clevel import run_consumer
path, key, newest, names = sys.argv[1:]
print(run_consumer(path, key, newest, json.loads(names)))
"""


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("key", KEYS)
def test_built_with_an_older_wheel(tmp_path: Path, key: str, tool: str) -> None:
    library = LIBRARIES[key]
    pair = Pair(library, *RELEASES[library.major])
    path, names = consumer(key, pair.built, tool, tmp_path)
    done = pair.python(CALL, str(path), key, pair.run, json.dumps(names))
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == len(names) >= 20 // (1 + (library.name == "nvvm"))


LOAD = """
import sys
from pathlib import Path
from support.clevel import load
try:
    load(Path(sys.argv[1]))
    print("loaded")
except ImportError as error:
    print(error)
"""


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("key", ["runtime12", "runtime13", "nvrtc12", "nvrtc13"])
def test_built_with_a_newer_wheel(tmp_path: Path, key: str, tool: str) -> None:
    """These got functions between the two releases, and a consumer that uses all of them says what is missing."""
    library = LIBRARIES[key]
    older, newer = RELEASES[library.major]
    path, _ = consumer(key, newer, tool, tmp_path)
    done = Pair(library, newer, older).python(LOAD, str(path))
    assert done.returncode == 0, done.stderr
    if tool == "cython":
        assert f"cuda.{library.name}.{library.cython} does not export expected C function " in done.stdout
    else:
        assert f"was compiled with cuda-{library.name}'s headers of CUDA {newer} " in done.stdout
        assert f"what is installed is of CUDA {older} " in done.stdout
