# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda_driver_stable.h: the driver API in C, of no release in particular and without a toolkit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from codegen.model.api import Api, Function, View
from codegen.model.spelling import Spelling

from . import cheader_setup
from .cheader_conditions import AFTER, grouped, lacking
from .cheader_types import TARGET, Types, is_foreign, is_own, parameter_list
from .ctext import c_banner
from .libraries import Library

PER_THREAD = "CUDA_DRIVER_STABLE_PER_THREAD"
# For per-thread default streams cuda.h has no other function here, but has this one look for such functions, unless the
# caller says which: the parameter, and the flags that say per-thread and either.
ASKING = {
    "cuGetProcAddress": (
        "flags",
        "CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM",
        "(CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)",
    ),
}
PLATFORMS = {"any": "1", "linux": "!defined(_WIN32)", "windows": "defined(_WIN32)"}

_HEAD = """\
/* {title} up to CUDA {release} in C11 and C++17: every type, enumerator, constant and function, under
 * names that never change their meaning. No CUDA toolkit is needed.
 *
 * After <cuda.h> of CUDA {oldest} or newer, which has to come first, this defines only what that release lacks.
 * A struct that has grown since stays as that <cuda.h> has it: for its newer fields, include none or a newer one.
 * Enumerators that its enums lack are macros here, which C++ may refuse where it wants a constant.
 *
 * What a name without a version means depends on the CUDA major. Such names are there where one is chosen before the
 * #include, out of {majors}:
 *     #define CUDA_DRIVER_STABLE_TARGET 12      names as <cuda.h> of CUDA 12 means them
{per_thread}\
 *
 * The functions are declared as the driver library exports them, for programs that link with it. Extension modules of
 * Python need not: cuda_driver_stable_api.h calls them through the package.
 */
"""

_PER_THREAD_HEAD = """\
 *     #define CUDA_DRIVER_STABLE_PER_THREAD     … and functions as it means them for per-thread default streams
"""

_TARGET = """
#if defined({target}) && {after} && {after} / 1000 != {target}
#error "CUDA_DRIVER_STABLE_TARGET is another CUDA major than that of the <cuda.h> included before"
#endif
#if defined({per_thread}) && !defined({target}) && !{after}
#error "CUDA_DRIVER_STABLE_PER_THREAD goes with CUDA_DRIVER_STABLE_TARGET"
#endif
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM) && !defined({per_thread}) && (defined({target}) || {after})
#define {per_thread}
#endif
#if defined({per_thread}) && {after} && !defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#error "CUDA_DRIVER_STABLE_PER_THREAD after a <cuda.h> needs CUDA_API_PER_THREAD_DEFAULT_STREAM before that"
#endif

#ifdef {target}
#define CUDA_DRIVER_STABLE_MAJOR {target}
#else
#define CUDA_DRIVER_STABLE_MAJOR ({after} / 1000)
#endif
"""

_PROTOTYPES = """
/* Functions, under every permanent name. A name other than the one the driver exports needs a compiler that can be
 * told so; others get the exported names that are permanent. */
#if defined(__GNUC__)
#define CUDA_DRIVER_STABLE_SYMBOL(symbol) __asm__(symbol)
#endif

"""


@dataclass(frozen=True)
class Header:
    api: Api
    spelling: Spelling
    library: Library

    def emit(self) -> str:
        types = Types(self.api, self.spelling)
        text = "".join(
            (
                self._head(),
                "#ifndef CUDA_DRIVER_STABLE_H\n#define CUDA_DRIVER_STABLE_H\n\n",
                self._setup(),
                types.emit(),
                _PROTOTYPES,
                *self._prototypes(),
                *self._asking(),
                cheader_setup.END,
                *self._targets(types),
                "\n#endif\n",
            )
        )
        return c_banner(self.api.release) + cheader_setup.named(text, self.library)

    def _head(self) -> str:
        majors = ", ".join(str(view.major) for view in self.api.views)
        twins = any(view.per_thread for view in self.api.views)
        return _HEAD.format(
            title=self.library.title[0].upper() + self.library.title[1:],
            release=self.api.release,
            oldest=self.library.c.since or self.spelling.oldest,
            majors=majors,
            per_thread=_PER_THREAD_HEAD if twins else "",
        )

    def _setup(self) -> str:
        target = _TARGET.format(after=AFTER, target=TARGET, per_thread=PER_THREAD)
        return "".join((cheader_setup.after(self.api, self.spelling, self.library), target, cheader_setup.COMMON))

    # Functions

    def _prototypes(self) -> Iterator[str]:
        own = [
            (PLATFORMS[f.platform], self._prototype(f, f.symbol)) for f in self.api.functions if f.symbol in names(f)
        ]
        labelled = [
            (PLATFORMS[f.platform], self._prototype(f, name))
            for f in self.api.functions
            for name in names(f)
            if name != f.symbol
        ]
        yield from grouped(own)
        yield "\n#ifdef CUDA_DRIVER_STABLE_SYMBOL\n"
        yield from grouped(labelled)
        yield "#endif\n"

    def _prototype(self, function: Function, name: str) -> str:
        label = "" if name == function.symbol else f' CUDA_DRIVER_STABLE_SYMBOL("{function.symbol}")'
        parameters = parameter_list(self.spelling.parameters[function.name])
        return f"extern {function.result} CUDAAPI {name}({parameters}){label};\n"

    def _asking(self) -> Iterator[str]:
        functions = [f for f in self.api.functions if f.base in ASKING]
        if functions:
            yield f"\n#if defined({PER_THREAD}) && defined(CUDA_DRIVER_STABLE_SYMBOL)\n"
            for function in functions:
                listed = parameter_list(self.spelling.parameters[function.name])
                # Under the exported name it may be a macro of <cuda.h>.
                called = function.name
                yield f"static inline {function.result} {asking(function, LINKED)}({listed}) {{\n"
                yield from asking_body(function, self.spelling, called)
            yield "#endif\n"

    # Names that depend on the major

    def _targets(self, types: Types) -> Iterator[str]:
        yield f"#ifdef {TARGET}\n"
        for keyword, view in zip(["if", *["elif"] * len(self.api.views)], self.api.views, strict=False):
            yield f"#{keyword} {TARGET} == {view.major}\n\n"
            yield from grouped(self._view_types(view))
            yield "\n"
            yield from self._view_constants(types, view)
            yield "\n"
            yield from self._view_functions(view)
            yield "\n"
        majors = ", ".join(str(view.major) for view in self.api.views)
        yield f'#else\n#error "CUDA_DRIVER_STABLE_TARGET is one of {majors}"\n#endif\n#endif\n'

    def _view_types(self, view: View) -> Iterator[tuple[str, str]]:
        kinds = (self.api.enums, self.api.records, self.api.handles, self.api.callbacks)
        headers = {item.name: item.header for kind in kinds for item in kind}
        permanent = {name for name, target in view.types.items() if name == target} | set(self.api.aliases)
        opaque = {handle.name for handle in self.api.handles if is_foreign(handle)}
        for name, target in view.types.items():
            if name in self.spelling.typedefs and name not in permanent | opaque:
                condition = lacking(self.spelling.of("type", name), headers[target])
                yield condition, f"typedef {target} {name};\n"

    def _view_constants(self, types: Types, view: View) -> Iterator[str]:
        permanent = {constant.name: constant.value for constant in self.api.constants}
        for name, constant in view.constants.items():
            if not is_own(name):
                yield types.constant(constant)
            elif permanent.get(name) != constant.value:
                yield f"#if !{AFTER}\n#undef {name}\n{types.constant(constant)}#endif\n"

    def _view_functions(self, view: View) -> Iterator[str]:
        by_name = self.api.by_name
        legacy = {name: by_name[target] for name, target in view.functions.items()}
        per_thread = {name: by_name[target] for name, target in view.per_thread.items()}
        asks = asking_names(self.api, view)
        both = {name: f for name, f in legacy.items() if per_thread.get(name) == f and name not in asks}
        yield from self._macros(both)
        yield f"#ifdef {PER_THREAD}\n"
        for name, function in asks.items():
            yield f"#ifndef {name}\n#define {name} {asking(function, LINKED)}\n#endif\n"
        yield from self._macros({name: f for name, f in per_thread.items() if name not in both and name not in asks})
        if otherwise := list(self._macros({name: f for name, f in legacy.items() if name not in both})):
            yield from ("#else\n", *otherwise)
        yield "#endif\n"

    def _macros(self, functions: Mapping[str, Function]) -> Iterator[str]:
        """What <cuda.h> of the same major may have defined means the same, but perhaps by the exported name."""
        for name, function in functions.items():
            if name not in names(function):
                yield f"#undef {name}\n#define {name} {function.plain or function.name}\n"


def names(function: Function) -> Iterable[str]:
    """The permanent ones, the versioned one first."""
    return (function.name, function.plain) if function.plain else (function.name,)


LINKED = "cuda_driver_stable_linked_"


def asking(function: Function, prefix: str) -> str:
    return f"{prefix}{function.name}_per_thread"


def asking_names(api: Api, view: View) -> Mapping[str, Function]:
    found = {name: api.by_name[target] for name, target in view.per_thread.items()}
    return {name: function for name, function in found.items() if function.base in ASKING}


def asking_body(function: Function, spelling: Spelling, called: str) -> Iterator[str]:
    name, flag, either = ASKING[function.base]
    yield f"  if (({name} & {either}) == 0) {name} |= {flag};\n"
    yield f"  return {called}({', '.join(p.name for p in spelling.parameters[function.name])});\n}}\n"


def emit(api: Api, spelling: Spelling, library: Library) -> str:
    return Header(api, spelling, library).emit()
