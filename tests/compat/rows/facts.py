# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The row that this process is of, and what the wheels in it have to be by the registry."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from codegen.emit.libraries import LIBRARIES
from codegen.model.api import Api, Release
from codegen.model.bind import bind
from codegen.model.binding import Binding
from codegen.model.fold import fold
from support import rehearsal
from support.stub import Stub

_FACTS: Mapping[str, Any] = json.loads(os.environ.get("COMPAT_ROW", "{}"))
NAME = str(_FACTS.get("row", ""))  # none: this is no process of a row
INSTALLED: Mapping[str, str] = _FACTS.get("installed", {})
KIND, _, WHICH = str(_FACTS.get("library", "")).partition("-")
DRIVER = "cuda-driver-stable"
T = TypeVar("T")


def _kept(name: str, make: Callable[[], T]) -> T:
    """Rows of one run ask for the same things, which take longer to fold than to read."""
    folder = os.environ.get("COMPAT_KEPT")
    if not folder:
        return make()
    path = Path(folder, f"{name}.pickle")
    if not path.exists():
        work = path.with_suffix(f".{os.getpid()}")
        work.write_bytes(pickle.dumps(make()))
        work.rename(path)
    found: T = pickle.loads(path.read_bytes())
    return found


def release(distribution: str = DRIVER) -> Release:
    return Release.of_version(INSTALLED[distribution])


@cache
def api(of: Release) -> Api:
    return _kept(f"api-{of}", lambda: fold("driver", as_of=of, registry=rehearsal.registry(of)))


@cache
def newest() -> Api:
    return _kept("api", lambda: fold("driver"))


@cache
def binding() -> Binding:
    """The driver wheel that is installed, as the registry has it: for the made-up release, that of the rehearsal."""
    of = release()
    overrides = rehearsal.overrides(of)
    return _kept(f"binding-{of}", lambda: bind(api(of), overrides and overrides / "driver.toml"))


def toolkit_binding(key: str) -> Binding:
    library = LIBRARIES[key]
    return _kept(f"binding-{key}", lambda: bind(fold(library.name, major=library.major or None)))


def released() -> tuple[Release, ...]:
    """The newest release in this tree's registry that is no newer than the wheel, and the last of each major before."""
    last = min(release(), newest().release)
    return tuple(view.release for view in api(last).views)


def toolkits() -> tuple[tuple[str, str], ...]:
    """Each toolkit wheel here: its module, and the generator's word for the library that it binds."""
    found = []
    for distribution, version in sorted(INSTALLED.items()):
        name = distribution.removeprefix("cuda-")
        key = f"{name}{version.partition('.')[0]}"
        if distribution.startswith("cuda-") and (key in LIBRARIES or name in LIBRARIES):
            found.append((f"cuda.{name}", key if key in LIBRARIES else name))
    return tuple(found)


@cache
def stub(variable: str) -> Stub:
    """The stub that the row has loaded in the place of a library."""
    return Stub(os.environ[variable])


def meaning(view: Any, name: str) -> Any:
    """What a view means by a function's name. That for per-thread streams puts one function around the driver's."""
    found = getattr(view, name, None)
    around = name == "cuGetProcAddress" and view.__name__.endswith(".per_thread")
    return getattr(found, "__wrapped__", found) if around else found


def module(name: str) -> Any:
    return import_module(name)
