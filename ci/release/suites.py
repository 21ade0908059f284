# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Run the packages' tests on the release wheels, with the Pythons of this machine and of the roots."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import ziglang

from support import cythons

from .build import Built
from .commands import ReleaseError, failure, run
from .distributions import DRIVER, distributions
from .results import Outcome, read_junit
from .roots import Root, root
from .settings import Run, Settings, Target
from .sites import merge

# What the tests download, which is the same wherever they run. Everything else in .cache/ is compiled.
SHARED = ("debian", "drivers", "headers", "toolkits", "wheels")
_PIP = ("--quiet", "--disable-pip-version-check", "--root-user-action=ignore", "--no-warn-script-location")
_PLATFORMS = ("manylinux_2_28", "manylinux_2_17", "manylinux2014", "linux")
_CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"


@dataclass(frozen=True)
class Machine:
    """A Python to test with, on this machine or in a root, which sees the same folders under the same names."""

    python: str  # "3.14"
    architecture: str
    work: Path
    source: Path  # a clone, with the tests
    root: Root | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    binds: Sequence[tuple[Path, Path]] = ()

    @property
    def executable(self) -> Path:
        return self.work / f"venv-{self.architecture}-{self.python}" / "bin" / "python"

    def run(self, command: Sequence[str], **environment: str) -> subprocess.CompletedProcess[str]:
        if self.root is None:
            clean = {name: value for name, value in os.environ.items() if not name.startswith(("VIRTUAL_ENV", "CI"))}
            return run(
                ["env", "-i", *(f"{name}={value}" for name, value in {**clean, **environment}.items()), *command],
                folder=self.source,
                check=False,
            )
        merged = {**self.environment, **environment}
        return self.root.run(command, cwd=self.source, environment=merged, binds=self.binds)

    def prepare(self, pip: Path, settings: Settings) -> None:
        """A fresh environment with what the tests need."""
        shutil.rmtree(self.executable.parents[1], ignore_errors=True)
        python = shutil.which(f"python{self.python}") if self.root is None else f"/usr/bin/python{self.python}"
        _expect(self.run([str(python), "-m", "venv", "--without-pip", str(self.executable.parents[1])]))
        if not self.emulated:
            _expect(self.run([str(self.executable), str(pip / "pip"), "install", *_PIP, str(pip)]))
        _expect(self.install(str(pip), *settings.always))
        for requirement in settings.optional:
            done = self.install("--only-binary=:all:", requirement)
            if done.returncode:
                print(f"  CPython {self.python}, {self.architecture}: no {requirement}; its tests skip", flush=True)

    @property
    def emulated(self) -> bool:
        return self.root is not None and self.root.emulated

    def install(self, *what: str) -> subprocess.CompletedProcess[str]:
        if not self.emulated:
            return self.run([str(self.executable), "-m", "pip", "install", *_PIP, *what])
        # pip takes minutes in the emulator, and can choose for another machine.
        (site,) = self.executable.parents[1].glob("lib/python*/site-packages")
        with tempfile.TemporaryDirectory(prefix="installed-") as scratch:
            done = _install_for(self.python, self.architecture, Path(scratch), *what)
            if done.returncode == 0:
                merge(Path(scratch), site)
        return done


def _install_for(python: str, architecture: str, folder: Path, *what: str) -> subprocess.CompletedProcess[str]:
    """What another machine's Python needs, into a folder."""
    tags = [f"--platform={tag}_{architecture}" for tag in _PLATFORMS]
    other = ["--upgrade", "--only-binary=:all:", f"--target={folder}", f"--python-version={python}", *tags]
    return run([sys.executable, "-m", "pip", "install", *_PIP, *other, *what], check=False)


def _expect(done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode:
        raise ReleaseError(failure(done))


def machines(run_: Run, settings: Settings, source: Path, work: Path, cache: Path, out: Path) -> Iterator[Machine]:
    """`out` has the wheels, and gets what the tests say. A Python that is not here is told and left out.

    Raises UnavailableError where the root cannot be made.
    """
    (source / ".cache").mkdir(exist_ok=True)
    for name in SHARED:
        (cache.parent / name).mkdir(parents=True, exist_ok=True)
    if not run_.root:
        for name in SHARED:
            if not (source / ".cache" / name).exists():
                (source / ".cache" / name).symlink_to(cache.parent / name)
        for python in run_.pythons:
            if shutil.which(f"python{python}") and run([f"python{python}", "--version"], check=False).returncode == 0:
                yield Machine(python, platform.machine(), work, source)
            elif os.environ.get("CI"):
                raise ReleaseError(f"python{python} is not installed")
            else:
                print(f"  skipped: python{python} is not installed")
        return
    made = root(settings.roots[run_.root], cache)
    architecture = "aarch64" if made.emulated else platform.machine()
    own = work / f"cache-{run_.root}"
    own.mkdir(exist_ok=True)
    binds = [(work, work), (out, out), (source, source), (own, source / ".cache")]
    for name in SHARED:
        binds.append((cache.parent / name, source / ".cache" / name))
        (own / name).mkdir(exist_ok=True)
    environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(work), "LANG": "C.UTF-8", "CC": "gcc"}
    binds.append((Path(_CERTIFICATES).parent, Path(_CERTIFICATES).parent))
    environment |= {"PIP_CERT": _CERTIFICATES, "SSL_CERT_FILE": _CERTIFICATES}
    if made.emulated:
        compilers = _cross_compilers(work / "bin", next(t for t in settings.targets if t.machine == architecture))
        zig = Path(ziglang.__file__).parent
        binds.append((zig, zig))
        environment["PATH"] = f"{compilers}:{environment['PATH']}"
        _stubs(source, own / "stub", compilers)
        for python in run_.pythons:
            _cythons(own / "cython", python, architecture)
        native, folders = _native_python(work / "bin")
        binds += folders
        environment["CYTHON_PYTHON"] = str(native)
        environment["ZIG_GLOBAL_CACHE_DIR"] = environment["ZIG_LOCAL_CACHE_DIR"] = str(work / "zig")
    for python in run_.pythons:
        yield Machine(python, architecture, work, source, made, environment, binds)


# zig misses the output of -fsyntax-only, which has none. Debian keeps part of Python's headers in a folder of the
# architecture, beside those of its C library.
_CROSS_COMPILER = """#!/bin/sh
for argument; do
    shift
    case "$argument" in
    -fsyntax-only) set -- "$@" -S -o /dev/null ;;
    *) set -- "$@" "$argument" ;;
    esac
done
exec "{zig}" {tool} -target {target} "$@" -idirafter /usr/include
"""


def _cross_compilers(folder: Path, target: Target) -> Path:
    """The compiler of the release, under the names that the tests ask for: only what it makes is emulated."""
    zig = Path(ziglang.__file__).parent / "zig"
    folder.mkdir(exist_ok=True)
    for names, tool in ((("gcc", "cc", "clang"), "cc"), (("g++", "clang++"), "c++")):
        for name in names:
            script = folder / name
            script.write_text(_CROSS_COMPILER.format(zig=zig, tool=tool, target=target.zig))
            script.chmod(0o755)
    return folder


# A program of this machine runs beside those that are emulated, where it finds its own libraries.
_NATIVE = Path("/native")
_NATIVE_PYTHON = """#!/bin/sh
PYTHONHOME="{home}" exec "{loader}" --library-path "{libraries}" "{python}" "$@"
"""


def _native_python(folder: Path) -> tuple[Path, list[tuple[Path, Path]]]:
    """This machine's Python as a program of the emulated root, and the folders that it needs there."""
    words = [line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines()]
    mapped = {Path(word).resolve() for word in words if word.startswith("/") and ".so" in word}
    loader = next(path for path in mapped if path.name.startswith("ld-linux"))
    home = Path(sys.base_prefix).resolve()
    libraries = sorted({path.parent for path in mapped if not path.is_relative_to(Path(sys.prefix).resolve())})
    folders = [home, *(path for path in libraries if not path.is_relative_to(home))]
    python = home / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    script = folder / "native-python"
    script.write_text(
        _NATIVE_PYTHON.format(
            home=_inside(home),
            loader=_inside(loader),
            libraries=":".join(map(str, map(_inside, (*libraries, home / "lib")))),
            python=_inside(python),
        )
    )
    script.chmod(0o755)
    return script, [(path, _inside(path)) for path in folders]


def _inside(path: Path) -> Path:
    return _NATIVE / path.relative_to("/")


_STUBS = """
import sys
from pathlib import Path
from codegen.emit.libraries import LIBRARIES
from support import build
build.CACHE = Path(sys.argv[1])
for wanted in sys.argv[2:]:
    release, key = wanted.split()
    if key in LIBRARIES:
        build.stub_library(release, key)
"""


def _stubs(source: Path, cache: Path, compilers: Path) -> None:
    """Those that every test needs, compiled for the other machine: to write one takes an emulator minutes."""
    found = distributions(source)
    names = {d: "driver" if d.name == DRIVER else f"{d.module.rpartition('.')[2]}{d.major}" for d in found}
    wanted = [f"{d.version.rpartition('.')[0]} {name}" for d, name in names.items()]
    path = os.pathsep.join((str(source / "shared"), str(source / "tests")))
    environment = {"PATH": f"{compilers}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
    run([sys.executable, "-c", _STUBS, str(cache), *wanted], environment=environment)


def _cythons(cache: Path, python: str, architecture: str) -> None:
    """Those that the tests would install: pip takes an emulator minutes for each."""
    major, minor = map(int, python.split("."))
    for release in cythons.usable((major, minor)):
        folder = cache / cythons.folder_name(release, f"cpython-{major}{minor}-{architecture}-linux-gnu")
        if not folder.exists():
            work = folder.with_name(f"{folder.name}.{os.getpid()}")
            _expect(_install_for(python, architecture, work, "--no-deps", f"cython=={release}"))
            work.rename(folder)


def run_suites(
    machine: Machine, files: Sequence[Built], run_: Run, settings: Settings, pip: Path, results: Path
) -> Iterator[Outcome]:
    """Each wheel's tests, with the driver wheel beside it; one CUDA major after the other."""
    machine.prepare(pip, settings)
    usable = [built for built in files if built.target and built.target.machine in (machine.architecture, "any")]
    for built in usable:
        _expect(machine.install("--force-reinstall", "--find-links", str(built.path.parent), str(built.path)))
        suite = run_.driver if built.distribution.name == DRIVER else run_.others
        report = results / f"{machine.architecture}-{machine.python}-{built.distribution.stem}.xml"
        paths = [f"{built.distribution.folder}/{path}" for path in settings.suites[suite]]
        paths = [path for path in paths if (machine.source / path).exists()]
        command = [
            str(machine.executable),
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            f"--numprocesses={os.cpu_count()}",
            "--dist=loadfile",
            # The workers have threads, and one test forks.
            "-Wignore:This process (pid=:DeprecationWarning",
            f"--junitxml={report}",
            *paths,
        ]
        # Written as it comes: an emulator takes its time.
        log = ["sh", "-c", 'log="$1"; shift; exec "$@" >"$log" 2>&1', "sh", str(report.with_suffix(".txt")), *command]
        report.unlink(missing_ok=True)
        done = machine.run(log, PYTHONPATH=f"{machine.source / 'shared'}", PYTHONUNBUFFERED="1")
        if not report.is_file():
            raise ReleaseError(f"{failure(done)}; see {report.with_suffix('.txt')}")
        outcome = Outcome(built.name, machine.python, machine.architecture, suite, *read_junit(report))
        print(f"  {built.distribution.stem} on CPython {machine.python}, {machine.architecture}: {suite}, "
              f"{outcome.passed} passed, {outcome.skipped} skipped, {outcome.failed} failed", flush=True)  # fmt: skip
        yield outcome


def pip_wheel(folder: Path) -> Path:
    """pip as a file that any Python can run, so that environments need none of their own."""
    folder.mkdir(parents=True, exist_ok=True)
    if not list(folder.glob("pip-*.whl")):
        run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), "pip"])
    return next(iter(folder.glob("pip-*.whl")))
