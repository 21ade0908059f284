# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Cython modules that use every name there is: of cydriver, and of each view with its per-thread twin.

Cython compares the type of each function with its capsule, and the C compiler knows each type and value, or says so.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from codegen.emit import cython
from codegen.model.api import Constant, View
from codegen.model.fold import fold
from cuda import driver_stable as driver
from cuda.driver_stable import cydriver
from support.capsules import address
from support.cython import OLDEST_AND_NEWEST, USABLE, compile_module

API = fold("driver")
VIEWS = {view.major: view for view in API.views}
SIZES = {x.name: x.size for kind in (API.records, API.handles) for x in kind}
POINTERS = {h.name for h in API.handles if h.underlying == "void *"}
FOREIGN = cython.unused(API)
HEAD = "from libc.stdint cimport uintptr_t\n"


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.name.partition(".")[0], path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(folder: Path, name: str, release: str, lines: Iterator[str]) -> Any:
    source = folder / f"{name}.pyx"
    source.write_text(HEAD + "\n".join(lines) + "\n")
    return load(compile_module(release, source, folder, flags=("-O0",)))


def function(title: str, values: Mapping[str, str]) -> Iterator[str]:
    """A Python function that gives the values of Cython expressions by name."""
    yield f"def {title}():"
    yield "    found = {}"
    yield from (f'    found["{name}"] = {expression}' for name, expression in values.items())
    yield "    return found"


@pytest.mark.parametrize("release", USABLE)
def test_every_permanent_name(tmp_path: Path, release: str) -> None:
    names = [name for f in API.functions for name in (f.name, f.plain) if name]

    def lines() -> Iterator[str]:
        yield "from cuda.driver_stable cimport cydriver"
        yield from function("addresses", {name: f"<uintptr_t><void *>cydriver.{name}" for name in names})

    module = build(tmp_path, "every_permanent_name", release, lines())
    capsules = cydriver.__pyx_capi__
    assert module.addresses() == {name: address(capsules[name]) for name in names}


def value(constant: Constant | None, name: str) -> str:
    pointer = constant is not None and (constant.type.endswith("*") or constant.type in POINTERS)
    return f"<uintptr_t>c.{name}" if pointer else f"c.{name}"


@pytest.mark.parametrize(
    ("major", "release"),
    [(major, OLDEST_AND_NEWEST[1]) for major in VIEWS] + [(max(VIEWS), OLDEST_AND_NEWEST[0])],
)
def test_every_name_of_a_view(tmp_path: Path, major: int, release: str) -> None:
    view: View = VIEWS[major]
    types = {name: target for name, target in view.types.items() if target in SIZES and target not in FOREIGN}
    values = [*view.enumerators, *(name for name in view.constants if name not in view.enumerators)]
    here = {
        twin: [name for name, target in functions.items() if API.by_name[target].platform != "windows"]
        for twin, functions in (("c", view.functions), ("p", view.per_thread))
    }

    def lines() -> Iterator[str]:
        yield f"from cuda.driver_stable cimport cycu{major} as c, cycu{major}_per_thread as p"
        yield from function("sizes", {name: f"sizeof(c.{name})" for name in types})
        yield from function("values", {name: value(view.constants.get(name), name) for name in values})
        for twin, names in here.items():
            yield from function(f"functions_{twin}", {n: f"<uintptr_t><void *>{twin}.{n}" for n in names})

    module = build(tmp_path, f"every_name_of_{major}", release, lines())
    assert module.sizes() == {name: SIZES[target] for name, target in types.items()}
    python = getattr(driver, f"cu{major}")
    assert module.values() == {name: getattr(python, name) for name in values}
    for twin, functions in (("c", view.functions), ("p", view.per_thread)):
        # One address a function, whatever it is called.
        found = getattr(module, f"functions_{twin}")()
        meant = {name: functions[name] for name in here[twin]}
        assert set(found) == set(meant)
        assert len(set(found.values())) == len(set(meant.values()))
        by_target = {target: found[name] for name, target in meant.items()}
        assert found == {name: by_target[target] for name, target in meant.items()}
