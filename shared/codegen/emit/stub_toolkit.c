/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What stub libraries of the toolkit do when a test programs nothing: tell their version, and succeed.
 */
#include "stub.h"

#define ACT(symbol) int act_##symbol(const void *const *args)
#define OUT(type, i) (**(type *const *)args[i])

ACT(cudaRuntimeGetVersion_v1) {
  OUT(int, 0) = stub_driver_version;
  return 0;
}

static int parts(const void *const *args) {
  OUT(int, 0) = stub_driver_version / 1000;
  OUT(int, 1) = stub_driver_version % 1000 / 10;
  return 0;
}

ACT(nvrtcVersion_v1) { return parts(args); }
ACT(nvJitLinkVersion_v1) { return parts(args); }

/* They have no memory to count. */
__attribute__((visibility("default"))) unsigned stub_blocks(void) { return 0; }
