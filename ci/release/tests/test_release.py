# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The checks of release files find what they are there for: on files made up here, and on the repository's own data."""

from __future__ import annotations

import re
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from ci.release import checks, results
from ci.release.build import Built, compare, cross
from ci.release.commands import ReleaseError
from ci.release.distributions import DRIVER, Distribution, distributions
from ci.release.results import Outcome
from ci.release.settings import REPOSITORY, Budget, Target, budgets, load

ONE = Distribution("cuda-one", "13.5.0", "packages/cuda-one", "13")
TARGET = Target("x86_64", "manylinux_2_17_x86_64.manylinux2014_x86_64", "x86_64-linux-gnu.2.17")
METADATA = "Name: cuda-one\nVersion: 13.5.0\nRequires-Python: >=3.11\nLicense-Expression: Apache-2.0\n"
INFORMATION = "cuda_one-13.5.0.dist-info"
FILES = {
    "cuda/one/__init__.py": "",
    "cuda/one/__init__.pyi": "",
    "cuda/one/py.typed": "",
    f"{INFORMATION}/METADATA": METADATA,
    f"{INFORMATION}/licenses/LICENSE": "…",
    f"{INFORMATION}/sboms/cuda-one.cdx.json": "{}",
}


def wheel(folder: Path, files: dict[str, str]) -> Built:
    path = folder / f"cuda_one-13.5.0-cp311-abi3-{TARGET.platform}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return Built(ONE, path, TARGET)


class TestContents:
    def test_a_good_wheel(self, tmp_path: Path) -> None:
        assert list(checks.contents([wheel(tmp_path, FILES)])) == []

    @pytest.mark.parametrize("name", [name for name in FILES if not name.endswith(("METADATA", "__init__.py"))])
    def test_what_is_missing(self, tmp_path: Path, name: str) -> None:
        built = wheel(tmp_path, {key: text for key, text in FILES.items() if key != name})
        assert list(checks.contents([built])) == [f"{built.name}: no {name}"]

    def test_what_is_too_much(self, tmp_path: Path) -> None:
        problems = list(checks.contents([wheel(tmp_path, {**FILES, "cuda/__init__.py": "", "tests/x.py": ""})]))
        assert [problem.partition(": ")[2] for problem in problems] == [
            "cuda/__init__.py is not ours to ship",
            "tests/x.py is not ours to ship",
            "cuda/__init__.py takes the namespace from others",
        ]

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            (">=3.11", ">=3.12", "its Requires-Python is '>=3.12' and not '>=3.11'"),
            ("Version: 13.5.0", "Version: 13.5.1", "its Version is '13.5.1' and not '13.5.0'"),
            (
                "Apache-2.0\n",
                "Apache-2.0\nRequires-Dist: x<2; extra == 'y'\n",
                "\"x<2; extra == 'y'\" is an upper limit",
            ),
        ],
    )
    def test_metadata(self, tmp_path: Path, old: str, new: str, said: str) -> None:
        built = wheel(tmp_path, {**FILES, f"{INFORMATION}/METADATA": METADATA.replace(old, new)})
        assert list(checks.contents([built])) == [f"{built.name}: {said}"]

    def test_sdist(self, tmp_path: Path) -> None:
        path = tmp_path / "cuda_one-13.5.0.tar.gz"
        (tmp_path / "LICENSE").write_text("…")
        with tarfile.open(path, "w:gz") as archive:
            archive.add(tmp_path / "LICENSE", "cuda_one-13.5.0/LICENSE")
        assert list(checks.contents([Built(ONE, path, None)])) == [f"{path.name}: no PKG-INFO"]


class TestSizes:
    def test_within_and_over(self, tmp_path: Path) -> None:
        built = wheel(tmp_path, FILES)
        size, installed = built.path.stat().st_size, checks.installed_size(built)
        assert list(checks.sizes([built], {"cuda-one": Budget(size, installed, 0)})) == []
        over = list(checks.sizes([built], {"cuda-one": Budget(size - 1, installed - 2, 0)}))
        assert over == [
            f"{built.name}: wheel {size:,} bytes, 1 over the budget of {size - 1:,}",
            f"{built.name}: installed {installed:,} bytes, 2 over the budget of {installed - 2:,}",
        ]

    def test_no_budget(self, tmp_path: Path) -> None:
        built = wheel(tmp_path, FILES)
        assert list(checks.sizes([built], {})) == [f"{built.name}: budgets.toml has no cuda-one"]

    def test_every_distribution_has_one(self) -> None:
        assert set(budgets()) == {distribution.name for distribution in distributions(REPOSITORY)}

    def test_the_driver_wheel_has_a_megabyte(self) -> None:
        assert budgets()[DRIVER].wheel == 1_000_000


class TestCompare:
    def test_same_other_and_missing(self, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "b").mkdir()
        one, same = wheel(tmp_path / "a", FILES), wheel(tmp_path / "b", FILES)
        same.path.write_bytes(one.path.read_bytes())
        compare([one], [same])
        same.path.write_bytes(one.path.read_bytes() + b"x")
        with pytest.raises(ReleaseError, match="two builds of the same commit differ: cuda_one"):
            compare([one], [same])
        with pytest.raises(ReleaseError, match="two builds made other files"):
            compare([one], [])


class TestDistributions:
    def test_the_driver_comes_first_and_each_once(self) -> None:
        found = distributions(REPOSITORY)
        assert found[0].name == DRIVER
        assert len({distribution.tag for distribution in found}) == len(found)

    def test_majors(self) -> None:
        nvrtc = [one for one in distributions(REPOSITORY) if one.name == "cuda-nvrtc"]
        assert [(one.major, one.version.partition(".")[0]) for one in nvrtc] == [("12", "12"), ("13", "13")]
        assert nvrtc[0].environment == {"CUDA_MAJOR": "12"}
        assert nvrtc[0].module == "cuda.nvrtc"

    def test_tags_are_those_of_the_workflow(self) -> None:
        text = (REPOSITORY / ".github/workflows/release.yml").read_text("utf-8")
        (pattern,) = re.findall(r'tags: \["(.*?)"\]', text)
        expression = pattern.replace("*", ".*")
        assert all(re.fullmatch(expression, distribution.tag) for distribution in distributions(REPOSITORY))


def test_settings_fit_together() -> None:
    settings = load()
    for run in settings.runs:
        assert not run.root or run.root in settings.roots
        assert {run.driver, run.others} <= set(settings.suites)
    for path in {path for paths in settings.suites.values() for path in paths}:
        assert list(REPOSITORY.glob(f"packages/*/{path}")), path
    for distribution in distributions(REPOSITORY):
        assert any((REPOSITORY / distribution.folder / path).exists() for path in settings.suites["smoke"])
    assert {"empty", "next"} <= set(settings.roots)
    assert all(target.platform.startswith("manylinux_2_17_") for target in settings.targets)


def test_cross_tells_the_build_of_its_target() -> None:
    environment = cross(replace(TARGET, include="/headers", link="-lx"))
    assert environment["CC"].endswith("-m ziglang cc -target x86_64-linux-gnu.2.17")
    assert environment["WHEEL_PLATFORM"] == TARGET.platform
    assert environment["WHEEL_INCLUDE"] == "/headers"
    assert environment["LDFLAGS"] == "-lx"
    assert "CFLAGS" not in environment


class TestResults:
    def test_junit(self, tmp_path: Path) -> None:
        report = tmp_path / "report.xml"
        counts = 'tests="10" failures="1" errors="2" skipped="3"'
        report.write_text(f"<testsuites><testsuite {counts}/></testsuites>")
        assert results.read_junit(report) == (4, 3, 3)

    def test_the_last_run_counts(self, tmp_path: Path) -> None:
        path = tmp_path / "outcomes.json"
        bad = Outcome("one.whl", "3.14", "x86_64", "whole", 1, 0, 1)
        good = replace(bad, passed=2, failed=0)
        other = replace(good, python="3.15")
        results.keep(path, [bad])
        results.keep(path, [other])
        results.keep(path, [good])
        assert results.load(path) == [good, other]

    def test_only_what_passed_is_said_to_have_passed(self, tmp_path: Path) -> None:
        built = wheel(tmp_path, FILES)
        good = Outcome(built.name, "3.14", "x86_64", "whole", 7, 1, 0)
        outcomes = [good, replace(good, python="3.15", failed=1), replace(good, python="3.13", passed=0)]
        head, line, row = results.table([built], outcomes).splitlines()
        assert head.split()[0] == "file"
        assert set(line) == {"-", " "}
        assert row.split() == [
            "cuda_one-13.5.0", f"{built.path.stat().st_size:,}", "manylinux_2_17_x86_64",
            "x86_64", "whole:", "3.14", "14", "3", "1",
        ]  # fmt: skip
