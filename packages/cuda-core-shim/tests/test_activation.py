# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""When cuda.bindings is ours, when it is not, and that nothing is half-replaced."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import VERSION, Python

WHO = "import cuda.bindings as b, importlib.metadata as m; print(b.__version__, m.version('cuda-bindings'))"


def test_nothing_before_it_is_imported(python: Python) -> None:
    assert "No module named 'cuda.bindings'" in python("import cuda.bindings", fails=True)


def test_importing_it_activates(python: Python) -> None:
    assert python(f"import cuda.core_shim; {WHO}") == f"{VERSION} {VERSION}"


def test_importing_it_imports_nothing_else(python: Python) -> None:
    code = "import sys; before = set(sys.modules); import cuda.core_shim; print(sorted(set(sys.modules) - before))"
    assert python(code) == "['__future__', 'cuda', 'cuda.core_shim', 'cuda.core_shim._finder']"


def test_deactivated(python: Python) -> None:
    off = "import cuda.core_shim as s; s.deactivate(); s.deactivate()"
    assert "No module named 'cuda.bindings'" in python(f"{off}; import cuda.bindings", fails=True)
    assert "PackageNotFoundError" in python(
        f"{off}; import importlib.metadata as m; m.version('cuda-bindings')", fails=True
    )
    assert python(f"{off}; s.activate(); {WHO}") == f"{VERSION} {VERSION}"


def test_activating_twice_is_activating_once(python: Python) -> None:
    code = "import sys; before = len(sys.meta_path); import cuda.core_shim as s; s.activate(); s.activate(force=True)"
    assert python(f"{code}; print(len(sys.meta_path) - before)") == "1"


def test_official_package_wins(python: Python, official: str) -> None:
    assert python(f"import cuda.core_shim; {WHO}", {"PYTHONPATH": official}) == "13.0.99 13.0.99"
    code = "import cuda.core_shim, cuda.bindings as b; print(b.__file__); import cuda.bindings.driver"
    said = python(code, {"PYTHONPATH": official}, fails=True)
    assert said.startswith(official)
    assert "No module named 'cuda.bindings.driver'" in said


def test_forced_over_the_official_package(python: Python, official: str) -> None:
    assert (
        python(f"import cuda.core_shim as s; s.activate(force=True); {WHO}", {"PYTHONPATH": official})
        == f"{VERSION} {VERSION}"
    )


def test_forced_too_late(python: Python, official: str) -> None:
    code = f"""
import cuda.bindings, cuda.core_shim as s, sys
path = list(sys.meta_path)
try:
    s.activate(force=True)
except s.ShimError as error:
    print(error)
print(sys.meta_path == path, cuda.bindings.__version__)
{WHO}
"""
    first, *rest = python(code, {"PYTHONPATH": official}).splitlines()
    assert first.startswith(f"cuda.bindings is already imported, from {official}")
    assert first.endswith("Nothing was changed")
    assert rest == ["True 13.0.99", "13.0.99 13.0.99"]


def test_too_late_for_a_module_that_nobody_has(python: Python) -> None:
    code = "import sys, types; sys.modules['cuda.bindings'] = types.ModuleType('cuda.bindings'); import cuda.core_shim"
    assert "cuda.bindings is already imported, from a place it does not tell" in python(code, fails=True)


def test_a_folder_that_was_left_behind_is_no_package(python: Python, tmp_path: Path) -> None:
    (tmp_path / "left" / "cuda" / "bindings" / "__pycache__").mkdir(parents=True)
    assert python(f"import cuda.core_shim; {WHO}", {"PYTHONPATH": str(tmp_path / "left")}) == f"{VERSION} {VERSION}"


def test_official_package_that_is_installed_later_does_not_mix_in(python: Python, official: str) -> None:
    code = f"""
import cuda.core_shim, cuda.bindings, sys
sys.path.insert(0, {official!r})
from cuda.bindings import driver
print(driver.__spec__.origin)
"""
    assert python(code) == "cuda-driver-stable"


class TestRecord:
    @pytest.mark.parametrize("name", ["cuda-bindings", "cuda_bindings", "CUDA-Bindings", "Cuda.-Bindings"])
    def test_by_any_spelling(self, python: Python, name: str) -> None:
        assert python(f"import cuda.core_shim, importlib.metadata as m; print(m.version({name!r}))") == VERSION

    def test_it_is_listed_and_has_no_files(self, python: Python) -> None:
        code = """
import cuda.core_shim, importlib.metadata as m
(found,) = [d for d in m.distributions() if d.metadata["Name"] == "cuda-bindings"]
print(found.version, found.files, found.requires, list(found.entry_points))
"""
        assert python(code) == f"{VERSION} None None []"

    def test_not_for_who_asks_about_other_folders(self, python: Python, tmp_path: Path) -> None:
        code = f"""
import cuda.core_shim, importlib.metadata as m
print([d.metadata["Name"] for d in m.distributions(path=[{str(tmp_path)!r}])])
"""
        assert python(code) == "[]"

    def test_of_the_official_package_where_that_wins(self, python: Python, official: str) -> None:
        code = """
import cuda.core_shim, importlib.metadata as m
print([d.version for d in m.distributions(name="cuda-bindings")])
"""
        assert python(code, {"PYTHONPATH": official}) == "['13.0.99']"
