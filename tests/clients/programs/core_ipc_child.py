# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The other process of the area `ipc` of core.py: reads memory of its parent, and writes to it."""

from __future__ import annotations

import ctypes
import pickle
import sys

from cuda import core  # type: ignore[attr-defined, unused-ignore]

device = core.Device(0)
device.set_current()
stream = device.create_stream()
descriptor = pickle.loads(sys.stdin.buffer.read())
resource = core.DeviceMemoryResource.from_allocation_handle(device, int(sys.argv[1]))
buffer = core.Buffer.from_ipc_descriptor(resource, descriptor, stream=stream)
host = core.LegacyPinnedMemoryResource().allocate(64, stream=stream)
buffer.copy_to(host, stream=stream)
stream.sync()
seen = set(ctypes.string_at(int(host.handle), 64))
buffer.fill(9, stream=stream)
stream.sync()
print(f"saw {sorted(seen)}")
