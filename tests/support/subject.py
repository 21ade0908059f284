# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The wheel that a session fuzzes or measures: SUBJECT says which, by the generator's word for it ("runtime13").

Without it that is the driver wheel. The stub of its library is loaded in place of the library.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any

from codegen.emit.libraries import LIBRARIES

from .build import newest, stub_library
from .symbols import Suite

NAME = os.environ.get("SUBJECT", "driver")
FACTS = LIBRARIES[NAME]
PATH = stub_library(newest(NAME), NAME)
os.environ[FACTS.path_variable] = str(PATH)

module: Any = import_module(FACTS.module)
core: Any = import_module(FACTS.core)
SUITE = Suite(NAME, module)
BY_NAME = {bound.function.name: bound for bound in SUITE.functions}

TYPES = [found for name in core.names("") if isinstance(found := core.lookup("", name), type)]
RECORDS = [cls for cls in TYPES if hasattr(cls, "__copy__")]
ENUMS: list[Any] = [cls for cls in TYPES if hasattr(cls, "__members__")]
HANDLES = [cls for cls in TYPES if hasattr(cls, "__cuda_handle__")]
