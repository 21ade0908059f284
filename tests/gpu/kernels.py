# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""PTX for the tests. The target is the oldest that every driver from CUDA 11 to 13 compiles for its GPUs."""

from __future__ import annotations

HEADER = """
.version 6.5
.target sm_52
.address_size 64
"""


def _indexed(name: str, parameters: str, body: str) -> str:
    """A kernel whose body runs for every index in %r_i below the parameter `n`, with its byte offset in %rd_o."""
    return f"""
.visible .entry {name}({parameters}, .param .u32 n)
{{
    .reg .pred %p<2>;
    .reg .b32 %r_i, %r_n, %r_t, %r_b, %r_d;
    .reg .b64 %rd_o;
    mov.u32 %r_t, %tid.x;
    mov.u32 %r_b, %ctaid.x;
    mov.u32 %r_d, %ntid.x;
    mad.lo.s32 %r_i, %r_b, %r_d, %r_t;
    ld.param.u32 %r_n, [n];
    setp.ge.u32 %p1, %r_i, %r_n;
    @%p1 ret;
    mul.wide.u32 %rd_o, %r_i, 4;
    {{
    {body}
    }}
    ret;
}}
"""


VECTOR_ADD = _indexed(
    "vector_add",
    ".param .u64 a, .param .u64 b, .param .u64 c",
    """
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    add.s64 %rd1, %rd1, %rd_o;
    add.s64 %rd2, %rd2, %rd_o;
    add.s64 %rd3, %rd3, %rd_o;
    ld.global.f32 %f1, [%rd1];
    ld.global.f32 %f2, [%rd2];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd3], %f3;
    """,
)

# out[i] = out[i] * scale + bias, both of them floats: kernel parameters of two widths and two kinds.
SCALE = _indexed(
    "scale",
    ".param .u64 out, .param .f32 factor, .param .f64 bias",
    """
    .reg .f32 %f<4>;
    .reg .f64 %fd<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    add.s64 %rd1, %rd1, %rd_o;
    ld.param.f32 %f1, [factor];
    ld.param.f64 %fd1, [bias];
    cvt.rn.f32.f64 %f2, %fd1;
    ld.global.f32 %f3, [%rd1];
    fma.rn.f32 %f3, %f3, %f1, %f2;
    st.global.f32 [%rd1], %f3;
    """,
)

# out[i] = texture at (i % width, i / width), unnormalized.
FETCH = _indexed(
    "fetch",
    ".param .u64 out, .param .u64 texture, .param .u32 width",
    """
    .reg .f32 %f<7>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [texture];
    ld.param.u32 %r1, [width];
    rem.u32 %r2, %r_i, %r1;
    div.u32 %r3, %r_i, %r1;
    cvt.rn.f32.u32 %f1, %r2;
    cvt.rn.f32.u32 %f2, %r3;
    add.f32 %f1, %f1, 0f3F000000;
    add.f32 %f2, %f2, 0f3F000000;
    tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd2, {%f1, %f2}];
    add.s64 %rd1, %rd1, %rd_o;
    st.global.f32 [%rd1], %f3;
    """,
)

# Two translation units for the linker: `caller` needs `twice`.
CALLER = (
    HEADER
    + """
.extern .func (.param .b32 result) twice (.param .b32 value);
"""
    + _indexed(
        "caller",
        ".param .u64 out",
        """
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [out];
    add.s64 %rd1, %rd1, %rd_o;
    {
    .param .b32 value;
    .param .b32 result;
    st.param.b32 [value], %r_i;
    call.uni (result), twice, (value);
    ld.param.b32 %r2, [result];
    }
    st.global.u32 [%rd1], %r2;
    """,
    )
)
CALLEE = (
    HEADER
    + """
.visible .func (.param .b32 result) twice (.param .b32 value)
{
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [value];
    shl.b32 %r2, %r1, 1;
    st.param.b32 [result], %r2;
    ret;
}
"""
)

GLOBAL = """
.visible .global .align 4 .u32 counter = 41;
"""


def sum_of(count: int) -> str:
    """A kernel with `count` 32-bit parameters (and out), that adds them up."""
    parameters = ", ".join(f".param .u32 p{i}" for i in range(count))
    loads = "\n".join(f"    ld.param.u32 %r1, [p{i}];\n    add.u32 %r2, %r2, %r1;" for i in range(count))
    return f"""
.visible .entry sum_of_{count}(.param .u64 out, {parameters})
{{
    .reg .b32 %r<3>;
    .reg .b64 %rd<2>;
    mov.u32 %r2, 0;
{loads}
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r2;
    ret;
}}
"""


# Kernel parameters take at most 4096 bytes together.
MANY = 512
MODULE = HEADER + GLOBAL + VECTOR_ADD + SCALE + FETCH + sum_of(MANY)


def source(ptx: str) -> bytes:
    """As cuModuleLoadData takes it: with a NUL at the end."""
    return ptx.encode() + b"\0"
