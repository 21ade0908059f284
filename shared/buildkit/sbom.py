# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Say what a wheel's compiled modules were made of: a CycloneDX document, which PEP 770 puts into .dist-info/sboms/.

Nobody else's code is in these wheels, so what is listed are the modules, the C files that they were compiled from, with
digests, and the tools. The distributions that the metadata asks for are not part of the file, and so not listed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from .compiler import BuildError, Extension, compiler

FORMAT = "1.6"
# The same file has the same number wherever it is built.
_NUMBERS = uuid.UUID("b0a5bb38-0a4b-5d5f-9a52-2b5b2d7d8b60")


def document(name: str, version: str, tag: str, licence: str, modules: Mapping[Extension, Path]) -> str:
    """The text of the document for a wheel; `modules` says which file each extension was compiled to."""
    reference = f"pkg:pypi/{name}@{version}"
    licences = [{"expression": licence}]
    metadata: dict[str, Any] = {
        "tools": {"components": [_hatchling(), *([_compiler()] if modules else [])]},
        "component": {
            "type": "library",
            "bom-ref": reference,
            "name": name,
            "version": version,
            "purl": reference,
            "licenses": licences,
        },
    }
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        metadata["timestamp"] = datetime.fromtimestamp(int(epoch), UTC).isoformat().replace("+00:00", "Z")
    content = {
        "$schema": f"http://cyclonedx.org/schema/bom-{FORMAT}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": FORMAT,
        "version": 1,
        "metadata": metadata,
        "components": [_module(extension, built, licences) for extension, built in modules.items()],
        "dependencies": [{"ref": reference, "dependsOn": [extension.path for extension in modules]}],
    }
    number = uuid.uuid5(_NUMBERS, tag + json.dumps(content, sort_keys=True))
    return json.dumps({**content, "serialNumber": number.urn}, indent=1) + "\n"


def _module(extension: Extension, built: Path, licences: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    sources = [
        {"type": "file", "bom-ref": f"{extension.path}#{path.name}", "name": path.name, "hashes": [_sha256(path)]}
        for path in extension.sources
    ]
    return {
        "type": "library",
        "bom-ref": extension.path,
        "name": extension.path,
        "hashes": [_sha256(built)],
        "licenses": licences,
        "components": sources,
    }


def _sha256(path: Path) -> dict[str, str]:
    return {"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}


def _hatchling() -> dict[str, str]:
    return {"type": "application", "name": "hatchling", "version": installed("hatchling")}


def _compiler() -> dict[str, str]:
    """What the compiler calls itself, without where it lies."""
    command = [*compiler(), "--version"]
    try:
        line = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError) as error:
        raise BuildError(f"{' '.join(command)} does not tell its version: {error}") from error
    found = re.search(r"^(.*?)\s(?:version\s+)?(?:\([^)]*\)\s+)?(\d+\.\S+)", line)
    return (
        {"type": "application", "name": found[1], "version": found[2]}
        if found
        else {"type": "application", "name": line}
    )
