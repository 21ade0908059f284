# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What must be true of the files of a release, before any of them is run. Each check gives the problems it found."""

from __future__ import annotations

import email
import email.message
import json
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence

from .build import Built
from .commands import failure, run
from .settings import REPOSITORY, Budget, budgets

Check = Callable[[Sequence[Built]], Iterator[str]]


def wheels(files: Sequence[Built]) -> list[Built]:
    return [built for built in files if built.target is not None]


def compiled(files: Sequence[Built]) -> list[Built]:
    return [built for built in wheels(files) if built.distribution.compiled]


def sizes(files: Sequence[Built], limits: Mapping[str, Budget] | None = None) -> Iterator[str]:
    limits = budgets() if limits is None else limits
    for built in files:
        limit = limits.get(built.distribution.name)
        if limit is None:
            yield f"{built.name}: budgets.toml has no {built.distribution.name}"
        elif built.target is None:
            yield from _over(built, "sdist", built.path.stat().st_size, limit.sdist)
        else:
            yield from _over(built, "wheel", built.path.stat().st_size, limit.wheel)
            yield from _over(built, "installed", installed_size(built), limit.installed)


def installed_size(built: Built) -> int:
    with zipfile.ZipFile(built.path) as archive:
        return sum(entry.file_size for entry in archive.infolist())


def _over(built: Built, what: str, size: int, limit: int) -> Iterator[str]:
    if size > limit:
        yield f"{built.name}: {what} {size:,} bytes, {size - limit:,} over the budget of {limit:,}"


def contents(files: Sequence[Built]) -> Iterator[str]:
    """Licences, type stubs, and what the compiled modules were made of."""
    for built in wheels(files):
        with zipfile.ZipFile(built.path) as archive:
            names = archive.namelist()
            information = f"{built.distribution.stem}.dist-info"
            package = built.distribution.module.replace(".", "/")
            wanted = [f"{information}/licenses/LICENSE", f"{package}/py.typed"]
            if built.distribution.compiled:
                wanted += [f"{information}/sboms/{built.distribution.name}.cdx.json", f"{package}/__init__.pyi"]
            yield from (f"{built.name}: no {name}" for name in wanted if name not in names)
            yield from (
                f"{built.name}: {name} is not ours to ship" for name in names if not _ours(name, package, information)
            )
            if "cuda/__init__.py" in names:
                yield f"{built.name}: cuda/__init__.py takes the namespace from others"
            metadata = email.message_from_bytes(archive.read(f"{information}/METADATA"))
            yield from _metadata(built, metadata)
    for built in files:
        if built.target is None:
            with tarfile.open(built.path) as archive:
                names = archive.getnames()
            yield from (
                f"{built.name}: no {name}"
                for name in ("LICENSE", "PKG-INFO")
                if f"{built.distribution.stem}/{name}" not in names
            )


def _ours(name: str, package: str, information: str) -> bool:
    return name.startswith((f"{package}/", f"{information}/"))


def _metadata(built: Built, metadata: email.message.Message) -> Iterator[str]:
    expected = {
        "Name": built.distribution.name,
        "Version": built.distribution.version,
        "Requires-Python": ">=3.11",
        "License-Expression": "Apache-2.0",
    }
    for key, value in expected.items():
        if metadata[key] != value:
            yield f"{built.name}: its {key} is {metadata[key]!r} and not {value!r}"
    for requirement in metadata.get_all("Requires-Dist") or ():
        if "<" in requirement.partition(";")[0]:
            yield f"{built.name}: {requirement!r} is an upper limit"


def bill(files: Sequence[Built]) -> Iterator[str]:
    """The bill of materials against the schema of its format."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    for built in compiled(files):
        with zipfile.ZipFile(built.path) as archive:
            for name in archive.namelist():
                if "/sboms/" in name:
                    text = archive.read(name).decode()
                    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
                    if error := JsonStrictValidator(version).validate_str(text):
                        yield f"{built.name}: {name}: {error}"


def platform(files: Sequence[Built]) -> Iterator[str]:
    """auditwheel: nothing is used of the system that the platform tag does not promise."""
    for built in compiled(files):
        done = run([sys.executable, "-m", "auditwheel", "show", "--json", str(built.path)], check=False)
        if done.returncode:
            yield failure(done)
            continue
        report = json.loads(done.stdout)
        promised = built.path.stem.rpartition("-")[2].split(".")
        if report["overall_tag"] not in promised or report["external_libs"] or report["unsupported_isa"]:
            yield f"{built.name}: auditwheel says {report['overall_tag']}; other libraries: {report['external_libs']}"


def stable_abi(files: Sequence[Built]) -> Iterator[str]:
    for built in compiled(files):
        done = run([sys.executable, "-m", "abi3audit", "--strict", "--report", str(built.path)], check=False)
        if done.returncode:
            yield failure(done)
        elif not json.loads(done.stdout)["specs"]:
            yield f"{built.name}: abi3audit found no module"


def descriptions(files: Sequence[Built]) -> Iterator[str]:
    yield from _tool(["twine", "check", "--strict", *(str(built.path) for built in files)])


def layout(files: Sequence[Built]) -> Iterator[str]:
    yield from _tool(["check_wheel_contents", *(str(built.path) for built in wheels(files))])


def _tool(command: Sequence[str]) -> Iterator[str]:
    done = run([sys.executable, "-m", *command], check=False, folder=REPOSITORY)
    if done.returncode:
        yield failure(done)


# Those that take no time and no tool, and all.
QUICK: Mapping[str, Check] = {"sizes": sizes, "contents": contents}
ALL: Mapping[str, Check] = {
    **QUICK,
    "bill of materials": bill,
    "auditwheel": platform,
    "abi3audit --strict": stable_abi,
    "twine check --strict": descriptions,
    "check-wheel-contents": layout,
}
