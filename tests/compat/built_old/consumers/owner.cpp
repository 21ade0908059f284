// SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
// SPDX-License-Identifier: Apache-2.0
//
// A program in C++, with permanent names and classes that own what they create.

#define PY_SSIZE_T_CLEAN
#include "cuda_driver_stable_api.h"

#include <array>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <vector>

namespace {

using Done = std::vector<long>;

// In braces, because what is in them is evaluated from left to right.
void note(Done &done, std::initializer_list<long> values) { done.insert(done.end(), values); }

class Context {
public:
  explicit Context(Done &done) : done_(done) { note(done_, {cuCtxCreate_v4(&context_, nullptr, 0, 0)}); }
  ~Context() { note(done_, {cuCtxDestroy_v2(context_)}); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  operator CUcontext() const { return context_; }

private:
  Done &done_;
  CUcontext context_ = nullptr;
};

class Block {
public:
  Block(Done &done, std::size_t size) : done_(done) { note(done_, {cuMemAlloc_v2(&address_, size)}); }
  ~Block() { note(done_, {cuMemFree_v2(address_)}); }
  Block(const Block &) = delete;
  Block &operator=(const Block &) = delete;
  operator CUdeviceptr_v2() const { return address_; }

private:
  Done &done_;
  CUdeviceptr_v2 address_ = 0;
};

void CUDA_CB called(void *data) { ++*static_cast<int *>(data); }

void contexts(Done &done) {
  note(done, {cuInit(0)});
  CUdevice_v1 device = -1, found = -1;
  note(done, {cuDeviceGet(&device, 0)});
  Context context(done);
  CUcontext current = nullptr;
  note(done, {cuCtxGetCurrent(&current), current == context && current, cuCtxGetDevice_v1(&found)});
  note(done, {found, cuCtxPopCurrent_v2(&current), current == context, cuCtxPushCurrent_v2(context)});
}

void memory(Done &done) {
  note(done, {cuInit(0)});
  Context context(done);
  Block block(done, 256);
  std::array<unsigned char, 256> sent, got;
  std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(0));
  note(done, {cuMemcpyHtoD_v2(block, sent.data(), 256), cuMemsetD8_v2(block + 128, 7, 128)});
  note(done, {cuMemcpyDtoH_v2(got.data(), block, 256), got[127], got[128], got[255]});
  CUDA_MEMCPY3D_v2 copy{};
  copy.srcXInBytes = 1;
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = reinterpret_cast<void *>(2);
  copy.srcPitch = 3;
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = 4;
  copy.dstHeight = 5;
  copy.WidthInBytes = 6;
  copy.Height = 7;
  copy.Depth = 8;
  CUmemLocation_v1 location{};
  location.type = CU_MEM_LOCATION_TYPE_HOST_NUMA;
  location.id = 9;
  note(done, {cuMemcpy3D_v2(&copy), cuMemPrefetchAsync_v2(block, 256, location, 0, reinterpret_cast<CUstream>(9))});
}

void graphs(Done &done) {
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec executable = nullptr;
  std::size_t count = 0;
  CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
  kernel.func = reinterpret_cast<CUfunction>(0x77);
  kernel.gridDimX = 1;
  kernel.gridDimY = 2;
  kernel.gridDimZ = 3;
  kernel.blockDimX = 4;
  kernel.blockDimY = 5;
  kernel.blockDimZ = 6;
  kernel.sharedMemBytes = 7;
  kernel.extra = reinterpret_cast<void **>(8);
  kernel.ctx = reinterpret_cast<CUcontext>(9);
  CUgraphNodeParams host{};
  host.type = CU_GRAPH_NODE_TYPE_HOST;
  host.host.fn = called;
  host.host.userData = reinterpret_cast<void *>(10);
  note(done, {cuGraphCreate(&graph, 0), cuGraphAddKernelNode_v2(&node, graph, nullptr, 0, &kernel)});
  note(done, {cuGraphAddNode_v2(&node, graph, nullptr, nullptr, 0, &host), cuGraphGetNodes(graph, nullptr, &count)});
  note(done, {cuGraphInstantiateWithFlags(&executable, graph, 0), cuGraphLaunch(executable, nullptr)});
  note(done, {cuGraphExecDestroy(executable), cuGraphDestroy(graph)});
}

void launch(Done &done) {
  int number = 11, calls = 0;
  double other = 2.5;
  std::array<void *, 2> parameters{&number, &other};
  const auto function = reinterpret_cast<CUfunction>(0x77);
  const auto stream = reinterpret_cast<CUstream>(8);
  note(done, {cuLaunchKernel(function, 1, 2, 3, 4, 5, 6, 7, stream, parameters.data(), nullptr)});
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_PRIORITY;
  attribute.value.priority = -5;
  CUlaunchConfig config{};
  config.gridDimX = 1;
  config.gridDimY = 2;
  config.gridDimZ = 3;
  config.blockDimX = 4;
  config.blockDimY = 5;
  config.blockDimZ = 6;
  config.sharedMemBytes = 7;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  note(done, {cuLaunchKernelEx(&config, function, parameters.data(), nullptr)});
  CUipcMemHandle_v1 handle;
  std::iota(std::begin(handle.reserved), std::end(handle.reserved), static_cast<char>(0));
  CUdeviceptr_v2 opened = 0;
  note(done, {cuIpcOpenMemHandle_v2(&opened, handle, 1), cuLaunchHostFunc_v1(nullptr, called, &calls)});
  note(done, {calls});
}

#if CUDA_DRIVER_STABLE_RELEASE >= 13000
void since_13_0(Done &done) {
  CUdevice_v1 device = -1;
  note(done, {cuCtxGetDevice_v2(&device, reinterpret_cast<CUcontext>(1))});
}
#endif

template <void (*Function)(Done &)> PyObject *method(PyObject *, PyObject *) {
  Done done;
  Function(done);
  if (PyErr_Occurred()) return nullptr;
  PyObject *list = PyList_New(static_cast<Py_ssize_t>(done.size()));
  for (std::size_t i = 0; list && i < done.size(); i++) PyList_SetItem(list, static_cast<Py_ssize_t>(i), PyLong_FromLong(done[i]));
  return list;
}

PyMethodDef methods[] = {
    {"contexts", method<contexts>, METH_NOARGS, nullptr},
    {"memory", method<memory>, METH_NOARGS, nullptr},
    {"graphs", method<graphs>, METH_NOARGS, nullptr},
    {"launch", method<launch>, METH_NOARGS, nullptr},
#if CUDA_DRIVER_STABLE_RELEASE >= 13000
    {"since_13_0", method<since_13_0>, METH_NOARGS, nullptr},
#endif
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "owner", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_owner() {
  if (import_cuda_driver_stable() < 0) return nullptr;
  return PyModule_Create(&definition);
}
