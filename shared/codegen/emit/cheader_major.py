# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The C headers of a library that breaks at majors: its types, and calls through the package.

Nothing depends on a target here: a name without a version means what the one major says. Functions are not declared as
the library exports them, since nothing of the toolkit is linked with; they are called through the package only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from codegen.model.api import View
from codegen.model.binding import Binding
from codegen.model.official import Extra
from codegen.model.spelling import Spelling

from . import cheader_setup
from .cheader import PER_THREAD, PLATFORMS, names
from .cheader_api import PREFIX, function, head, preamble
from .cheader_conditions import grouped, lacking
from .cheader_types import Types, is_foreign, parameter_list
from .ctext import c_banner
from .errors import EmitError
from .libraries import Library

_HEAD = """\
/* {title} of CUDA {major} up to {release} in C11 and C++17: every type, enumerator and constant. No CUDA toolkit is
 * needed.
 *
 * After <cuda.h> of CUDA {oldest} or newer, which has to come first, this defines only what that release lacks.
 * A struct that has grown since stays as that <cuda.h> has it: for its newer fields, include none or a newer one.
 * Enumerators that its enums lack are macros here, which C++ may refuse where it wants a constant.
 *
 * Functions are those of cuda_driver_stable_api.h, which calls them through the package.
 */
#ifndef CUDA_DRIVER_STABLE_H
#define CUDA_DRIVER_STABLE_H

"""
_PER_THREAD_HEAD = """\
 *
 * CUDA_DRIVER_STABLE_PER_THREAD or CUDA_API_PER_THREAD_DEFAULT_STREAM before the #include gives names the functions for
 * per-thread default streams.
"""
_PER_THREAD = """
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined(CUDA_DRIVER_STABLE_PER_THREAD)
#define CUDA_DRIVER_STABLE_PER_THREAD
#endif
"""
# Where an inline function has this name already.
_INLINE_GUARD = "__DRIVER_FUNCTIONS_H__"


@dataclass(frozen=True)
class MajorHeaders:
    binding: Binding
    spelling: Spelling
    library: Library

    @property
    def view(self) -> View:
        (view,) = self.binding.api.views
        return view

    def types(self) -> str:
        api = self.binding.api
        types = Types(api, self.spelling, macros=frozenset({self.library.c.version_macro}))
        title = self.library.title[0].upper() + self.library.title[1:]
        values = {"title": title, "major": self.library.major, "release": api.release, "oldest": self.spelling.oldest}
        text = "".join(
            (
                _HEAD.format(**values),
                cheader_setup.after(api, self.spelling, self.library),
                self._same_major(),
                cheader_setup.COMMON,
                types.emit(),
                *grouped(self._view_types()),
                cheader_setup.END,
                "#endif\n",
            )
        )
        return c_banner(api.release) + cheader_setup.named(text, self.library)

    def calls(self) -> str:
        api = self.binding.api
        calls = ((PLATFORMS[f.platform], function(f, self.spelling, self.library)) for f in api.functions)
        text = "".join(
            (
                head(api, self.library, more=_PER_THREAD_HEAD if self.view.per_thread else ""),
                preamble(self.spelling, self.library),
                *grouped(calls),
                *self._inline(),
                "\n#ifdef __cplusplus\n}\n#endif\n",
                _PER_THREAD if self.view.per_thread else "",
                "\n",
                *self._macros(),
                "\n#endif\n",
            )
        )
        return c_banner(api.release) + cheader_setup.named(text, self.library)

    def _same_major(self) -> str:
        if not self.library.c.version_macro:
            return ""
        major = self.library.major
        return (
            f"#if CUDA_DRIVER_STABLE_AFTER && CUDA_DRIVER_STABLE_AFTER / 1000 != {major}\n"
            f'#error "this cuda_driver_stable.h is of CUDA {major}, and the <cuda.h> before it of another"\n'
            "#endif\n"
        )

    def _view_types(self) -> Iterator[tuple[str, str]]:
        """Names of the header's that are not the permanent ones; what C knows by its tag only is no such name."""
        api = self.binding.api
        kinds = (api.enums, api.records, api.handles, api.callbacks)
        headers = {item.name: item.header for kind in kinds for item in kind}
        foreign = {handle.name for handle in api.handles if is_foreign(handle)}
        for name, target in self.view.types.items():
            if name in {target, *api.aliases, *self.view.tags, *foreign}:
                continue
            yield lacking(self.spelling.of("type", name), headers[target]), f"typedef {target} {name};\n"

    def _macros(self) -> Iterator[str]:
        """Whatever a macro of <cuda.h> or of another header says: all calls lead through the package."""
        by_name = self.binding.api.by_name
        for f in self.binding.api.functions:
            for name in names(f):
                if name not in self.view.functions:
                    yield _macro(name, f.name)
        for name, target in self.view.functions.items():
            legacy = by_name[target].name
            per_thread = by_name[self.view.per_thread.get(name, target)].name
            if legacy == per_thread:
                yield _macro(name, legacy)
            else:
                yield f"#ifdef {PER_THREAD}\n{_macro(name, per_thread)}#else\n{_macro(name, legacy)}#endif\n"
        permanent = {name for f in self.binding.api.functions for name in names(f)}
        if added := sorted(self.view.per_thread.keys() - self.view.functions.keys() - permanent):
            macros = (_macro(name, by_name[self.view.per_thread[name]].name) for name in added)
            yield from (f"#ifdef {PER_THREAD}\n", *macros, "#endif\n")
        for extra in inline(self.binding):
            if extra.calls:
                yield _macro(extra.name, by_name[extra.calls].name)
            else:
                yield f"#ifndef {_INLINE_GUARD}\n{_macro(extra.name, extra.name)}#endif\n"

    def _inline(self) -> Iterator[str]:
        for extra in inline(self.binding):
            if not extra.calls:
                if len(extra.fields) != len(extra.parameters):
                    raise EmitError(f"{extra.name} has not one field for each parameter")
                pairs = zip(extra.fields, extra.parameters, strict=True)
                lines = "".join(f"  made.{name} = {p.name};\n" for name, p in pairs)
                listed = parameter_list(extra.parameters)
                yield f"CUDA_DRIVER_STABLE_CALLED {extra.result} {PREFIX}{extra.name}({listed}) {{\n"
                yield f"  {extra.result} made;\n{lines}  return made;\n}}\n"


def inline(binding: Binding) -> tuple[Extra, ...]:
    """Functions that no library exports and that this major has all the same."""
    return tuple(x for x in binding.official.extras if not x.introduced) if binding.official else ()


def _macro(name: str, function: str) -> str:
    return f"#undef {name}\n#define {name} {PREFIX}{function}\n"
