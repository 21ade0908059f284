/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * An extension module that calls the driver through the package, in what C11 and C++17 have in common. test_header.py compiles it.
 */
#include "consumer.h"

static PyObject *memory(PyObject *module, PyObject *args) {
  (void)module;
  Py_buffer data;
  if (!PyArg_ParseTuple(args, "y*:memory", &data)) return NULL;
  CUdevice_v1 device = 0;
  CUcontext context = NULL;
  CUdeviceptr_v2 pointer = 0;
  PyObject *copy = PyBytes_FromStringAndSize(NULL, data.len);
  size_t size = (size_t)data.len;
  CUresult failed;
  Py_BEGIN_ALLOW_THREADS
  failed = cuInit(0);
  if (!failed) failed = cuDeviceGet(&device, 0);
  if (!failed) failed = cuCtxCreate_v2(&context, CU_CTX_SCHED_YIELD, device);
  if (!failed) failed = cuMemAlloc_v2(&pointer, size);
  if (!failed) failed = cuMemcpyHtoD_v2(pointer, data.buf, size);
  if (!failed) failed = cuMemcpyDtoH_v2(PyBytes_AsString(copy), pointer, size);
  if (pointer && !failed) failed = cuMemFree_v2(pointer);
  if (context && !failed) failed = cuCtxDestroy_v2(context);
  Py_END_ALLOW_THREADS
  PyBuffer_Release(&data);
  return Py_BuildValue("iN", (int)failed, copy);
}

/* (status, whether an exception was set), the exception taken away. */
static PyObject *outcome(CUresult status) {
  if (!PyErr_Occurred()) return Py_BuildValue("iO", (int)status, Py_None);
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Py_DECREF(type);
  Py_XDECREF(traceback);
  return Py_BuildValue("iN", (int)status, value);
}

/* cuCtxCreate_v4 came with CUDA 12.5. */
static PyObject *create(PyObject *module, PyObject *args) {
  (void)module;
  int with_gil;
  if (!PyArg_ParseTuple(args, "p:create", &with_gil)) return NULL;
  CUcontext context = NULL;
  CUresult status;
  if (with_gil) {
    status = cuCtxCreate_v4(&context, NULL, 0, 0);
  } else {
    Py_BEGIN_ALLOW_THREADS
    status = cuCtxCreate_v4(&context, NULL, 0, 0);
    Py_END_ALLOW_THREADS
  }
  return outcome(status);
}

static void *create_elsewhere(void *status) {
  CUcontext context = NULL;
  *(CUresult *)status = cuCtxCreate_v4(&context, NULL, 0, 0);
  return NULL;
}

/* From a thread that Python knows nothing of. */
static PyObject *create_in_thread(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  pthread_t thread;
  CUresult status = CUDA_SUCCESS;
  if (pthread_create(&thread, NULL, create_elsewhere, &status)) return PyErr_NoMemory();
  Py_BEGIN_ALLOW_THREADS
  pthread_join(thread, NULL);
  Py_END_ALLOW_THREADS
  return outcome(status);
}

#define THREADS 16
static void *ask(void *version) {
  return (void *)(intptr_t)cuDriverGetVersion((int *)version);
}

/* The first call of a function from many threads at once. */
static PyObject *versions(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  pthread_t threads[THREADS];
  int found[THREADS] = {0}, failed = 0;
  Py_BEGIN_ALLOW_THREADS
  for (int i = 0; i < THREADS; i++) failed += pthread_create(&threads[i], NULL, ask, &found[i]) != 0;
  for (int i = 0; i < THREADS && !failed; i++) {
    void *status;
    pthread_join(threads[i], &status);
    failed += status != NULL;
  }
  Py_END_ALLOW_THREADS
  PyObject *list = PyList_New(0);
  for (int i = 0; list && i < THREADS && !failed; i++) {
    PyObject *number = PyLong_FromLong(found[i]);
    if (!number || PyList_Append(list, number) < 0) Py_CLEAR(list);
    Py_XDECREF(number);
  }
  return list;
}

/* A function that a newer header could have, and this package does not know. */
static PyObject *from_the_future(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  cuda_driver_stable_address slot = NULL;
  cuda_driver_stable_address address = cuda_driver_stable_resolve(&slot, 60000, "cuFromTheFuture", 14020);
  return outcome(address || slot ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

static PyMethodDef methods[] = {
    {"memory", memory, METH_VARARGS, NULL},
    {"create", create, METH_VARARGS, NULL},
    {"create_in_thread", create_in_thread, METH_NOARGS, NULL},
    {"versions", versions, METH_NOARGS, NULL},
    {"from_the_future", from_the_future, METH_NOARGS, NULL},
    {"clean_up", clean_up, METH_NOARGS, NULL},
    {"launch", launch, METH_VARARGS, NULL},
    {"launch_extended", launch_extended, METH_VARARGS, NULL},
    {"advise", advise, METH_VARARGS, NULL},
    {"open_handle", open_handle, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "consumer", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_consumer(void) {
#ifndef WITHOUT_IMPORT
  if (import_cuda_driver_stable() < 0) return NULL;
#endif
  return PyModule_Create(&definition);
}
