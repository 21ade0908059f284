# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What has to be refused, and how: rows of ci/matrix.toml run these in environments of their own."""
