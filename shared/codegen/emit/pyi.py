# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Stubs: the module in full, each view as renamed imports from it, and per-thread twins as what they say otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib.resources import files

from codegen.model.api import Api, Callback, Enum, Handle, Record
from codegen.model.binding import Binding, BoundFunction, BoundParameter, BoundRecord

from . import names, pythonic
from .ctext import c_signature, python_banner
from .libraries import HISTORY, Library
from .names import Meaning, Names, Scope
from .pytypes import PyTypes, class_name

_BOTH = "from ._both import *\n"


def module(binding: Binding, library: Library) -> str:
    """`__init__.pyi` of the module with the permanent names."""
    collected = names.collect(binding)
    types = PyTypes(binding, library.result)
    parts = [
        python_banner(binding.api.release) + "# fmt: off\n",
        f'"""Permanent names of {library.title}, which NVIDIA documents at {library.docs_url}."""\n',
        _text("pyi_preamble.txt"),
        "".join(_api(library, binding)),
        "".join(f"from . import {s.name} as {s.name}\n" for s in collected.scopes[1:] if "." not in s.name),
        *(_enum(binding.api, enum) for enum in binding.api.enums),
        *(_handle(types, handle) for handle in binding.api.handles),
        *(_callback(types, callback) for callback in binding.api.callbacks),
        *(_record(types, record) for record in binding.records),
        *(_function(types, bound, library) for bound in binding.functions),
        "".join(f"{alias} = {target}\n" for alias, target in binding.api.aliases.items()),
        "".join(_values(collected, types)),
        *(("".join(pythonic.stub(binding)),) if library.pythonic else ()),
    ]
    return "\n".join(parts)


def one_major(binding: Binding, library: Library) -> Mapping[str, str]:
    """The stubs of a module that is one view: what it adds to the permanent names, and its per-thread twin."""
    collected = names.collect(binding)
    permanent = {name for f in binding.api.functions for name in (f.name, f.plain)}
    types = {x.name for kind in _kinds(binding.api) for x in kind} | set(binding.api.aliases)
    module_names = collected.scopes[0].names
    added = {
        name: meaning
        for name, meaning in module_names.items()
        if meaning.kind not in ("enumerator", "constant", "member") and name not in permanent and name not in types
    }
    renamed = (f"{name} = {_permanent_name(binding, collected, added[name], name)}\n" for name in names.by_bytes(added))
    lines = "".join(renamed)
    found = {"__init__.pyi": module(binding, library) + (f"\n{lines}" if lines else "")}
    for scope in collected.scopes[1:]:
        body = "".join(_renamed(binding, collected, scope.names, library))
        found[f"{scope.name}.pyi"] = f"{python_banner(binding.api.release)}# fmt: off\n\n{body}"
    return found


def views(binding: Binding, library: Library) -> Mapping[str, str]:
    """Stubs of the views. What a view and its per-thread twin both say is in a stub of its own, which has no module."""
    collected = names.collect(binding)
    found = {}
    twins = {scope.name.removesuffix(".per_thread"): scope for scope in collected.scopes if scope.per_thread}
    for plain in collected.scopes[1:]:
        if plain.per_thread:
            continue
        if plain.name not in twins:
            body = "".join(_renamed(binding, collected, plain.names, library))
            found[f"{plain.name}/__init__.pyi"] = f"{python_banner(binding.api.release)}\n{body}"
            continue
        twin = twins[plain.name]
        both = {name: meaning for name, meaning in plain.names.items() if twin.names.get(name) == meaning}
        modules = {
            "_both": ("", both),
            "__init__": (f"from . import per_thread as per_thread\n{_BOTH}", _without(plain, both)),
            "per_thread": (_BOTH, _without(twin, both)),
        }
        for name, (head, meanings) in modules.items():
            body = head + "".join(_renamed(binding, collected, meanings, library))
            found[f"{plain.name}/{name}.pyi"] = f"{python_banner(binding.api.release)}\n{body}"
    return found


def _without(scope: Scope, shared: Mapping[str, Meaning]) -> Mapping[str, Meaning]:
    return {name: meaning for name, meaning in scope.names.items() if name not in shared}


def _text(name: str) -> str:
    lines = files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("# SPDX"))


def _api(library: Library, binding: Binding) -> Iterator[str]:
    """The part that is written by hand, in other files."""
    for name in HISTORY:
        yield f"from ._api import {name} as {name}\n"
    if library.pythonic:
        yield "\n__version__: str\n"
        return
    yield "from ._capi import capi as capi, get_include as get_include\n"
    if library.major:
        yield f"from ._core import {library.not_found_error} as {library.not_found_error}\n"
        yield "from ._core import FunctionNotFoundError as FunctionNotFoundError\n"
        yield "\n__version__: str\n"
        if library.stub:
            yield from _own(_text(library.stub), binding)
        return
    for name in (library.not_found_error, "FunctionNotFoundError"):
        yield f"from ._core import {name} as {name}\n"
    yield "\n__version__: str\n"


def _own(text: str, binding: Binding) -> Iterator[str]:
    """Without the lines that need a function which this major's library has not got."""
    for line in text.splitlines(keepends=True):
        needs = re.search(r"  # needs (\w+)$", line)
        if not needs or needs[1] in binding.by_name:
            yield line


def _kinds(api: Api) -> tuple[Iterable[Enum | Handle | Callback | Record], ...]:
    return (api.enums, api.handles, api.callbacks, api.records)


def _enum(api: Api, enum: Enum) -> str:
    lines = [f"class {enum.name}(_Enum):\n"]
    lines += [f"    {e.name}: _ClassVar[{enum.name}]  # {e.value}\n" for e in names.ordered(api, enum)]
    return "".join(lines) if len(lines) > 1 else f"class {enum.name}(_Enum): ...\n"


def _handle(types: PyTypes, handle: Handle) -> str:
    takes = types.taken("handle", handle.name, stream=handle.name in types.binding.streams)
    return (
        f"@_final\nclass {handle.name}(_Handle):\n"
        f'    """{handle.underlying}; seen since CUDA {handle.since}."""\n'
        f'    __cuda_handle__: _ClassVar[_Literal["{handle.name}"]]\n'
        f"    def __new__(cls, init_value: {takes} = ...) -> _Self: ...\n"
    )


def _callback(types: PyTypes, callback: Callback) -> str:
    takes = types.taken("callback", callback.name)
    private = "@_type_check_only\n" if callback.inline else ""
    return (
        f"{private}@_final\nclass {class_name(callback.name)}(_CFunction):\n"
        f'    """{c_signature(callback)}; seen since CUDA {callback.since}."""\n'
        f'    __cuda_handle__: _ClassVar[_Literal["{callback.name}"]]\n'
        f"    def __new__(cls, init_value: {takes} = ...) -> _Self: ...\n"
    )


def _record(types: PyTypes, bound: BoundRecord) -> str:
    record = bound.record
    private = "@_type_check_only\n" if record.inline else ""
    keyword = "union" if record.union else "struct"
    lines = [f"{private}@_final\nclass {class_name(record.name)}(_Record):\n"]
    lines.append(f'    """{keyword}, {record.size} bytes; seen since CUDA {record.since}."""\n')
    arguments = []
    for field in bound.fields:
        gives, takes = types.field(field)
        name = field.field.name
        lines.append(f"    {name}: {gives if gives == takes else f'_Field[{gives}, {takes}]'}\n")
        arguments.append(f"{name}: {takes} = ...")
    arguments.append("_ptr: int = ...")  # a record that lies at an address already
    lines.append(f"    def __new__(cls, *, {', '.join(arguments)}) -> _Self: ...\n")
    return "".join(lines)


def _function(types: PyTypes, bound: BoundFunction, library: Library) -> str:
    f = bound.function
    name = f.plain or f.name
    told = f"{_summary(bound)}\n{_life(types, bound)}\n{''.join(_documented(bound))}    {library.docs_url}"
    text = (
        f'def {name}({", ".join(_arguments(types, bound))}) -> tuple[{types.results(bound)}]:\n    """{told}\n    """\n'
    )
    return text + (f"{f.name} = {f.plain}\n" if f.plain else "")


def _summary(bound: BoundFunction) -> str:
    f = bound.function
    where = f"declared in {f.header}" if f.header else "declared in no header"
    return f"Symbol {f.symbol}, since CUDA {f.introduced}, {where}."


def _life(types: PyTypes, bound: BoundFunction) -> str:
    """Which majors mean this one of several versions, and which came later; nothing where there is one."""
    f, api = bound.function, types.binding.api
    family = [other for other in api.bases[f.base] if other.stream == f.stream]
    if len(family) == 1:
        return ""
    plain = f"{f.base} with per-thread default streams" if f.stream else f.base
    majors = [str(v.major) for v in api.views if (v.per_thread if f.stream else v.functions).get(f.base) == f.name]
    later = [f"{o.plain or o.name} (CUDA {o.introduced})" for o in family if o.version > f.version]
    lines = [f"What CUDA {', '.join(majors)} means by {plain}."] if majors else []
    lines += [f"Later versions: {', '.join(later)}."] if later else []
    return "".join(f"    {line}\n" for line in lines)


def _documented(bound: BoundFunction) -> Iterator[str]:
    for p in bound.parameters:
        yield f"    {p.name} ({_direction(p)}): {p.ctype}\n"


def _direction(p: BoundParameter) -> str:
    if p.is_input and p.is_output:
        return "in, out"
    return "in" if p.is_input else "out" if p.is_output else "always NULL"


def _arguments(types: PyTypes, bound: BoundFunction) -> Iterator[str]:
    inputs = bound.inputs
    required = max((i for i, p in enumerate(inputs) if "optional" not in p.flags), default=-1)
    for i, p in enumerate(inputs):
        default = " = ..." if i > required else ""
        yield f"{p.name}: {types.argument(p)}{default}"


def _values(collected: Names, types: PyTypes) -> Iterator[str]:
    """Enumerators and constants of the module."""
    for name, meaning in collected.scopes[0].names.items():
        if meaning.kind == "enumerator":
            yield f"{name}: {collected.enumerators[meaning.ref][0]}\n"
        elif meaning.kind == "constant":
            yield f"{name}: {types.constant(collected.constants[meaning.ref])}\n"


def _renamed(binding: Binding, collected: Names, meanings: Mapping[str, Meaning], library: Library) -> Iterator[str]:
    types = PyTypes(binding, library.result)
    permanent = collected.scopes[0].names
    same, renamed, own = [], [], []
    for name in names.by_bytes(meanings):
        meaning = meanings[name]
        if meaning.kind == "member":
            own.append(f"{name}: {list(names.members(collected.enum_views))[meaning.ref].enum}\n")
        elif meaning.kind == "enumerator" and permanent.get(name) != meaning:
            own.append(f"{name}: {collected.enumerators[meaning.ref][0]}\n")
        elif meaning.kind == "constant" and permanent.get(name) != meaning:
            own.append(f"{name}: {types.constant(collected.constants[meaning.ref])}\n")
        elif (target := _permanent_name(binding, collected, meaning, name)) == name:
            same.append(f"    {name} as {name},\n")
        else:
            renamed.append(f"{name} = _permanent.{target}\n")
    if same:
        yield f"from {library.module} import (\n{''.join(same)})\n"
    if renamed:
        # Not `import target as name`: type checkers take that for a private name.
        yield f"import {library.module} as _permanent\n\n"
    yield from renamed
    yield from own


def _permanent_name(binding: Binding, collected: Names, meaning: Meaning, name: str) -> str:
    api = binding.api
    match meaning.kind:
        case "function":
            function = api.functions[meaning.ref]
            return function.plain or function.name
        case "enum":
            return api.enums[meaning.ref].name
        case "enum_view":
            return collected.enum_views[meaning.ref].enum
        case "handle":
            return api.handles[meaning.ref].name
        case "callback":
            return api.callbacks[meaning.ref].name
        case "record":
            return api.records[meaning.ref].name
    return name
