# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Install each distribution in a Debian system that has Python and nothing else, and see that nothing stays of it.

The user is not root, the home folder has spaces in its name, and there is no network. Then from the sdist: where there
is no compiler that has to fail with words that help, and where there is one it has to work.
"""

from __future__ import annotations

import configparser
import os
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen.emit.libraries import LIBRARIES
from support.build import stub_library

from .build import Built
from .commands import ReleaseError, run
from .distributions import DRIVER, Distribution
from .roots import NOBODY, Root, root
from .settings import Readme, Settings

WHEELS = Path("/wheels")  # the release, in the root
OFFLINE = Path("/offline")  # what it needs of others
STUBS = Path("/stubs")
HOME = Path("/home/some body")
_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-cache-dir")


def check(files: Sequence[Built], settings: Settings, source: Path, work: Path, cache: Path) -> None:
    offline = work / "offline"
    run([sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(offline), "cuda-pathfinder", "hatchling"])
    empty, full = (root(settings.roots[name], cache) for name in ("empty", "next"))
    distributions = {built.distribution: None for built in files}
    stubs = {one: stubs_for(one, work / "stubs") for one in distributions}
    for one in distributions:
        readme = settings.readmes.get(one.name, Readme())
        house = House(empty, one, work, files, stubs[one])
        house.install()
        ran = house.readme(source, readme)
        house.uninstall()
        if one.compiled:
            house.install_from_source(compiler=False)
            house = House(full, one, work, files, stubs[one])
            house.install_from_source(compiler=True)
            house.readme(source, readme)
            house.uninstall()
        print(f"  {one.stem}: installed; examples of its README: {ran}; uninstalled, no file left", flush=True)


def stubs_for(distribution: Distribution, folder: Path) -> dict[str, str]:
    """Variables that name libraries to run the examples on, and the libraries, in a folder of their own."""
    release = distribution.version.rpartition(".")[0]
    found = {}
    for key, when in (("driver", "13.5"), (f"{distribution.module.rpartition('.')[2]}{distribution.major}", release)):
        if key in LIBRARIES:
            target = folder / key
            target.mkdir(parents=True, exist_ok=True)
            library = stub_library(when, key)
            shutil.copy2(library, target)
            found[LIBRARIES[key].path_variable] = str(STUBS / key / library.name)
    return found


@dataclass(frozen=True)
class House:
    """A user's home in a root, with an environment in it."""

    root: Root
    distribution: Distribution
    work: Path
    files: Sequence[Built]
    libraries: Mapping[str, str]

    @property
    def home(self) -> Path:
        return self.work / "home"

    @property
    def environment(self) -> Path:
        return HOME / "a new environment"

    def python(self, *arguments: str) -> tuple[int, str]:
        python = self.environment / "bin" / "python"
        return self._run(str(python), *arguments)

    def _run(self, *command: str) -> tuple[int, str]:
        binds = [
            (self.files[0].path.parent, WHEELS),
            (self.work / "offline", OFFLINE),
            (self.work / "stubs", STUBS),
            (self.home, HOME),
        ]
        variables = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(HOME),
            "LANG": "C.UTF-8",
            "PYTHONWARNINGS": "error::DeprecationWarning:__main__",
        }
        done = self.root.run(
            command, cwd=HOME, environment={**variables, **self.libraries}, binds=binds, network=False, user=NOBODY
        )
        return done.returncode, done.stdout + done.stderr

    def must(self, *arguments: str) -> str:
        code, said = self.python(*arguments)
        if code:
            raise ReleaseError(f"{self.distribution.stem} in {self.root.spec.name}: {' '.join(arguments)}\n{said}")
        return said

    def fresh(self) -> None:
        shutil.rmtree(self.home, ignore_errors=True)
        self.home.mkdir()
        os.chown(self.home, NOBODY, NOBODY)
        python = "/usr/bin/python3" if (self.root.folder / "usr/bin/python3").exists() else "/usr/bin/python3.14"
        code, said = self._run(python, "-m", "venv", str(self.environment))
        if code:
            raise ReleaseError(f"no environment can be made in {self.root.spec.name}:\n{said}")
        (self.home / "before").write_text("\n".join(self._files()))

    def _files(self) -> list[str]:
        """Without folders, as pip leaves `cuda`, empty, and what was compiled of pip itself while it ran."""
        folder = self.home / self.environment.name
        paths = (path for path in folder.rglob("*") if path.is_file() or path.is_symlink())
        return sorted(str(p.relative_to(folder)) for p in paths if not {"pip", "__pycache__"} <= set(p.parts))

    def _where(self) -> list[str]:
        return ["--no-index", f"--find-links={WHEELS}", f"--find-links={OFFLINE}"]

    def install(self) -> None:
        self.fresh()
        self.must(
            *_PIP,
            "install",
            "--only-binary=:all:",
            *self._where(),
            f"{self.distribution.name}=={self.distribution.version}",
        )
        for script in self._scripts():
            code, said = self._run(str(self.environment / "bin" / script), "--help")
            if code:
                raise ReleaseError(f"{self.distribution.stem}: {script} --help: {said}")

    def _scripts(self) -> Iterator[str]:
        wheel = next(b.path for b in self.files if b.distribution == self.distribution and b.target)
        with zipfile.ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(".dist-info/entry_points.txt"):
                    entries = configparser.ConfigParser()
                    entries.read_string(archive.read(name).decode())
                    if entries.has_section("console_scripts"):
                        yield from entries["console_scripts"]

    def install_from_source(self, *, compiler: bool) -> None:
        self.fresh()
        (sdist,) = (built.name for built in self.files if built.distribution == self.distribution and not built.target)
        code, said = self.python(*_PIP, "install", *self._where(), str(WHEELS / sdist))
        if compiler and code:
            raise ReleaseError(f"{sdist} cannot be installed where there is a compiler:\n{said}")
        if not compiler and (code == 0 or "no C compiler: " not in said or "set CC to one" not in said):
            raise ReleaseError(f"{sdist}, where there is no compiler, has to say so, and not:\n{said}")

    def readme(self, source: Path, readme: Readme) -> str:
        """What became of its examples."""
        if readme.skip:
            return readme.skip
        texts = [source / self.distribution.folder / "README.md"]
        texts += [source / "README.md"] if self.distribution.name == DRIVER else []
        ran = 0
        for path in texts:
            for example in re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL):
                self.must(
                    "-W", "error", "-c", f"{readme.before}\n{example}\nassert not int(globals().get('err', 0)), err\n"
                )
                ran += 1
        return f"{ran} run"

    def uninstall(self) -> None:
        """Everything that came, and then every file has to be as it was."""
        before = (self.home / "before").read_text().splitlines()
        listed = self.must(*_PIP, "list", "--format=freeze")
        names = [
            line.partition("==")[0] for line in listed.splitlines() if "==" in line and not line.startswith("pip==")
        ]
        self.must(*_PIP, "uninstall", "--yes", *names)
        left = sorted(set(self._files()) - set(before))
        if left:
            raise ReleaseError(f"{self.distribution.stem}: uninstalling left {', '.join(left[:10])}")
