# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Each is run by itself, in both environments: `python -m clients.programs.core`, with tests/ on the path."""
