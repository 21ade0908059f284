/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program in C, for the CUDA major that CUDA_DRIVER_STABLE_TARGET says. Each function returns a list: what its calls returned, and what they
 * wrote. */
#define PY_SSIZE_T_CLEAN
#include "cuda_driver_stable_api.h"

#include <string.h>

enum { MOST = 16 };

struct done {
  long values[MOST];
  int count;
};

static void note(struct done *done, long value) {
  if (done->count < MOST) done->values[done->count++] = value;
}

static PyObject *finish(const struct done *done) {
  if (PyErr_Occurred()) return NULL;
  PyObject *list = PyList_New(done->count);
  for (int i = 0; list && i < done->count; i++) PyList_SetItem(list, i, PyLong_FromLong(done->values[i]));
  return list;
}

static CUresult create(CUcontext *context) {
#if CUDA_DRIVER_STABLE_TARGET < 13
  return cuCtxCreate(context, 0, 0);
#else
  return cuCtxCreate(context, NULL, 0, 0);
#endif
}

static PyObject *contexts(PyObject *module, PyObject *unused) {
  struct done done = {{0}, 0};
  CUcontext context = NULL, current = NULL;
  CUdevice device = -1, found = -1;
  note(&done, cuInit(0));
  note(&done, cuDeviceGet(&device, 0));
  note(&done, create(&context));
  note(&done, cuCtxGetCurrent(&current));
  note(&done, current == context && context);
  note(&done, cuCtxGetDevice(&found));
  note(&done, found);
  note(&done, cuCtxPopCurrent(&current));
  note(&done, current == context);
  note(&done, cuCtxPushCurrent(context));
  note(&done, cuCtxDestroy(context));
  return finish(&done);
}

static PyObject *memory(PyObject *module, PyObject *unused) {
  struct done done = {{0}, 0};
  CUcontext context = NULL;
  CUdeviceptr block = 0;
  unsigned char sent[256], got[256];
  for (int i = 0; i < 256; i++) sent[i] = (unsigned char)i;
  note(&done, cuInit(0));
  note(&done, create(&context));
  note(&done, cuMemAlloc(&block, 256));
  note(&done, cuMemcpyHtoD(block, sent, 256));
  note(&done, cuMemsetD8(block + 128, 7, 128));
  note(&done, cuMemcpyDtoH(got, block, 256));
  note(&done, got[127]);
  note(&done, got[128]);
  note(&done, got[255]);
  CUDA_MEMCPY3D copy;
  memset(&copy, 0, sizeof copy);
  copy.srcXInBytes = 1;
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = (void *)2;
  copy.srcPitch = 3;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = 4;
  copy.dstHeight = 5;
  copy.WidthInBytes = 6;
  copy.Height = 7;
  copy.Depth = 8;
  note(&done, cuMemcpy3D(&copy));
#if CUDA_DRIVER_STABLE_TARGET < 13
  note(&done, cuMemPrefetchAsync(block, 256, 0, (CUstream)9));
#else
  CUmemLocation location;
  location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
  location.id = 9;
  note(&done, cuMemPrefetchAsync(block, 256, location, 0, (CUstream)9));
#endif
  note(&done, cuMemFree(block));
  note(&done, cuCtxDestroy(context));
  return finish(&done);
}

static void CUDA_CB called(void *data) { ++*(int *)data; }

static PyObject *graphs(PyObject *module, PyObject *unused) {
  struct done done = {{0}, 0};
  CUgraph graph = NULL;
  CUgraphNode node = NULL;
  CUgraphExec executable = NULL;
  CUDA_KERNEL_NODE_PARAMS kernel;
  size_t count = 0;
  memset(&kernel, 0, sizeof kernel);
  kernel.func = (CUfunction)0x77;
  kernel.gridDimX = 1;
  kernel.gridDimY = 2;
  kernel.gridDimZ = 3;
  kernel.blockDimX = 4;
  kernel.blockDimY = 5;
  kernel.blockDimZ = 6;
  kernel.sharedMemBytes = 7;
  kernel.extra = (void **)8;
  kernel.ctx = (CUcontext)9;
  note(&done, cuGraphCreate(&graph, 0));
  note(&done, cuGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
#if CUDA_DRIVER_STABLE_TARGET >= 13
  CUgraphNodeParams host;
  memset(&host, 0, sizeof host);
  host.type = CU_GRAPH_NODE_TYPE_HOST;
  host.host.fn = called;
  host.host.userData = (void *)10;
  note(&done, cuGraphAddNode(&node, graph, NULL, NULL, 0, &host));
#endif
  note(&done, cuGraphGetNodes(graph, NULL, &count));
  note(&done, cuGraphInstantiate(&executable, graph, 0));
  CUresult launched;
  Py_BEGIN_ALLOW_THREADS launched = cuGraphLaunch(executable, NULL);
  Py_END_ALLOW_THREADS note(&done, launched);
  note(&done, cuGraphExecDestroy(executable));
  note(&done, cuGraphDestroy(graph));
  return finish(&done);
}

static PyObject *launch(PyObject *module, PyObject *unused) {
  struct done done = {{0}, 0};
  int number = 11, calls = 0;
  double other = 2.5;
  void *parameters[] = {&number, &other};
  CUresult status;
  Py_BEGIN_ALLOW_THREADS status = cuLaunchKernel((CUfunction)0x77, 1, 2, 3, 4, 5, 6, 7, (CUstream)8, parameters, NULL);
  Py_END_ALLOW_THREADS note(&done, status);
  CUlaunchAttribute attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attribute.value.priority = -5;
  CUlaunchConfig config;
  memset(&config, 0, sizeof config);
  config.gridDimX = 1;
  config.gridDimY = 2;
  config.gridDimZ = 3;
  config.blockDimX = 4;
  config.blockDimY = 5;
  config.blockDimZ = 6;
  config.sharedMemBytes = 7;
  config.hStream = (CUstream)8;
  config.attrs = &attribute;
  config.numAttrs = 1;
  note(&done, cuLaunchKernelEx(&config, (CUfunction)0x77, parameters, NULL));
  CUipcMemHandle handle;
  for (int i = 0; i < 64; i++) handle.reserved[i] = (char)i;
  CUdeviceptr opened = 0;
  note(&done, cuIpcOpenMemHandle(&opened, handle, 1));
  note(&done, cuLaunchHostFunc(NULL, called, &calls));
  note(&done, calls);
  return finish(&done);
}

static PyMethodDef methods[] = {
    {"contexts", contexts, METH_NOARGS, NULL},
    {"memory", memory, METH_NOARGS, NULL},
    {"graphs", graphs, METH_NOARGS, NULL},
    {"launch", launch, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "consumer", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_consumer(void) {
  if (import_cuda_driver_stable() < 0) return NULL;
  return PyModule_Create(&definition);
}
