// SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
// SPDX-License-Identifier: Apache-2.0
//
// A C++ extension module that calls the driver, compiled without a CUDA toolkit and linked with nothing:
//
//   c++ -std=c++17 -shared -fPIC buffer.cpp -o buffer.abi3.so
//     -I "$(python -c 'import cuda.driver_stable as d; print(d.get_include())')"
//     -I "$(python -c 'import sysconfig; print(sysconfig.get_path("include"))')"
//   python -c 'import buffer; buffer.main()'
//
// The source is written as for CUDA 12: `cuCtxCreate` is `cuCtxCreate_v2` in the binary, whatever driver and whatever
// release of cuda-driver-stable it meets.

#define Py_LIMITED_API 0x030B0000
#define CUDA_DRIVER_STABLE_TARGET 12
#include "cuda_driver_stable_api.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

void check(CUresult status, const char *what) {
  if (status == CUDA_SUCCESS) return;
  const char *name = nullptr;
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name) name = "an unknown error";
  throw std::runtime_error(std::string(what) + ": " + name);
}

class Context {
public:
  explicit Context(CUdevice device) { check(cuCtxCreate(&context_, 0, device), "cuCtxCreate"); }
  ~Context() { cuCtxDestroy(context_); }
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

private:
  CUcontext context_ = nullptr;
};

class Buffer {
public:
  explicit Buffer(std::size_t size) : size_(size) { check(cuMemAlloc(&address_, size), "cuMemAlloc"); }
  ~Buffer() { cuMemFree(address_); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  void fill(unsigned char value) { check(cuMemsetD8(address_, value, size_), "cuMemsetD8"); }

  std::vector<unsigned char> content() const {
    std::vector<unsigned char> found(size_);
    check(cuMemcpyDtoH(found.data(), address_, size_), "cuMemcpyDtoH");
    return found;
  }

private:
  CUdeviceptr address_ = 0;
  std::size_t size_;
};

bool works() {
  CUdevice device;
  check(cuInit(0), "cuInit");
  check(cuDeviceGet(&device, 0), "cuDeviceGet");
  Context context(device);
  Buffer buffer(1 << 16);
  buffer.fill(0x5A);
  const std::vector<unsigned char> found = buffer.content();
  return std::all_of(found.begin(), found.end(), [](unsigned char value) { return value == 0x5A; });
}

PyObject *run(PyObject *, PyObject *) {
  try {
    PySys_WriteStdout("%s\n", works() ? "OK" : "FAILED: the memory is not what it was set to");
  } catch (const std::exception &error) {
    // A symbol that the driver lacks has set an exception already, which says more.
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
  Py_RETURN_NONE;
}

PyMethodDef methods[] = {{"main", run, METH_NOARGS, "Fill device memory and read it back."}, {}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "buffer", nullptr, 0, methods, nullptr, nullptr, nullptr, nullptr};

} // namespace

PyMODINIT_FUNC PyInit_buffer() {
  if (import_cuda_driver_stable() < 0) return nullptr;
  return PyModule_Create(&definition);
}
