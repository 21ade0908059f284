# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda_driver_stable_api.h: calls through the package for extension modules in C and C++, without Cython.

Each function is an inline one under a prefix, and macros give it the permanent names: so a <cuda.h> that was included
before may have declared these, and its own macros (cuCtxCreate is cuCtxCreate_v4) lead here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codegen.model.api import Api, CType, Function
from codegen.model.spelling import Spelling

from .cheader import ASKING, PER_THREAD, PLATFORMS, asking, asking_body, asking_names
from .cheader_conditions import grouped
from .cheader_setup import named
from .cheader_types import parameter_list
from .ctext import c_banner, declaration
from .libraries import Library

PREFIX = "cuda_driver_stable_"
_PREAMBLE = Path(__file__).with_name("cheader_api_preamble.txt")
_HEAD = """\
/* {title} for extension modules in C and C++: no toolkit to compile with, nothing to link with.
 *
{target}\
 *     #include "cuda_driver_stable_api.h"
 *
 * In the module's initialisation: if (import_cuda_driver_stable() < 0) return NULL;
 *
 * Functions are called by their names, with or without the GIL. The library is loaded by the first call, and a function
 * looked for on its own first call. One that the library lacks sets FunctionNotFoundError and returns
 * {missing}{valued}; PyErr_Occurred() tells that from a library that has it and returns the same.
{more}\
 */
"""
_TARGET = (
    " *     #define CUDA_DRIVER_STABLE_TARGET 12     where names without a version are wanted, as CUDA 12 means them\n"
)
# A consumer's table and its records are those of one major, whatever it does when it is imported.
_MAJOR = """\
  if (table && table->release / 1000 != CUDA_DRIVER_STABLE_RELEASE / 1000) {
    PyErr_Format(PyExc_ImportError,
                 "this module was compiled for cuda-driver-stable of CUDA %d, and what is installed is of CUDA %d",
                 CUDA_DRIVER_STABLE_RELEASE / 1000, (int)(table->release / 1000));
    return NULL;
  }
"""


def emit(api: Api, spelling: Spelling, library: Library) -> str:
    """Of a library that is one for all majors."""
    text = "".join(
        (
            head(api, library, _TARGET),
            preamble(spelling, library),
            *grouped((PLATFORMS[f.platform], function(f, spelling, library)) for f in api.functions),
            *_asking(api, spelling),
            "\n#ifdef __cplusplus\n}\n#endif\n\n",
            *_macros(api, spelling),
            *_asking_macros(api),
            "\n#endif\n",
        )
    )
    return c_banner(api.release) + named(text, library)


def head(api: Api, library: Library, target: str = "", more: str = "") -> str:
    valued = " or, where it gives no status, zero" if any(f.result != library.result for f in api.functions) else ""
    title = library.title[0].upper() + library.title[1:]
    return _HEAD.format(title=title, target=target, missing=library.result_not_found, valued=valued, more=more)


def preamble(spelling: Spelling, library: Library) -> str:
    text = _PREAMBLE.read_text("utf-8").partition("*/\n")[2]  # without the licence, which the banner has
    text = text.replace("@MAJOR@", _MAJOR if library.major else "")
    text = text.replace("@RESULT@", library.result).replace("@MISSING@", library.result_not_found)
    return text.replace("@COUNT@", str(max(spelling.positions.values(), default=-1) + 1))


def function(function: Function, spelling: Spelling, library: Library) -> str:
    parameters = spelling.parameters[function.name]
    listed = parameter_list(parameters)
    arguments = ", ".join(p.name for p in parameters)
    call = ", ".join(
        (
            str(spelling.positions[function.name]),
            f'"{function.plain or function.name}"',
            str(function.introduced.number),
            f"({listed})",
            f"({arguments})",
        )
    )
    if function.result == library.result:
        body = f"  CUDA_DRIVER_STABLE_CALL({call});\n"
    else:
        # Static, and so zero, in C and C++ alike.
        none = declaration(CType.parse(function.result), "cds_none")
        body = f"  static {none};\n  CUDA_DRIVER_STABLE_VALUE({function.result}, cds_none, {call});\n"
    result = declaration(CType.parse(function.result), f"{PREFIX}{function.name}")
    return f"CUDA_DRIVER_STABLE_CALLED {result}({listed}) {{\n{body}}}\n"


def _macros(api: Api, spelling: Spelling) -> Iterator[str]:
    """A name may be a macro already, of <cuda.h> or of the target: one that leads to another function stays."""
    for function in api.functions:
        for name, target in ((function.name, f"{PREFIX}{function.name}"), (function.plain, function.name)):
            if name is None:
                continue
            define = f"#define {name} {target}\n"
            if name in spelling.redirected:
                yield f"#ifndef {PER_THREAD}\n#undef {name}\n{define}#elif !defined({name})\n{define}#endif\n"
            else:
                yield f"#undef {name}\n{define}"


def _asking(api: Api, spelling: Spelling) -> Iterator[str]:
    functions = [f for f in api.functions if f.base in ASKING]
    # Whatever the macros say: a Cython module may use a view beside its per-thread twin.
    for function in functions:
        listed = parameter_list(spelling.parameters[function.name])
        yield f"CUDA_DRIVER_STABLE_CALLED CUresult {asking(function, PREFIX)}({listed}) {{\n"
        yield from asking_body(function, spelling, f"{PREFIX}{function.name}")


def _asking_macros(api: Api) -> Iterator[str]:
    """Instead of the inline functions of <cuda.h>, which call the driver library directly."""
    yield f"\n#ifdef {PER_THREAD}\n"
    for view in api.views:
        yield f"#if CUDA_DRIVER_STABLE_MAJOR == {view.major}\n"
        for name, function in asking_names(api, view).items():
            yield f"#ifdef {name}\n#undef {name}\n#define {name} {asking(function, PREFIX)}\n#endif\n"
        yield "#endif\n"
    yield "#endif\n"
