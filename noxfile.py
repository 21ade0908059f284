# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Every task of the repository: `nox -l` lists them, `nox` runs what a change has to pass."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "codegen-check", "tooling", "abi", "tests", "toolkits", "pairs"]

ROOT = Path(__file__).resolve().parent
DIST = ROOT / "dist"
DRIVER = "packages/cuda-driver-stable"
NVML = "packages/cuda-nvml"
SHIM = "packages/cuda-core-shim"
TOOLKITS = {name: f"packages/cuda-{name}" for name in ("runtime", "nvrtc", "nvjitlink", "nvvm")}  # a wheel a major
SUBJECTS = ["driver", "nvml", *(f"{name}13" for name in TOOLKITS)]  # what is fuzzed and looked at for leaks
MAJORS = {"12": "12.9", "13": "13.5"}  # and what their versions begin with
# NVIDIA's libraries that every run tests on. `nox -s toolkits -- 12.4 13.2` takes others.
RELEASES = ["12.0", "12.9", "13.0", "13.5"]

# One wheel is for all of these. CI stops where one of the first list is missing; elsewhere nox says so and goes on.
PYTHONS = ["3.11", "3.12", "3.13"]
PYTHONS += [version for version in ("3.14", "3.15") if shutil.which(f"python{version}")]

# Tools whose findings or output change from one version to the next.
RUFF = "ruff==0.17.6"
MYPY = "mypy==2.4.1"
REUSE = "reuse==6.2.0"
ABI3AUDIT = "abi3audit==0.0.26"
LIBCLANG = "libclang==18.1.1"
HATCHLING = "hatchling==1.33.0"
PYTEST = "pytest==9.2.0"
XDIST = "pytest-xdist==3.8.0"
LIBCST = "libcst==1.9.0"
PYRIGHT = "basedpyright==1.40.2"
HYPOTHESIS = "hypothesis==6.170.17"
ATHERIS = "atheris==3.0.0; python_version == '3.11' and platform_machine == 'x86_64'"  # the last with a wheel for 3.11
BUILD = "build==1.6.1"
TOWNCRIER = "towncrier==26.9.0"
# The compiler decides which bytes come out.
ZIG = "ziglang==0.17.1"
WHEEL_CHECKS = ["auditwheel==6.8.2", "check-wheel-contents==0.6.3", "cyclonedx-python-lib[json-validation]==11.12.0"]
CYTHON = "cython==3.3.1"
DOCS = ["sphinx==9.0.4", "myst-parser==5.2.0", "furo==2025.12.19", "playwright==1.65.2"]

# The generator is run from the tree, and needs nothing that is not in the standard library.
CODEGEN = {"PYTHONPATH": str(ROOT / "shared")}
# A file of tests for each core. The workers have threads, and one test forks.
SPREAD = ("--numprocesses=auto", "--dist=loadfile", "-Wignore:This process (pid=:DeprecationWarning")
SUPPORT = {"PYTHONPATH": os.pathsep.join((str(ROOT / "shared"), str(ROOT / "tests")))}


def _select_pyenv_interpreters() -> None:
    """pyenv's python3.12 is on PATH but runs only where its version is selected, so select every one there is."""
    if "PYENV_VERSION" in os.environ or not shutil.which("pyenv"):
        return
    selected = subprocess.run(["pyenv", "version-name"], capture_output=True, text=True).stdout.strip().split(":")
    installed = subprocess.run(["pyenv", "versions", "--bare"], capture_output=True, text=True).stdout.split()
    wanted = [name for name in installed if name not in selected and name.startswith(tuple(f"{v}." for v in PYTHONS))]
    os.environ["PYENV_VERSION"] = ":".join(filter(None, selected + wanted))


_select_pyenv_interpreters()


def _install_wheel(session: nox.Session) -> None:
    """Forced, because a rebuilt wheel has the version of the one that was installed before."""
    session.install("--force-reinstall", "--no-deps", *map(str, DIST.glob("cuda_driver_stable-*.whl")))


def _install_nvml_wheel(session: nox.Session) -> None:
    session.install("--force-reinstall", "--no-deps", *map(str, DIST.glob("cuda_nvml-*.whl")))


def _install_shim_wheel(session: nox.Session) -> None:
    session.install("--force-reinstall", "--no-deps", *map(str, DIST.glob("cuda_core_shim-*.whl")))


def _install_toolkit_wheels(session: nox.Session, major: str) -> None:
    wheels = [wheel for name in TOOLKITS for wheel in DIST.glob(f"cuda_{name}-{MAJORS[major]}*.whl")]
    session.install("--force-reinstall", "--no-deps", *map(str, wheels))


def _recorded() -> str:
    """The commit whose facts have to be there still: before what is proposed or pushed. None without a history."""
    before = os.environ.get("BEFORE", "")
    if before.strip("0"):  # zeros stand for no commit
        return before
    asked = (["git", "merge-base", "HEAD", "origin/main"], ["git", "rev-parse", "HEAD"])
    said = (subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip() for command in asked)
    return next(filter(None, said), "")


@nox.session
def lint(session: nox.Session) -> None:
    """Style, types and licences of what is written by hand."""
    session.install(RUFF, MYPY, REUSE, LIBCLANG, LIBCST, HATCHLING, PYTEST, HYPOTHESIS, "cuda-pathfinder", "nox")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    for package in (DRIVER, NVML, SHIM, *TOOLKITS.values()):
        session.run("mypy", package)  # on its own, because each package has a module of the name conftest
    session.run("reuse", "lint", "--quiet")


@nox.session
def codegen(session: nox.Session) -> None:
    """Write what is generated from the registry; `-- --check` only tells whether it is up to date."""
    session.run("python", "-m", "codegen", *session.posargs, env=CODEGEN)


@nox.session(name="codegen-check")
def codegen_check(session: nox.Session) -> None:
    """Fail with a diff where the tree and the generator disagree."""
    session.run("python", "-m", "codegen", "--check", env=CODEGEN)


@nox.session
def ingest(session: nox.Session) -> None:
    """Add the facts of a CUDA release to the registry: `nox -s ingest -- 13.6`."""
    session.install(LIBCLANG, "pip")  # pip downloads the wheels
    session.run("python", "-m", "codegen.ingest", *session.posargs, env=CODEGEN)


@nox.session
def tooling(session: nox.Session) -> None:
    """Tests of the generator, the registry and the scripts in ci/."""
    session.install(LIBCLANG, MYPY, PYTEST, "pip")  # pip downloads headers
    if recorded := _recorded():
        session.run("python", "-m", "codegen.ingest", "--check", "--against", recorded, env=CODEGEN)
        session.run("python", "-m", "ci.abi.recorded", recorded, env=CODEGEN)
    else:
        session.warn("This is no clone, so nothing says what was recorded before")
    session.run("pytest", "shared/codegen/tests", "ci/compat/tests", "ci/release/tests", *session.posargs, env=CODEGEN)


@nox.session
def build(session: nox.Session) -> None:
    """Build the sdist of each package, and its wheel from that sdist, into dist/."""
    session.install(BUILD, HATCHLING)
    shutil.rmtree(DIST, ignore_errors=True)
    build = ("python", "-m", "build", "--no-isolation", "--outdir", str(DIST))
    session.run(*build, DRIVER)
    session.run(*build, NVML)
    session.run(*build, SHIM)
    for package in TOOLKITS.values():
        for major in MAJORS:
            session.run(*build, package, env={"CUDA_MAJOR": major})


@nox.session(python=PYTHONS, requires=["build"])
def tests(session: nox.Session) -> None:
    """Each package's tests, on its wheel or on that of each CUDA major, with every CPython that is here."""
    _install_wheel(session)
    tools = (PYTEST, XDIST, HATCHLING, ABI3AUDIT, LIBCST)
    session.install(*tools, "cuda-pathfinder", "pip")  # pip gets headers, and sources of others
    session.run("pytest", "tests/gpu", env=CODEGEN)
    codes = [0, 5] if session.posargs else [0]  # what `-k` asks for need not be in every package

    def test(package: str) -> None:
        session.run("pytest", f"{package}/tests", *SPREAD, *session.posargs, env=CODEGEN, success_codes=codes)

    test(DRIVER)
    _install_nvml_wheel(session)
    test(NVML)
    _install_shim_wheel(session)
    for major in MAJORS:
        _install_toolkit_wheels(session, major)
        for package in (*TOOLKITS.values(), SHIM):
            test(package)


@nox.session(requires=["build"])
def toolkits(session: nox.Session) -> None:
    """The toolkit wheels on NVIDIA's own libraries of several releases, which need no GPU; the commands beside them."""
    _install_wheel(session)
    # libclang reads the next major's headers, which are made up; pip downloads NVIDIA's libraries.
    session.install(PYTEST, HATCHLING, ABI3AUDIT, LIBCST, LIBCLANG, "cuda-pathfinder", "pip")
    for release in session.posargs or RELEASES:
        _install_toolkit_wheels(session, release.partition(".")[0])
        session.run("pytest", "tests/toolkits", env={**CODEGEN, "TOOLKIT": release})
    for major in MAJORS:
        _install_toolkit_wheels(session, major)
        session.run("pytest", "tests/tools", env=CODEGEN)
    session.run("pytest", "tests/compat/mixed", "tests/built", env=CODEGEN)


@nox.session(requires=["build"])
def demo(session: nox.Session) -> None:
    """What a user of the driver wheel sees: what the driver here offers, then memory and a kernel."""
    _install_wheel(session)
    report = session.run("python", "-m", "cuda.driver_stable", "--json", silent=True, success_codes=[0, 1])
    arguments: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    if not json.loads(str(report))["usable"]:
        session.warn("No NVIDIA driver can be used here, so this runs on a stub: a driver made from the registry")
        session.warn("that keeps device memory on the host, records kernel launches and runs none of them.")
        folder = Path(session.create_tmp()).resolve()
        session.run(
            "python", "-m", "codegen.emit.stub", "--as-of", "13.5", "--out", str(folder), "--build", env=CODEGEN
        )
        arguments, environment = ("--stub",), {"CUDA_DRIVER_STABLE_LIBRARY": str(folder / "libcuda.so.1")}
    session.run("python", "-m", "cuda.driver_stable", env=environment)
    session.run("python", f"{DRIVER}/examples/demo.py", *arguments, env=environment)


@nox.session(requires=["build"])
@nox.parametrize("official", ["13.5.0", "12.9.10"])
def parity(session: nox.Session, official: str) -> None:
    """Compare the views, and what the shim serves, with the official cuda-bindings, installed beside ours."""
    _install_wheel(session)
    _install_toolkit_wheels(session, official.partition(".")[0])
    _install_nvml_wheel(session)
    _install_shim_wheel(session)
    session.install(f"cuda-bindings=={official}", "numpy", PYTEST, LIBCST)  # the official nvml needs numpy
    session.run("pytest", "tests/parity", *session.posargs, env=CODEGEN)


@nox.session(requires=["build"])
@nox.parametrize("core", ["1.2.2", "1.0.1"])
@nox.parametrize("official", ["13.5.0", "12.9.10"])
def clients(session: nox.Session, official: str, core: str) -> None:
    """Programs of others on the shim, and on the official packages in an environment of their own: the same happens."""
    _install_wheel(session)
    _install_toolkit_wheels(session, official.partition(".")[0])
    _install_nvml_wheel(session)
    _install_shim_wheel(session)
    session.install(PYTEST, f"cuda-core=={core}", "pip")  # brings numpy; pip downloads NVIDIA's libraries
    other = Path(session.create_tmp()).resolve() / "official"
    if not other.exists():
        session.run("python", "-m", "venv", str(other))
    packages = (f"cuda-bindings=={official}", f"cuda-core=={core}", CYTHON)
    session.run(str(other / "bin" / "python"), "-m", "pip", "install", "-q", *packages, external=True)
    variables = {**SUPPORT, "OFFICIAL": str(other / "bin" / "python")}
    session.run("pytest", "tests/clients", *session.posargs, env=variables)


@nox.session(requires=[] if "--list" in sys.argv else ["build"])
def compat(session: nox.Session) -> None:
    """Wheels, libraries and Pythons of several releases together (ci/matrix.toml); `-- --full`, `-- --list`."""
    _run_rows(session, *session.posargs)


@nox.session(requires=["build"])
def pairs(session: nox.Session) -> None:
    """The rows of `compat` that have an environment of their own: wheels × toolkits × drivers × Pythons that matter."""
    _run_rows(session, "--pairs", *session.posargs)


def _run_rows(session: nox.Session, *arguments: str) -> None:
    if "--list" not in arguments:
        _install_wheel(session)
        # pip fills the environments, and gets the Cythons, the official wheels and the headers.
        session.install(PYTEST, HATCHLING, LIBCLANG, "pip")
    session.run("python", "-m", "ci.compat", *arguments, env=SUPPORT)


@nox.session(requires=["build"])
def abi(session: nox.Session) -> None:
    """Compare the built wheels with the ledgers of what was released; `-- write` writes the ledger of a release."""
    _install_wheel(session)
    _install_nvml_wheel(session)
    session.install(PYTEST, HATCHLING, "numpy")  # which has NVML's structs described
    stable = ("--wheel", "cuda-driver-stable", "--wheel", "cuda-nvml")
    session.run("python", "-m", "ci.abi", *stable, *session.posargs, env=SUPPORT)
    named = [argument for name in TOOLKITS for argument in ("--wheel", f"cuda-{name}")]
    for major in MAJORS:
        _install_toolkit_wheels(session, major)
        session.run("python", "-m", "ci.abi", *named, *session.posargs, env=SUPPORT)
    if not session.posargs:
        session.run("pytest", "ci/abi/tests", env=SUPPORT)


def _sanitized(session: nox.Session, variant: str) -> dict[str, str]:
    return dict(json.loads(str(session.run("python", "tests/sanitize/build.py", variant, silent=True))))


CALLING = ("symbols", "arguments", "functions", "records", "structs", "enums", "handles", "views", "process", "release")


@nox.session(python=PYTHONS)
def sanitize(session: nox.Session) -> None:
    """The engine under address, undefined-behaviour and thread sanitizers; leaks, threads, forks, signals, the end.

    Whole on the oldest Python; on the others what depends on it: leaks, threads, forks, the end, of the driver wheel.
    """
    session.install(PYTEST)
    oldest = session.python == PYTHONS[0]
    # The tests that call: those that pack, read sources or run compilers are not about the engine.
    for package in (DRIVER, NVML, *TOOLKITS.values()) if oldest else ():
        suites = [str(path) for name in CALLING for path in (ROOT / package / "tests").glob(f"test_{name}.py")]
        session.run("pytest", *suites, env=_sanitized(session, "address"))
    plain = _sanitized(session, "plain")
    for subject in SUBJECTS if oldest else SUBJECTS[:1]:
        session.run("pytest", "tests/sanitize", *session.posargs, env={**plain, "SUBJECT": subject})


@nox.session
def fuzz(session: nox.Session) -> None:
    """Hostile arguments, values, drivers and memory that runs out; FUZZ_EXAMPLES sets how many."""
    session.install(PYTEST, HYPOTHESIS, ATHERIS)
    address, plain = _sanitized(session, "address"), _sanitized(session, "plain")
    for subject in SUBJECTS:
        session.run("pytest", "tests/fuzz", *session.posargs, env={**address, "SUBJECT": subject})
        session.run("pytest", "tests/fuzz/test_leaks.py", env={**plain, "SUBJECT": subject})


@nox.session(requires=["build"])
def docs(session: nox.Session) -> None:
    """The documentation, into docs/_build/html: no warning, no dead link, its examples run, seen in a browser."""
    _install_wheel(session)
    session.install(*DOCS, PYTEST)
    folder = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "codegen.emit.stub", "--as-of", "13.5", "--out", str(folder), "--build", env=CODEGEN)
    stub = {"CUDA_DRIVER_STABLE_LIBRARY": str(folder / "libcuda.so.1")}
    for builder in ("html", "doctest"):
        session.run(
            "sphinx-build", "-n", "-W", "--keep-going", "-q", "-b", builder, "docs", f"docs/_build/{builder}", env=stub
        )
    session.run("python", "docs/check_site.py", "docs/_build/html")
    # Skipped, with a reason, where there is no Chromium.
    session.run("pytest", "tests/docs", *session.posargs, env={**CODEGEN, "DOCS_SITE": str(ROOT / "docs/_build/html")})


@nox.session(requires=["build"])
def bench(session: nox.Session) -> None:
    """Time calls, imports and builds beside the official package, ctypes and C; writes docs/benchmarks.md.

    Every file in benchmarks/rows is run; `-- --suite nvrtc` runs one.
    """
    _install_wheel(session)
    _install_nvml_wheel(session)
    _install_toolkit_wheels(session, "13")
    session.install("cuda-bindings==13.5.0", "numpy", "matplotlib", HATCHLING)
    suites = sorted(path.stem for path in (ROOT / "benchmarks" / "rows").glob("*.toml"))
    for suite in [[]] if "--suite" in session.posargs else [["--suite", suite] for suite in suites]:
        session.run("python", "-m", "benchmarks", "--dist", str(DIST), *suite, *session.posargs, env=SUPPORT)


@nox.session(requires=["build"])
def editor(session: nox.Session) -> None:
    """What type checkers make of the stubs: the examples are right, a wrong handle is not."""
    _install_wheel(session)
    session.install(PYTEST, MYPY, PYRIGHT)
    session.run("pytest", f"{DRIVER}/tests/test_editor.py", *session.posargs, env=CODEGEN)


@nox.session
def wheels(session: nox.Session) -> None:
    """The files of a release, from the last commit, and what shows that they are good; `-- quick` in a minute."""
    session.install(ZIG, HATCHLING, ABI3AUDIT, "twine==7.0.0", *WHEEL_CHECKS, PYTEST, "pip")
    session.run("python", "-m", "ci.release", *session.posargs, env=SUPPORT)


@nox.session
def changelog(session: nox.Session) -> None:
    """What the next release will say of changes; `-- "cuda-driver-stable 13.5.0"` writes it into CHANGELOG.md."""
    session.install(TOWNCRIER)
    how = ["--yes", "--version", *session.posargs] if session.posargs else ["--draft", "--version", "Next"]
    session.run("towncrier", "build", *how)
