# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What is read from a run of numba-cuda's suite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clients import numba_suite

TEXT = """test_one (a.b.Case.test_one) ... ok
test_two (a.b.Case.test_two)
Says what it does. ... printed by the test
ok
test_three (a.b.Case.test_three) ... FAIL
test_four (a.b.Case.test_four) ... skipped 'no reason'
test_five (a.b.Case.test_five) ... """


def test_parse() -> None:
    found = numba_suite.parse(TEXT)
    assert [outcome for _, outcome in sorted(found["tests"].items())] == ["skipped", "ok", "FAIL", "ok"]
    assert found["ended"] is False
    whole = numba_suite.parse(f"{TEXT}ERROR\n\n======\nERROR: test_six (a.b.Case.test_six)\n\nRan 5 tests in 0.1s\n")
    assert whole["ended"] is True
    assert whole["tests"]["test_five (a.b.Case.test_five)"] == "ERROR"
    assert numba_suite.parse("") == {"ended": False, "tests": {}}


def test_parse_what_pytest_says() -> None:
    found = numba_suite.parse(
        """collected 3 items

a/test_matmul.py::test_matmul PASSED [ 33%]
a/test_matmul.py::test_with[device array] FAILED [ 66%]
a/test_matmul.py::test_more[1] SKIPPED (no torch) [100%]

===== FAILURES =====
===== 1 failed, 1 passed, 1 skipped in 0.12s =====
"""
    )
    assert found["ended"] is True
    assert found["tests"] == {
        "a/test_matmul.py::test_matmul": "ok",
        "a/test_matmul.py::test_with[device array]": "FAIL",
        "a/test_matmul.py::test_more[1]": "skipped",
    }


@pytest.mark.parametrize(
    ("outcome", "status", "said"),
    [("ok", 0, "1 tests compared, 0 fail with the shim only"), ("FAIL", 1, "official ok, shim FAIL")],
)
def test_compare(outcome: str, status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = []
    for side, result in (("official", "ok"), ("shim", outcome)):
        module = {"ended": side == "official", "tests": {"t": result}}
        paths.append(tmp_path / f"{side}.json")
        paths[-1].write_text(json.dumps({"origin": side, "modules": {"m": module}}))
    assert numba_suite.compare(*paths) == status
    text = capsys.readouterr().out
    assert said in text
    assert "not finished with the shim: m" in text
