# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Asks the C compiler what a release's headers say. The registry and the parser behind it have no part in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path

import pytest

from codegen.ingest import fetch, standins
from codegen.ingest.specs import SPECS, Spec
from codegen.model.api import Release

HEADERS = ("cuda.h", "cudaGL.h", "cudaEGL.h", "cudaVDPAU.h", "cudaProfiler.h")
PER_THREAD = ("CUDA_API_PER_THREAD_DEFAULT_STREAM",)
_NAME = "asked"
INTERNAL = ("__CUDA_API_VERSION_INTERNAL",)  # shows what the headers keep for binaries of long ago


def names_of(library: str) -> tuple[str, ...]:
    """The headers of a library."""
    return HEADERS if library == "driver" else SPECS[library].headers


@cache
def headers(release: Release, library: str = "driver") -> Headers:
    """The headers of a release; skips the test where they cannot be had, but fails it in CI."""
    compiler = next(filter(None, map(shutil.which, ("gcc", "clang"))), None)
    problem = None if compiler else "gcc or clang is needed to read headers"
    if compiler:
        spec, names = SPECS[library], names_of(library)
        unpacked = fetch.CACHE / "headers" / str(release) / spec.sources["linux"]
        try:
            folder = unpacked if (unpacked / names[0]).exists() else fetch.headers(release, spec=spec).linux
            return Headers(compiler, folder, spec, names)
        except fetch.FetchError as error:
            problem = f"no headers of CUDA {release}: {error}"
    if os.environ.get("CI"):
        pytest.fail(str(problem), pytrace=False)
    pytest.skip(str(problem))


class Headers:
    def __init__(self, compiler: str, folder: Path, spec: Spec, names: Iterable[str]) -> None:
        self.compiler = compiler
        self.folder = folder
        self.spec = spec
        self.present = [name for name in names if (folder / name).exists()]

    @cached_property
    def _standins(self) -> tempfile.TemporaryDirectory[str]:
        """What the headers include of other APIs."""
        folder = tempfile.TemporaryDirectory()
        others = {name: text for name, text in self.spec.standins.items() if "/" in name}
        standins.write(Path(folder.name), others)
        return folder

    def _source(self) -> str:
        # Compilers have names of their own for what they read from a pipe.
        lines = [f'#line 2 "{_NAME}"', "#include <stddef.h>", "#include <stdint.h>", "#include <vdpau/vdpau.h>"]
        # On aarch64 the runtime's header wants OpenGL's before it, and knows it by what it defines.
        lines += ["#include <GL/gl.h>", "#define GL_VERSION 0x1F02"]
        return "\n".join([*lines, *(f"#include <{name}>" for name in self.present)]) + "\n"

    def _run(self, source: str, *arguments: str, defines: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        command = [self.compiler, "-std=gnu11", "-w", "-x", "c", "-", *self.spec.defines]
        command += [f"-I{self.folder}", f"-I{self._standins.name}"]
        return subprocess.run(
            [*command, *(f"-D{name}" for name in defines), *arguments],
            input=source,
            capture_output=True,
            text=True,
            env={**os.environ, "LC_ALL": "C"},
        )

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word of the headers, and of what the preprocessor makes of them: a few names are put together by it."""
        texts = [(self.folder / name).read_text("latin-1") for name in self.present]
        texts += [self._run(self._source(), "-E", "-P", defines=defines).stdout for defines in ((), INTERNAL)]
        return frozenset(re.findall(r"\w+", "".join(texts)))

    @cache  # noqa: B019 - there is one object a release
    def functions(self, defines: tuple[str, ...] = ()) -> Mapping[str, str]:
        """Every function name a program can write, and the symbol the preprocessor makes of it."""
        names = sorted(word for word in self.words if re.match(r"cu[A-Z]", word))
        probes = "".join(f'probe "{name}" {name} end\n' for name in names)
        text = self._run(self._source() + probes, "-E", "-P", defines=defines)
        assert text.returncode == 0, text.stderr
        expanded = dict(re.findall(r'probe "(\w+)" (\w+) end', text.stdout))
        inline = self._inline(text.stdout)
        declared = set(re.findall(r"\bCUresult\s+(cu[A-Z]\w*)\s*\(", text.stdout)) - set(inline)
        found = {name: inline.get(symbol, symbol) for name, symbol in expanded.items()}
        return {name: symbol for name, symbol in found.items() if symbol in declared and name not in inline}

    @staticmethod
    def _inline(text: str) -> Mapping[str, str]:
        """Functions that a header defines itself, and what they call."""
        found = {}
        for match in re.finditer(r"\bstatic\s+(?:__)?inline\s+CUresult\s+(cu\w+)\s*\([^{;]*\)\s*\{", text):
            called = re.search(r"\b(cu[A-Z]\w*)\s*\(", text[match.end() :])
            assert called is not None
            found[match[1]] = called[1]
        return found

    def numbers(self, expressions: Iterable[str], defines: Sequence[str] = ()) -> Mapping[str, int]:
        """Values of integer expressions as unsigned 64-bit numbers; those that do not compile are left out."""
        # What holds a word that is in no header need not be tried; a compiler takes its time over each error.
        known = self.words | {"sizeof", "offsetof", "_Alignof", "__typeof__", "struct", "union", "enum", "char"}
        wanted = [text for text in dict.fromkeys(expressions) if known.issuperset(re.findall(r"[A-Za-z_]\w*", text))]
        while True:
            source = self._source()
            first = source.count("\n") + 1
            source += "".join(
                f"static unsigned long long p{i}(void) {{ return (unsigned long long)({text}); }}\n"
                for i, text in enumerate(wanted)
            )
            checked = self._run(source, "-fsyntax-only", "-fmax-errors=0", defines=defines)
            if checked.returncode == 0:
                break
            told = re.findall(rf"^{_NAME}:(\d+):\d+: error", checked.stderr, re.MULTILINE)
            bad = {int(line) - first for line in told}
            assert bad, checked.stderr
            assert min(bad) >= 0, checked.stderr
            wanted = [text for i, text in enumerate(wanted) if i not in bad]
        source += "#include <stdio.h>\nint main(void) {\n"
        source += "".join(f'printf("%llu\\n", p{i}());\n' for i in range(len(wanted)))
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "probe")
            built = self._run(source + "return 0; }\n", "-o", str(program), defines=defines)
            assert built.returncode == 0, built.stderr
            output = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        return dict(zip(wanted, map(int, output.split()), strict=True))
