# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The registry read into frozen data: `registry` holds facts, `fold` makes an `Api` of them."""
