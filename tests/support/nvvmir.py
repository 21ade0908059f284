# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""NVVM IR: kernels as text, in the dialect that every libNVVM reads, and in that of LLVM 20, for Blackwell and up."""

from __future__ import annotations

_HEAD = """
target datalayout = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-\
f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-v128:128:128-n16:32:64"
target triple = "nvptx64-nvidia-cuda"
!nvvmir.version = !{{!0}}
!0 = !{{i32 2, i32 0}}
"""

# out[i] = function(out[i] * factor), by one block.
_KERNEL = """
declare float @{function}(float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()

define void @kernel({pointer} %out, float %factor, i32 %n) {{
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp ult i32 %i, %n
  br i1 %inside, label %work, label %done
work:
  %place = getelementptr float, {pointer} %out, i32 %i
  %value = load float, {pointer} %place
  %product = fmul float %value, %factor
  %result = call float @{function}(float %product)
  store float %result, {pointer} %place
  br label %done
done:
  ret void
}}
!nvvm.annotations = !{{!1}}
!1 = !{{{kernel} @kernel, !"kernel", i32 1}}
"""

_DEFINITION = """
define float @{function}(float %value) {{
  %result = fadd float %value, {number}
  ret float %result
}}
"""


def kernel(function: str = "__nv_sinf", *, opaque: bool = False) -> bytes:
    """A module with a kernel that calls a function of another module: of libdevice, unless one is named."""
    pointer = "ptr" if opaque else "float*"
    signature = "ptr" if opaque else "void (float*, float, i32)*"
    return (_HEAD + _KERNEL).format(function=function, pointer=pointer, kernel=signature).encode()


def definition(function: str, number: float) -> bytes:
    """A module with a function that adds a number."""
    return (_HEAD + _DEFINITION).format(function=function, number=f"{number:e}").encode()


def slow(functions: int = 400) -> bytes:
    """Takes seconds to compile: long functions that call one another, and many of them."""
    body = ["define float @f0(float %value) {\n  ret float %value\n}\n"]
    for i in range(1, functions):
        steps = "".join(
            f"  %a{s} = call float @f{i - 1}(float %{f'b{s - 1}' if s else 'value'})\n"
            f"  %b{s} = fadd float %a{s}, {float(s + 1):e}\n"
            for s in range(40)
        )
        body.append(f"define float @f{i}(float %value) noinline {{\n{steps}  ret float %b39\n}}\n")
    return (_HEAD.format() + "".join(body)).encode()
