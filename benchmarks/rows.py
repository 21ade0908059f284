# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Rows from rows/*.toml, and the functions that run them."""

from __future__ import annotations

import ast
import ctypes
import importlib
import importlib.util
import itertools
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

HERE = Path(__file__).resolve().parent
CONTESTANTS = ("ours", "official", "v2", "ctypes", "floor")

Loop = Callable[[int], float]  # n -> seconds for n runs


@dataclass(frozen=True)
class Targets:
    """Largest ratios of medians; `above`: of the time above the raw function, for the official bindings."""

    floor: float | None = None
    official: float | None = None
    above: bool = False


@dataclass(frozen=True)
class Row:
    name: str
    short: str
    statements: Mapping[str, str]  # contestant -> statements
    prepare: Mapping[str, str]
    raw: str | tuple[str | int, ...] | None  # one of floor.c's loops; a symbol and its arguments
    kernel: str | None
    chunk: int | None  # runs after which the device has to catch up
    needs: str | None
    anywhere: bool  # those who need a device need none here
    targets: Targets


@dataclass(frozen=True)
class Package:
    module: str  # whose import is timed
    distribution: str


@dataclass(frozen=True)
class Suite:
    title: str
    library: str  # the generator's word for the stub
    release: str  # that the stub is of
    core: str  # the compiled module of ours, which finds the library
    official: str  # the version of the package that is compared
    modules: Mapping[str, str]
    on_device: frozenset[str]  # contestants who do nothing without a device
    packages: Mapping[str, Package]
    limits: Mapping[str, float]
    c_level: Mapping[str, str]  # contestant -> module with capsules; "symbol" -> what is called through them
    prototypes: Mapping[str, tuple[str, ...]]
    setup: str
    wrap: Mapping[str, str]
    handles: tuple[str, ...]
    shared: tuple[str, ...]
    synchronize: str
    rows: tuple[Row, ...]


def names() -> list[str]:
    return sorted(path.stem for path in (HERE / "rows").glob("*.toml"))


def read(path: Path) -> Suite:
    table = tomllib.loads(path.read_text())
    world = table["world"]
    return Suite(
        title=table["title"],
        library=table["library"],
        release=table["release"],
        core=table["core"],
        official=table["official"],
        modules=table["contestants"],
        on_device=frozenset(table.get("on_device", ())),
        packages={name: Package(**row) for name, row in table["packages"].items()},
        limits=table["limits"],
        c_level=table.get("c_level", {}),
        prototypes={name: tuple(types) for name, types in table.get("prototypes", {}).items()},
        setup=world["setup"],
        wrap=world.get("wrap", {}),
        handles=tuple(world.get("handles", ())),
        shared=tuple(world.get("shared", ())),
        synchronize=world.get("synchronize", ""),
        rows=tuple(map(_row, table["row"])),
    )


def _row(row: Mapping[str, Any]) -> Row:
    statements = {name: row.get(name, row["call"]) for name in CONTESTANTS}
    raw = row.get("raw")
    return Row(
        name=row["name"],
        short=row["short"],
        statements={name: text.strip() for name, text in statements.items() if text},
        prepare=row.get("prepare", {}),
        raw=tuple(raw) if isinstance(raw, list) else raw,
        kernel=row.get("kernel"),
        chunk=row.get("chunk"),
        needs=row.get("needs"),
        anywhere=row.get("anywhere", False),
        targets=Targets(**row.get("targets", {})),
    )


# ---- what rows run on ----

PARAMETERS = {0: "", 4: ".param .u32 a, .param .f32 b, .param .u64 c, .param .u64 d"}


def ptx() -> str:
    """Kernels k0, k4, k16, k256, k512 with that many parameters, which do nothing."""
    kernels = ""
    for count in (0, 4, 16, 256, 512):
        parameters = PARAMETERS.get(count) or ", ".join(f".param .u32 p{i}" for i in range(count))
        kernels += f".visible .entry k{count}({parameters if count else ''}) {{ ret; }}\n"
    return f".version 6.5\n.target sm_52\n.address_size 64\n{kernels}"


@dataclass
class World:
    """The library's objects, and each contestant's names for them."""

    suite: Suite
    library: Path
    floor: Any
    clock: Callable[[], float]
    gpu: bool
    values: dict[str, Any] = field(default_factory=dict)
    modules: dict[str, Any] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)  # contestant -> why it is not there
    namespaces: dict[str, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        suite = self.suite
        scope: dict[str, Any] = {"d": importlib.import_module(suite.modules["ours"]), "ptx": ptx()}
        exec(suite.setup, scope)
        self.values = {name: int(scope[name]) for name in (*suite.wrap, *suite.handles)}
        self.shared = {name: scope[name] for name in suite.shared}
        wait = compile(suite.synchronize, suite.title, "exec")
        self.synchronize = lambda: exec(wait, scope)
        # One array for all, kept as long as the world: a driver reads what it leads to.
        self._words4 = (ctypes.c_int(1), ctypes.c_float(2.5), ctypes.c_long(3), ctypes.c_void_p(4))
        self._pointers4 = (ctypes.c_void_p * 4)(*(ctypes.addressof(word) for word in self._words4))
        self.packed = ctypes.addressof(self._pointers4)
        self.scratch = ctypes.create_string_buffer(4096)
        self.loaded = ctypes.CDLL(str(self.library))
        if "floor" in suite.modules:
            self.floor.load(str(self.library))
            self.floor.configure(*(self.values[name] for name in suite.handles))
        for contestant, module in suite.modules.items():
            try:
                self.modules[contestant] = self._module(contestant, module)
            except ImportError as error:
                self.missing[contestant] = str(error)
                continue
            self.namespaces[contestant] = {
                **self.shared, **self._parameters(contestant), **self._wrapped(contestant)
            }  # fmt: skip

    def _module(self, contestant: str, module: str) -> Any:
        if contestant == "floor":
            return self.floor
        if contestant == "ctypes":
            return SimpleNamespace(**{name: getattr(ctypes, name) for name in dir(ctypes)}, **self._prototypes())
        return importlib.import_module(module)

    def _prototypes(self) -> dict[str, Any]:
        """As a program declares them that uses ctypes with care: arguments are converted and checked."""
        functions = {}
        for name, arguments in self.suite.prototypes.items():
            functions[name] = function = getattr(self.loaded, name)
            function.restype, function.argtypes = ctypes.c_int, [_ctype(text) for text in arguments]
        return functions

    def _wrapped(self, contestant: str) -> dict[str, Any]:
        made = {}
        for name, cls in self.suite.wrap.items():
            value = self.values[name]
            if contestant in ("ours", "official"):
                made[name] = getattr(self.modules[contestant], cls)(value)
            elif contestant == "floor":
                made[name] = self.floor.Handle(value)
            elif contestant == "ctypes" and cls != "CUdeviceptr":
                made[name] = ctypes.c_void_p(value)
            else:
                made[name] = value
        return made

    def _parameters(self, contestant: str) -> dict[str, Any]:
        """Kernel parameters in the forms that rows name."""
        c_int, c_float, c_long, c_void_p = ctypes.c_int, ctypes.c_float, ctypes.c_long, ctypes.c_void_p
        types4 = (c_int, c_float, c_long, c_void_p)
        made: dict[str, Any] = {"values4": ((1, 2.5, 3, 4), types4)}
        made["ctypes4"] = ((c_int(1), c_float(2.5), c_long(3), c_void_p(4)), types4)
        for count in (16, 256, 512):
            made[f"values{count}"] = (tuple(range(count)), (c_int,) * count)
        # Numbers that CPython makes anew each time, which cost more to read than those that it has once.
        made["large16"] = (tuple(range(1 << 20, (1 << 20) + 16)), (c_int,) * 16)
        made["packed4"] = self.packed
        if contestant == "ctypes":
            made["packed4"] = c_void_p(self.packed)
        handles = self._wrapped(contestant)
        if "to" in handles:
            made["handles4"] = ((handles["to"], handles["source"], 3, 4), (None, None, c_long, c_long))
        if importlib.util.find_spec("numpy"):
            numpy = importlib.import_module("numpy")
            values = (numpy.int32(1), numpy.float32(2.5), numpy.int64(3), numpy.int64(4))
            made["numpy4"] = (values, (c_int, c_float, c_long, c_long))
        return made

    def many(self) -> int:
        """The address of 512 packed parameters, for the raw loop of any kernel but k4."""
        if not hasattr(self, "_many"):
            self._words = (ctypes.c_uint64 * 512)(*range(512))
            start = ctypes.addressof(self._words)
            self._many = (ctypes.c_void_p * 512)(*(start + 8 * i for i in range(512)))
        return ctypes.addressof(self._many)


def _ctype(text: str) -> Any:
    """ "c_int", and "*c_int" for a pointer to one."""
    return ctypes.POINTER(_ctype(text[1:])) if text.startswith("*") else getattr(ctypes, text)


def loop(world: World, row: Row, contestant: str) -> Loop | None:
    """The row as that contestant has it; None where it has no such thing."""
    if contestant not in world.namespaces or contestant not in row.statements:
        return None
    if row.needs and not importlib.util.find_spec(row.needs):
        return None
    if contestant in world.suite.on_device and not (world.gpu or row.anywhere):
        return None
    module = world.modules[contestant]
    names: dict[str, Any] = dict(world.namespaces[contestant])
    if contestant in row.prepare:
        scope = {name: getattr(module, name) for name in dir(module) if not name.startswith("__")}
        scope.update(names)
        prepared: dict[str, Any] = {}
        exec(row.prepare[contestant].strip(), scope, prepared)
        names.update(prepared)
    statements = row.statements[contestant]
    used = {node.id for node in ast.walk(ast.parse(statements)) if isinstance(node, ast.Name)}
    stored = {n.id for n in ast.walk(ast.parse(statements)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    # Everything is a local of the loop, as it would be in a program that cares.
    free = sorted(used - stored - set(dir(__builtins__)) - {"list"})
    arguments = {name: names[name] if name in names else getattr(module, name) for name in free}
    body = "\n        ".join(statements.splitlines())
    source = (
        f"def run(n, {', '.join(free)}):\n    start = clock()\n    for _ in repeat(None, n):\n        {body}\n"
        "    return clock() - start\n"
    )
    made: dict[str, Any] = {}
    exec(source, {"clock": world.clock, "repeat": itertools.repeat}, made)
    run = made["run"]
    values = [arguments[name] for name in free]

    def call(n: int) -> float:
        return float(run(n, *values))

    return call


def raw_loop(world: World, row: Row) -> Loop | None:
    if row.raw is None:
        return None
    if isinstance(row.raw, tuple):
        symbol, *given = row.raw
        known = {**world.values, **world.shared, "out": ctypes.addressof(world.scratch), "packed4": world.packed}
        arguments = tuple(argument if isinstance(argument, int) else known[argument] for argument in given)
        target = ctypes.cast(getattr(world.loaded, str(symbol)), ctypes.c_void_p).value
        return lambda n: float(world.floor.repeat(target, n, arguments))
    name = row.raw
    function = world.values[row.kernel] if row.kernel else 0
    parameters = {None: 0, "f0": 0, "f4": world.packed}.get(row.kernel)
    address = world.many() if parameters is None else parameters
    return lambda n: float(world.floor.raw(name, n, function, address))


def empty_loop(world: World) -> Loop:
    clock = world.clock

    def call(n: int) -> float:
        start = clock()
        for _ in itertools.repeat(None, n):
            pass
        return clock() - start

    return call
