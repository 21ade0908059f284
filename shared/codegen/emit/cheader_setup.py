# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What the C headers of all libraries begin and end with, and the names in them that differ from library to library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from codegen.model.api import Api, Release
from codegen.model.spelling import Spelling

from .cheader_conditions import AFTER
from .errors import EmitError
from .libraries import Library

_AFTER = """\
#include <stddef.h>
#include <stdint.h>

#define CUDA_DRIVER_STABLE_RELEASE {number}

{parts}\
/* Which <cuda.h> came first: {what}, or 0. */
{after}\
#if {name} && {name} < {oldest}
#error "cuda_driver_stable.h does not know a <cuda.h> that is older than CUDA {oldest_text}"
#endif
{gaps}\
"""

# What is parsed with this macro shows types that no program is meant to see.
_INTERNAL = """\
#ifdef __CUDA_API_VERSION_INTERNAL
#error "cuda_driver_stable.h does not go with __CUDA_API_VERSION_INTERNAL"
#endif
"""

COMMON = """
#ifdef __cplusplus
#define CUDA_DRIVER_STABLE_ALIGN(bytes) alignas(bytes)
#define CUDA_DRIVER_STABLE_SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "size of " #type)
#else
#define CUDA_DRIVER_STABLE_ALIGN(bytes) _Alignas(bytes)
#define CUDA_DRIVER_STABLE_SIZE(type, bytes) _Static_assert(sizeof(type) == (bytes), "size of " #type)
#endif

#ifndef CUDAAPI
#ifdef _WIN32
#define CUDAAPI __stdcall
#else
#define CUDAAPI
#endif
#endif
#ifndef CUDA_CB
#define CUDA_CB CUDAAPI
#endif

#ifdef __clang__
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnested-anon-types"
#endif

#ifdef __cplusplus
extern "C" {
#endif

CUDA_DRIVER_STABLE_SIZE(void *, 8);

"""

END = """
#ifdef __cplusplus
}
#endif

#ifdef __clang__
#pragma clang diagnostic pop
#endif

"""


def named(text: str, library: Library) -> str:
    """A text that was written for the driver's header, with the names that another library has in the same places."""
    stem = library.header.removesuffix(".h")
    replaced = {
        "CUDA_DRIVER_STABLE": stem.upper(),
        "cuda_driver_stable": stem,
        "cuda.driver_stable": library.module,
        "cuda-driver-stable": library.module.replace(".", "-"),
        "<cuda.h>": f"<{library.c.header}>",
    }
    if library.name == "driver":
        return text
    for driver, other in replaced.items():
        text = text.replace(driver, other)
    return text


def after(api: Api, spelling: Spelling, library: Library) -> str:
    """Which of the library's own headers was included, and an error where nothing is known of it."""
    oldest = library.c.since or spelling.oldest
    return _AFTER.format(
        name=AFTER,
        number=api.release.number,
        parts="".join(_parts(library)),
        what=f"its {library.c.version_macro}" if library.c.version_macro else "a release that it is not older than",
        after="".join(_defines(api, spelling, library)),
        oldest=oldest.number,
        oldest_text=oldest,
        gaps="".join(_gaps(spelling)) if library.c.version_macro else "",
    ) + (_INTERNAL if library.c.internal else "")


def _parts(library: Library) -> Iterator[str]:
    """A header of types alone does not say of which release it is, but the one that includes it does."""
    if library.c.parts:
        some = " || ".join(f"defined({guard})" for guard in library.c.parts)
        yield f"#if ({some}) && !defined({library.c.guard})\n#include <{library.c.header}>\n#endif\n\n"


def _defines(api: Api, spelling: Spelling, library: Library) -> Iterator[str]:
    yield f"#ifdef {library.c.guard}\n"
    if library.c.version_macro:
        yield f"#define {AFTER} {library.c.version_macro}\n"
    else:
        keyword = "if"
        for release, macro in sorted(_markers(api, spelling).items(), reverse=True):
            yield f"#{keyword} defined({macro})\n#define {AFTER} {release.number}\n"
            keyword = "elif"
        last = f"#define {AFTER} {spelling.oldest.number}\n"
        yield last if keyword == "if" else f"#else\n{last}#endif\n"
    yield f"#else\n#define {AFTER} 0\n#endif\n"


def _markers(api: Api, spelling: Spelling) -> Mapping[Release, str]:
    """Of a header that does not name its version: a macro of each release that brought one."""
    found: dict[Release, str] = {}
    for (space, name), spans in sorted(spelling.spans.items()):
        if space == "macro" and len(spans) == 1 and spans[0].gone is None and spans[0].first > spelling.oldest:
            found.setdefault(spans[0].first, name)
    told = {spelling.oldest, *found}
    for record in api.records:
        if not record.inline and not any(record.since == release for release in told):
            raise EmitError(f"{record.name} is new in {record.since}, and no macro of the header tells that release")
    return found


def _gaps(spelling: Spelling) -> Iterator[str]:
    for one, two in spelling.unknown:
        yield f"#if {AFTER} > {one.number} && {AFTER} < {two.number}\n"
        yield f'#error "cuda_driver_stable.h does not know a <cuda.h> between CUDA {one} and {two}"\n#endif\n'
