# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Preprocessor conditions: whether the headers that were included before this one have a name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codegen.model.spelling import Span

from .errors import EmitError

AFTER = "CUDA_DRIVER_STABLE_AFTER"  # CUDA_VERSION of the <cuda.h> that was included before, else 0
ALWAYS, NEVER = "1", "0"

# What comes with the header that AFTER is about, and headers beside it, with the macro that tells of them.
_GUARDS = {
    "cuda.h": None,
    "cudaGL.h": "CUDAGL_H",
    "cudaEGL.h": "CUDAEGL_H",
    "cudaVDPAU.h": "CUDAVDPAU_H",
    "cudaProfiler.h": "cuda_profiler_H",
    "cudaD3D9.h": "CUDAD3D9_H",
    "cudaD3D10.h": "CUDAD3D10_H",
    "cudaD3D11.h": "CUDAD3D11_H",
    "cuda_runtime_api.h": None,
    "device_types.h": None,
    "driver_types.h": None,
    "surface_types.h": None,
    "texture_types.h": None,
    "vector_types.h": None,
    "library_types.h": "__LIBRARY_TYPES_H__",
    "cuda_egl_interop.h": "__CUDA_EGL_INTEROP_H__",
    "cuda_gl_interop.h": "__CUDA_GL_INTEROP_H__",
    "cuda_vdpau_interop.h": "__CUDA_VDPAU_INTEROP_H__",
    "nvrtc.h": None,
    "nvJitLink.h": None,
    "nvvm.h": None,
    "nvml.h": None,
}


def lacking(spans: Iterable[Span], header: str | None = None) -> str:
    """True where the name has to be defined here."""
    ranges = [f"{AFTER} < {s.first.number}" + (f" || {AFTER} >= {s.gone.number}" if s.gone else "") for s in spans]
    if not ranges:
        return ALWAYS
    text = ranges[0] if len(ranges) == 1 else " && ".join(f"({r})" for r in ranges)
    guard = _guard(header) if header else None
    return f"!defined({guard}) || {text}" if guard else text


def present(spans: Iterable[Span], header: str | None = None) -> str:
    """True where a header that was included has the name."""
    ranges = [f"{AFTER} >= {s.first.number}" + (f" && {AFTER} < {s.gone.number}" if s.gone else "") for s in spans]
    if not ranges:
        return NEVER
    text = ranges[0] if len(ranges) == 1 else " || ".join(f"({r})" for r in ranges)
    guard = _guard(header) if header else None
    return f"defined({guard}) && {_grouped(text)}" if guard else text


def both(one: str, two: str) -> str:
    if NEVER in (one, two):
        return NEVER
    if one == ALWAYS:
        return two
    return one if two == ALWAYS else f"{_grouped(one)} && {_grouped(two)}"


def _grouped(text: str) -> str:
    return f"({text})" if "||" in text else text


def _guard(header: str) -> str | None:
    try:
        return _GUARDS[header]
    except KeyError:
        raise EmitError(f"nothing tells whether {header} was included") from None


def grouped(parts: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Pieces of text with their conditions: neighbours under one condition share one #if."""
    open_ = ALWAYS
    for condition, text in parts:
        if condition == NEVER:
            continue
        if condition != open_:
            if open_ != ALWAYS:
                yield "#endif\n"
            if condition != ALWAYS:
                yield f"#if {condition}\n"
            open_ = condition
        yield text
    if open_ != ALWAYS:
        yield "#endif\n"
