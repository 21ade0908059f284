# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Decide how each C parameter and field is offered in Python.

Rules go by the C type alone and say only what that type leaves no doubt about. Everything else is an entry of
overrides/<library>.toml. What neither settles is an error that names the parameter, and so is an entry that fits
nothing or says what the rules say anyway.
"""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from .api import Api, CType, Function, Parameter
from .bind_fields import bind_records
from .bind_stale import key, stale
from .bind_typed import bind_typed
from .bind_types import Element, Types
from .binding import INPUT_KINDS, OUTPUT_KINDS, Binding, BoundFunction, BoundParameter
from .overrides import DIRECTORY, FunctionEntry, OverrideError, Overrides, ParameterEntry, load

# Parameters that tell how long an array is, as CUDA's headers name them.
_COUNT = re.compile(r"^(n|nb|p?[nN]um)[A-Z]|[Cc]ount$")
_COUNT_ELEMS = frozenset({"i32", "u32", "u64", "handle"})

_TYPED_KINDS = frozenset({"in_typed", "out_typed", "out_typed_list", "option_values"})
_POINTER_KINDS = _TYPED_KINDS | {"in", "kernel_params"}

# The name of what a function gives back that gives no status.
RETURNED = "value"

# Of which kinds the parameters may be that a link leads to; "?" where the link may be left out.
_LINKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "in_array": {"link?": ("in",), "link2?": ("in",)},
    "in_typed": {"link": ("in",)},
    "option_values": {"link": ("in_array",), "link2": ("in",)},
    "out_array": {"link": ("in", "inout")},
    "out_borrowed": {"link": ("out",)},
    "out_typed": {"link": ("in",), "link2?": ("in",)},
    "out_typed_list": {"link": ("in_array",), "link2?": ("in_array",)},
    "out_size": {"link": ("in_typed", "out_typed")},
}


def bind(api: Api, overrides: Path | None = None) -> Binding:
    """Every function, record and typed value of the API, bound."""
    return bind_with(api, load(overrides or DIRECTORY / f"{api.library}.toml"))


def bind_with(of_headers: Api, overrides: Overrides) -> Binding:
    problems: list[str] = []
    api = _with_released_names(of_headers, overrides, problems)
    types = Types(api)
    typed = bind_typed(api, types, overrides, problems)
    functions = _Functions(api, types, overrides, {table.name for table in typed}, problems).bind()
    records = bind_records(api, types, overrides, problems)
    if len(overrides.releases) == 1 and overrides.written_for(api.release):
        written = ", ".join(map(str, overrides.releases))
        problems += [
            f"{text} (entries are written for {written}; see `releases`)" for text in stale(overrides, [of_headers])
        ]
    if problems:
        raise OverrideError(f"{len(problems)} things do not bind:\n" + "\n".join(f"  {text}" for text in problems))
    return Binding(
        api=api,
        functions=functions,
        records=records,
        typed=typed,
        equivalents={name: names for name, names in overrides.equivalents.items() if _is_handle(api, name)},
        casts={name: names for name, names in overrides.casts.items() if _is_handle(api, name)},
        streams=frozenset(name for name in overrides.streams if _is_handle(api, name)),
        official=overrides.official.of(api.release.major) if overrides.official else None,
    )


def _with_released_names(api: Api, overrides: Overrides, problems: list[str]) -> Api:
    """A header that gives a parameter another name changes none that programs use."""
    names = {(function, e.header): e.name for e in overrides.released_names for function in e.functions}
    if not names:
        return api

    def renamed(function: Function) -> Function:
        parameters = tuple(replace(p, name=names.get((key(function), p.name), p.name)) for p in function.parameters)
        if len({p.name for p in parameters}) < len(parameters):
            problems.append(f"override: {key(function)} has two parameters of one name")
        return replace(function, parameters=parameters)

    return replace(api, functions=tuple(map(renamed, api.functions)))


def _is_handle(api: Api, name: str) -> bool:
    return any(handle.name == name for handle in api.handles)


class _Functions:
    def __init__(self, api: Api, types: Types, overrides: Overrides, tables: set[str], problems: list[str]) -> None:
        self._api = api
        self._types = types
        self._overrides = overrides
        self._tables = tables
        self._problems = problems
        self._keys = {key(function): function for function in api.functions if not function.stream}
        self._entries: dict[tuple[str, str], ParameterEntry] = {}
        newest = overrides.written_for(api.release)
        for entry in overrides.parameters:
            for function in entry.functions:
                for name in entry.names if newest else (*entry.names, *entry.formerly):
                    if (function, name) in self._entries:
                        problems.append(f"override: {function}, parameter {name}: two entries")
                    self._entries[function, name] = entry
        self._plain_counts = {
            (function, name) for e in overrides.plain_counts for function in e.functions for name in e.names
        }
        self._counts_asked: set[tuple[str, str]] = set()

    def bind(self) -> tuple[BoundFunction, ...]:
        keep_gil = self._named(self._overrides.keep_gil)
        on_error = self._named(self._overrides.outputs_on_error)
        bound = tuple(
            BoundFunction(
                function=f,
                parameters=(*self._parameters(f), *self._returned(f)),
                keep_gil=key(f) in keep_gil,
                outputs_on_error=key(f) in on_error,
                returns_value=not self._is_status(f),
            )
            for f in self._api.functions
        )
        for function in bound:
            if len(function.parameters) == len(function.function.parameters) + function.returns_value:
                self._problems += _check_links(function)
            if function.outputs_on_error and not function.outputs:
                self._problems.append(f"override: {key(function.function)} has no outputs to return on errors")
        for name, parameter in sorted(self._plain_counts - self._counts_asked):
            if name in self._keys and any(p.name == parameter for p in self._keys[name].parameters):
                self._problems.append(f"override: {name}, parameter {parameter}: nothing takes it for a count")
        return bound

    def _named(self, entries: tuple[FunctionEntry, ...]) -> frozenset[str]:
        major = self._api.release.major
        return frozenset(f for entry in entries if not entry.majors or major in entry.majors for f in entry.functions)

    def _is_status(self, function: Function) -> bool:
        result = CType.parse(function.result)
        return not result.depth and self._types.is_enum(result.base)

    def _returned(self, function: Function) -> tuple[BoundParameter, ...]:
        """What a function gives back that gives no status: bound as if the function wrote it through a last pointer."""
        if self._is_status(function):
            return ()
        result = CType.parse(function.result)
        try:
            element = self._types.value(result)
        except KeyError:
            element = None
        if element is None:
            self._problems.append(f"{function.name} returns {result}: neither a status nor a value")
            return ()
        pointer = CType(result.base, (*result.const, False))
        kind = "out_record" if element.elem == "record" else "out"
        return (self._bound(Parameter(RETURNED, pointer), kind, element),)

    def _parameters(self, function: Function) -> tuple[BoundParameter, ...]:
        own = key(function)
        index = {p.name: i for i, p in enumerate(function.parameters)}
        entries = {name: self._entries.get((own, name)) for name in index}
        taken = {link for e in entries.values() if e for link in (e.link, e.link2) if isinstance(link, str)}
        counts = [p.name for p in function.parameters if self._is_count(p, function) and p.name not in taken]
        self._counts_asked |= {(own, name) for name in counts}
        counts = [name for name in counts if (own, name) not in self._plain_counts]
        bound = []
        for parameter in function.parameters:
            where = f"{function.name}, parameter {parameter.name} ({parameter.type})"
            try:
                ruled, doubt = self._rule(function, parameter, counts)
                entry = entries[parameter.name]
                if entry is None:
                    if ruled is None:
                        raise OverrideError(doubt)
                    bound.append(ruled)
                else:
                    result = self._apply(entry, function, parameter, ruled)
                    if result == ruled:
                        raise OverrideError("the override says what the rules say")
                    bound.append(result)
            except OverrideError as error:
                self._problems.append(f"{where}: {error}")
            except KeyError as error:
                self._problems.append(f"{where}: nobody knows the type {error}")
        return tuple(bound)

    def _is_count(self, parameter: Parameter, function: Function) -> bool:
        """Whether the parameter may be the number of elements of another one: by value, or by address if both ways."""
        if not _COUNT.search(parameter.name) or parameter.type.depth > 1:
            return False
        if not any(
            p is not parameter and p.type.depth and self._types.value(p.type) is None for p in function.parameters
        ):
            return False
        try:
            return self._types.base(parameter.type).elem in _COUNT_ELEMS
        except KeyError:
            return False

    def _rule(self, function: Function, parameter: Parameter, counts: list[str]) -> tuple[BoundParameter | None, str]:
        """What the C type says, or None and the doubt it leaves."""
        ctype = parameter.type
        element = self._types.base(ctype)
        value = self._types.value(ctype)
        if value is not None:
            return self._bound(parameter, "in", value), ""
        if ctype.depth == 1 and element.elem == "char":
            return None, "a buffer of characters: of which size, and who fills it?"
        if counts:
            return None, f"is it an array of {' or '.join(counts)}?"
        if ctype.depth == 2 and element.elem == "void":
            return self._bound(parameter, "out", Element("ptr")), ""
        if ctype.depth == 2 and element.elem == "char" and ctype.const[0]:
            return self._bound(parameter, "out", Element("cstr")), ""
        if ctype.depth != 1:
            return None, "no rule for a pointer to a pointer"
        if ctype.const[0]:
            if element.elem != "record":
                return None, "an array, but of how many?"
            return self._bound(parameter, "in_record", element), ""
        if element.elem != "record":
            return self._bound(parameter, "out", element), ""
        if "Get" in function.base or parameter.name.endswith("_out"):
            return self._bound(parameter, "out_record", element), ""
        return None, "is the record read or written?"

    def _bound(self, parameter: Parameter, kind: str, element: Element) -> BoundParameter:
        flags = {"stream"} if kind == "in" and element.type in self._overrides.streams else set()
        name = f"{parameter.name}_" if keyword.iskeyword(parameter.name) else parameter.name
        return BoundParameter(name, parameter.type, kind, element.elem, element.type, frozenset(flags))

    def _apply(
        self, entry: ParameterEntry, function: Function, parameter: Parameter, ruled: BoundParameter | None
    ) -> BoundParameter:
        index = {p.name: i for i, p in enumerate(function.parameters)}
        if entry.kind is None and ruled is None:
            raise OverrideError("the override does not say the kind, and the rules cannot")
        kind = entry.kind or (ruled.kind if ruled else "")
        if entry.pointee == "void" and kind == "in" and ruled is not None and ruled.elem == "cstr":
            bound = self._bound(parameter, kind, Element("ptr"))  # bytes, which the header calls characters
        elif ruled is not None and kind == ruled.kind:
            bound = ruled
        else:
            bound = self._bound(parameter, kind, self._element(kind, parameter.type, entry.pointee))
        flags = bound.flags | entry.flags
        link: int | None
        if isinstance(entry.link, int):
            flags |= {"fixed"}
            link = entry.link
        else:
            link = _index(index, entry.link)
        if entry.typed is not None and entry.typed not in self._tables:
            raise OverrideError(f"there is no typed table {entry.typed}")
        sized_by = self._sizing(entry.sized_by, function, index[parameter.name]) if entry.sized_by else None
        if sized_by:
            flags |= {"sized"}
        link2 = _index(index, entry.link2)
        return replace(bound, flags=flags, link=link, link2=link2, typed=entry.typed, sized_by=sized_by)

    def _sizing(self, name: str, function: Function, position: int) -> str:
        """The function that tells a size is asked with the arguments before the one whose size it tells."""
        asked = self._keys.get(name)
        if asked is None:
            raise OverrideError(f"there is no {name} to tell the size")
        *before, size = [p.type for p in asked.parameters]
        if before != [p.type for p in function.parameters[:position]] or size.depth != 1:
            raise OverrideError(f"{name} does not take the same arguments to tell the size")
        return asked.name

    def _element(self, kind: str, ctype: CType, pointee_of_void: str | None) -> Element:
        """What a kind is about: the pointer itself, or what it points to."""
        if kind not in INPUT_KINDS | OUTPUT_KINDS:
            raise OverrideError(f"there is no kind {kind}")
        if not ctype.depth:
            raise OverrideError(f"{kind} of something that is no pointer")
        if kind in _POINTER_KINDS:
            return Element("ptr")
        pointee = ctype.pointee
        if pointee_of_void is not None:
            if pointee.depth or self._types.base(pointee).elem != "void":
                raise OverrideError("the header says what it points to")
            pointee = CType.parse(pointee_of_void)
        if kind == "out_borrowed":
            if not pointee.depth:
                raise OverrideError("out_borrowed of something that is no pointer to a pointer")
            pointee = pointee.pointee
        element = self._types.value(pointee)
        if element is None:
            raise OverrideError(f"{kind} cannot be made of the type")
        return element


def _check_links(function: BoundFunction) -> Iterator[str]:
    """A link has to lead to a parameter that can answer what its kind asks."""
    for parameter in function.parameters:
        wanted = _LINKS.get(parameter.kind, {})
        for slot in ("link", "link2"):
            index = getattr(parameter, slot)
            if index is None or (slot == "link" and "fixed" in parameter.flags):
                if slot in wanted and index is None and parameter.sized_by is None:
                    yield f"{function.function.name}, parameter {parameter.name}: {parameter.kind} needs a {slot}"
                continue
            target = function.parameters[index]
            if target.kind not in wanted.get(slot, wanted.get(f"{slot}?", ())):
                yield (
                    f"{function.function.name}, parameter {parameter.name}: the {slot} of {parameter.kind} is "
                    f"{target.name}, which is {target.kind}"
                )
        if (parameter.typed is not None) != (parameter.kind in _TYPED_KINDS):
            yield f"{function.function.name}, parameter {parameter.name}: {parameter.kind}, typed = {parameter.typed}"


def _index(index: Mapping[str, int], name: str | int | None) -> int | None:
    if name is None:
        return None
    if name not in index:
        raise OverrideError(f"the override is linked to {name}, which the function does not have")
    return index[str(name)]
