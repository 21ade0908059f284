# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The wheels on the engine, compiled with a sanitizer: `python tests/sanitize/build.py address` prints the environment.

What is built are the extension modules that a package's pyproject.toml lists, so a new wheel needs no line here.
"""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT / "shared"
CACHE = ROOT / ".cache" / "sanitize"
LIMITED_API = "-DPy_LIMITED_API=0x030B0000"
MAJOR = "13"  # of the packages that have one source tree for several CUDA majors


@dataclass(frozen=True)
class Variant:
    name: str
    flags: tuple[str, ...]
    runtime: str | None = None  # the sanitizer's library, which has to be there before Python starts
    options: tuple[tuple[str, str], ...] = ()
    compiler: str | None = None  # the only one that will do, whatever CC says


VARIANTS = {
    variant.name: variant
    for variant in (
        Variant("plain", ("-O2", "-g", "-DNDEBUG")),
        Variant(
            "address",
            ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
            "libasan.so",
            (
                # Objects one by one, not out of CPython's pools: a pool hides the end of an object.
                ("PYTHONMALLOC", "malloc"),
                # CPython itself ends with memory that it never gives back; test_leaks.py measures instead.
                (
                    "ASAN_OPTIONS",
                    "detect_leaks=0:detect_stack_use_after_return=1:allocator_may_return_null=1:max_allocation_size_mb=2048",
                ),
                ("UBSAN_OPTIONS", "print_stacktrace=1"),
            ),
        ),
        Variant(
            "thread",
            ("-O1", "-g", "-fsanitize=thread"),
            "libtsan.so",
            (("TSAN_OPTIONS", "halt_on_error=1:exitcode=66"),),
        ),
        Variant(
            # Tells libFuzzer which edges an input reached. atheris brings libFuzzer and clang's ASan in one library.
            "coverage",
            ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address,fuzzer-no-link"),
            "asan_with_fuzzer.so",
            (
                ("PYTHONMALLOC", "malloc"),
                ("ASAN_OPTIONS", "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2048"),
            ),
            compiler="clang",
        ),
    )
}


class Unavailable(Exception):  # noqa: N818 - it is no error that a compiler lacks a sanitizer
    """Why a variant cannot be built or run here."""


@dataclass(frozen=True)
class Module:
    """An extension module that a package builds from C."""

    name: str
    sources: tuple[Path, ...]
    includes: tuple[Path, ...]


@dataclass(frozen=True)
class Package:
    folder: Path
    modules: tuple[Module, ...]
    files: tuple[tuple[Path, str], ...]  # what its build puts beside its own modules, and where

    @property
    def inputs(self) -> Iterator[Path]:
        yield from (self.folder / "src").rglob("*.py")
        yield from (path for path, _ in self.files)
        for module in self.modules:
            yield from module.sources
            for folder in module.includes:
                yield from folder.glob("*.h")


def packages() -> Iterator[Package]:
    for settings in sorted(ROOT.glob("packages/*/pyproject.toml")):
        folder = settings.parent
        build = tomllib.loads(settings.read_text())["tool"]["hatch"]["build"]
        hooks = build.get("hooks", {}).get("custom", {})
        modules = tuple(
            Module(
                row["module"],
                tuple(_paths(folder, row["sources"])),
                tuple(folder / path.format(shared=SHARED) for path in row.get("include-dirs", ())),
            )
            for row in hooks.get("extensions", ())
        )
        files = tuple(
            (path, row["folder"]) for row in hooks.get("files", ()) for path in _paths(folder, row["sources"])
        )
        if modules:
            yield Package(folder, modules, files)


def _paths(package: Path, patterns: Sequence[str]) -> Iterator[Path]:
    for pattern in patterns:
        relative = pattern.removeprefix("{shared}/").replace("{major}", MAJOR)
        yield from sorted((SHARED if pattern.startswith("{shared}/") else package).glob(relative))


@cache
def tree(name: str) -> Path:
    """A folder for PYTHONPATH that holds the packages with modules of that variant."""
    variant = VARIANTS[name]
    found = tuple(packages())
    folder = CACHE / f"{name}-{_digest(variant, found)}"
    if not folder.exists():
        work = CACHE / f"{folder.name}.{os.getpid()}"
        shutil.rmtree(work, ignore_errors=True)
        for package in found:
            ignored = shutil.ignore_patterns("*.so", "*.c", "__pycache__")
            shutil.copytree(package.folder / "src", work, ignore=ignored, dirs_exist_ok=True)
            for path, place in package.files:
                shutil.copy(path, work / place)
            for module in package.modules:
                _compile(variant, module, work / (module.name.replace(".", "/") + ".abi3.so"))
        try:
            work.rename(folder)
        except OSError:  # another process was first
            shutil.rmtree(work)
    return folder


def _digest(variant: Variant, found: tuple[Package, ...]) -> str:
    digest = hashlib.sha256(" ".join((sys.version, *variant.flags)).encode())
    for path in sorted({path for package in found for path in package.inputs}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _compiler(variant: Variant) -> list[str]:
    return [variant.compiler] if variant.compiler else shlex.split(os.environ.get("CC", "gcc"))


def _runtime(variant: Variant, name: str) -> Path:
    compiler = _compiler(variant)
    if not shutil.which(compiler[0]):
        raise Unavailable(f"there is no {compiler[0]}")
    for path in (_run([*compiler, f"-print-file-name={name}"]).strip(), Path(sysconfig.get_path("platlib"), name)):
        if Path(path).is_absolute() and Path(path).exists():
            return Path(path)
    raise Unavailable(f"neither {compiler[0]} nor a Python package brings {name}")


def _compile(variant: Variant, module: Module, target: Path) -> None:
    includes = [f"-I{path}" for path in (*module.includes, Path(sysconfig.get_path("include")))]
    common = [*_compiler(variant), "-std=c11", "-fPIC", "-fvisibility=hidden", LIMITED_API, *variant.flags]
    objects = target.parent / f"{target.name}.objects"
    objects.mkdir()

    def one(source: Path) -> str:
        result = objects / f"{source.stem}.o"
        _run([*common, *includes, "-c", str(source), "-o", str(result)])
        return str(result)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(one, module.sources))
    _run([*common, "-shared", *made, "-ldl", "-o", str(target)])
    shutil.rmtree(objects)


def _run(command: list[str]) -> str:
    # Who asks may run under a sanitizer; the compiler need not.
    unwatched = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run(command, capture_output=True, text=True, env=unwatched)
    if done.returncode:
        raise RuntimeError(f"{shlex.join(command)}\n{done.stderr}")
    return done.stdout


@cache
def environment(name: str) -> dict[str, str]:
    """What to add to the environment so that Python runs the variant; raises Unavailable where it cannot."""
    variant = VARIANTS[name]
    added: dict[str, str] = {}
    if variant.runtime:
        added["LD_PRELOAD"] = str(_runtime(variant, variant.runtime))
        added.update(variant.options)
        done = subprocess.run([sys.executable, "-c", ""], env={**os.environ, **added}, capture_output=True, text=True)
        if done.returncode or done.stderr:
            raise Unavailable(f"Python does not run under {variant.runtime}:\n{done.stderr}")
    return {**added, "PYTHONPATH": os.pathsep.join(map(str, (tree(name), SHARED, ROOT / "tests")))}


if __name__ == "__main__":
    print(json.dumps(environment(sys.argv[1])))
