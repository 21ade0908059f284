# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The modules that cuda-core-shim serves have every public name of the official ones, which are installed beside them.

What the names stand for is compared where they come from: the other tests compare the packages, and here it is tested
that the served modules give out nothing else.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

from support.capsules import spelling

from .differences import explained
from .official import is_nameless, version
from .ours import PACKAGES

VERSION = version()
if VERSION is None:
    pytest.skip("no cuda-bindings to compare with: nox -s parity installs it", allow_module_level=True)
if find_spec("cuda.core_shim") is None:
    pytest.skip("no cuda-core-shim to compare: nox -s parity installs it", allow_module_level=True)
MAJOR = int(VERSION.split(".")[0])

INNER = ("_internal.utils", "_internal._fast_enum", *(f"_internal.{name}" for name in PACKAGES if name != "runtime"))
MODULES = ("", "_version", "utils", *PACKAGES, *INNER)
COMPILED = ("cydriver", "cyruntime", "cynvrtc", "cynvjitlink", "cynvvm", "cynvml")

# Names that official modules have by the way: what they import, and variables of their own.
BY_THE_WAY = re.compile(
    r"Any|Optional|Callable|Iterator|annotations|envvar_bool|get_c_compiler|load_nvidia_dynamic_lib"
    r"|commit_id|cudaBindings\w+Global|\w+_dtype|Vdp\w+"
)

# Of each served module: its names, and of its capsules how they are spelled. Of the package behind it: whether what it
# gives out is the same object.
TELL = f"""
import json, sys
import cuda.core_shim
cuda.core_shim.activate(force=True)
from importlib import import_module
from support.capsules import spelling
names, foreign, capsules = {{}}, [], {{}}
for name in {MODULES!r}:
    module = import_module(f"cuda.bindings.{{name}}".rstrip("."))
    names[name] = [item for item in dir(module) if hasattr(module, item)]
    if source := {PACKAGES!r}.get(name):
        package = import_module(source + (f".cu{MAJOR}" if name == "driver" else ""))
        foreign += [f"{{name}}.{{item}}" for item in module.__all__ if item != "sizeof" and getattr(module, item) is not getattr(package, item)]
for name in {COMPILED!r}:
    capsules[name] = {{item: spelling(capsule) for item, capsule in import_module(f"cuda.bindings.{{name}}").__pyx_capi__.items()}}
import cuda.bindings
json.dump([cuda.bindings.__version__, names, foreign, capsules], sys.stdout)
"""  # noqa: E501 - a program in a text


@cache
def served() -> tuple[str, dict[str, list[str]], list[str], dict[str, dict[str, str]]]:
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", TELL], capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stderr
    version_, names, foreign, capsules = json.loads(done.stdout)
    return version_, names, foreign, capsules


def official(name: str) -> Any:
    return import_module(f"cuda.bindings.{name}".rstrip("."))


def test_version() -> None:
    assert served()[0] == VERSION


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name(name: str) -> None:
    expected = {
        item
        for item, value in vars(official(name)).items()
        if not item.startswith("_")
        and not isinstance(value, ModuleType)
        and not is_nameless(item)
        and not BY_THE_WAY.fullmatch(item)
    }
    if name in PACKAGES:
        expected -= {d.subject for d in explained(name, MAJOR, "installed") if d.ours == "nothing"}
    assert sorted(expected - set(served()[1][name])) == []


@pytest.mark.parametrize("name", ["_internal.driver", "_internal.nvjitlink", "_internal.nvvm"])
def test_names_that_look_private_and_are_used(name: str) -> None:
    used = {"_inspect_function_pointer", "_inspect_function_pointers"}
    assert used <= set(vars(official(name))) & set(served()[1][name])


def test_nothing_but_what_the_packages_have() -> None:
    assert served()[2] == []


@pytest.mark.parametrize("name", COMPILED)
def test_every_function_for_compiled_code(name: str) -> None:
    expected = {item: spelling(capsule) for item, capsule in official(name).__pyx_capi__.items()}
    ours = served()[3][name]
    assert {item: ours.get(item) for item in expected} == expected
