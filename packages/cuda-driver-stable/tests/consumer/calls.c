/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Another source file of the same module, which does not import the package itself. It is written as CUDA 12 code would be.
 */
#define CUDA_DRIVER_STABLE_TARGET 12
#include "consumer.h"

/* launch(function, stream, a: int, b: float): parameters by pointer. */
PyObject *launch(PyObject *module, PyObject *args) {
  (void)module;
  unsigned long long function, stream;
  int a;
  float b;
  if (!PyArg_ParseTuple(args, "KKif:launch", &function, &stream, &a, &b)) return NULL;
  void *parameters[] = {&a, &b};
  return PyLong_FromLong(
      cuLaunchKernel((CUfunction)(uintptr_t)function, 2, 3, 4, 5, 6, 7, 8, (CUstream)(uintptr_t)stream, parameters, NULL));
}

/* The same through a record: launch_extended(function, stream, a). */
PyObject *launch_extended(PyObject *module, PyObject *args) {
  (void)module;
  unsigned long long function, stream;
  int a;
  if (!PyArg_ParseTuple(args, "KKi:launch_extended", &function, &stream, &a)) return NULL;
  CUlaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config;
  memset(&config, 0, sizeof config);
  config.gridDimX = 11;
  config.blockDimZ = 12;
  config.sharedMemBytes = 13;
  config.hStream = (CUstream)(uintptr_t)stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  void *parameters[] = {&a};
  return PyLong_FromLong(cuLaunchKernelEx(&config, (CUfunction)(uintptr_t)function, parameters, NULL));
}

/* A record of 8 bytes by value. */
PyObject *advise(PyObject *module, PyObject *args) {
  (void)module;
  unsigned long long pointer, size;
  int id;
  if (!PyArg_ParseTuple(args, "KKi:advise", &pointer, &size, &id)) return NULL;
  CUmemLocation location;
  memset(&location, 0, sizeof location);
  location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
  location.id = id;
  return PyLong_FromLong(cuMemAdvise_v2((CUdeviceptr)pointer, (size_t)size, CU_MEM_ADVISE_SET_ACCESSED_BY, location));
}

/* A record of 64 bytes by value: it travels in memory. */
PyObject *open_handle(PyObject *module, PyObject *args) {
  (void)module;
  Py_buffer data;
  if (!PyArg_ParseTuple(args, "y*:open_handle", &data)) return NULL;
  CUipcMemHandle handle;
  CUdeviceptr pointer = 0;
  memcpy(&handle, data.buf, sizeof handle < (size_t)data.len ? sizeof handle : (size_t)data.len);
  PyBuffer_Release(&data);
  CUresult status = cuIpcOpenMemHandle(&pointer, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  return Py_BuildValue("iK", (int)status, (unsigned long long)pointer);
}

/* What C code does as it leaves with an error: a call, here the first of its function, with an exception set. */
PyObject *clean_up(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  PyErr_SetString(PyExc_ValueError, "what went wrong");
  int version = 0;
  CUresult status = cuDriverGetVersion(&version);
  if (!PyErr_ExceptionMatches(PyExc_ValueError)) return NULL;
  PyErr_Clear();
  return Py_BuildValue("(ii)", (int)status, version);
}
