/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What stub libraries other than the driver do when a test programs nothing: tell their version, and succeed.
 */
#include "stub.h"

#include <stdio.h>
#include <string.h>

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

/* NVML's calls succeed before nvmlInit too. */
static int driver_version(const void *const *args) {
  OUT(int, 0) = stub_driver_version;
  return 0;
}

ACT(nvmlSystemGetCudaDriverVersion_v1) { return driver_version(args); }
ACT(nvmlSystemGetCudaDriverVersion_v2) { return driver_version(args); }

/* The name in place of the text, as cuGetErrorString of the stub driver does. */
ACT(nvmlErrorString_v1) {
  const char *text = "unknown";
  for (unsigned i = 0; i < stub_nerrors; i++)
    if (stub_errors[i].value == *(const int *)args[0]) text = stub_errors[i].name;
  OUT(const char *, 1) = text;
  return 0;
}

/* libNVVM's own version is another; that of CUDA is in what it compiles to, whatever the module. */
ACT(nvvmVersion_v1) {
  OUT(int, 0) = 2;
  OUT(int, 1) = 0;
  return 0;
}

static void compiled(char *out, size_t size) {
  int major = stub_driver_version / 1000, minor = stub_driver_version % 1000 / 10;
  snprintf(out, size, "// Cuda compilation tools, release %d.%d, V%d.%d.0", major, minor, major, minor);
}

ACT(nvvmGetCompiledResultSize_v1) {
  char text[80];
  compiled(text, sizeof text);
  OUT(size_t, 1) = strlen(text) + 1;
  return 0;
}

ACT(nvvmGetCompiledResult_v1) {
  char text[80];
  compiled(text, sizeof text);
  memcpy(*(char *const *)args[1], text, strlen(text) + 1);
  return 0;
}

/* They have no memory to count. */
__attribute__((visibility("default"))) unsigned stub_blocks(void) { return 0; }
