# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Headers of one release in, what they say out: a value for each key of the registry.

A folder of headers is parsed as a program sees it, with the legacy and (where there is one) with the per-thread default
stream, for what names mean; and with `__CUDA_API_VERSION_INTERNAL`, which alone shows the symbols and types that the
header keeps for binaries built long ago.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from clang import cindex
from clang.cindex import Cursor, CursorKind, TypeKind

from ..model.names import family
from ..model.registry import Key, Scalar, Value
from . import standins
from .cursors import (
    RECORDS,
    HeaderError,
    called,
    evaluate,
    is_unnamed_callback,
    is_untagged,
    libclang,
    members,
    parameters,
    spell,
    untagged_name,
)
from .specs import DRIVER, Mode, Spec

TARGETS = {"linux": "x86_64-unknown-linux-gnu", "windows": "x86_64-pc-windows-msvc"}

_PFN = re.compile(r"PFN_(?P<base>cu\w+?)_v(?P<version>\d{4,5})(?:_(?P<stream>ptds|ptsz))?$")
_STANDARD = {"stddef.h", "stdint.h", "stdlib.h", "limits.h", "crt/host_defines.h"}


@dataclass
class Snapshot:
    """What the headers of a release say.

    `headers` are those that were read, "windows/cudaGL.h" for a Windows one: only they can show that a thing is gone.
    """

    headers: set[str] = field(default_factory=set)
    values: dict[Key, Value] = field(default_factory=dict)
    paths: dict[Key, str] = field(default_factory=dict)  # the registry file a new fact of the key goes to

    def put(self, path: str, kind: str, key: tuple[str, ...], **value: Scalar | None) -> None:
        id_ = (kind, *key)
        self.values[id_] = {name: v for name, v in value.items() if v is not None and v is not False}
        self.paths[id_] = path


def parse_headers(linux: Path | None, windows: Path | None = None, spec: Spec = DRIVER) -> Snapshot:
    """Read the folders of headers of one release."""
    snapshot = Snapshot()
    if linux is not None:
        _Platform(spec, "linux", linux, snapshot).read()
    if windows is not None:
        # What both platforms declare is known from Linux; Windows adds only what is its own.
        both = Snapshot()
        _Platform(spec, "windows", windows, both).read()
        _add_windows(snapshot, both, spec)
    return snapshot


def _add_windows(snapshot: Snapshot, windows: Snapshot, spec: Spec) -> None:
    snapshot.headers |= {f"windows/{header}" for header in windows.headers}
    for key, value in windows.values.items():
        if key in snapshot.values or key[0] == "constant":
            continue
        if key[0] != "introduced" and value.get("header") in spec.headers and key[0] != "declared":
            continue  # the windows spelling of a type of cuda.h
        if key[0] in ("field", "enumerator") and _owner(key, windows).get("header") in spec.headers:
            continue
        if "header" in value:
            value = {**value, "platform": "windows"}
        snapshot.values[key] = value
        snapshot.paths[key] = windows.paths[key]


def _owner(key: Key, snapshot: Snapshot) -> Value:
    kind = "record" if key[0] == "field" else "enum"
    return snapshot.values[(kind, key[1].split(".")[0])]


class _Platform:
    def __init__(self, spec: Spec, platform: Literal["linux", "windows"], folder: Path, snapshot: Snapshot) -> None:
        self.spec = spec
        self.platform = platform
        self.folder = folder.resolve()
        self.snapshot = snapshot
        order = spec.headers if platform == "linux" else spec.windows_headers
        present = [name for name in order if (folder / name).exists()]
        # Typedefs of an interface are of no use, and do not parse, without its header.
        self.headers = [n for n in present if n.replace("Typedefs.h", ".h") in present or n == "cudaTypedefs.h"]
        if spec.headers[0] not in self.headers:
            raise HeaderError(f"no {spec.headers[0]} in {folder}")

    def read(self) -> None:
        self.snapshot.headers |= set(self.headers)
        with tempfile.TemporaryDirectory() as folder:
            texts = self.spec.standins if self.platform == "linux" else standins.WINDOWS
            self.standins = standins.write(Path(folder), dict(texts)).resolve()
            units = {mode: self.unit(mode, macros=mode != "internal") for mode in self.spec.modes}
            legacy = units["legacy"]
            widest = units.get("internal", legacy)
            public = {self.type_name(c) for c in self.declarations(legacy) if c.kind != CursorKind.FUNCTION_DECL}
            enumerators = {
                e.spelling
                for c in self.declarations(legacy)
                if c.kind == CursorKind.ENUM_DECL
                for e in c.get_children()
            }
            for unit in units.values():
                self.refuse_other_headers(unit)
                self.functions(unit)
            self.types(widest, public, enumerators)
            self.defaults(units)
            self.constants(legacy)

    # -- parsing

    def source(self) -> str:
        lines = []
        for header in self.headers:
            lines += [f"#include <{needed}>\n" for needed in self.spec.needs.get(header, ())]
            lines.append(f"#include <{header}>\n")
        return "".join(lines)

    def unit(self, mode: Mode, macros: bool = False, probes: str = "") -> cindex.TranslationUnit:
        arguments = [
            "-xc",
            "-std=c11",  # without it alignment attributes vanish
            f"--target={TARGETS[self.platform]}",
            "-nostdinc",
            "-w",
            f"-isystem{self.standins}",
            f"-I{self.folder}",
            *self.spec.defines,
            *self.spec.mode_defines[mode],
        ]
        unit = cindex.Index.create().parse(
            "ingest.c",
            args=arguments,
            unsaved_files=[("ingest.c", self.source() + probes)],
            options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD if macros else 0,
        )
        if not probes:
            errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
            if errors:
                raise HeaderError(f"{self.folder}, {mode}: " + "; ".join(str(e) for e in errors[:5]))
        return unit

    def header(self, cursor: Cursor) -> str | None:
        """The header that holds the cursor, if facts of it are wanted."""
        if cursor.location.file is None:
            return None
        path = Path(cursor.location.file.name)
        if path.is_relative_to(self.standins):
            name = str(path.relative_to(self.standins))
            return None if name in _STANDARD else name
        return path.name if path.is_relative_to(self.folder) and path.name in self.headers else None

    def declarations(self, unit: cindex.TranslationUnit) -> Iterator[Cursor]:
        for cursor in unit.cursor.get_children():
            if not cursor.kind.is_preprocessing() and self.header(cursor):
                yield cursor

    # -- functions

    def refuse_other_headers(self, unit: cindex.TranslationUnit) -> None:
        """A header of the release that facts are not taken of may declare no function of the API."""
        for cursor in unit.cursor.get_children():
            if cursor.kind != CursorKind.FUNCTION_DECL or cursor.storage_class == cindex.StorageClass.STATIC:
                continue
            path = Path(cursor.location.file.name)
            other = path.is_relative_to(self.folder) and path.name not in self.headers
            if other and self.spec.function.match(cursor.spelling):
                raise HeaderError(f"{path} declares {cursor.spelling}: name it among the headers of ingest/specs.py")

    def functions(self, unit: cindex.TranslationUnit) -> None:
        for cursor in self.declarations(unit):
            if cursor.kind == CursorKind.FUNCTION_DECL and self.spec.function.match(cursor.spelling):
                static = cursor.storage_class == cindex.StorageClass.STATIC
                if (not static or self.spec.wrappers) and ("declared", cursor.spelling) not in self.snapshot.values:
                    self.function(cursor)
            elif cursor.kind == CursorKind.TYPEDEF_DECL and (match := _PFN.match(cursor.spelling)):
                self.snapshot.put(
                    f"functions/{match['base']}",
                    "introduced",
                    (match["base"], match["stream"] or "", match["version"]),
                    header=self.header(cursor),
                )

    def function(self, cursor: Cursor) -> None:
        symbol, header = cursor.spelling, self.header(cursor)
        if cursor.type.kind == TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic():
            raise HeaderError(f"{symbol}: takes any number of arguments")
        path = f"functions/{family(symbol)}"
        for parameter in cursor.get_arguments():
            if is_unnamed_callback(parameter.type):
                self.callback(parameter, parameter.type, f"{symbol}.{parameter.spelling}", header=header)
        result = spell(cursor.result_type)
        self.snapshot.put(
            path,
            "declared",
            (symbol,),
            header=header,
            result=None if result == self.spec.usual_result else result,
            parameters=parameters(cursor.get_arguments(), symbol),
        )
        if self.spec.wrappers and cursor.storage_class == cindex.StorageClass.STATIC:
            self.snapshot.put(path, "wraps", (symbol,), symbol=called(cursor))

    def defaults(self, units: Mapping[Mode, cindex.TranslationUnit]) -> None:
        meaning = {mode: self.meanings(unit, mode) for mode, unit in units.items() if mode != "internal"}
        for name in sorted({name for names in meaning.values() for name in names}):
            self.snapshot.put(
                f"functions/{family(name)}",
                "default",
                (name,),
                legacy=meaning["legacy"].get(name),
                per_thread=meaning.get("per_thread", {}).get(name),
            )

    def meanings(self, unit: cindex.TranslationUnit, mode: Mode) -> dict[str, str]:
        """Every function name a program may write in this mode, and the symbol it gets."""
        declared: set[str] = set()
        inline: dict[str, str] = {}  # a static inline wrapper, and the symbol it calls
        for cursor in self.declarations(unit):
            if cursor.kind == CursorKind.FUNCTION_DECL and self.spec.function.match(cursor.spelling):
                if cursor.storage_class != cindex.StorageClass.STATIC or self.spec.wrappers:
                    declared.add(cursor.spelling)
                else:
                    inline[cursor.spelling] = called(cursor)
        macros = sorted({m.spelling for m in self.macros(unit) if self.spec.function.match(m.spelling)})
        probes = "#define PROBE_TEXT_(...) #__VA_ARGS__\n#define PROBE_TEXT(...) PROBE_TEXT_(__VA_ARGS__)\n"
        probes += "".join(f"static const char probe_{name}[] = PROBE_TEXT({name});\n" for name in macros)
        found = {name: name for name in declared}
        others = self.names(unit)
        for name, cursor in self.probed(mode, probes).items():
            literal = next(c for c in cursor.get_children() if c.kind == CursorKind.STRING_LITERAL)
            text = literal.spelling.strip('"')
            if (symbol := inline.get(text, text)) in declared:
                found[name] = symbol
            elif self.spec.function.match(symbol) and symbol != name and symbol not in others:
                raise HeaderError(f"{name} stands for {symbol}, which is not declared ({mode})")
        return found

    def names(self, unit: cindex.TranslationUnit) -> set[str]:
        """Names of types, enumerators and macros."""
        found = {macro.spelling for macro in self.macros(unit)}
        for cursor in self.declarations(unit):
            if cursor.kind != CursorKind.FUNCTION_DECL:
                found.add(cursor.spelling)
                found.update(c.spelling for c in cursor.get_children() if c.kind == CursorKind.ENUM_CONSTANT_DECL)
        return found

    def macros(self, unit: cindex.TranslationUnit) -> Iterator[Cursor]:
        for cursor in unit.cursor.get_children():
            if cursor.kind != CursorKind.MACRO_DEFINITION or self.header(cursor) not in self.headers:
                continue
            if not libclang().clang_Cursor_isMacroFunctionLike(cursor):
                yield cursor

    def probed(self, mode: Mode, probes: str) -> dict[str, Cursor]:
        found = {}
        for cursor in self.unit(mode, probes=probes).cursor.walk_preorder():
            if cursor.kind == CursorKind.VAR_DECL and cursor.spelling.startswith("probe_"):
                found[cursor.spelling.removeprefix("probe_")] = cursor
        return found

    # -- types

    def type_name(self, cursor: Cursor) -> str:
        return untagged_name(cursor) if is_untagged(cursor) else str(cursor.spelling)

    def types(self, unit: cindex.TranslationUnit, public: set[str], enumerators: set[str]) -> None:
        for cursor in self.declarations(unit):
            header = self.header(cursor)
            internal = self.type_name(cursor) not in public
            if cursor.kind in RECORDS and cursor.is_definition():
                self.record(cursor, self.type_name(cursor), header, internal)
            elif cursor.kind == CursorKind.ENUM_DECL and cursor.is_definition():
                self.enum(cursor, header, internal, enumerators)
            elif cursor.kind == CursorKind.TYPEDEF_DECL and not _PFN.match(cursor.spelling):
                self.typedef(cursor, header, internal)

    def record(self, cursor: Cursor, name: str, header: str | None, internal: bool = False) -> None:
        path = f"records/{family(name.split('.')[0])}"
        self.snapshot.put(
            path,
            "record",
            (name,),
            union=cursor.kind == CursorKind.UNION_DECL,
            size=cursor.type.get_size(),
            align=cursor.type.get_align(),
            header=header,
            internal=internal,
            untagged=is_untagged(cursor) and "." not in name,
        )
        for child in cursor.walk_preorder():
            # C has no nested scopes: a tag inside a struct is as good as one outside.
            if child != cursor and child.kind in RECORDS and child.is_definition() and not is_untagged(child):
                self.record(child, child.spelling, header, internal)
        for member in members(cursor):
            type_, count = member.type, None
            if type_.kind == TypeKind.CONSTANTARRAY:
                count, type_ = type_.element_count, type_.element_type
                if type_.kind == TypeKind.CONSTANTARRAY:
                    raise HeaderError(f"{name}.{member.spelling}: an array of arrays")
            declaration = type_.get_declaration()
            if declaration.kind in RECORDS and declaration.is_anonymous():
                spelling = f"{name}.{member.spelling}"
                self.record(declaration, spelling, header)
            else:
                spelling = spell(type_)
            if member.is_bitfield():
                raise HeaderError(f"{name}.{member.spelling}: a bit-field")
            self.snapshot.put(
                path,
                "field",
                (name, member.spelling),
                offset=cursor.type.get_offset(member.spelling) // 8,
                size=member.type.get_size(),
                type=spelling,
                count=count,
            )

    def enum(self, cursor: Cursor, header: str | None, internal: bool, public: set[str]) -> None:
        name = self.type_name(cursor)
        path = f"enums/{family(name)}"
        self.snapshot.put(path, "enum", (name,), header=header, internal=internal, untagged=is_untagged(cursor))
        for enumerator in cursor.get_children():
            if enumerator.kind == CursorKind.ENUM_CONSTANT_DECL:
                self.snapshot.put(
                    path,
                    "enumerator",
                    (name, enumerator.spelling),
                    value=enumerator.enum_value,
                    internal=enumerator.spelling not in public,
                )

    def typedef(self, cursor: Cursor, header: str | None, internal: bool) -> None:
        name, target = cursor.spelling, cursor.underlying_typedef_type
        real = target.get_canonical()
        common: dict[str, Any] = {"header": header, "internal": internal}
        file = family(name)
        if real.kind == TypeKind.RECORD and real.get_declaration().is_definition():
            text = name if target.get_declaration().is_anonymous() else spell(target)
            self.snapshot.put(f"records/{file}", "typedef", (name,), type=text, **common)
        elif real.kind == TypeKind.ENUM:
            text = name if is_untagged(target.get_declaration()) else spell(target)
            self.snapshot.put(f"enums/{file}", "typedef", (name,), type=text, **common)
        elif real.kind == TypeKind.POINTER and real.get_pointee().kind == TypeKind.FUNCTIONPROTO:
            self.callback(cursor, target, name, **common)
        elif real.kind in (TypeKind.FUNCTIONPROTO, TypeKind.RECORD):
            # Only ever pointed to: a function type, or a struct that no header defines.
            self.snapshot.put(f"handles/{file}", "typedef", (name,), type="void", **common)
        else:
            self.snapshot.put(
                f"handles/{file}", "typedef", (name,), type=spell(target), size=target.get_size(), **common
            )

    def callback(self, cursor: Cursor, pointer: cindex.Type, name: str, **common: Scalar | None) -> None:
        names = [c for c in cursor.get_children() if c.kind == CursorKind.PARM_DECL]
        self.snapshot.put(
            f"callbacks/{family(name.split('.')[0])}",
            "callback",
            (name,),
            result=spell(pointer.get_pointee().get_result()),
            parameters=parameters(names),
            **common,
        )

    def type_macro(self, name: str, target: str, header: str) -> bool:
        """`#define cudaStreamAttrID cudaLaunchAttributeID`: as good as a typedef."""
        for kind in ("typedef", "record", "enum"):
            if (key := (kind, target)) in self.snapshot.values:
                folder = self.snapshot.paths[key].partition("/")[0]
                size = self.snapshot.values[key].get("size") if folder == "handles" else None
                self.snapshot.put(f"{folder}/{family(name)}", "typedef", (name,), type=target, size=size, header=header)
                return True
        return False

    # -- constants

    def constants(self, unit: cindex.TranslationUnit) -> None:
        candidates: dict[str, tuple[str, list[str]]] = {}
        for macro in self.macros(unit):
            name, header = macro.spelling, self.header(macro) or ""
            body = [t.spelling for t in macro.get_tokens()][1:]
            if not body or body[0] == "{" or name.startswith("__") or ("default", name) in self.snapshot.values:
                continue
            if not (len(body) == 1 and self.type_macro(name, body[0], header)):
                candidates[name] = (header, body)
        probes = "void probes(void) {\n"
        probes += "".join(f"__auto_type probe_{name} = ({name});\n" for name in sorted(candidates))
        # An address, `((CUstream)0x1)`, can be evaluated as an integer only.
        probes += "".join(
            f"__SIZE_TYPE__ probe_{name}__address = (__SIZE_TYPE__)({name});\n" for name in sorted(candidates)
        )
        found = self.probed("legacy", probes + "}\n")
        for name in sorted(candidates):
            if (cursor := found.get(name)) is None:
                continue
            pointer = cursor.type.get_canonical()
            handle = pointer.kind == TypeKind.POINTER and pointer.get_pointee().kind != TypeKind.CHAR_S
            evaluated = evaluate(found[f"{name}__address"] if handle else cursor)
            if evaluated is None:
                continue
            header, body = candidates[name]
            words = [word for word in body if word not in ("(", ")")]
            self.snapshot.put(
                f"constants/{name}",
                "constant",
                (name,),
                value=evaluated,
                type=spell(cursor.type),
                alias=words[0] if len(words) == 1 and words[0].isidentifier() else None,
                header=header,
            )
