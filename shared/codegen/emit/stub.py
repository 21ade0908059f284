# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Emit and build the stub driver: `python -m codegen.emit.stub --as-of 13.5 --out DIR --build`.

The result is a `libcuda.so.1` that exports every symbol a driver of that CUDA version has; with `--library nvrtc13` it
is a `libnvrtc.so.13`, and so on. stub.h says how its parts fit together; tests/support/stub.py drives it from Python.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codegen.emit.ctext import c_banner
from codegen.emit.libraries import LIBRARIES, Library
from codegen.model.api import Api, Callback, CType, Field, Function, Parameter, Record, Release

HERE = Path(__file__).resolve().parent
RUNTIME = "stub_runtime.c"
TYPES = "stub_types.h"
SYMBOLS = "stub_symbols.c"
DRIVER = LIBRARIES["driver"]

# A symbol whose first parameter points to a handle makes an object of that type. These make it elsewhere…
MAKES = {
    "cuLinkCreate": "stateOut",
    "cuStreamEndCapture": "phGraph",
    "cuGraphChildGraphNodeGetGraph": "phGraph",
    "cuDeviceRegisterAsyncNotification": "callback",
    "cuLogsRegisterCallback": "callback_out",
    "cuCoredumpRegisterStartCallback": "callbackOut",
    "cuCoredumpRegisterCompleteCallback": "callbackOut",
    "cuStreamGetGreenCtx": "phCtx",
    "cuTexObjectCreate": "pTexObject",
    "cuSurfObjectCreate": "pSurfObject",
    "cuMemCreate": "handle",
    "cuMulticastCreate": "mcHandle",
    "cuMemImportFromShareableHandle": "handle",
    "cuMemRetainAllocationHandle": "handle",
}
# … these get one there…
USES = frozenset(
    {
        "cuEGLStreamConsumerAcquireFrame",
        "cuEGLStreamConsumerDisconnect",
        "cuEGLStreamConsumerReleaseFrame",
        "cuEGLStreamProducerDisconnect",
        "cuEGLStreamProducerPresentFrame",
        "cuEGLStreamProducerReturnFrame",
    }
)
# … and these end the object that their parameter 0 is.
ENDS = frozenset(
    {
        "cuArrayDestroy",
        "cuMipmappedArrayDestroy",
        "cuStreamDestroy",
        "cuEventDestroy",
        "cuModuleUnload",
        "cuLibraryUnload",
        "cuLinkDestroy",
        "cuGraphDestroy",
        "cuGraphExecDestroy",
        "cuGraphDestroyNode",
        "cuMemPoolDestroy",
        "cuTexRefDestroy",
        "cuTexObjectDestroy",
        "cuSurfObjectDestroy",
        "cuMemRelease",
        "cuDestroyExternalMemory",
        "cuDestroyExternalSemaphore",
        "cuGraphicsUnregisterResource",
        "cuGreenCtxDestroy",
    }
)


class StubError(Exception):
    pass


@dataclass(frozen=True)
class Stub:
    """What a library of one CUDA version exports, with the types of the newest one."""

    api: Api
    release: Release
    library: Library = DRIVER

    @cached_property
    def exports(self) -> tuple[tuple[str, Function], ...]:
        """Symbols and what they call. A function that has a symbol a release is exported under all up to this one, and
        under its own name, which nobody calls who was compiled with the header."""
        here = (f for f in self.api.functions if f.platform != "windows" and f.introduced <= self.release)
        return tuple((symbol, f) for f in here for symbol in self._symbols(f))

    def _symbols(self, function: Function) -> Iterator[str]:
        yield function.base if function.symbols else function.symbol
        for release, symbol in function.symbols:
            if release <= self.release:
                yield symbol

    def parameters(self, function: Function) -> tuple[Parameter, ...]:
        """What a call is recorded with: a value that is returned is a pointer more, to where it lies."""
        if function.result == self.library.result:
            return function.parameters
        pointer = CType.parse(f"{function.result} *")
        return (*function.parameters, Parameter("value", pointer))

    @cached_property
    def records(self) -> Mapping[str, Record]:
        return {record.name: record for record in self.api.records}

    @cached_property
    def opaque(self) -> frozenset[str]:
        """Handles whose value can be the address of an object."""
        return frozenset(h.name for h in self.api.handles if h.size == 8)

    @cached_property
    def pointers(self) -> frozenset[str]:
        return frozenset(h.name for h in self.api.handles if h.underlying.endswith("*"))

    def object_parameter(self, function: Function) -> tuple[int, str, bool] | None:
        """(index of the parameter, type of the object, whether it is ended)."""
        parameters = function.parameters
        if self.library is not DRIVER or not parameters or function.base in USES:
            return None
        first = parameters[0].type
        if function.base in ENDS:
            return (0, first.base, True) if first.depth == 0 and first.base in self.opaque else None
        for index, parameter in enumerate(parameters):
            kind = parameter.type
            if kind.depth != 1 or any(kind.const):
                continue
            made_here = parameter.name == MAKES.get(function.base)
            if (index == 0 and kind.base in self.pointers) or (made_here and kind.base in self.opaque):
                return (index, kind.base, False)
        return None

    @cached_property
    def objects(self) -> tuple[str, ...]:
        names = {"CUcontext", "CUarray", "CUstream", "CUuserObject"}  # stub_behaviour.c asks for these by name
        names.update(found[1] for _, f in self.exports if (found := self.object_parameter(f)))
        return tuple(sorted(names))

    @property
    def behaviour(self) -> str:
        """The file that says what symbols do by themselves."""
        return "stub_behaviour.c" if self.library is DRIVER else "stub_toolkit.c"


def behaviours(stub: Stub) -> frozenset[str]:
    """The symbols that have something to do by themselves, as the preprocessed text of their file tells."""
    text = _preprocess(HERE / stub.behaviour)
    return frozenset(re.findall(r"\bint act_(\w+)\(const void \*const \*args\)", text))


def _preprocess(path: Path) -> str:
    # Without -I the generated header is missing; the macros are all in the file itself.
    text = "\n".join(line for line in path.read_text().splitlines() if not line.startswith("#include"))
    done = subprocess.run(
        [_compiler(), "-E", "-P", "-x", "c", "-"], input=text, capture_output=True, text=True, check=True
    )
    return done.stdout


def _compiler() -> str:
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return name
    raise StubError("no C compiler found (cc, gcc, clang)")


# ---- types ----


def c_name(name: str) -> str:
    return name.replace(".", "__")


def c_type(kind: CType) -> str:
    text = str(kind)
    return text.replace(kind.base, c_name(kind.base), 1)


def declarator(kind: CType, name: str) -> str:
    text = c_type(kind)
    return f"{text}{name}" if text.endswith("*") else f"{text} {name}"


def types(stub: Stub) -> str:
    api = stub.api
    lines = [c_banner(api.release), "#ifndef STUB_TYPES_H", "#define STUB_TYPES_H", "", "#include <stddef.h>", ""]
    lines += [_typedef("int", enum.name) for enum in api.enums]
    lines += [_typedef(handle.underlying, handle.name) for handle in api.handles]
    lines += [f"typedef {'union' if r.union else 'struct'} {c_name(r.name)} {c_name(r.name)};" for r in api.records]
    lines += [_callback(callback) for callback in api.callbacks]
    for record in api.records:
        lines += ["", *_record(record)]
    lines += ["", "#endif", ""]
    return "\n".join(lines)


def _typedef(underlying: str, name: str) -> str:
    return f"typedef {declarator(CType.parse(underlying), name)};"


def _callback(callback: Callback) -> str:
    parameters = ", ".join(c_type(p.type) for p in callback.parameters) or "void"
    return f"typedef {callback.result} (*{c_name(callback.name)})({parameters});"


def _record(record: Record) -> Iterator[str]:
    """The layout as the registry has it, checked by the compiler; fields that share bytes are in a union."""
    name = c_name(record.name)
    yield f"{'union' if record.union else 'struct'} __attribute__((aligned({record.align}))) {name} {{"
    end = 0
    for start, cluster in _clusters(record.fields):
        if start > end and not record.union:
            yield f"  char pad_{end}[{start - end}];"
        if record.union:
            yield from (f"  {_shifted(f, f.offset)}" for f in cluster)
        elif len(cluster) == 1:
            yield f"  {_field(cluster[0])};"
        else:
            yield "  union {"
            yield from (f"    {_shifted(f, f.offset - start)}" for f in cluster)
            yield "  };"
        end = max(f.offset + f.size for f in cluster)
    if end < record.size:
        yield f"  char pad_{end}[{record.size}];" if record.union else f"  char pad_{end}[{record.size - end}];"
    yield "};"
    yield f'_Static_assert(sizeof({name}) == {record.size}, "{record.name}");'
    for field in record.fields:
        yield f'_Static_assert(offsetof({name}, {field.name}) == {field.offset}, "{record.name}.{field.name}");'


def _clusters(fields: Sequence[Field]) -> Iterator[tuple[int, list[Field]]]:
    """Groups of fields that share bytes, with the offset each group starts at."""
    group: list[Field] = []
    end = 0
    for field in sorted(fields, key=lambda f: (f.offset, -f.size)):
        if group and field.offset >= end:
            yield group[0].offset, group
            group = []
        group.append(field)
        end = max(end, field.offset + field.size)
    if group:
        yield group[0].offset, group


def _field(field: Field) -> str:
    return declarator(field.type, field.name) + (f"[{field.count}]" if field.count is not None else "")


def _shifted(field: Field, offset: int) -> str:
    if not offset:
        return f"{_field(field)};"
    return f"struct __attribute__((packed)) {{ char pad_{field.name}[{offset}]; {_field(field)}; }};"


# ---- symbols ----


def symbols(stub: Stub) -> str:
    acts = behaviours(stub)
    rows: list[str] = []
    parameters: list[str] = []
    sizes: list[str] = []
    bodies: list[str] = []
    used: set[str] = set()
    for index, (symbol, function) in enumerate(stub.exports):
        act = f"{function.base}_v{function.version}"
        used.add(act)
        object_ = stub.object_parameter(function)
        first = len(parameters)
        recorded = stub.parameters(function)
        offset = "0"
        for parameter in recorded:
            kind = c_type(parameter.type)
            parameters.append(f'  {{"{parameter.name}", sizeof({kind}), {offset}}},')
            offset = f"{offset} + (sizeof({kind}) + 7) / 8 * 8"
        sizes.append(f'_Static_assert({offset} <= 512, "{symbol}");')
        bodies.append(_body(stub, index, symbol, function))
        row = [
            f'"{symbol}"',
            f'"{function.base}"',
            f"(void (*)(void)){symbol}",
            f"act_{act}" if act in acts else "0",
            str(first),
            str(function.introduced.number),
            str(len(recorded)),
            str(function.version),
            str(("", "ptds", "ptsz").index(function.stream)),
            str(stub.objects.index(object_[1]) + 1 if object_ else 0),
            str(object_[0] if object_ else 0),
            str(int(object_[2]) if object_ else 0),
        ]
        rows.append(f"  {{{', '.join(row)}}},")
    errors = sorted(
        {(e.value, e.name) for enum in stub.api.enums if enum.name == stub.library.result for e in enum.enumerators
         if e.since <= max(stub.release, enum.since)}
    )  # fmt: skip
    lines = [
        c_banner(stub.api.release),
        '#include "stub.h"',
        f'#include "{TYPES}"',
        "",
        '#define EXPORT __attribute__((visibility("default")))',
        "",
        *(f"stub_act act_{act};" for act in sorted(acts & used)),
        "",
        *bodies,
        "",
        *sizes,
        "",
        "const struct stub_parameter stub_parameters[] = {",
        *parameters,
        "};",
        "const struct stub_symbol stub_symbols[] = {",
        *rows,
        "};",
        f"const unsigned stub_nsymbols = {len(rows)};",
        '_Static_assert(sizeof stub_symbols / sizeof *stub_symbols <= 1024, "MAX_SYMBOLS in stub_runtime.c");',
        "const struct stub_error stub_errors[] = {",
        *(f'  {{{value}, "{name}"}},' for value, name in errors),
        "};",
        f"const unsigned stub_nerrors = {len(errors)};",
        "const char *const stub_objects[] = {",
        *(f'  "{name}",' for name in stub.objects),
        "};",
        f"const unsigned stub_nobjects = {len(stub.objects)};",
        f"const int stub_driver_version = {stub.release.number};",
        "",
    ]
    return "\n".join(lines)


def _body(stub: Stub, index: int, symbol: str, function: Function) -> str:
    names = [f"a{i}" for i in range(len(function.parameters))]
    declared = ", ".join(declarator(p.type, n) for p, n in zip(function.parameters, names, strict=True)) or "void"
    passed = [f"&{name}" for name in names]
    returned = function.result if function.result != stub.library.result else None
    lines = [f"EXPORT {returned or 'int'} {symbol}({declared}) {{"]
    if returned:
        value = declarator(CType.parse(returned), "value")
        lines += [f"  static {value};", "  const void *const place = &value;"]
        passed.append("&place")
    lines.append(f"  const void *const args[] = {{{', '.join(passed) or '0'}}};")
    call = f"stub_call({index}, args);"
    lines += [f"  {call}", "  return value;"] if returned else [f"  return {call}"]
    return "\n".join([*lines, "}"])


# ---- files ----


def write(api: Api, release: Release, out: Path, library: Library = DRIVER) -> None:
    """Write everything that compiles to the stub library of `release` into `out`."""
    stub = Stub(api, release, library)
    out.mkdir(parents=True, exist_ok=True)
    (out / TYPES).write_text(types(stub))
    (out / SYMBOLS).write_text(symbols(stub))
    for name in ("stub.h", RUNTIME, stub.behaviour):
        shutil.copyfile(HERE / name, out / name)


def build(out: Path, *, optimize: str = "-O1", soname: str = DRIVER.soname) -> Path:
    """Compile what `write` wrote."""
    library = out / soname
    command = [
        _compiler(), "-std=gnu11", optimize, "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra",
        "-Wno-packed-not-aligned", "-Wno-unused-parameter", "-I", str(out), f"-Wl,-soname,{soname}", "-o", str(library),
        *map(str, sorted(out.glob("stub*.c"))), "-lpthread",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise StubError(f"the stub library does not compile:\n{done.stderr}")
    return library


def main(arguments: Sequence[str] | None = None) -> None:
    from codegen.model.fold import fold

    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--as-of", type=Release.parse, required=True, metavar="VERSION", help="its CUDA version")
    parser.add_argument("--library", choices=sorted(LIBRARIES), default=DRIVER.key, help=f"{DRIVER.key} by default")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--build", action="store_true", help=f"compile it, to DIR/{DRIVER.soname} and the like")
    options = parser.parse_args(arguments)
    library = LIBRARIES[options.library]
    write(fold(library.name, major=library.major or None), options.as_of, options.out, library)
    print(build(options.out, soname=library.soname) if options.build else options.out)


if __name__ == "__main__":
    main()
