# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The package as a thing that is built, installed and imported: no driver is needed for any of it."""

from __future__ import annotations

import email
import hashlib
import importlib
import json
import os
import pickle
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

import cuda.driver_stable as driver
from cuda.driver_stable import _core
from support.build import stub_library

PACKAGE = Path(__file__).resolve().parent.parent
# What type checkers are not told of: names that are not there, and the list of those that are.
MODULE: Any = driver
MAJORS = ("cu11", "cu12", "cu13")


def run(*command: str, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, env={**os.environ, **environment})


def python(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, *arguments, cwd=None, **environment)


def hatchling(target: str, source: Path, folder: Path) -> Path:
    """Build without a build environment: nothing but hatchling and a C compiler. Warnings of the compiler count."""
    done = run(
        sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder), cwd=source, CFLAGS="-Werror"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="hatchling is not installed, so nothing can be built")
    return hatchling("sdist", PACKAGE, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def unpacked_sdist(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


@pytest.fixture(scope="module")
def wheel(unpacked_sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return hatchling("wheel", unpacked_sdist, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def wheel_files(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


class TestSdist:
    def test_carries_what_the_modules_are_compiled_from(self, unpacked_sdist: Path) -> None:
        for path in ("shared/engine/rows.h", "shared/buildkit/hook.py", "hatch_build.py", "LICENSE", "README.md"):
            assert (unpacked_sdist / path).is_file(), path
        assert list(unpacked_sdist.glob("shared/engine/*.c"))
        assert list(unpacked_sdist.glob("src/cuda/driver_stable/_generated/*.c"))

    def test_has_nothing_compiled(self, unpacked_sdist: Path) -> None:
        assert not [path for path in unpacked_sdist.rglob("*") if path.suffix in (".so", ".pyd", ".o", ".pyc")]

    def test_makes_the_same_sdist_again(self, sdist: Path, unpacked_sdist: Path, tmp_path: Path) -> None:
        with tarfile.open(hatchling("sdist", unpacked_sdist, tmp_path)) as again, tarfile.open(sdist) as first:
            assert sorted(again.getnames()) == sorted(first.getnames())


class TestWheel:
    def test_is_for_every_python_from_3_11(self, wheel: Path) -> None:
        assert wheel.name.startswith(f"cuda_driver_stable-{driver.__version__}-cp311-abi3-")

    def test_metadata(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
            metadata = email.message_from_bytes(archive.read(name))
        assert metadata["Name"] == "cuda-driver-stable"
        assert metadata["Version"] == driver.__version__
        assert metadata["Requires-Python"] == ">=3.11"
        assert metadata["License-Expression"] == "Apache-2.0"
        assert metadata.get_all("Requires-Dist") == ["libcst>=1.5; extra == 'pin'"]

    def test_leaves_the_namespace_to_others(self, wheel_files: list[str]) -> None:
        folders = {"/".join(name.split("/")[:2]) if name.startswith("cuda/") else "info" for name in wheel_files}
        assert folders == {"cuda/driver_stable", "info"}

    def test_has_modules_and_stubs_and_no_sources(self, wheel_files: list[str]) -> None:
        names = {name.removeprefix("cuda/driver_stable/") for name in wheel_files if name.startswith("cuda/")}
        assert not {Path(name).suffix for name in names} & {".c", ".pyx", ".o", ".a"}
        assert not [name for name in names if name.startswith("_generated/") and name.endswith(".h")]
        assert {"__init__.py", "__init__.pyi", "__main__.py", "_core.abi3.so", "py.typed"} <= names
        for major in MAJORS:
            assert {f"{major}/{name}" for name in ("__init__.py", "__init__.pyi", "per_thread.py")} <= names

    def test_is_small(self, wheel: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            installed = sum(entry.file_size for entry in archive.infolist())
        assert wheel.stat().st_size <= 1_000_000
        assert installed <= 4_000_000

    def test_uses_only_the_stable_abi(self, wheel: Path) -> None:
        pytest.importorskip("abi3audit", reason="abi3audit is not installed")
        done = python("-m", "abi3audit", "--strict", "--report", str(wheel))
        assert done.returncode == 0, done.stdout + done.stderr
        assert json.loads(done.stdout)["specs"], "no module was audited"

    def test_says_what_it_was_made_of(self, wheel: Path, unpacked_sdist: Path) -> None:
        with zipfile.ZipFile(wheel) as archive:
            (name,) = (name for name in archive.namelist() if "/sboms/" in name)
            document = json.loads(archive.read(name))
            built = archive.read("cuda/driver_stable/_core.abi3.so")
        (module,) = document["components"]
        assert module["name"] == "cuda/driver_stable/_core.abi3.so"
        assert module["hashes"][0]["content"] == hashlib.sha256(built).hexdigest()
        sources = {path.name: path for path in unpacked_sdist.rglob("*.c")}
        assert {source["name"] for source in module["components"]} == set(sources)
        for source in module["components"]:
            content = sources[source["name"]].read_bytes()
            assert source["hashes"][0]["content"] == hashlib.sha256(content).hexdigest()
        assert document["metadata"]["component"]["version"] == driver.__version__
        hatch, compiler = document["metadata"]["tools"]["components"]
        assert hatch["name"] == "hatchling"
        assert compiler["name"]
        assert compiler["version"]

    def test_headers_of_another_machine_are_refused(self, unpacked_sdist: Path, tmp_path: Path) -> None:
        (tmp_path / "Python.h").write_text("#include <stddef.h>\n#define SIZEOF_VOID_P 8\n#define SIZEOF_LONG 4\n")
        command = (sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel"))
        target = {"WHEEL_PLATFORM": "manylinux_2_17_x86_64", "WHEEL_INCLUDE": str(tmp_path)}
        done = run(*command, cwd=unpacked_sdist, **target)
        assert done.returncode != 0
        assert f"the headers in {tmp_path} are not for manylinux_2_17_x86_64; set WHEEL_INCLUDE" in done.stderr
        assert "long" in done.stderr

    def test_two_builds_are_the_same_file(self, wheel: Path, unpacked_sdist: Path, tmp_path: Path) -> None:
        again = hatchling("wheel", unpacked_sdist, tmp_path)
        assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(wheel.read_bytes()).digest()


def test_editable_install_compiles_in_place(unpacked_sdist: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(unpacked_sdist, source)
    wheel = hatchling("wheel:editable", source, tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as archive:
        (link,) = (name for name in archive.namelist() if name.endswith(".pth"))
        assert archive.read(link).decode().strip() == str(source / "src")
        assert not [name for name in archive.namelist() if name.endswith((".so", ".py"))]
    code = "import cuda.driver_stable as d; print(d._core.__file__, len(d.cuInit.__name__))"
    done = python("-c", code, PYTHONPATH=str(source / "src"))
    assert done.stdout.split() == [str(source / "src/cuda/driver_stable/_core.abi3.so"), "6"], done.stderr


class TestImport:
    def test_loads_no_other_module_and_no_driver(self) -> None:
        code = (
            "import sys; before = set(sys.modules); import cuda.driver_stable; loaded = set(sys.modules) - before;"
            "print(sorted(loaded)); print('libcuda' in open('/proc/self/maps').read())"
        )
        done = python("-c", code)
        assert done.stderr == ""
        assert done.stdout.splitlines() == [
            str(["cuda", "cuda.driver_stable", "cuda.driver_stable._core"]),
            "False",
        ]

    def test_star_import_has_every_name(self) -> None:
        done = python("-c", "from cuda.driver_stable import *; print(len([n for n in dir() if n[:2] != '__']))")
        assert done.stdout.strip() == str(len(MODULE.__all__)), done.stderr

    @pytest.mark.parametrize("scope", _core.scopes())
    def test_all_and_dir_are_whole(self, scope: str) -> None:
        module = importlib.import_module(f"cuda.driver_stable.{scope}".rstrip("."))
        names = set(_core.names(scope))
        assert names
        assert names <= set(module.__all__)
        assert len(set(module.__all__)) == len(module.__all__)
        assert set(module.__all__) <= set(dir(module))
        for name in module.__all__:
            assert hasattr(module, name), name

    def test_version_is_that_of_the_distribution(self) -> None:
        from importlib.metadata import version

        assert version("cuda-driver-stable") == driver.__version__


class TestNames:
    def test_several_versions_and_no_suffix(self) -> None:
        with pytest.raises(AttributeError) as caught:
            MODULE.cuCtxCreate  # noqa: B018
        text = str(caught.value)
        for version in ("cuCtxCreate_v1", "cuCtxCreate_v2", "cuCtxCreate_v3", "cuCtxCreate_v4"):
            assert version in text
        for view in MAJORS:
            assert view in text

    def test_unknown(self) -> None:
        with pytest.raises(AttributeError, match=r"'cuda.driver_stable' has no attribute 'cuNothing'"):
            MODULE.cuNothing  # noqa: B018
        with pytest.raises(AttributeError, match=r"'cuda.driver_stable.cu12' has no attribute 'cuNothing'"):
            importlib.import_module("cuda.driver_stable.cu12").cuNothing  # noqa: B018

    def test_not_yet_in_an_older_view(self) -> None:
        assert not hasattr(driver.cu11, "cuCtxCreate_v4")
        assert driver.cu13.cuCtxCreate_v4 is driver.cuCtxCreate_v4

    def test_plain_name_is_the_versioned_function(self) -> None:
        assert driver.cuInit is driver.cuInit_v1

    @pytest.mark.parametrize(
        ("view", "name"), [("cu11", "cuCtxCreate_v2"), ("cu12", "cuCtxCreate_v2"), ("cu13", "cuCtxCreate_v4")]
    )
    def test_views_differ(self, view: str, name: str) -> None:
        assert getattr(driver, view).cuCtxCreate is getattr(driver, name)

    @pytest.mark.parametrize("view", MAJORS)
    def test_per_thread_twin(self, view: str) -> None:
        twin = importlib.import_module(f"cuda.driver_stable.{view}.per_thread")
        assert getattr(driver, view).per_thread is twin
        assert twin.cuLaunchKernel is driver.cuLaunchKernel_ptsz
        assert getattr(driver, view).cuLaunchKernel is driver.cuLaunchKernel
        assert twin.cuInit is driver.cuInit


@pytest.mark.parametrize(
    "thing",
    [
        driver.cuInit,
        driver.cuCtxCreate_v2,
        driver.cuLaunchKernel_ptsz,
        driver.cu12.cuCtxCreate,
        driver.CUresult,
        driver.CUresult.CUDA_ERROR_INVALID_VALUE,
        driver.CUstream,
        driver.CUDA_MEMCPY3D_v2,
        driver.FunctionNotFoundError,
        driver.versions("cuCtxCreate"),
        driver.required_cuda("cuInit"),
    ],
    ids=lambda thing: getattr(thing, "__name__", type(thing).__name__),
)
def test_pickles(thing: object) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(thing, protocol))
        assert again == thing
        assert type(again) is type(thing)


class TestHistory:
    def test_is_available(self) -> None:
        code = (
            "import cuda.driver_stable as d; print(d.is_available('cuCtxCreate_v3'), d.is_available('cuCtxCreate_v4'))"
        )
        older, none = str(stub_library("12.4")), "/nowhere/libcuda.so.1"
        assert python("-c", code).stdout == "True True\n"
        assert python("-c", code, CUDA_DRIVER_STABLE_LIBRARY=older).stdout == "True False\n"
        assert python("-c", code, CUDA_DRIVER_STABLE_LIBRARY=none).stdout == "False False\n"

    def test_resolve(self) -> None:
        assert driver.resolve("cuCtxCreate", cuda=11) == "cuCtxCreate_v2"
        assert driver.resolve("cuCtxCreate", cuda=12) == "cuCtxCreate_v2"
        assert driver.resolve("cuCtxCreate", cuda=13) == "cuCtxCreate_v4"
        assert driver.resolve("cuInit", cuda=12) == "cuInit"
        assert driver.resolve("cuCtxCreate_v3", cuda=12) == "cuCtxCreate_v3"
        assert driver.resolve("cuGraphInstantiate", cuda=12) == "cuGraphInstantiateWithFlags"
        assert driver.resolve("cuLaunchKernel", cuda=12, per_thread=True) == "cuLaunchKernel_ptsz"
        assert driver.resolve("CUDA_KERNEL_NODE_PARAMS", cuda=11) == "CUDA_KERNEL_NODE_PARAMS_v1"
        assert driver.resolve("CUDA_KERNEL_NODE_PARAMS", cuda=12) == "CUDA_KERNEL_NODE_PARAMS_v2"

    def test_what_resolve_gives_is_what_the_view_means(self) -> None:
        for scope in filter(None, _core.scopes()):
            view, _, per_thread = scope.partition(".")
            for name in _core.names(scope):
                found = _core.lookup(scope, name)
                if callable(found) and not isinstance(found, type):
                    resolved = driver.resolve(name, cuda=int(view[2:]), per_thread=bool(per_thread))
                    assert getattr(driver, resolved) is found

    @pytest.mark.parametrize(
        ("name", "cuda", "message"),
        [
            ("cuInit", 10, "there are views of 11, 12, 13"),
            ("cuNothing", 12, "CUDA 12 has no function or type of the name 'cuNothing'"),
            ("cuCtxCreate_v4", 11, "CUDA 11 has no function or type of the name 'cuCtxCreate_v4'"),
            ("CUDA_VERSION", 12, "CUDA_VERSION is neither a function nor a type"),
        ],
    )
    def test_resolve_refuses(self, name: str, cuda: int, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            driver.resolve(name, cuda=cuda)

    def test_versions(self) -> None:
        found = {version.name: version for version in driver.versions("cuCtxCreate")}
        assert list(found) == ["cuCtxCreate_v1", "cuCtxCreate_v2", "cuCtxCreate_v3", "cuCtxCreate_v4"]
        assert {name: version.default_in for name, version in found.items()} == {
            "cuCtxCreate_v1": (),
            "cuCtxCreate_v2": (11, 12),
            "cuCtxCreate_v3": (),
            "cuCtxCreate_v4": (13,),
        }
        assert found["cuCtxCreate_v1"].symbol == "cuCtxCreate"
        assert found["cuCtxCreate_v4"].introduced == (12, 5)
        assert (
            found["cuCtxCreate_v2"].signature
            == "CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags, CUdevice_v1 dev)"
        )
        assert driver.versions("cuCtxCreate_v3") == driver.versions("cuCtxCreate")

    def test_versions_of_a_name_that_moved_to_another_function(self) -> None:
        defaults = {version.name: version.default_in for version in driver.versions("cuGraphInstantiate")}
        assert defaults["cuGraphInstantiate_v2"] == (11,)
        assert defaults["cuGraphInstantiateWithFlags"] == (12, 13)

    def test_versions_of_a_function_with_per_thread_variants(self) -> None:
        found = driver.versions("cuLaunchKernel")
        assert [version.name for version in found] == ["cuLaunchKernel", "cuLaunchKernel_ptsz"]
        assert [version.default_in for version in found] == [(11, 12, 13), (11, 12, 13)]

    def test_required_cuda(self) -> None:
        assert driver.required_cuda("cuInit") == (2, 0)
        assert str(driver.required_cuda("cuCtxCreate_v4")) == "12.5"
        assert driver.required_cuda("cuCtxCreate_v2") < driver.required_cuda("cuCtxCreate_v4")

    @pytest.mark.parametrize("ask", [driver.required_cuda, driver.is_available], ids=lambda ask: ask.__name__)
    def test_a_name_that_is_not_permanent(self, ask: object) -> None:
        assert callable(ask)
        with pytest.raises(ValueError, match="cuCtxCreate_v2"):
            ask("cuCtxCreate")
        with pytest.raises(ValueError, match="cuNothing"):
            ask("cuNothing")
        with pytest.raises(ValueError, match="CUDA_SUCCESS is neither a function nor a type"):
            ask("CUDA_SUCCESS")


class TestCommand:
    def test_no_driver(self, tmp_path: Path) -> None:
        missing = str(tmp_path / "libcuda.so.1")
        done = python("-m", "cuda.driver_stable", "--json", CUDA_DRIVER_STABLE_LIBRARY=missing)
        assert done.returncode == 1, done.stderr
        report = json.loads(done.stdout)
        assert report["usable"] is False
        assert report["library"] is None
        assert report["offered"] == 0
        assert report["symbols"] == sum(row["platform"] != "windows" for row in _core.functions())
        assert [path for path, _ in report["tried"]] == [missing]

        said = python("-m", "cuda.driver_stable", CUDA_DRIVER_STABLE_LIBRARY=missing)
        assert said.returncode == 1
        assert missing in said.stdout
        assert "problem   no CUDA driver library could be loaded" in said.stdout

    def test_a_library_that_is_no_driver(self) -> None:
        done = python("-m", "cuda.driver_stable", "--json", CUDA_DRIVER_STABLE_LIBRARY="libm.so.6")
        assert done.returncode == 1, done.stderr
        report = json.loads(done.stdout)
        assert report["usable"] is False
        ((path, why),) = report["tried"]
        assert path == "libm.so.6"
        assert "is not the CUDA driver" in why

    def test_a_driver_that_has_everything(self) -> None:
        report = json.loads(python("-m", "cuda.driver_stable", "--json").stdout)
        assert report["usable"] is True
        assert report["problem"] is None
        assert report["library"] == os.environ["CUDA_DRIVER_STABLE_LIBRARY"]
        assert report["cuda"] == "13.5"
        assert report["offered"] == report["symbols"] == 723
        assert report["missing"] == {}
        assert report["init"] == "CUDA_SUCCESS (0)"
        assert len(report["devices"]) == 1

    def test_an_older_driver(self) -> None:
        older = str(stub_library("12.4"))
        done = python("-m", "cuda.driver_stable", "--json", CUDA_DRIVER_STABLE_LIBRARY=older)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        assert report["cuda"] == "12.4"
        assert report["offered"] + len(report["missing"]) == report["symbols"]
        assert report["missing"]["cuCtxCreate_v4"] == "12.5"
        for name, cuda in report["missing"].items():
            assert driver.required_cuda(name) > (12, 4)
            assert str(driver.required_cuda(name)) == cuda

        said = python("-m", "cuda.driver_stable", CUDA_DRIVER_STABLE_LIBRARY=older)
        assert said.returncode == 0
        assert "of CUDA 12.5: " in said.stdout
        assert said.stdout.endswith("The driver can be used.\n")

    def test_wrong_argument(self) -> None:
        assert python("-m", "cuda.driver_stable", "--nothing").returncode == 2
