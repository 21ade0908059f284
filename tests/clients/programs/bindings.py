# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.bindings itself, as programs use it that need no cuda.core."""

from __future__ import annotations

import ctypes
import os
import pickle
from typing import Any

from .areas import Skipped, area, main

HAS_GPU = "STUB" not in os.environ
KERNEL = b'extern "C" __global__ void add(int *x, int by, float f) { *x += by + (int)f; }'


def right(result: tuple[Any, ...]) -> Any:
    """The outputs of a call that has to succeed."""
    status, *outputs = result
    if int(status):
        raise RuntimeError(f"{type(status).__name__}.{status.name}")
    return outputs[0] if len(outputs) == 1 else outputs


def context() -> Any:
    from cuda.bindings import driver

    right(driver.cuInit(0))
    device = right(driver.cuDeviceGet(0))
    retained = right(driver.cuDevicePrimaryCtxRetain(device))
    right(driver.cuCtxSetCurrent(retained))
    return device


@area
def enumerations() -> object:
    from cuda.bindings import driver, runtime

    status = driver.CUresult.CUDA_ERROR_INVALID_VALUE
    return {
        "value": [int(status), status.value, status == 1, status.name],
        "same": [driver.CUresult(1) is status, isinstance(status, int), status in list(driver.CUresult)],
        "pickled": pickle.loads(pickle.dumps(status)) is status,
        "repr": repr(status),
        "attribute": int(driver.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
        "runtime": [
            int(runtime.cudaError_t.cudaErrorMemoryAllocation),
            runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost.name,
        ],
        "flags": int(driver.CUctx_flags.CU_CTX_SCHED_SPIN | driver.CUctx_flags.CU_CTX_MAP_HOST),
    }


@area
def handles() -> object:
    from cuda.bindings import driver, runtime, utils

    stream = driver.CUstream(5)
    return {
        "int": [int(stream), int(driver.CUdeviceptr(7)), int(runtime.cudaStream_t(5)), int(driver.CUdevice(0))],
        "equal": [stream == driver.CUstream(5), stream == driver.CUstream(6), hash(stream) == hash(driver.CUstream(5))],
        "address": ctypes.c_void_p.from_address(stream.getPtr()).value,
        "native": utils.get_cuda_native_handle(stream),
        "sizes": [driver.sizeof(driver.CUuuid), driver.sizeof(driver.CUstream), runtime.sizeof(runtime.cudaExtent)],
    }


@area
def records() -> object:
    from cuda.bindings import driver, runtime

    copy = driver.CUDA_MEMCPY2D()
    copy.srcMemoryType = driver.CUmemorytype.CU_MEMORYTYPE_DEVICE
    copy.srcDevice = driver.CUdeviceptr(64)
    copy.WidthInBytes = 12
    location = driver.CUmemLocation()
    location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    location.id = 3
    access = driver.CUmemAccessDesc()
    access.location = location
    extent = runtime.make_cudaExtent(1, 2, 3)
    return {
        "copy": [int(copy.srcMemoryType), int(copy.srcDevice), copy.WidthInBytes, int(copy.dstDevice)],
        "nested": [access.location.id, access.location.type.name],
        "extent": [extent.width, extent.height, extent.depth],
        "bytes": ctypes.string_at(location.getPtr(), 8),
    }


@area
def driver_memory() -> object:
    from cuda.bindings import driver

    context()
    source, target = bytearray(range(64)), bytearray(64)
    pointer = right(driver.cuMemAlloc(64))
    right(driver.cuMemcpyHtoD(pointer, source, 64))
    right(driver.cuMemcpyDtoH(target, pointer, 64))
    right(driver.cuMemsetD8(pointer, 3, 64))
    cleared = bytearray(64)
    right(driver.cuMemcpyDtoH(cleared, pointer, 64))
    base = right(driver.cuMemGetAddressRange(pointer))
    kind = right(driver.cuPointerGetAttribute(driver.CUpointer_attribute.CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer))
    right(driver.cuMemFree(pointer))
    return {
        "same": target == source,
        "set": set(cleared) == {3},
        "range": [int(base[0]) == int(pointer), base[1]],
        "kind": int(kind) if HAS_GPU else None,
    }


@area
def driver_errors() -> object:
    from cuda.bindings import driver

    context()
    status, *outputs = driver.cuMemAlloc(0)
    found, name = driver.cuGetErrorName(driver.CUresult.CUDA_ERROR_OUT_OF_MEMORY)
    return {
        "failed": [type(status).__name__, status.name, outputs],
        "name": [int(found), name],
        "missing": hasattr(driver, "cuNothing"),
    }


@area
def driver_attributes() -> object:
    from cuda.bindings import driver

    device = context()
    attribute = driver.CUdevice_attribute
    wanted = (attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, attribute.CU_DEVICE_ATTRIBUTE_WARP_SIZE)
    return {
        "values": [right(driver.cuDeviceGetAttribute(item, device)) for item in wanted],
        "name": right(driver.cuDeviceGetName(64, device)).split(b"\x00")[0],
        "uuid": bytes(right(driver.cuDeviceGetUuid(device)).bytes) if HAS_GPU else None,
        "memory": right(driver.cuDeviceTotalMem(device)),
    }


@area
def driver_streams() -> object:
    from cuda.bindings import driver

    context()
    stream = right(
        driver.cuStreamCreate(
            driver.CUstream_flags.CU_STREAM_NON_BLOCKING,
        )
    )
    event = right(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DEFAULT))
    right(driver.cuEventRecord(event, stream))
    right(driver.cuEventSynchronize(event))
    flags = right(driver.cuStreamGetFlags(stream))
    right(driver.cuStreamSynchronize(stream))
    right(driver.cuEventDestroy(event))
    right(driver.cuStreamDestroy(stream))
    return {"flags": int(flags), "types": [type(stream).__name__, type(event).__name__]}


@area
def compile_and_launch() -> object:
    from cuda.bindings import driver, nvrtc

    device = context()
    attribute = driver.CUdevice_attribute
    major = right(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device))
    minor = right(driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    program = right(nvrtc.nvrtcCreateProgram(KERNEL, b"add.cu", 0, [], []))
    options = [b"--gpu-architecture=sm_%d%d" % (major, minor)]
    right(nvrtc.nvrtcCompileProgram(program, 1, options))
    cubin = b" " * right(nvrtc.nvrtcGetCUBINSize(program))
    right(nvrtc.nvrtcGetCUBIN(program, cubin))
    right(nvrtc.nvrtcDestroyProgram(program))
    module = right(driver.cuModuleLoadData(cubin))
    function = right(driver.cuModuleGetFunction(module, b"add"))
    memory = right(driver.cuMemAlloc(4))
    right(driver.cuMemcpyHtoD(memory, (10).to_bytes(4, "little"), 4))
    arguments = ((memory, 5, 2.5), (None, ctypes.c_int, ctypes.c_float))
    right(driver.cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, arguments, 0))
    result = bytearray(4)
    right(driver.cuMemcpyDtoH(result, memory, 4))
    right(driver.cuMemFree(memory))
    right(driver.cuModuleUnload(module))
    return {"cubin": cubin[:4], "sum": int.from_bytes(result, "little") if HAS_GPU else None}


@area
def nvrtc_errors() -> object:
    from cuda.bindings import nvrtc

    program = right(nvrtc.nvrtcCreateProgram(b"no C++", b"a.cu", 0, [], []))
    status = nvrtc.nvrtcCompileProgram(program, 0, [])[0]
    log = b" " * right(nvrtc.nvrtcGetProgramLogSize(program))
    right(nvrtc.nvrtcGetProgramLog(program, log))
    right(nvrtc.nvrtcDestroyProgram(program))
    return {"status": status.name, "log": b"error" in log, "version": right(nvrtc.nvrtcVersion())}


@area
def linking() -> object:
    from cuda.bindings import nvjitlink

    handle = nvjitlink.create(1, ["-arch=sm_90"])
    ptx = b".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry empty() { ret; }\n\0"
    nvjitlink.add_data(handle, nvjitlink.InputType.PTX, ptx, len(ptx), "empty.ptx")
    nvjitlink.complete(handle)
    cubin = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, cubin)
    nvjitlink.destroy(handle)
    return {"cubin": bytes(cubin[:4]), "version": nvjitlink.version()}


@area
def linking_errors() -> object:
    from cuda.bindings import nvjitlink

    handle = nvjitlink.create(1, ["-arch=sm_90"])
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.PTX, b"no PTX\0", 7, "bad.ptx")
        nvjitlink.complete(handle)
    except nvjitlink.nvJitLinkError as error:
        return {"status": int(error.status), "log": nvjitlink.get_error_log_size(handle) > 1}
    finally:
        nvjitlink.destroy(handle)
    return "no error"


@area
def runtime_memory() -> object:
    """Without a device the runtime has nothing: its library asks the driver for more than a stub knows."""
    if not HAS_GPU:
        raise Skipped("a stub driver has nothing for the runtime library")
    from cuda.bindings import runtime

    count = right(runtime.cudaGetDeviceCount())
    pointer = right(runtime.cudaMalloc(64))
    right(runtime.cudaMemset(pointer, 4, 64))
    result = bytearray(64)
    right(runtime.cudaMemcpy(result, pointer, 64, runtime.cudaMemcpyKind.cudaMemcpyDeviceToHost))
    right(runtime.cudaFree(pointer))
    properties = right(runtime.cudaGetDeviceProperties(0))
    stream = right(runtime.cudaStreamCreate())
    right(runtime.cudaStreamSynchronize(stream))
    right(runtime.cudaStreamDestroy(stream))
    return {
        "count": count,
        "set": set(result) == {4},
        "name": properties.name.split(b"\x00")[0],
        "multiprocessors": properties.multiProcessorCount,
        "error": runtime.cudaSetDevice(99)[0].name,
    }


@area
def runtime_of_driver_handles() -> object:
    if not HAS_GPU:
        raise Skipped("a stub driver has nothing for the runtime library")
    from cuda.bindings import driver, runtime

    context()
    stream = right(driver.cuStreamCreate(0))
    right(runtime.cudaStreamSynchronize(stream))
    pointer = right(driver.cuMemAlloc(16))
    right(runtime.cudaMemsetAsync(pointer, 1, 16, stream))
    right(driver.cuStreamSynchronize(stream))
    right(driver.cuMemFree(pointer))
    return "taken"


@area
def nvvm_compile() -> object:
    from cuda.bindings import __version__, nvvm, utils

    if int(__version__.split(".")[0]) < 13:
        return {"version": nvvm.version()}  # the official utils of 12.9 ask nothing of libNVVM
    return {
        "version": nvvm.version(),
        "options": [
            utils.check_nvvm_compiler_options(["-arch=compute_90"]),
            utils.check_nvvm_compiler_options(["-no"]),
        ],
    }


@area
def nvml_devices() -> object:
    from cuda.bindings import nvml

    nvml.init_v2()
    try:
        handle = nvml.device_get_handle_by_index_v2(0)
        memory = nvml.device_get_memory_info_v2(handle)
        return {
            "count": nvml.device_get_count_v2(),
            "name": nvml.device_get_name(handle),
            "uuid": nvml.device_get_uuid(handle),
            "memory": int(memory.total),
            "driver": nvml.system_get_driver_version(),
        }
    finally:
        nvml.shutdown()


@area
def inspected() -> object:
    from cuda.bindings._internal import driver as inner

    found = inner._inspect_function_pointers()
    names = ("__cuInit", "__cuStreamDestroy_v2", "__cuMemAlloc_v2")
    return {name: bool(found[name]) for name in names}


if __name__ == "__main__":
    main()
