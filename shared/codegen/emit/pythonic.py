# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A library as Python writes it: functions in snake_case that raise what fails, structs and enums under short names.

`functions.py` has a function a symbol, `tables.py` what classes of structs and enums are made from, `names.py` the
module that has each name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from codegen.model.api import Release
from codegen.model.binding import Binding, BoundField, BoundFunction, BoundParameter, BoundRecord

from .abi import Abi
from .ctext import python_banner
from .errors import EmitError
from .libraries import HISTORY
from .pythonic_rules import EnumRule, Rules, check, load, record_name, snake

# Elements as Python's module struct writes them.
_FORMATS = {
    "i8": "b",
    "u8": "B",
    "i16": "h",
    "u16": "H",
    "i32": "i",
    "u32": "I",
    "i64": "q",
    "u64": "Q",
    "f32": "f",
    "f64": "d",
    "enum": "i",
    "ptr": "Q",
}

# What types these have, the module's stub says; and lines are as long as names are.
FUNCTIONS = "_generated.functions"
_UNCHECKED = "# mypy: ignore-errors\n# ruff: noqa\n# fmt: off\n"

_LEGEND = """
# Class -> (struct in C, bytes, version that its first field tells, whether there are arrays of it, fields). A field has
# its offset and what is there: a format of the module struct, s16 for a text, =Name for a struct, a number in front for
# an array, * for a pointer to one, c for a pointer to a text, and @ before the field that says how many are in use.
"""


@dataclass(frozen=True)
class Written:
    """A function: what it is called, takes, does and gives."""

    name: str
    symbol: str
    inputs: tuple[tuple[str, str], ...]  # names and types
    result: str
    body: tuple[str, ...] = ()  # none where the package has it by hand


def modules(binding: Binding, release: Release) -> Mapping[str, str]:
    layer = Layer(binding)
    return {
        "_generated/__init__.py": python_banner(release),
        "_generated/functions.py": layer.functions_module(release),
        "_generated/names.py": layer.names_module(release),
        "_generated/tables.py": layer.tables_module(release),
    }


class Layer:
    """Everything of the module that is written as Python writes it."""

    def __init__(self, binding: Binding) -> None:
        self.binding = binding
        self.api = binding.api
        self.rules: Rules = load(binding.api.library)
        check(self.rules, self.api)
        self.abi = Abi(binding)
        self.records: Mapping[str, BoundRecord] = {bound.record.name: bound for bound in binding.records}
        self.functions = tuple(self._function(f) for f in binding.functions if f.function.platform != "windows")

    # -- modules

    def functions_module(self, release: Release) -> str:
        helpers = "arrays, call, counted, encoded, given, integers, listed, new, plain, structs, text, wrap"
        parts = [
            python_banner(release),
            _UNCHECKED,
            '"""A function a symbol: its C name, and what is done with what goes in and comes out."""\n\n',
            f"from .._calls import {helpers}\n",
        ]
        for function in self.functions:
            if function.body:
                names = ", ".join(name for name, _ in function.inputs)
                lines = "".join(f"    {line}\n" for line in function.body)
                parts.append(f'\n\ndef {function.name}({names}):\n    """{function.symbol}"""\n{lines}')
        return "".join(parts)

    @property
    def own_names(self) -> Mapping[str, str]:
        """The module that has each name."""
        names = {function.name: FUNCTIONS if function.body else "_by_hand" for function in self.functions}
        names |= dict.fromkeys(self.struct_names, "_structs")
        names |= {self.rules.dtype(name): "_structs" for name in self.struct_names}
        names |= dict.fromkeys(self.rules.enums, "_enumerations")
        names |= dict.fromkeys((*self.errors, "MemoryError", "TimeoutError", "NvmlError"), "_errors")
        names |= {
            **dict.fromkeys(HISTORY, "_api"),
            "capi": "_official",
            "get_include": "_official",
            "check_status": "_calls",
            "check_status_size": "_calls",
        }
        return {name: names[name] for name in sorted(names)}

    def names_module(self, release: Release) -> str:
        return "".join(
            [
                python_banner(release),
                _UNCHECKED,
                '"""The module that has each name, and what is so little that it has none."""\n',
                "\n# Exception -> status.\nERRORS = {\n",
                *(f"    {name!r}: {status},\n" for name, status in self.errors.items()),
                "}\n\nCONSTANTS = {\n",
                *(f"    {name!r}: {value},\n" for name, value in self.constants.items()),
                "}\n\nOWN = {\n",
                *(f"    {name!r}: {module!r},\n" for name, module in self.own_names.items()),
                "}\n",
            ]
        )

    def tables_module(self, release: Release) -> str:
        return "".join(
            [
                python_banner(release),
                _UNCHECKED,
                '"""What classes of structs and enums are made from."""\n',
                _LEGEND,
                "STRUCTS = {\n",
                *(self._struct(bound) for bound in self.binding.records),
                "}\n\nDTYPES = {\n",
                *(f"    {self.rules.dtype(name)!r}: {name!r},\n" for name in self.struct_names),
                "}\n\n# Class -> names and values.\nENUMS = {\n",
                *(f"    {name!r}: {self.enum(rule)!r},\n" for name, rule in self.rules.enums.items()),
                "}\n",
            ]
        )

    @property
    def struct_names(self) -> Iterable[str]:
        names = [record_name(name) for name in self.records]
        newest = self._newest
        return [*names, *newest]

    @property
    def _newest(self) -> Mapping[str, str]:
        """Unversioned names of structs that the newest header has for a version: ProcessInfo is ProcessInfo_v2."""
        types = self.api.views[-1].types
        own = {record_name(name) for name in self.records}
        found = {}
        for name, target in types.items():
            if target in self.records and name.endswith("_t") and record_name(name) not in own:
                found[record_name(name)] = record_name(target)
        return found

    @property
    def errors(self) -> Mapping[str, int]:
        """NVML_ERROR_NOT_FOUND -> NotFoundError"""
        (result,) = (enum for enum in self.api.enums if enum.name == "nvmlReturn_t")
        found = {}
        for enumerator in result.enumerators:
            if enumerator.name.startswith("NVML_ERROR_"):
                words = enumerator.name.removeprefix("NVML_ERROR_").split("_")
                name = "".join(word.capitalize() for word in words) + "Error"
                found[self.rules.errors.get(enumerator.name, name)] = enumerator.value
        return found

    @property
    def constants(self) -> Mapping[str, int]:
        values = {constant.name: constant.value for constant in self.api.constants}
        return {name.removeprefix("NVML_"): int(values[name]) for name in self.rules.constants}

    # -- enums

    def enum(self, rule: EnumRule) -> Mapping[str, int]:
        constants = {c.name: c.value for c in self.api.constants if isinstance(c.value, int)}
        enums = {enum.name: {e.name: e.value for e in enum.enumerators} for enum in self.api.enums}
        values: Mapping[str, int] = {**constants, **{n: v for members in enums.values() for n, v in members.items()}}
        if rule.enum:
            chosen = enums[rule.enum]
        else:
            chosen = {n: v for n, v in constants.items() if rule.constants and n.startswith(rule.constants)}
        strip = rule.strip or ((rule.constants,) if rule.constants else ())
        found: dict[str, int] = {}
        for name, value in sorted(chosen.items(), key=lambda item: (item[1], item[0])):
            for prefix in strip:
                short = name.removeprefix(prefix)
                if name.startswith(prefix) and short not in rule.without and short.isidentifier():
                    found[short] = value
        return {**found, **{name: values[of] for name, of in (*rule.extra.items(), *rule.members.items())}}

    # -- structs

    def _struct(self, bound: BoundRecord) -> str:
        record = bound.record
        fields = ", ".join(
            f"({self.rules.field(f.field.name)!r}, {f.field.offset}, {self.code(bound, f)!r})" for f in bound.fields
        )
        several = record.name in self.several
        row = f"({record.name!r}, {record.size}, {self._version(bound)}, {several}, ({fields},))"
        lines = [f"    {record_name(record.name)!r}: {row},\n"]
        lines += [f"    {n!r}: {row},\n" for n, of in self._newest.items() if of == record_name(record.name)]
        return "".join(lines)

    def _version(self, bound: BoundRecord) -> int:
        """What the field `version` has to be: the header has a constant of the struct's own name for it."""
        if not any((f.field.name, f.field.offset) == ("version", 0) for f in bound.fields):
            return 0
        values = {constant.name: constant.value for constant in self.api.constants}
        value = values.get(bound.record.name.removesuffix("_t"), 0)
        return value if isinstance(value, int) else 0

    @cached_property
    def several(self) -> frozenset[str]:
        """Records that there are arrays of."""
        found = {
            str(p.type)
            for f in self.binding.functions
            for p in f.parameters
            if p.elem == "record" and p.kind in ("in_array", "out_array")
        }
        for bound in self.binding.records:
            counted = self.rules.counts.get(bound.record.name, {})
            for f in bound.fields:
                if f.field.type.base in self.records and (f.field.count is not None or f.field.name in counted):
                    found.add(f.field.type.base)
        return frozenset(found)

    def code(self, bound: BoundRecord, field: BoundField) -> str:
        f = field.field
        count = self.rules.counts.get(bound.record.name, {}).get(f.name)
        used = f"@{self.rules.field(count)}" if count else ""
        if f.type.depth:
            if f.type.base == "char":
                return "c"
            if not count:
                return "Q"
            return f"*{self._element(self._pointee(f.type.base), f.type.base)}{used}"
        if field.elem == "char":
            return f"s{f.count}" if f.count is not None else "b"
        element = self._element(field.elem, field.type)
        return element if f.count is None else f"{f.count}{element}{used}"

    def _pointee(self, base: str) -> str:
        if base in self.records:
            return "record"
        handles = {handle.name for handle in self.api.handles}
        if base in handles:
            return "handle"
        return {"unsigned int": "u32", "unsigned long long": "u64", "unsigned char": "u8"}[base]

    def _element(self, elem: str, type_name: str | None) -> str:
        if elem == "record":
            return f"={record_name(str(type_name))}"
        if elem == "handle":
            return _FORMATS[self.abi.handles[str(type_name)]]
        return _FORMATS[elem]

    # -- functions

    def _function(self, bound: BoundFunction) -> Written:
        symbol = bound.function.symbol
        name = self.rules.function(symbol)
        if symbol in self.rules.by_hand:
            inputs, _, result = self.rules.by_hand[symbol].partition("-> ")
            pairs = (text.split(": ") for text in inputs.strip().split(", ") if text)
            return Written(name, symbol, tuple((a, b) for a, b in pairs), result)
        return _Body(self, bound, name).written()


class _Body:
    """Writes one function."""

    def __init__(self, layer: Layer, bound: BoundFunction, name: str) -> None:
        self.layer = layer
        self.rules = layer.rules
        self.bound = bound
        self.symbol = bound.function.symbol
        self.name = name
        self.inputs: list[tuple[str, str]] = []
        self.arguments: list[str] = []
        self.before: list[str] = []
        self.made: list[tuple[str, str]] = []  # variables and classes

    def written(self) -> Written:
        counts = {p.link for p in self.bound.parameters if p.kind == "out_array"}
        for i, parameter in enumerate(self.bound.parameters):
            if parameter.kind == "inout" and i in counts:
                self.arguments.append("count")
            elif parameter.is_input:
                self._input(i, parameter)
        for python, c in self.rules.fields.get(self.symbol, {}).items():
            if not any(python == name for name, _ in self.inputs):
                self.inputs.append((python, self._field_type(c)))
            for variable, _ in self.made:
                self.before.append(f"{variable}.{self.rules.field(c)} = {python}")
        body, result = self._call()
        return Written(self.name, self.symbol, tuple(self.inputs), result, (*self.before, *body))

    def _field_type(self, name: str) -> str:
        record = self._record(self.bound.parameters[-1])
        (field,) = (f for f in self.layer.records[record].fields if f.field.name == name)
        return "str" if field.elem == "char" else "int"

    def _record(self, parameter: BoundParameter) -> str:
        return self.rules.structs.get(self.symbol, parameter.ctype.base)

    def _input(self, i: int, parameter: BoundParameter) -> None:
        name = snake(parameter.name)
        if parameter.ctype.depth and parameter.ctype.base in self.layer.records:
            self._struct(name, parameter)
        elif any(p.kind == "out_array" and p.elem == "char" and p.link == i for p in self.bound.parameters):
            self.arguments.append(str(self._room()))
        elif self.made and self.symbol in self.rules.text:
            self.arguments.append(str(self._room()))  # of a text in the struct
        elif parameter.elem == "cstr":
            self.inputs.append((name, "str | bytes"))
            self.arguments.append(f'encoded("{self.name}", "{name}", {name})')
        elif parameter.ctype.depth and parameter.kind != "inout":
            raise EmitError(f"pythonic: {self.symbol}, parameter {parameter.name}: write it by hand")
        else:
            self.inputs.append((name, "int"))
            self.arguments.append(f"plain({name})" if parameter.elem == "enum" else name)

    def _room(self) -> int:
        if self.symbol not in self.rules.text:
            raise EmitError(f"pythonic: how long may the text of {self.symbol} be?")
        return self.rules.text[self.symbol]

    def _struct(self, name: str, parameter: BoundParameter) -> None:
        kind = record_name(self._record(parameter))
        makes = "Get" in self.bound.function.base or self.symbol in self.rules.fields or self.symbol in self.rules.made
        if parameter.ctype.const[0] and self.symbol not in self.rules.fields:
            makes = False
        if makes and self.symbol not in self.rules.given:
            if name in self.rules.fields.get(self.symbol, {}):
                name = f"{name}_struct"  # a parameter has the name already
            self.made.append((name, kind))
            self.before.append(f'{name} = new("{kind}")')
            self.arguments.append(f"{name}._record()")
        else:
            self.inputs.append((name, f"{kind} | int"))
            self.arguments.append(f'given("{self.name}", "{name}", "{kind}", {name})')

    def _call(self) -> tuple[list[str], str]:
        called = f'"{self.bound.function.name}"'
        outputs = [p for p in self.bound.parameters if p.is_output]
        if "Set" in self.bound.function.base.partition("Get")[0]:
            outputs = [p for p in outputs if p.kind != "inout"]  # an input that is given by address
        if "count" in self.arguments:
            return self._counted(called, outputs)
        call = f"call({', '.join([called, *self.arguments])})"
        if self.symbol in self.rules.lists:
            ((variable, kind),) = self.made
            field = self.rules.field(self.rules.lists[self.symbol])
            arguments = ", ".join([called, *self.arguments[:-1]])
            return [f'return listed({variable}, "{field}", {arguments})'], kind
        if self.made:
            returned = self.rules.returns.get(self.symbol)
            if returned:
                values = [f"{variable}.{self.rules.field(returned)}" for variable, _ in self.made]
                kind = self._field_type_of(returned)
                type_ = kind if len(values) == 1 else f"tuple[{', '.join([kind] * len(values))}]"
                return [call, f"return {', '.join(values)}"], type_
            gives = "Get" in self.bound.function.base or self.symbol in self.rules.made
            if gives and not outputs:
                (variable, kind) = self.made[0]
                return [call, f"return {variable}"], kind
        if not outputs:
            return [call], "None"
        return self._outputs(call, outputs)

    def _field_type_of(self, name: str) -> str:
        (kind,) = {record for _, record in self.made}
        for bound in self.layer.binding.records:
            if record_name(bound.record.name) == kind:
                (field,) = (f for f in bound.fields if f.field.name == name)
                return "str" if field.elem == "char" else "int"
        raise EmitError(f"pythonic: {kind} has no field {name}")

    def _outputs(self, call: str, outputs: list[BoundParameter]) -> tuple[list[str], str]:
        if all(p.kind == "out" for p in outputs):
            if len(outputs) == 1:
                return [f"return int({call})"], "int"
            return [f"return integers({call})"], f"tuple[{', '.join(['int'] * len(outputs))}]"
        if len(outputs) == 1:
            expression, type_ = self._one(call, outputs[0])
            return [f"return {expression}"], type_
        names = [f"out{i}" for i in range(len(outputs))]
        pairs = [self._one(name, p) for name, p in zip(names, outputs, strict=True)]
        made = ", ".join(expression for expression, _ in pairs)
        return [f"{', '.join(names)} = {call}", f"return {made}"], f"tuple[{', '.join(t for _, t in pairs)}]"

    def _one(self, value: str, parameter: BoundParameter) -> tuple[str, str]:
        if parameter.kind == "out_record":
            kind = record_name(str(parameter.type))
            return f'wrap("{kind}", {value})', kind
        if parameter.kind == "out":
            return f"int({value})", "int"
        if parameter.elem == "char":
            return f"text({value})", "str"
        if parameter.elem == "record":
            kind = self._newest_name(record_name(str(parameter.type)))
            return f'structs("{kind}", {value})', kind
        return f'arrays("{self.layer._element(parameter.elem, parameter.type)}", {value})', "memoryview"

    def _newest_name(self, kind: str) -> str:
        return next((name for name, of in self.layer._newest.items() if of == kind), kind)

    def _counted(self, called: str, outputs: list[BoundParameter]) -> tuple[list[str], str]:
        at = next(i for i, p in enumerate(outputs) if p.kind == "inout")
        rest = [p for i, p in enumerate(outputs) if i != at]
        call = f"counted({called}, {at}, lambda count: ({', '.join(self.arguments)},))"
        names = [f"out{i}" for i in range(len(rest))]
        pairs = [self._one(name, p) for name, p in zip(names, rest, strict=True)]
        unpack = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
        types = [t for _, t in pairs]
        result = types[0] if len(types) == 1 else f"tuple[{', '.join(types)}]"
        return [f"{unpack} = {call}", f"return {', '.join(e for e, _ in pairs)}"], result


def stub(binding: Binding) -> Iterator[str]:
    """What the module's stub has of this."""
    layer = Layer(binding)
    for name, core in _CORE.items():
        yield f"from ._core import {name} as {core}\n"
    yield "from ._by_hand import Fields as _Fields\n"
    yield "from ._errors import NvmlError as NvmlError\n"
    yield "from ._struct import Struct as _Struct\n"
    yield "from collections.abc import Iterable as _Iterable\n"
    yield "from enum import IntEnum as _IntEnum\n"
    yield "from typing_extensions import Buffer as _Buffer\n\n"
    for name in layer.errors:
        bases = f"NvmlError, {_CORE[name]}" if name in _CORE else "NvmlError"
        yield f"class {name}({bases}): ...\n"
    yield "MemoryError = NvmlMemoryError\nTimeoutError = NvmlTimeoutError\n\n"
    yield "def capi() -> dict[str, _Any]: ...\n"
    yield "def get_include() -> str: ...\n"
    yield "def check_status(status: int) -> int: ...\ndef check_status_size(status: int) -> int: ...\n\n"
    for name, value in layer.constants.items():
        yield f"{name}: int  # {value}\n"
    for name, rule in layer.rules.enums.items():
        members = layer.enum(rule)
        yield f"\nclass {name}(_IntEnum):\n"
        yield from (f"    {member} = {value}\n" for member, value in members.items())
    for bound in binding.records:
        yield f"\nclass {record_name(bound.record.name)}(_Struct):\n"
        for f in bound.fields:
            gives, takes = _field_types(layer.code(bound, f))
            name = layer.rules.field(f.field.name)
            if bound.record.name in layer.several and f.elem == "record" and f.field.count is None:
                gives = takes = "_Any"  # its fields are arrays, as those of several are
            yield f"    {name}: {gives if gives == takes else f'_Field[{gives}, {takes}]'}\n"
    for name, of in layer._newest.items():
        yield f"\n{name} = {of}\n"
    for name in layer.struct_names:
        yield f"{layer.rules.dtype(name)}: _Any\n"
    for function in layer.functions:
        inputs = ", ".join(f"{name}: {type_}" for name, type_ in function.inputs)
        yield f"def {function.name}({inputs}) -> {function.result}: ...\n"


_CORE = {"FunctionNotFoundError": "_CoreFunctionNotFoundError", "LibraryNotFoundError": "_CoreLibraryNotFoundError"}


def _field_types(code: str) -> tuple[str, str]:
    """What a field gives, and what it takes."""
    body = code.partition("@")[0]
    if "=" in body:
        kind = body.partition("=")[2]
        return kind, kind
    if body[0] in "sc":
        return "str", "str | bytes"
    if body[0].isdigit() or body.startswith("*"):
        return "memoryview", "_Iterable[int]"
    return ("float", "float") if body in "fd" else ("int", "int")
