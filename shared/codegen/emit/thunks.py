# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""_generated/thunks.c: one typed C function a distinct signature, so that no call goes through a wrong prototype."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codegen.model.binding import Binding

from .abi import RETURNS, SCALARS, Abi
from .ctext import c_banner
from .errors import fits
from .layout import Definition, define

Signature = tuple[str, ...]


@dataclass(frozen=True)
class Plan:
    """Which thunk calls which function: `signatures` are the rows of cs_thunks."""

    signatures: tuple[Signature, ...]
    row: Mapping[str, int]  # Function.name -> row
    users: Mapping[Signature, tuple[str, ...]]


def plan(binding: Binding) -> Plan:
    abi = Abi(binding)
    users: dict[Signature, list[str]] = {}
    for bound in binding.functions:
        users.setdefault(abi.signature(bound), []).append(bound.function.name)
    signatures = sorted(users, key=lambda s: (len(s), _name(s)))
    for signature in signatures:
        fits(len(signature), 8, f"number of parameters of {users[signature][0]}")
    fits(len(signatures), 16, "number of thunks")
    row = {name: i for i, signature in enumerate(signatures) for name in users[signature]}
    return Plan(tuple(signatures), row, {s: tuple(u) for s, u in users.items()})


def emit(binding: Binding) -> str:
    made = plan(binding)
    definitions = _definitions(binding, made)
    parts = [c_banner(binding.api.release), '#include "rows.h"\n\n#include <string.h>\n']
    if definitions:
        parts.append(
            "/* Records that are passed by value. Their members are those that decide how: class, place and size. */\n"
        )
        parts += [d.text for d in definitions.values()]
    parts += [_thunk(s, made.users[s], definitions) for s in made.signatures]
    rows = "".join(f"    {_name(s)}, /* {i} */\n" for i, s in enumerate(made.signatures))
    parts.append(f"const cs_thunk cs_thunks[] = {{\n{rows}}};\n")
    return "\n".join(parts)


def _definitions(binding: Binding, made: Plan) -> Mapping[str, Definition]:
    values = [c.removeprefix(RETURNS) for s in made.signatures for c in s]
    names = [c.removeprefix("record:") for c in values if c.startswith("record:")]
    return define(Abi(binding), sorted(set(names)))


def _name(signature: Signature) -> str:
    if signature and signature[0].startswith(RETURNS):
        return f"{_name(signature[1:])}_{_name((signature[0].removeprefix(RETURNS),)).removeprefix('call_')}"
    letters = "".join(SCALARS[c][2] if c in SCALARS else f"_{c.removeprefix('record:')}_" for c in signature)
    return f"call_{letters.strip('_')}" if letters else "call"


def _thunk(signature: Signature, users: tuple[str, ...], definitions: Mapping[str, Definition]) -> str:
    name = _name(signature)
    returned = None
    if signature and signature[0].startswith(RETURNS):
        returned, signature = signature[0].removeprefix(RETURNS), signature[1:]
    types = [SCALARS[c][0] if c in SCALARS else definitions[c.removeprefix("record:")].c_name for c in signature]
    prototype = ", ".join(types) or "void"
    more = f" and {len(users) - 1} more" if len(users) > 1 else ""
    lines = [
        f"/* {users[0]}{more} */",
        f"static int {name}(cs_address function, const union cs_arg *args) {{",
        *_copies(signature, types, returned is not None),
    ]
    arguments = ", ".join(_arguments(signature))
    if returned is None:
        lines.append(f"    return ((int (*)({prototype}))function)({arguments});")
    else:
        # The value goes where the engine expects what a last pointer would have been written through.
        c_type = SCALARS[returned][0] if returned in SCALARS else definitions[returned.removeprefix("record:")].c_name
        lines += [
            f"    {c_type} value = (({c_type} (*)({prototype}))function)({arguments});",
            f"    memcpy(args[{len(signature)}].ptr, &value, sizeof value);",
            "    return cs_library.result_success;",
        ]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _copies(signature: Signature, types: list[str], uses_args: bool) -> Iterator[str]:
    """A record may lie in memory that C knows under another type, so it is copied and not read through a cast."""
    if not signature and not uses_args:
        yield "    (void)args;"
    for i, (value, c_type) in enumerate(zip(signature, types, strict=True)):
        if value not in SCALARS:
            yield f"    {c_type} record{i};"
            yield f"    memcpy(&record{i}, args[{i}].ptr, sizeof record{i});"


def _arguments(signature: Signature) -> Iterator[str]:
    for i, value in enumerate(signature):
        yield f"args[{i}].{SCALARS[value][1]}" if value in SCALARS else f"record{i}"
