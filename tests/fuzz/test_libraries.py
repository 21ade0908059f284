# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Files that are no library, and libraries that are another, that lack nearly all of it, or that tell lies."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.model.binding import BoundFunction
from support.counts import counts
from support.subject import FACTS, NAME, PATH, SUITE

# What a program sees: the error of a first call, of a second one, and what the library says of itself.
ASK = """
import json, sys
from importlib import import_module
from codegen.emit.libraries import LIBRARIES
facts = LIBRARIES[sys.argv[1]]
module, core = import_module(facts.module), import_module(facts.core)
said = []
for name, count in json.loads(sys.argv[2]):
    try:
        said.append(repr(getattr(module, name)(*[1] * count)))
    except (getattr(module, facts.not_found_error), module.FunctionNotFoundError) as error:
        said.append(f"{type(error).__name__}: {error}")
info = core.library()
print(json.dumps([said, info["loaded"], info["version"], info["tried"]]))
"""

VERSION = next(b for b in SUITE.functions if FACTS.version_symbol in (b.function.name, b.function.plain))


def takes_numbers(bound: BoundFunction) -> bool:
    arguments = SUITE.preparer.prepare(bound).arguments.values()
    return all(hasattr(type(one), "__index__") for one in arguments)


OTHER = min(
    (bound for bound in SUITE.functions if bound is not VERSION and not bound.returns_value and takes_numbers(bound)),
    key=lambda bound: len(bound.inputs),
)


def ask(library: Path) -> tuple[list[str], bool, int | None, list[list[str]]]:
    surroundings = {**os.environ, FACTS.path_variable: str(library)}
    calls = json.dumps([(bound.function.name, len(bound.inputs)) for bound in (VERSION, OTHER)])
    command = [sys.executable, "-c", ASK, NAME, calls]
    done = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    counts["libraries at fault"] += 1
    said, loaded, version, tried = json.loads(done.stdout)
    return said, loaded, version, tried


def compile_library(folder: Path, source: str) -> Path:
    library = folder / FACTS.soname
    (folder / "library.c").write_text(source)
    surroundings = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    command = ["gcc", "-shared", "-fPIC", "-o", str(library), str(folder / "library.c")]
    subprocess.run(command, check=True, env=surroundings)
    return library


def broken() -> dict[str, bytes | None]:
    whole = PATH.read_bytes()
    other = bytearray(whole[:4096])
    other[4] = 1  # an ELF file for 32 bits
    return {
        "missing": None,
        "empty": b"",
        "text": b"INPUT(libcuda.so.550.54)\n",
        "the first byte": whole[:1],
        "the header alone": whole[:64],
        "half": whole[: len(whole) // 2],
        "all but the section table": whole[:-4096],
        "another class": bytes(other),
        "noise": random.Random(0).randbytes(4096),
    }


@pytest.mark.parametrize("what", [name for name in broken() if name != "all but the section table"])
def test_a_file_that_is_no_library(tmp_path: Path, what: str) -> None:
    content = broken()[what]
    library = tmp_path / FACTS.soname
    if content is not None:
        library.write_bytes(content)
    said, loaded, version, tried = ask(library)
    assert all(text.startswith(FACTS.not_found_error) and str(library) in text for text in said), said
    assert (loaded, version) == (False, None)
    assert [name for name, _ in tried] == [str(library)]
    assert tried[0][1]


def test_a_folder_is_no_library(tmp_path: Path) -> None:
    said, loaded, _, _ = ask(tmp_path)
    assert said[0].startswith(FACTS.not_found_error)
    assert not loaded


def test_a_library_without_its_section_table_works(tmp_path: Path) -> None:
    """The loader does not read that part, so this one is good."""
    content = broken()["all but the section table"]
    assert content
    (tmp_path / FACTS.soname).write_bytes(content)
    assert ask(tmp_path / FACTS.soname)[1]


def test_another_library_is_not_taken(tmp_path: Path) -> None:
    # A symbol with a version in its name does tell which library this is.
    symbol = "unrelated" if OTHER.function.symbols else OTHER.function.symbol
    said, loaded, _, tried = ask(compile_library(tmp_path, f"int {symbol}(void) {{ return 0; }}"))
    assert all(text.startswith(FACTS.not_found_error) for text in said)
    assert not loaded
    assert VERSION.function.symbol in tried[0][1]


def version_function(body: str) -> str:
    """The body knows `*a` and, where the version has two parts, `*b`."""
    if FACTS.version_in_parts:
        return f"int {VERSION.function.symbol}(int *a, int *b) {{ *b = 0; {body} }}"
    return f"int {VERSION.function.symbol}(int *a) {{ {body} }}"


def test_a_symbol_table_with_holes(tmp_path: Path) -> None:
    number = SUITE.binding.api.release.number
    told = f"*a = {number // 1000}; *b = {number % 1000 // 10};" if FACTS.version_in_parts else f"*a = {number};"
    said, loaded, version, _ = ask(compile_library(tmp_path, version_function(f"{told} return 0;")))
    assert said[0].startswith("(<")
    assert said[1].startswith("FunctionNotFoundError"), said
    oldest = OTHER.function.symbols[-1][1] if OTHER.function.symbols else OTHER.function.symbol
    assert f" has no symbol {oldest}." in said[1]
    assert loaded
    assert version == (None if FACTS.release_of else number)


LIES = ["return 999;", "*a = -5; return 0;", "*a = 2147483647; return 0;", "*a = -2147483647 - 1; return 0;"]
LIES += ["*a = 13; *b = 2147483647; return 0;", "*a = 13; *b = -1; return 0;"] if FACTS.version_in_parts else []


@pytest.mark.parametrize("answer", LIES)
def test_a_library_that_lies_about_its_version(tmp_path: Path, answer: str) -> None:
    said, loaded, version, tried = ask(compile_library(tmp_path, version_function(answer)))
    assert version is None
    if FACTS.major and not FACTS.release_of:  # a library of an unknown major may have other arguments
        assert all(text.startswith(FACTS.not_found_error) for text in said)
        assert "does not tell" in tried[0][1]
        assert not loaded
    else:
        assert said[1].startswith("FunctionNotFoundError")
        assert "unknown version" in said[1]
        assert loaded
