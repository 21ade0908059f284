# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: what a name stands for, what sources need, and how to make them say which version they mean."""
