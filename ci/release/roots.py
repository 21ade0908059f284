# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Debian systems in folders, made with debootstrap, and commands that run in them.

A root of another architecture is unpacked and not set up, and its programs are run by an emulator that the kernel is
told of in a user namespace of our own, so that the machine itself stays as it was.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..fetch_drivers import UnavailableError as NoMirrorError
from ..fetch_drivers import debian_mirror
from .commands import UnavailableError, run
from .settings import RootSpec

EMULATOR = "qemu-aarch64-static"
# What the kernel knows programs for aarch64 by. F: the emulator is opened now, and need not be in the root.
_FORMAT = (
    r":release-aarch64:M::"
    r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:"
    r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:"
)
NOBODY = 65534


@dataclass(frozen=True)
class Root:
    spec: RootSpec
    folder: Path

    @property
    def emulated(self) -> bool:
        return bool(self.spec.architecture)

    def run(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        binds: Iterable[tuple[Path, Path]] = (),
        network: bool = True,
        user: int = 0,
    ) -> subprocess.CompletedProcess[str]:
        """`binds` are folders of this machine and where they are seen in the root."""
        namespaces = ["--mount", *([] if network else ["--net"])]
        namespaces += ["--user", "--map-root-user"] if self.emulated else []
        inside = ["/usr/bin/env", "-i", *(f"{name}={value}" for name, value in environment.items())]
        inside += ["sh", "-c", 'cd "$0" && exec "$@"', str(cwd), *command]
        who = [f"--userspec={user}:{user}"] if user else []
        script = "\n".join([*self._mounts(binds), shlex.join(["exec", "chroot", *who, str(self.folder), *inside])])
        done = run(["unshare", *namespaces, "sh", "-euc", script], check=False)
        return subprocess.CompletedProcess(list(command), done.returncode, done.stdout, done.stderr)

    def _mounts(self, binds: Iterable[tuple[Path, Path]]) -> Iterable[str]:
        if self.emulated:
            registered = "/proc/sys/fs/binfmt_misc"
            yield f"mount -t binfmt_misc none {registered}"
            yield shlex.join(["printf", "%s", f"{_FORMAT}{shutil.which(EMULATOR)}:F"]) + f" > {registered}/register"
        # First, as what is bound may lie in it.
        yield shlex.join(["mount", "-t", "tmpfs", "tmpfs", str(self.folder / "tmp")])
        folders = [(Path(path), Path(path)) for path in ("/proc", "/dev", "/sys")]
        for outside, inside in (*folders, *binds):
            target = self.folder / inside.relative_to("/")
            yield shlex.join(["mkdir", "-p", str(target)])
            yield shlex.join(["mount", "--rbind", str(outside), str(target)])


def root(spec: RootSpec, cache: Path) -> Root:
    """The root of that description, made where the cache lacks it."""
    _possible(spec)
    folder = cache / f"{spec.suite}-{spec.name}"
    listed = " ".join(spec.packages)
    note = folder / "root-has.txt"
    if not (note.is_file() and note.read_text() == listed):
        shutil.rmtree(folder, ignore_errors=True)
        work = folder.with_name(f"{folder.name}.{os.getpid()}")
        shutil.rmtree(work, ignore_errors=True)
        _make(spec, work)
        (work / "root-has.txt").write_text(listed)
        work.rename(folder)
    _network(folder)
    return Root(spec, folder)


def _possible(spec: RootSpec) -> None:
    for tool in ("debootstrap", "unshare", "chroot", *([EMULATOR, "dpkg-deb"] if spec.architecture else [])):
        if not shutil.which(tool):
            raise UnavailableError(f"{tool} is not installed, and a Debian root ({spec.name}) needs it")
    if os.geteuid():
        raise UnavailableError(f"only root can make and enter a Debian root ({spec.name})")
    if spec.architecture:
        mount = "mount -t binfmt_misc none /proc/sys/fs/binfmt_misc"
        done = run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount], check=False)
        if done.returncode:
            raise UnavailableError(f"no emulator can be named in a namespace (Linux 6.7 can): {done.stderr.strip()}")


def _make(spec: RootSpec, folder: Path) -> None:
    try:
        mirror = debian_mirror()
    except NoMirrorError as error:
        raise UnavailableError(str(error)) from error
    kind = ["--foreign", f"--arch={spec.architecture}"] if spec.architecture else []
    options = ["--variant=minbase", f"--include={','.join(spec.packages)}", *kind]
    done = run(["debootstrap", *options, spec.suite, str(folder), mirror, spec.script], check=False)
    if done.returncode:
        said = (done.stdout + done.stderr).replace(mirror, "MIRROR").splitlines()[-5:]
        raise UnavailableError(f"debootstrap of {spec.suite} failed: {' '.join(said)}")
    for package in sorted((folder / "var/cache/apt/archives").glob("*.deb")):
        if spec.architecture:
            run(["dpkg-deb", "-x", str(package), str(folder)])
        package.unlink()


def _network(folder: Path) -> None:
    for name in ("resolv.conf", "hosts"):
        if Path("/etc", name).is_file():
            shutil.copyfile(Path("/etc", name), folder / "etc" / name)
