# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""A CUDA release that does not exist, made from the facts of one that does: to see today what its coming would do."""
