# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The newest stub, and how much is tried: FUZZ_EXAMPLES sets another number of examples a test.

SUBJECT names the wheel (support.subject). What needs names of the driver's is tried on that only.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, Phase, settings

from support import subject
from support.counts import pytest_terminal_summary as pytest_terminal_summary
from support.stub import Stub

LIBRARY = subject.PATH
collect_ignore = [] if subject.NAME == "driver" else ["test_drivers.py"]
collect_ignore += [] if subject.NAME == "nvml" else ["test_nvml.py"]
collect_ignore += [] if subject.RECORDS else ["test_records.py"]

EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES", 1000))
SECONDS = 60  # more than any call of a test takes

settings.register_profile(
    "fuzz",
    max_examples=EXAMPLES,
    deadline=None,
    database=None,
    # Explaining a failure runs the example under a tracer, which is of no use for code in C.
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=list(HealthCheck),
    print_blob=True,
)
settings.load_profile("fuzz")


@pytest.fixture(scope="session")
def stub() -> Stub:
    subject.core.library()  # loading it asks for its version, which is no call of a test
    return Stub(LIBRARY)


def watch() -> None:
    """The process ends when nobody calls this again in time: a call that hangs cannot be interrupted otherwise."""
    signal.alarm(SECONDS)


@pytest.fixture(autouse=True)
def _unwatched() -> Iterator[None]:
    yield
    signal.alarm(0)
