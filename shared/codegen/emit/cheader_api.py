# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda_driver_stable_api.h: calls through the package for extension modules in C and C++, without Cython.

Each function is an inline one under a prefix, and macros give it the permanent names: so a <cuda.h> that was included
before may have declared these, and its own macros (cuCtxCreate is cuCtxCreate_v4) lead here too.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codegen.model.api import Api, Function
from codegen.model.spelling import Spelling

from .cheader import ASKING, PER_THREAD, PLATFORMS, asking, asking_body, asking_names
from .cheader_conditions import grouped
from .cheader_types import parameter_list
from .ctext import c_banner
from .errors import EmitError

PREFIX = "cuda_driver_stable_"
_PREAMBLE = Path(__file__).with_name("cheader_api_preamble.txt")
_HEAD = """\
/* The driver API for extension modules in C and C++: no toolkit to compile with, nothing to link with.
 *
 *     #define CUDA_DRIVER_STABLE_TARGET 12     where names without a version are wanted, as CUDA 12 means them
 *     #include "cuda_driver_stable_api.h"
 *
 * In the module's initialisation: if (import_cuda_driver_stable() < 0) return NULL;
 *
 * Functions are called by their names, with or without the GIL. The driver is loaded by the first call, and a function
 * looked for on its own first call. One that the driver lacks sets FunctionNotFoundError and returns
 * CUDA_ERROR_NOT_FOUND; PyErr_Occurred() tells that from a driver that has it and returns the same.
 */
"""


def emit(api: Api, spelling: Spelling) -> str:
    preamble = _PREAMBLE.read_text("utf-8").partition("*/\n")[2]  # without the licence, which the banner has
    preamble = preamble.replace("@COUNT@", str(max(spelling.positions.values(), default=-1) + 1))
    return "".join(
        (
            c_banner(api.release),
            _HEAD,
            preamble,
            *grouped((PLATFORMS[f.platform], _function(f, spelling)) for f in api.functions),
            *_asking(api, spelling),
            "\n#ifdef __cplusplus\n}\n#endif\n\n",
            *_macros(api, spelling),
            *_asking_macros(api),
            "\n#endif\n",
        )
    )


def _function(function: Function, spelling: Spelling) -> str:
    if function.result != "CUresult":
        raise EmitError(f"{function.name} returns {function.result}, which cannot say that it is missing")
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
    return (
        f"CUDA_DRIVER_STABLE_CALLED CUresult {PREFIX}{function.name}({listed}) {{\n"
        f"  CUDA_DRIVER_STABLE_CALL({call});\n}}\n"
    )


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
