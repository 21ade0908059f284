# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""`pin`: sources that say which version they mean, and nothing else of them changed."""

from __future__ import annotations

import ast
import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path
from textwrap import dedent

import pytest

from cuda.driver_stable._tools.audit import audit
from cuda.driver_stable._tools.pin import Choice, Result, pin
from support.build import stub_library
from support.program import MEANT, SPELLED, calls, write

pytest.importorskip("libcst", reason="libcst, the extra `pin`, is not installed")


def pinned(
    folder: Path, text: str, cuda: int | None = 12, name: str = "a.py", **options: bool
) -> tuple[str, list[str]]:
    """The text afterwards, and what was not decided."""
    path = folder / name
    path.write_text(text)
    result = pin([path], Choice(cuda, **options))
    assert not result.unread
    if not result.files:
        return text, []
    (file,) = result.files
    assert file.before == text
    return file.after, [doubt.text for doubt in file.undecided]


CASES = {
    "module": (
        "from cuda.bindings import driver\nerr, c = driver.cuCtxCreate(0, dev)  # make\n",
        "from cuda import driver_stable as driver\nerr, c = driver.cuCtxCreate_v2(0, dev)  # make\n",
    ),
    "module with a name of its own": (
        "import cuda.bindings.driver as cu\ncu . cuMemAlloc( 3 )\n",
        "import cuda.driver_stable as cu\ncu . cuMemAlloc_v2( 3 )\n",
    ),
    "module by its full name": (
        """
        import cuda.bindings.driver
        import cuda.bindings.cufile
        cuda.bindings.driver.cuInit(0)
        cuda.bindings.cufile.x
        """,
        """
        import cuda.driver_stable
        import cuda.bindings.cufile
        cuda.driver_stable.cuInit(0)
        cuda.bindings.cufile.x
        """,
    ),
    "module of cuda-python 12": (
        "from cuda import cuda, core\ncuda.cuMemAlloc(3)\n",
        "from cuda import driver_stable as cuda, core\ncuda.cuMemAlloc_v2(3)\n",
    ),
    "module among others": (
        """
        # what we need
        from cuda.bindings import driver, cufile  # both
        driver.cuMemAlloc(3)
        """,
        """
        # what we need
        from cuda.bindings import cufile  # both
        from cuda import driver_stable as driver
        driver.cuMemAlloc_v2(3)
        """,
    ),
    "either of two": (
        """
        try:
            from cuda.bindings import driver
        except ImportError:
            from cuda import cuda as driver
        driver.cuCtxCreate(0, dev)
        """,
        """
        try:
            from cuda import driver_stable as driver
        except ImportError:
            from cuda import driver_stable as driver
        driver.cuCtxCreate_v2(0, dev)
        """,
    ),
    "names": (
        """
        from cuda.bindings.driver import (
            cuCtxCreate,  # to make one
            CUcontext as Context,
            CUDA_KERNEL_NODE_PARAMS,
        )
        def f(dev: CUDA_KERNEL_NODE_PARAMS) -> Context:
            return [cuCtxCreate(0, dev) for _ in ()]
        """,
        """
        from cuda.driver_stable import (
            cuCtxCreate_v2,  # to make one
            CUcontext as Context,
            CUDA_KERNEL_NODE_PARAMS_v2,
        )
        def f(dev: CUDA_KERNEL_NODE_PARAMS_v2) -> Context:
            return [cuCtxCreate_v2(0, dev) for _ in ()]
        """,
    ),
    "a name with a name of its own": (
        "from cuda.bindings.driver import cuCtxCreate as make\nmake(0, dev)\n",
        "from cuda.driver_stable import cuCtxCreate_v2 as make\nmake(0, dev)\n",
    ),
    "a name for others": (
        "from cuda.bindings.driver import cuMemAlloc\n",
        "from cuda.driver_stable import cuMemAlloc_v2 as cuMemAlloc\n",
    ),
    "a name that is exported": (
        "from cuda.bindings.driver import cuMemAlloc\n__all__ = ['cuMemAlloc']\ncuMemAlloc(3)\n",
        "from cuda.driver_stable import cuMemAlloc_v2 as cuMemAlloc\n__all__ = ['cuMemAlloc']\ncuMemAlloc(3)\n",
    ),
    "a name that is bound again": (
        "from cuda.bindings.driver import cuMemAlloc\ncuMemAlloc = wrap(cuMemAlloc)\n",
        "from cuda.driver_stable import cuMemAlloc_v2 as cuMemAlloc\ncuMemAlloc = wrap(cuMemAlloc)\n",
    ),
    "a permanent name that is taken": (
        "from cuda.bindings.driver import cuMemAlloc\ncuMemAlloc_v2 = cuMemAlloc(3)\n",
        "from cuda.driver_stable import cuMemAlloc_v2 as cuMemAlloc\ncuMemAlloc_v2 = cuMemAlloc(3)\n",
    ),
    "view": (
        "from cuda.driver_stable import cu13\ncu13.cuCtxCreate(None, 0, dev)\n",
        "from cuda import driver_stable\ndriver_stable.cuCtxCreate_v4(None, 0, dev)\n",
    ),
    "names of a view": (
        "from cuda.driver_stable.cu11 import cuStreamWaitValue32\ncuStreamWaitValue32(s, 0, 1, 0)\n",
        "from cuda.driver_stable import cuStreamWaitValue32_v1\ncuStreamWaitValue32_v1(s, 0, 1, 0)\n",
    ),
    "view through the package": (
        "import cuda.driver_stable as d\nd.cu13.per_thread.cuLaunchKernel\nd.cuInit_v1(0)\n",
        "import cuda.driver_stable as d\nd.cuLaunchKernel_ptsz\nd.cuInit_v1(0)\n",
    ),
    "another base": (
        "from cuda.bindings import driver\ndriver.cuGraphInstantiate(g, 0)\n",
        "from cuda import driver_stable as driver\ndriver.cuGraphInstantiateWithFlags(g, 0)\n",
    ),
    "a literal": (
        """
        from cuda.bindings import driver
        getattr(driver, 'cuMemAlloc', None)(3); hasattr(driver, u"cuInit")
        """,
        """
        from cuda import driver_stable as driver
        getattr(driver, 'cuMemAlloc_v2', None)(3); hasattr(driver, u"cuInit")
        """,
    ),
    "enumerators": (
        """
        from cuda.bindings import driver as d
        d.CUresult.CUDA_SUCCESS
        d.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE
        """,
        """
        from cuda import driver_stable as d
        d.CUresult.CUDA_SUCCESS
        d.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_CLOCK_RATE
        """,
    ),
    "tags": (
        "from cuda.bindings.driver import CUdevResource_st\nCUdevResource_st()\n",
        "from cuda.driver_stable import CUdevResource_v1\nCUdevResource_v1()\n",
    ),
    "several statements on a line": (
        "import os; from cuda.bindings import driver; driver.cuMemAlloc(3)\n",
        "import os; from cuda import driver_stable as driver; driver.cuMemAlloc_v2(3)\n",
    ),
    "letters that take several bytes": (
        "from cuda.bindings import driver\né = 'ü'; driver.cuMemAlloc('日本'); driver.cuMemFree(é)\n",
        "from cuda import driver_stable as driver\né = 'ü'; driver.cuMemAlloc_v2('日本'); driver.cuMemFree_v2(é)\n",
    ),
    "brackets": (
        "from cuda.bindings import driver\n(driver.cuMemAlloc)((driver).cuMemAlloc)\n",
        "from cuda import driver_stable as driver\n(driver.cuMemAlloc_v2)((driver).cuMemAlloc_v2)\n",
    ),
    "what only looks like it": (
        """
        from cuda.bindings import driver
        def f(driver):
            driver.cuMemAlloc(3)
        'driver.cuMemAlloc'  # driver.cuMemAlloc
        driver.cuMemFree
        """,
        """
        from cuda import driver_stable as driver
        def f(driver):
            driver.cuMemAlloc(3)
        'driver.cuMemAlloc'  # driver.cuMemAlloc
        driver.cuMemFree_v2
        """,
    ),
    "nothing of CUDA": ("import os\n", "import os\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_python(tmp_path: Path, name: str) -> None:
    before, after = (dedent(text) for text in CASES[name])
    assert pinned(tmp_path, before) == (after, [])
    assert pinned(tmp_path, after) == (after, [])


def test_what_a_name_means_is_up_to_the_caller(tmp_path: Path) -> None:
    text = "from cuda.bindings import driver\ndriver.cuMemAdvise\ndriver.cuMemcpyAsync\n"
    assert "cuMemAdvise_v1\n" in pinned(tmp_path, text, 12)[0]
    assert "cuMemAdvise_v2\n" in pinned(tmp_path, text, 13)[0]
    assert "cuMemcpyAsync_ptsz\n" in pinned(tmp_path, text, 12, per_thread=True)[0]
    same, undecided = pinned(tmp_path, text, None)
    assert same == text
    assert undecided[0].startswith("cuMemAdvise depends on the CUDA major: say which with --cuda")


ON_THE_VIEW = {
    "getattr(driver, name)": "hands on cuda.bindings.driver",
    "f(driver)": "hands on cuda.bindings.driver",
    "driver.CUDA_VERSION": "CUDA_VERSION differs from major to major",
    "driver.CUdevice_attribute(3)": "CUdevice_attribute differs from major to major",
    "driver.cuCtxCreate(None, 0, dev)": "cuCtxCreate is called with other arguments than cuCtxCreate_v2 takes",
}


@pytest.mark.parametrize("line", ON_THE_VIEW)
def test_what_only_a_view_can_mean(tmp_path: Path, line: str) -> None:
    """Names stay as they are: in the view they mean what they did."""
    after, undecided = pinned(tmp_path, f"from cuda.bindings import driver\ndriver.cuMemAlloc(3)\n{line}\n")
    assert after == f"from cuda.driver_stable import cu12 as driver\ndriver.cuMemAlloc(3)\n{line}\n"
    assert len(undecided) == 1
    assert undecided[0].startswith(ON_THE_VIEW[line])
    assert undecided[0].endswith("what it is imported with now comes from the view of CUDA 12")


def test_a_view_of_its_full_name(tmp_path: Path) -> None:
    text = "import cuda.bindings.driver\ncuda.bindings.driver.CUDA_VERSION\ncuda.bindings.driver.cuMemAlloc\n"
    after, undecided = pinned(tmp_path, text)
    assert after == text.replace("bindings.driver", "driver_stable.cu12")
    assert len(undecided) == 1


LEFT = {
    "from cuda.bindings.driver import *\ncuMemAlloc(3)\n": "takes every name of cuda.bindings.driver",
    "from cuda.bindings import driver\ndriver.sizeof(driver.cuMemAlloc)\n": "sizeof is not in cuda.driver_stable.cu12",
    "from cuda.bindings import driver\ndriver.cuNothing()\n": "cuNothing is not in cuda.driver_stable.cu12",
    "from cuda import bindings\nbindings.driver.cuMemAlloc(3)\n": "cuMemAlloc is reached through a package",
    "from cuda.bindings.driver import CUctxCreateParams, cuNothing\n": "cuNothing is not in",
    "import importlib\nimportlib.import_module('cuda.bindings.driver')\n": "imports or names a module of CUDA",
    "import cuda.bindings.driver\n": "cuda.bindings.driver is imported and not used here",
    "from cuda.driver_stable import cu12\nf(cu12)\n": "hands on cuda.driver_stable.cu12",
}


@pytest.mark.parametrize("text", LEFT)
def test_what_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    after, undecided = pinned(tmp_path, text)
    if "CUctxCreateParams" in text:  # of one statement, what can be decided is
        assert after == "from cuda.bindings.driver import cuNothing\nfrom cuda.driver_stable import CUctxCreateParams\n"
    else:
        assert after == text
    assert len(undecided) == 1
    assert undecided[0].startswith(LEFT[text])


def test_a_module_that_another_file_takes(tmp_path: Path) -> None:
    """What that file asks of it is not seen, so it must go on finding every name."""
    (tmp_path / "low.py").write_text("from cuda.bindings import driver\ndriver.cuMemAlloc(3)\n")
    (tmp_path / "high.py").write_text("from low import driver\ndriver.cuMemFree(3)\n")
    (file,) = pin([tmp_path], Choice(12)).files
    assert file.after == "from cuda.driver_stable import cu12 as driver\ndriver.cuMemAlloc(3)\n"
    assert [doubt.text.split(";")[0] for doubt in file.undecided] == ["driver is imported from here by others"]


def test_a_name_that_another_file_takes(tmp_path: Path) -> None:
    (tmp_path / "low.py").write_text("from cuda.bindings.driver import cuMemAlloc\ncuMemAlloc(3)\n")
    (tmp_path / "high.py").write_text("from low import cuMemAlloc\n")
    (file,) = pin([tmp_path], Choice(12)).files
    assert file.after == "from cuda.driver_stable import cuMemAlloc_v2 as cuMemAlloc\ncuMemAlloc(3)\n"


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        (b"from cuda.bindings import driver\r\n\tx = 1\r\ndriver.cuMemAlloc(3)", "x.pyx"),
        (b"from cuda.bindings import driver\r\nif 1:\r\n\tdriver.cuMemAlloc(3)", "x.py"),
        (b"\xef\xbb\xbffrom cuda.bindings import driver\ndriver.cuMemAlloc(3)\n", "x.py"),
        (b"# coding: latin-1\nfrom cuda.bindings import driver\n'\xfc'; driver.cuMemAlloc(3)\n", "x.py"),
        (b"# coding: latin-1\nfrom cuda.bindings import driver\n'\xfc'; driver.cuMemAlloc(3)\n", "x.pyx"),
        (b"\xef\xbb\xbffrom cuda.bindings import driver\ndriver.cuMemAlloc(3)\n", "x.pyx"),
    ],
)
def test_every_other_byte_is_kept(tmp_path: Path, encoded: bytes, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(encoded)
    (file,) = pin([path], Choice(12)).files
    file.write()
    expected = encoded.replace(b"from cuda.bindings import driver", b"from cuda import driver_stable as driver")
    assert path.read_bytes() == expected.replace(b"cuMemAlloc", b"cuMemAlloc_v2")


CYTHON = (
    '''
    # cython: language_level=3
    from cuda.bindings cimport cydriver, cycufile  # both
    from cuda.bindings.cydriver cimport (cuMemAlloc, CUdeviceptr,  # why
        CUresult as R)
    from cuda.bindings import driver
    cimport cuda.bindings.cydriver as cyd; import cuda.bindings.driver
    from cuda.driver_stable cimport cycu13
    cdef class Buffer:
        cdef cydriver.CUstream s
        cdef CUdeviceptr p
        def f(self, x):
            """cydriver.cuMemAlloc"""
            with nogil:
                err = cuMemAlloc(&self.p, <size_t>max(1, 2)); cyd.cuInit(0)
                cycu13.cuCtxCreate(NULL, NULL, 0, 0)
                cydriver.cuMemAdvise(self.p, 1, cydriver.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY, 0)
            driver.cuCtxCreate(0, dev=x)
            cuda.bindings.driver.cuInit(*x)
    ''',
    '''
    # cython: language_level=3
    from cuda.driver_stable cimport cydriver
    from cuda.bindings cimport cycufile  # both
    from cuda.driver_stable.cydriver cimport (cuMemAlloc_v2, CUdeviceptr_v2,  # why
        CUresult as R)
    from cuda import driver_stable as driver
    cimport cuda.driver_stable.cydriver as cyd; import cuda.driver_stable
    from cuda.driver_stable cimport cydriver as cycu13
    cdef class Buffer:
        cdef cydriver.CUstream s
        cdef CUdeviceptr_v2 p
        def f(self, x):
            """cydriver.cuMemAlloc"""
            with nogil:
                err = cuMemAlloc_v2(&self.p, <size_t>max(1, 2)); cyd.cuInit(0)
                cycu13.cuCtxCreate_v4(NULL, NULL, 0, 0)
                cydriver.cuMemAdvise_v1(self.p, 1, cydriver.CUmem_advise.CU_MEM_ADVISE_SET_READ_MOSTLY, 0)
            driver.cuCtxCreate_v2(0, dev=x)
            cuda.driver_stable.cuInit(*x)
    ''',
)  # fmt: skip


def test_cython(tmp_path: Path) -> None:
    before, after = (dedent(text) for text in CYTHON)
    assert pinned(tmp_path, before, name="a.pyx") == (after, [])
    assert pinned(tmp_path, after, name="a.pyx") == (after, [])


def test_cython_names_of_several_modules(tmp_path: Path) -> None:
    text = """
    def f():
        from cuda.bindings.cydriver cimport (
            cuMemAdvise, # first
            cuNothing, # second
            CUmem_advise)
        cuMemAdvise(1, 2, 3, 4)
    """
    after, undecided = pinned(tmp_path, dedent(text), name="a.pyx")
    assert after == dedent("""
    def f():
        from cuda.driver_stable.cydriver cimport cuMemAdvise_v1, CUmem_advise
        from cuda.bindings.cydriver cimport (
            # first
            cuNothing, # second
            )
        cuMemAdvise_v1(1, 2, 3, 4)
    """)
    assert len(undecided) == 1


def test_cython_module_and_its_declarations(tmp_path: Path) -> None:
    """A .pyx sees what its .pxd imports."""
    (tmp_path / "a.pxd").write_text("from cuda.bindings cimport cydriver\ncdef cydriver.CUdeviceptr get()\n")
    (tmp_path / "a.pyx").write_text("cdef cydriver.CUdeviceptr get():\n    cydriver.cuMemAlloc(NULL, 1)\n")
    pxd, pyx = pin([tmp_path], Choice(12)).files
    assert pxd.after == "from cuda.driver_stable cimport cydriver\ncdef cydriver.CUdeviceptr_v2 get()\n"
    assert pyx.after == "cdef cydriver.CUdeviceptr_v2 get():\n    cydriver.cuMemAlloc_v2(NULL, 1)\n"
    (tmp_path / "a.pyx").write_text("cydriver.cuMemAlloc(NULL)\n")
    pxd, pyx = pin([tmp_path], Choice(12)).files
    assert pxd.after == "from cuda.driver_stable cimport cycu12 as cydriver\ncdef cydriver.CUdeviceptr get()\n"
    assert not pyx.changed
    assert pyx.undecided


def test_cython_declarations_without_their_module(tmp_path: Path) -> None:
    """The .pyx was not named, so it goes on finding every name."""
    (tmp_path / "a.pxd").write_text("from cuda.bindings cimport cydriver\ncdef cydriver.CUdeviceptr get()\n")
    (tmp_path / "a.pyx").write_text("cydriver.cuMemAlloc(NULL, 1)\n")
    (pxd,) = pin([tmp_path / "a.pxd"], Choice(12)).files
    assert pxd.after == "from cuda.driver_stable cimport cycu12 as cydriver\ncdef cydriver.CUdeviceptr get()\n"
    assert "a.pyx, which was not named" in pxd.undecided[0].text


def test_cython_that_includes_a_file(tmp_path: Path) -> None:
    text = 'from cuda.bindings cimport cydriver\ninclude "more.pxi"\ncydriver.cuMemAlloc(NULL, 1)\n'
    after, undecided = pinned(tmp_path, text, name="a.pyx")
    assert after == text.replace("cuda.bindings cimport cydriver", "cuda.driver_stable cimport cycu12 as cydriver")
    assert 'includes "more.pxi"' in undecided[0]


def test_cython_names_that_are_bound_again(tmp_path: Path) -> None:
    text = "from cuda.bindings.cydriver cimport cuMemAlloc\ndef cuMemAlloc(x):\n    pass\n"
    after, undecided = pinned(tmp_path, text, name="a.pyx")
    assert after == text
    assert "is bound to something else here" in undecided[0]


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "broken.pyx").write_text('"""abc\n')
    (tmp_path / "good.py").write_text("from cuda.bindings import driver\ndriver.cuMemAlloc(3)\n")
    result = pin([tmp_path, tmp_path / "none.py"], Choice(12))
    assert sorted(Path(path).name for path, _ in result.unread) == ["broken.py", "broken.pyx", "none.py"]
    assert [Path(file.path).name for file in result.files] == ["good.py"]


def command(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    run = [sys.executable, "-m", "cuda.driver_stable", "pin", *arguments]
    return subprocess.run(run, capture_output=True, text=True, cwd=folder, env=os.environ)


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    before, after = CASES["module"]
    path.write_text(before)
    done = command("a.py", "--cuda", "12", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert path.read_text() == before
    patch = subprocess.run(["git", "apply", "-"], input=done.stdout, text=True, cwd=tmp_path, capture_output=True)
    assert patch.returncode == 0, patch.stderr
    assert path.read_text() == after
    path.write_text(before)
    done = command("a.py", "--cuda", "12", "--write", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "wrote a.py\n")
    assert path.read_text() == after
    assert command("a.py", "--cuda", "10", folder=tmp_path).returncode == 2
    path.write_text(before)
    assert command("a.py", folder=tmp_path).returncode == 1
    (file,) = json.loads(command("a.py", "--cuda", "13", "--json", folder=tmp_path).stdout)["files"]
    assert file["changed"] is True
    assert "other arguments than cuCtxCreate_v4 takes" in file["undecided"][0]["text"]


# The program runs on the view first, which tests/parity compares with the official binding; there it runs on that, too.
@pytest.mark.parametrize("cuda", SPELLED)
def test_a_program_calls_what_it_called(tmp_path: Path, cuda: int) -> None:
    library, program = stub_library("13.5"), write(tmp_path, cuda)
    before = calls(program, library, f"cu{cuda}")
    assert MEANT[cuda] <= {symbol for symbol, _, _ in before}
    (file,) = pin([program], Choice(cuda)).files
    assert not file.undecided
    file.write()
    assert "cuda.bindings" not in program.read_text()
    assert calls(program, library) == before


# -- code that others wrote


@cache
def download(name: str) -> Path:
    """Unpacked, and for all tests of this run."""
    folder = Path(tempfile.mkdtemp(prefix="pin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--quiet"]
    done = subprocess.run([*command, "--dest", str(folder), name], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"{name} cannot be had: {done.stderr.strip().splitlines()[-1]}")
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.namelist():
            if entry.endswith((".py", ".pyi", ".pyx", ".pxd")):
                archive.extract(entry, folder / "sources")
    return folder / "sources"


@pytest.mark.parametrize("name", ["cuda-core", "numba-cuda"])
@pytest.mark.parametrize("cuda", [12, 13])
def test_public_code(tmp_path: Path, name: str, cuda: int) -> None:
    sources = tmp_path / "sources"
    shutil.copytree(download(name), sources)
    result = pin([sources], Choice(cuda))
    assert not result.unread
    changed = [file for file in result.files if file.changed]
    assert len(changed) >= 3
    for file in changed:
        if file.path.endswith(".py"):
            ast.parse(file.after)
        # Names alone, and imports that became two.
        assert file.after.count("\n") - file.before.count("\n") in (0, 1, 2)
        assert len(file.after.split()) - len(file.before.split()) in range(20)
        file.write()
    again = pin([sources], Choice(cuda))
    assert not [file.path for file in again.files if file.changed]
    assert remaining(again) <= remaining(result)
    # What is left of other meanings is what was told.
    told = {(str(doubt.place), doubt.text.split()[0]) for file in result.files for doubt in file.undecided}
    assert {(str(f.place), f.name) for f in audit([sources], majors=[cuda]).findings} <= told


def remaining(result: Result) -> int:
    return sum(len(file.undecided) for file in result.files)
