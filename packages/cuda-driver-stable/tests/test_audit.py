# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`audit`: what sources and compiled modules need, and what in them does not mean one thing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from cuda.driver_stable import CudaVersion, required_cuda
from cuda.driver_stable._tools import read_binary
from cuda.driver_stable._tools.audit import Audit, audit, describe
from support.cython import OLDEST_AND_NEWEST, compile_module


def of(folder: Path, text: str, name: str = "a.py", **options: object) -> Audit:
    path = folder / name
    path.write_text(text)
    return audit([path], **options)  # type: ignore[arg-type]


def findings(result: Audit) -> list[tuple[str, int, str]]:
    return [(f.problem, f.place.line, f.name) for f in result.findings]


def needs(result: Audit) -> dict[int | None, tuple[str, str]]:
    return {need.cuda: (str(need.version), need.name) for need in result.needs}


# Each way to come by a name of the official binding, and of ours.
OFFICIAL = [
    "\nfrom cuda.bindings import driver\ndriver.cuCtxCreate(0, dev)\n",
    "import cuda.bindings.driver as driver\ndriver.cuCtxCreate(0, dev)\n",
    "import cuda.bindings.driver\n\ncuda.bindings.driver.cuCtxCreate(0, dev)\n",
    "from cuda.bindings.driver import cuCtxCreate\ncuCtxCreate(0, dev)\n",
    "from cuda.bindings.driver import cuCtxCreate as make\nmake(0, dev)\n",
    "from cuda import cuda\ncuda.cuCtxCreate(0, dev)\n",
    'import cuda.cuda as c\ngetattr(c, "cuCtxCreate")(0, dev)\n',
    "from cuda import bindings\nbindings.driver.cuCtxCreate(0, dev)\n",
    (
        "try:\n    from cuda.bindings import driver\nexcept ImportError:\n    from cuda import cuda as driver\n"
        "def f(dev):\n    def g():\n        return [driver.cuCtxCreate(0, dev) for _ in range(1)]\n"
    ),
]


@pytest.mark.parametrize("text", OFFICIAL)
def test_names_of_the_official_binding(tmp_path: Path, text: str) -> None:
    result = of(tmp_path, text)
    assert {f.problem for f in result.findings} == {"differs"}
    assert {f.name for f in result.findings} == {"cuCtxCreate"}
    assert "cuCtxCreate_v2 in CUDA 12, cuCtxCreate_v4 in CUDA 13" in result.findings[0].text
    assert needs(result) == {
        11: ("3.2", "cuCtxCreate_v2"),
        12: ("3.2", "cuCtxCreate_v2"),
        13: ("12.5", "cuCtxCreate_v4"),
    }
    assert findings(of(tmp_path, text, majors=[12])) == []
    assert not result.doubts


@pytest.mark.parametrize(
    ("text", "need"),
    [
        ("from cuda.driver_stable import cuCtxCreate_v4\ncuCtxCreate_v4(None, 0, dev)", "cuCtxCreate_v4"),
        ("import cuda.driver_stable as d\nd.cuCtxCreate_v2(0, dev)", "cuCtxCreate_v2"),
        ("from cuda import driver_stable\ndriver_stable.cu13.cuCtxCreate(None, 0, dev)", "cuCtxCreate_v4"),
        ("from cuda.driver_stable.cu12 import cuCtxCreate\ncuCtxCreate(0, dev)", "cuCtxCreate_v2"),
        ("from cuda.driver_stable import cu12\ncu12.per_thread.cuMemcpyAsync(1, 2, 3, 4)", "cuMemcpyAsync_ptsz"),
    ],
)
def test_names_of_ours(tmp_path: Path, text: str, need: str) -> None:
    result = of(tmp_path, text)
    assert findings(result) == []
    assert needs(result) == {None: (str(required_cuda(need)), need)}


def test_the_newest_call_decides(tmp_path: Path) -> None:
    text = "from cuda.driver_stable import cuInit, cuMemAlloc_v2, cuLibraryLoadData\ncuInit(0)\ncuMemAlloc_v2(1)\n"
    assert needs(of(tmp_path, text)) == {None: ("3.2", "cuMemAlloc_v2")}
    (need,) = of(tmp_path, text + "cuLibraryLoadData\n").needs
    assert (str(need.version), need.name, need.place.line) == ("12.0", "cuLibraryLoadData", 4)


GUARDED = {
    "if": "if d.is_available('cuCtxCreate_v4'):\n    d.cuCtxCreate_v4",
    "and": "if x and d.is_available('cuCtxCreate_v4'):\n    d.cuCtxCreate_v4",
    "else": "if not d.is_available('cuCtxCreate_v4'):\n    pass\nelse:\n    d.cuCtxCreate_v4",
    "expression": "d.cuCtxCreate_v4 if d.is_available('cuCtxCreate_v4') else d.cuInit",
    "early return": "def f():\n    if not d.is_available('cuCtxCreate_v4'):\n        return\n    d.cuCtxCreate_v4",
    "inner function": "if d.is_available('cuCtxCreate_v4'):\n    def f():\n        d.cuCtxCreate_v4",
}
UNGUARDED = {
    "another function": "if d.is_available('cuCtxCreate_v3'):\n    d.cuCtxCreate_v4",
    "or": "if x or d.is_available('cuCtxCreate_v4'):\n    d.cuCtxCreate_v4",
    "else": "if d.is_available('cuCtxCreate_v4'):\n    pass\nelse:\n    d.cuCtxCreate_v4",
    "afterwards": "if d.is_available('cuCtxCreate_v4'):\n    pass\nd.cuCtxCreate_v4",
    "no return": "if not d.is_available('cuCtxCreate_v4'):\n    pass\nd.cuCtxCreate_v4",
    "somebody else's question": "if is_available('cuCtxCreate_v4'):\n    d.cuCtxCreate_v4",
}


@pytest.mark.parametrize("name", GUARDED)
def test_what_the_driver_was_asked_for_is_not_needed(tmp_path: Path, name: str) -> None:
    result = of(tmp_path, f"import cuda.driver_stable as d\nd.cuInit(0)\n{GUARDED[name]}\n")
    assert needs(result) == {None: ("2.0", "cuInit")}


@pytest.mark.parametrize("name", UNGUARDED)
def test_what_was_not_asked_for_is_needed(tmp_path: Path, name: str) -> None:
    result = of(tmp_path, f"import cuda.driver_stable as d\nd.cuInit(0)\n{UNGUARDED[name]}\n")
    assert needs(result) == {None: ("12.5", "cuCtxCreate_v4")}


def test_limit(tmp_path: Path) -> None:
    text = "from cuda.driver_stable import cuCtxCreate_v4\ncuCtxCreate_v4(None, 0, 0)\n"
    assert findings(of(tmp_path, text, limit=CudaVersion(12, 5))) == []
    assert findings(of(tmp_path, text, limit=CudaVersion(12, 4))) == [("too new", 2, "cuCtxCreate_v4")]


def test_a_major_that_lacks_a_name(tmp_path: Path) -> None:
    """What 11 means elsewise by other names is of no interest where it cannot run the program at all."""
    text = "from cuda.bindings import driver\ndriver.cuLibraryLoadData\ndriver.cuStreamWaitValue32(s, 0, 0, 0)\n"
    result = of(tmp_path, text)
    assert [(lack.cuda, lack.name) for lack in result.lacks] == [(11, "cuLibraryLoadData")]
    assert findings(result) == []
    assert set(needs(result)) == {12, 13}
    assert findings(of(tmp_path, text.replace("driver.cuLibraryLoadData", ""))) == [
        ("differs", 2 + 1, "cuStreamWaitValue32")
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("from cuda.bindings import driver\ndriver.cuCtxCraete(0, 0)", "did you mean cuCtxCreate"),
        ("from cuda.driver_stable import cuCtxCreate", "it is cuCtxCreate_v2 in CUDA 11, cuCtxCreate_v2 in CUDA 12"),
        ("from cuda.driver_stable import cu11\ncu11.cuLibraryLoadData", "the view cu11 has cuLibraryLoadData"),
        ("import cuda.driver_stable as d\nd.CUresult.CUDA_SUCESS", "did you mean CUDA_SUCCESS"),
    ],
)
def test_unknown(tmp_path: Path, text: str, said: str) -> None:
    (finding,) = of(tmp_path, text).findings
    assert finding.problem == "unknown"
    assert said in finding.text


def test_arguments_that_fit_no_version(tmp_path: Path) -> None:
    text = (
        "from cuda.bindings import driver\ndriver.cuInit(0, 1)\ndriver.cuCtxCreate(*a)\ndriver.cuCtxCreate(0, dev=d)\n"
    )
    assert findings(of(tmp_path, text, majors=[12])) == [("mismatch", 2, "cuInit")]
    assert findings(of(tmp_path, text, majors=[13])) == [("mismatch", 2, "cuInit"), ("mismatch", 4, "cuCtxCreate")]
    both = {f.place.line: f.text for f in of(tmp_path, text, majors=[12, 13]).findings}
    assert both[4].endswith("the arguments fit CUDA 12 only")


def test_types_and_values(tmp_path: Path) -> None:
    text = "from cuda.bindings import driver\ndriver.CUDA_KERNEL_NODE_PARAMS()\ndriver.CUDA_VERSION\n"
    text += "driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS\n"
    result = of(tmp_path, text)
    assert findings(result) == [("differs", 2, "CUDA_KERNEL_NODE_PARAMS")]
    assert [d.place.line for d in result.doubts] == [3, 4]
    assert "93" in result.doubts[1].text
    assert "122" in result.doubts[1].text


@pytest.mark.parametrize(
    "line",
    ["getattr(driver, name)", "f(driver)", "x = driver", "from cuda.bindings.driver import *",
     "importlib.import_module('cuda.bindings.driver')", "vars(driver)"],
)  # fmt: skip
def test_what_cannot_be_decided(tmp_path: Path, line: str) -> None:
    result = of(tmp_path, f"import importlib\nfrom cuda.bindings import driver\n{line}\n")
    assert [d.place.line for d in result.doubts] == [3]
    assert findings(result) == []


@pytest.mark.parametrize(
    "text",
    [
        "from numba import cuda\ncuda.cuCtxCreate(0, 0)",
        "driver.cuCtxCreate(0, 0)",
        "from cuda.bindings import driver\ndef f(driver):\n    driver.cuCtxCreate(0, 0)",
        "from cuda.bindings import driver\n[driver.cuCtxCreate for driver in x]",
        "from cuda.bindings import driver\nclass A:\n    driver = 1\n    driver.cuCtxCreate",
        "'cuda.bindings.driver.cuCtxCreate'",
        "from cuda.bindings import cufile\ncufile.read(3)",
        "",
    ],
)
def test_what_is_not_cuda(tmp_path: Path, text: str) -> None:
    result = of(tmp_path, text)
    assert (findings(result), result.needs, result.doubts) == ([], [], [])


def test_nothing_of_cuda(tmp_path: Path) -> None:
    result = of(tmp_path, "import os\n")
    assert (result.files, result.using) == (1, 0)
    assert "nothing of CUDA is used" in list(describe(result))


CYTHON = '''
# cython: language_level=3
from cuda.bindings cimport cydriver
from cuda.bindings.cydriver cimport (cuMemAlloc,  # a comment, with a (
    CUdeviceptr as Pointer)
from cuda.driver_stable cimport cycu13 as now
"""cydriver.cuCtxCreate(NULL, 0, 0)"""
cdef class Buffer:
    cdef Pointer pointer
    def __init__(self, size_t size):
        with nogil:
            cydriver.cuCtxCreate(NULL, 0, <cydriver.CUdevice>max(0, size))
            cuMemAlloc(&self.pointer, size)
            now.cuCtxCreate(NULL, NULL, 0, 0)
            cydriver.cuInit(0, 0)
'''


def test_cython(tmp_path: Path) -> None:
    result = of(tmp_path, CYTHON, "a.pyx")
    assert findings(result) == [("differs", 12, "cuCtxCreate"), ("mismatch", 15, "cuInit")]
    assert needs(result)[None] == ("12.5", "cuCtxCreate_v4")
    assert result.doubts == []


def test_cython_that_declares_for_itself(tmp_path: Path) -> None:
    result = of(tmp_path, 'cdef extern from "cuda.h":\n    int cuInit(unsigned)\n', "a.pyx")
    assert [d.place.line for d in result.doubts] == [1]


def module(names: tuple[str, ...], *, of_module: str, compressed: bool) -> bytes:
    """What the strings of a compiled module look like, as older releases of Cython have them and as newer do."""
    text = b"valuesCUresult (unsigned int)\0" + b"\0".join(name.encode() for name in names) + b"\0\x80\x01"
    head = b"\x7fELF\0\0" + of_module.encode() + b"\0"
    return head + (b"\x01" + zlib.compress(text, 9) if compressed else text)


@pytest.mark.parametrize("compressed", [False, True])
def test_compiled_modules(tmp_path: Path, compressed: bool) -> None:
    path = tmp_path / "x.so"
    path.write_bytes(module(("cuInit", "cuCtxCreate"), of_module="cuda.bindings.cydriver", compressed=compressed))
    result = audit([], [path])
    assert [(f.problem, f.name) for f in result.findings] == [("differs", "cuCtxCreate")]
    path.write_bytes(
        module(("cuInit", "cuCtxCreate_v4"), of_module="cuda.driver_stable.cydriver", compressed=compressed)
    )
    result = audit([], [path])
    assert findings(result) == []
    assert needs(result) == {None: ("12.5", "cuCtxCreate_v4")}
    path.write_bytes(module(("cuInit",), of_module="some.other.module", compressed=compressed))
    assert audit([], [path]).using == 0


CONSUMER = """
from cuda.driver_stable.cycu12 cimport cuCtxCreate, cuLaunchKernel
from cuda.driver_stable cimport cydriver
def f():
    cuCtxCreate(NULL, 0, 0)
    cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL)
    cydriver.cuGraphAddNode_v2(NULL, NULL, NULL, NULL, 0, NULL)
"""


@pytest.mark.parametrize("release", OLDEST_AND_NEWEST)
def test_what_cython_compiled(tmp_path: Path, release: str) -> None:
    source = tmp_path / "consumer.pyx"
    source.write_text(CONSUMER)
    seen = read_binary.read(compile_module(release, source, tmp_path))
    assert {use.name for use in seen.uses} == {"cuCtxCreate_v2", "cuLaunchKernel", "cuGraphAddNode_v2"}
    assert needs(audit([], [Path(seen.path)])) == {None: ("12.3", "cuGraphAddNode_v2")}


BROKEN = {
    "syntax.py": b"def f(:\n",
    "encoding.py": b"x = '\xff\xfe'\n",
    "cookie.py": b"# coding: nothing\n",
    "zero.py": b"x = 1\0\n",
    "string.pyx": b'x = """abc\n',
    "bracket.pyx": b"f((1)\n",
    "deep.py": b"x = " + b"(" * 5000 + b")" * 5000,
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    """They are named, and the others are done."""
    (tmp_path / name).write_bytes(BROKEN[name])
    (tmp_path / "z.py").write_text("from cuda.driver_stable import cuInit\ncuInit(0)\n")
    result = audit([tmp_path])
    assert [path for path, _ in result.unread] == [str(tmp_path / name)]
    assert needs(result) == {None: ("2.0", "cuInit")}


def test_files_that_are_not_there(tmp_path: Path) -> None:
    text = tmp_path / "x.so"
    text.write_text("not compiled")
    result = audit([tmp_path / "no.py"], [tmp_path / "no.so", text])
    problems = dict(result.unread)
    assert "No such file" in problems[str(tmp_path / "no.py")]
    assert "No such file" in problems[str(tmp_path / "no.so")]
    assert "not a compiled module" in problems[str(text)]


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "cuda.driver_stable", "audit", *arguments]
    return subprocess.run(run, capture_output=True, text=True, env=os.environ)


def test_exit_status(tmp_path: Path) -> None:
    (tmp_path / "good.py").write_text("from cuda.driver_stable import cuInit\ncuInit(0)\n")
    (tmp_path / "doubt.py").write_text("from cuda.bindings import driver\nf(driver)\n")
    (tmp_path / "bad.py").write_text("from cuda.bindings import driver\ndriver.cuCtxCreate\n")
    assert command(str(tmp_path / "good.py")).returncode == 0
    assert command(str(tmp_path / "good.py"), "--driver", "1.0").returncode == 1
    assert command(str(tmp_path / "doubt.py")).returncode == 0
    assert command(str(tmp_path / "doubt.py"), "--strict").returncode == 1
    assert command(str(tmp_path / "bad.py")).returncode == 1
    assert command(str(tmp_path / "bad.py"), "--cuda", "12").returncode == 0
    assert command(str(tmp_path / "none.py")).returncode == 1
    assert command(str(tmp_path / "bad.py"), "--cuda", "10").returncode == 2
    assert command().returncode == 2


def test_json(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("from cuda.bindings import driver\ndriver.cuCtxCreate\n")
    (tmp_path / "broken.py").write_text("(")
    done = command(str(tmp_path), "--json")
    assert done.returncode == 1
    data = json.loads(done.stdout)
    assert [f["name"] for f in data["findings"]] == ["cuCtxCreate"]
    assert {need["cuda"]: need["version"] for need in data["needs"]} == {11: "3.2", 12: "3.2", 13: "12.5"}
    assert data["unread"][0]["path"].endswith("broken.py")


def test_binary_that_asks_for_what_is_not_here(tmp_path: Path) -> None:
    """Of a newer release, say: it is told, and what is cut off or a type is not taken for a function."""
    path = tmp_path / "newer.so"
    parts = ("\x7fELF", "cuda.driver_stable.cydriver", "cuInit", "cuFooCreate_v7", "CUresult", "CUfoo", "cuBarGet;x")
    path.write_bytes("\0".join(parts).encode())
    result = audit([], [path])
    assert needs(result) == {None: ("2.0", "cuInit")}
    assert [doubt.text for doubt in result.doubts] == [
        "cuFooCreate_v7 reads as a function, and cuda.driver_stable has none of that name"
    ]
