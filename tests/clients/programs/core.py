# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.core, area by area."""

from __future__ import annotations

import ctypes
import os
import pickle
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from cuda import core  # type: ignore[attr-defined, unused-ignore]

from .areas import Skipped, area, kind_of, main

SIZE = 4096
KERNELS = r"""
template <typename T> __global__ void add(const T *a, const T *b, T *c, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void scale(float *a, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= by;
}
extern "C" __global__ void count(int *n) { atomicAdd(n, 1); }
extern "C" __global__ void bytes(unsigned char *to, signed char a, short b, int c, long long d, double e, bool f) {
  *(signed char *)(to + 0) = a;
  *(short *)(to + 2) = b;
  *(int *)(to + 4) = c;
  *(long long *)(to + 8) = d;
  *(double *)(to + 16) = e;
  *(bool *)(to + 24) = f;
}
extern "C" __device__ int doubled(int x);
"""
NAMES = ("add<float>", "add<double>")
HAS_GPU = "STUB" not in os.environ


def device() -> Any:
    found = core.Device(0)
    found.set_current()
    return found


def options(found: Any, **more: Any) -> Any:
    return core.ProgramOptions(std="c++17", arch=f"sm_{found.arch}", **more)


def compiled(found: Any, target: str = "cubin") -> Any:
    return core.Program(KERNELS, code_type="c++", options=options(found)).compile(target, name_expressions=NAMES)


def pinned(found: Any, count: int, dtype: Any) -> tuple[Any, Any]:
    """Memory that both sides see: a buffer, and it as an array."""
    size = count * np.dtype(dtype).itemsize
    buffer = core.LegacyPinnedMemoryResource().allocate(size, stream=found.default_stream)
    array = np.ctypeslib.as_array(ctypes.cast(int(buffer.handle), ctypes.POINTER(ctypes.c_ubyte)), (size,)).view(dtype)
    array[:] = 0
    return buffer, array


def needs_gpu() -> None:
    if not HAS_GPU:
        raise Skipped("a stub driver runs no kernel")


# -- device


@area
def device_facts() -> object:
    found = device()
    facts = {
        name: _or_error(partial(getattr, found.properties, name))
        for name in dir(found.properties)
        if not name.startswith("_")
    }
    changing = {"clock_rate", "memory_clock_rate"}
    return {
        **{name: _or_error(partial(_text_of, found, name)) for name in ("name", "uuid", "pci_bus_id")},
        "compute capability": tuple(found.compute_capability),
        "arch": found.arch,
        "properties": {name: value for name, value in facts.items() if name not in changing},
        "count": _or_error(lambda: len(core.Device.get_all_devices())),
        "same": core.Device(0) is found or core.Device(0) == found,
        "repr": repr(found),
        "pickled": pickle.loads(pickle.dumps(found)).device_id,
    }


@area
def device_wrong() -> object:
    return core.Device(4711).name


@area
def system_facts() -> object:
    system: Any = core.system
    return {
        "devices": _or_error(system.get_num_devices),
        "driver": _or_error(lambda: str(system.get_user_mode_driver_version())),
    }


@area
def system_nvml() -> object:
    system: Any = core.system
    found = core.Device(0).to_system_device()
    facts = ("name", "uuid", "arch", "brand", "index", "minor_number", "serial", "cuda_compute_capability", "num_cores")
    return {
        "nvml": str(system.get_nvml_version()),
        "kernel driver": str(system.get_kernel_mode_driver_version()),
        **{name: _or_error(partial(_text_of, found, name)) for name in facts},
        "memory": _or_error(lambda: found.memory_info.total),
        "bus": _or_error(lambda: found.pci_info.bus_id),
        "no such device": _or_error(lambda: system.Device(index=99)),
    }


# -- streams and events


@area
def streams() -> object:
    found = device()
    plain, urgent = (
        found.create_stream(),
        found.create_stream(options=core.StreamOptions(nonblocking=False, priority=-1)),
    )
    wrapped = core.Stream.from_handle(int(plain.handle))
    result = {
        "nonblocking": [plain.is_nonblocking, urgent.is_nonblocking],
        "priority": [plain.priority, urgent.priority],
        "protocol": plain.__cuda_stream__() == (0, int(plain.handle)),
        "same": [wrapped == plain, hash(wrapped) == hash(plain), plain == urgent],
        "device": plain.device.device_id,
        "default": int(found.default_stream.handle),
        "handle": type(plain.handle).__name__,
    }
    plain.wait(urgent)
    plain.sync()
    plain.close()
    urgent.close()
    return result


@area
def stream_wrong() -> object:
    return device().create_stream(options=core.StreamOptions(priority=999)).priority


@area
def events() -> object:
    found = device()
    stream = found.create_stream()
    timed = core.EventOptions(**{_timing(): True})
    first, last = stream.record(options=timed), stream.record(options=timed)
    last.sync()
    untimed = stream.record()
    stream.wait(last)
    stream.sync()
    result: dict[str, object] = {
        "done": [first.is_done, last.is_done, untimed.is_done],
        "elapsed": isinstance(last - first, float),
        "handle": type(last.handle).__name__,
        "device": last.device.device_id,
    }
    result["untimed"] = _or_error(lambda: untimed - first)
    return result


def _text_of(found: Any, name: str) -> str:
    return str(getattr(found, name))


def _or_error(function: Callable[[], object]) -> object:
    try:
        return function()
    except Exception as error:
        return kind_of(error)


def _timing() -> str:
    return "timing_enabled" if "timing_enabled" in core.EventOptions.__dataclass_fields__ else "enable_timing"


# -- memory


def _resources() -> dict[str, Any]:
    names = (
        "DeviceMemoryResource",
        "LegacyPinnedMemoryResource",
        "PinnedMemoryResource",
        "ManagedMemoryResource",
        "VirtualMemoryResource",
    )
    return {name: getattr(core, name) for name in names if hasattr(core, name)}


def _memory(name: str) -> object:
    found = device()
    stream = found.create_stream()
    cls = _resources()[name]
    resource = cls(found) if name in ("DeviceMemoryResource", "VirtualMemoryResource") else cls()
    buffer = resource.allocate(SIZE, stream=stream)
    size = buffer.size  # some kinds give whole pages
    if not size:
        raise Skipped("a stub driver does not say how large a page is")
    host, array = pinned(found, size, np.uint8)
    result = {
        "size": size,
        "accessible": [buffer.is_device_accessible, buffer.is_host_accessible],
        "device": _or_error(lambda: buffer.device_id),
        "handle": type(buffer.handle).__name__,
        "fill": _or_error(lambda: buffer.fill(7, stream=stream)),
        "read": _or_error(lambda: buffer.copy_to(host, stream=stream).size),
    }
    stream.sync()
    result["filled"] = [int(array.min()), int(array.max())]
    array[:] = np.arange(size, dtype=np.uint32).astype(np.uint8)
    result["write"] = _or_error(lambda: buffer.copy_from(host, stream=stream))
    stream.sync()
    array_before = array.copy()
    array[:] = 0
    other = buffer.copy_to(stream=stream) if name == "DeviceMemoryResource" else buffer
    result["read again"] = _or_error(lambda: other.copy_to(host, stream=stream).size)
    stream.sync()
    result["copied"] = bool((array == array_before).all())
    buffer.close(stream)
    host.close(stream)
    stream.sync()
    return result


@area
def memory_device() -> object:
    return _memory("DeviceMemoryResource")


@area
def memory_legacy_pinned() -> object:
    return _memory("LegacyPinnedMemoryResource")


@area
def memory_pinned() -> object:
    return _memory("PinnedMemoryResource")


@area
def memory_managed() -> object:
    return _memory("ManagedMemoryResource")


@area
def memory_virtual() -> object:
    return _memory("VirtualMemoryResource")


@area
def memory_pool_attributes() -> object:
    found = device()
    resource = core.DeviceMemoryResource(found, core.DeviceMemoryResourceOptions(max_size=1 << 24))
    attributes = resource.attributes
    stream = found.create_stream()
    before = attributes.used_mem_current
    buffer = resource.allocate(1 << 20, stream=stream)
    used = attributes.used_mem_current
    buffer.close(stream)
    stream.sync()
    reuse = attributes.reuse_allow_opportunistic
    # A stub driver writes no values whose type an attribute decides, so what is read is what was on cuda.core's stack.
    values = {"used": [before, used], "reuse": reuse} if HAS_GPU else {}
    return {**values, "owned": resource.is_handle_owned}


@area
def memory_wrong() -> object:
    found = device()
    return core.DeviceMemoryResource(found).allocate(1 << 60, stream=found.default_stream).size


@area
def memory_views() -> object:
    from cuda.core.utils import StridedMemoryView

    host: Any = np.arange(24, dtype=np.float32).reshape(4, 6)
    view = StridedMemoryView.from_any_interface(host, stream_ptr=-1)
    found = device()
    buffer = core.DeviceMemoryResource(found).allocate(96, stream=found.default_stream)
    of_buffer = StridedMemoryView.from_buffer(buffer, (4, 6), dtype=np.dtype(np.float32))
    return {
        "host": [list(view.shape), str(view.dtype), view.is_device_accessible],
        "device": [list(of_buffer.shape), str(of_buffer.dtype), of_buffer.is_device_accessible],
        "dlpack": buffer.__dlpack_device__()[1],
    }


# -- programs, linkers, launches


@area
def program_compile() -> object:
    found = device()
    ptx, cubin = compiled(found, "ptx"), compiled(found)
    return {
        "ptx": [".version" in ptx.code.decode(), "scale" in ptx.code.decode()],
        "cubin": bytes(cubin.code)[:4],
        "names": sorted(cubin.symbol_mapping or ptx.symbol_mapping),
    }


@area
def program_wrong() -> object:
    found = device()
    return core.Program("this is no C++", code_type="c++", options=options(found)).compile("cubin").code_type


@area
def program_ptx() -> object:
    found = device()
    text = compiled(found, "ptx").code.decode()
    return (
        core.Program(text, code_type="ptx", options=core.ProgramOptions(arch=f"sm_{found.arch}"))
        .compile("cubin")
        .code[:4]
    )


@area
def program_nvvm() -> object:
    """As cuda.core hands NVVM IR to libNVVM."""
    text = (Path(__file__).parent / "empty.ll").read_text()
    program = core.Program(text, code_type="nvvm", options=core.ProgramOptions(arch="sm_90"))
    code = program.compile("ptx").code
    return {"backend": str(program.backend), "entry": b".entry empty" in bytes(code)}


@area
def linker() -> object:
    found = device()
    rdc = options(found, relocatable_device_code=True)
    part = core.Program('extern "C" __device__ int doubled(int x) { return 2 * x; }', code_type="c++", options=rdc)
    user = core.Program(
        'extern "C" __device__ int doubled(int); extern "C" __global__ void use(int *x) { *x = doubled(*x); }',
        code_type="c++",
        options=rdc,
    )
    parts = [user.compile("ptx"), part.compile("ptx")]
    linking = core.Linker(*parts, options=core.LinkerOptions(arch=f"sm_{found.arch}"))
    linked = linking.link("cubin")
    result: dict[str, object] = {"code": bytes(linked.code)[:4], "log": linking.get_error_log()}
    if HAS_GPU:
        host, array = pinned(found, 1, np.int32)
        array[0] = 21
        stream = found.create_stream()
        core.launch(stream, core.LaunchConfig(grid=1, block=1), linked.get_kernel("use"), host)
        stream.sync()
        result["doubled"] = int(array[0])
    return result


@area
def linker_wrong() -> object:
    found = device()
    rdc = options(found, relocatable_device_code=True)
    user = core.Program(
        'extern "C" __device__ int missing(int); extern "C" __global__ void use(int *x) { *x = missing(*x); }',
        code_type="c++",
        options=rdc,
    ).compile("ptx")
    return core.Linker(user, options=core.LinkerOptions(arch=f"sm_{found.arch}")).link("cubin").code_type


@area
def readme_example() -> object:
    """Vector addition, as cuda.core's own documentation begins."""
    found = device()
    stream = found.create_stream()
    kernel = compiled(found).get_kernel("add<float>")
    n = 50000
    (a, xs), (b, ys), (c, zs) = (pinned(found, n, np.float32) for _ in range(3))
    xs[:], ys[:] = np.arange(n), 2 * np.arange(n)
    core.launch(stream, core.LaunchConfig(grid=(n + 255) // 256, block=256), kernel, a, b, c, np.uint64(n))
    stream.sync()
    needs_gpu()
    return {"right": bool((zs == xs + ys).all()), "sum": float(zs.sum())}


@area
def launch_arguments() -> object:
    found = device()
    stream = found.create_stream()
    kernel = compiled(found).get_kernel("bytes")
    to, array = pinned(found, 25, np.uint8)
    values = (np.int8(-3), np.int16(-300), np.int32(-70000), np.int64(-(1 << 40)), np.float64(1.5), np.bool_(True))
    core.launch(stream, core.LaunchConfig(grid=1, block=1), kernel, to, *values)
    stream.sync()
    needs_gpu()
    return array.tobytes()


@area
def launch_wrong() -> object:
    found = device()
    kernel = compiled(found).get_kernel("count")
    core.launch(found.create_stream(), core.LaunchConfig(grid=1, block=(1024, 1024, 1)), kernel, 0)
    needs_gpu()
    return "accepted"


@area
def kernel_facts() -> object:
    kernel = compiled(device()).get_kernel("scale")
    needs_gpu()  # a stub driver has arguments without end
    return {
        "threads": kernel.attributes.max_threads_per_block,
        "registers": kernel.attributes.num_regs,
        "arguments": kernel.num_arguments,
        "offsets": [[info.offset, info.size] for info in kernel.arguments_info],
        "blocks": kernel.occupancy.max_active_blocks_per_multiprocessor(256, 0),
        "potential": list(kernel.occupancy.max_potential_block_size(0, 0)),
        "handle": type(kernel.handle).__name__ if hasattr(kernel, "handle") else type(kernel._handle).__name__,
    }


@area
def kernel_wrong() -> object:
    return compiled(device()).get_kernel("nothing_of_that_name") is not None


# -- graphs


def _graph_builder(owner: Any) -> Any:
    return owner.create_graph_builder()


@area
def graphs_captured() -> object:
    found = device()
    stream = found.create_stream()
    kernel = compiled(found).get_kernel("count")
    host, array = pinned(found, 1, np.int32)
    builder = _graph_builder(stream).begin_building()
    config = core.LaunchConfig(grid=2, block=3)
    core.launch(builder, config, kernel, host)
    needs_gpu()  # a stub driver captures nothing
    left, right = builder.split(2)
    core.launch(left, config, kernel, host)
    core.launch(right, config, kernel, host)
    builder = (
        core.graph.GraphBuilder.join(left, right) if hasattr(core, "graph") else core.GraphBuilder.join(left, right)
    )
    graph = builder.end_building().complete()
    graph.upload(stream)
    for _ in range(5):
        graph.launch(stream)
    stream.sync()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.dot")
        printed = _or_error(lambda: builder.debug_dot_print(str(path)))
        dot = [printed, path.exists() and "digraph" in path.read_text()]
    return {"runs": int(array[0]), "dot": dot}


@area
def graphs_conditional() -> object:
    found = device()
    stream = found.create_stream()
    kernel = compiled(found).get_kernel("count")
    host, array = pinned(found, 1, np.int32)
    needs_gpu()
    builder = _graph_builder(stream).begin_building()
    condition = builder.create_condition(default_value=1)
    body = builder.if_then(condition).begin_building()
    core.launch(body, core.LaunchConfig(grid=1, block=4), kernel, host)
    body.end_building()
    graph = builder.end_building().complete()
    graph.launch(stream)
    stream.sync()
    return int(array[0])


@area
def graphs_built() -> object:
    from cuda.core.graph import GraphDefinition

    found = device()
    stream = found.create_stream()
    kernel = compiled(found).get_kernel("count")
    host, array = pinned(found, 4, np.int32)
    seen: list[int] = []
    graph = GraphDefinition()
    cleared = graph.memset(int(host.handle), 0, 16)
    counted = cleared.launch(core.LaunchConfig(grid=1, block=8), kernel, host)
    counted.callback(lambda: seen.append(int(array[0])))
    alive = graph.allocate(1 << 12)
    alive.deallocate(alive.dptr)
    facts = {"nodes": sorted(str(node.type).split(".")[-1].split(":")[0].strip("<>") for node in graph.nodes())}
    ready = graph.instantiate()
    ready.launch(stream)
    stream.sync()
    needs_gpu()
    return {**facts, "seen": seen, "edges": len(graph.edges())}


@area
def graph_memory() -> object:
    found = device()
    needs_gpu()
    resource = core.GraphMemoryResource(found)
    stream = found.create_stream()
    builder = _graph_builder(stream).begin_building()
    buffer = resource.allocate(SIZE, stream=builder)
    buffer.fill(3, stream=builder)
    buffer.close(builder)
    graph = builder.end_building().complete()
    graph.launch(stream)
    stream.sync()
    return {"reserved": resource.attributes.reserved_mem_current >= 0}


# -- green contexts, IPC, tensor maps, textures


@area
def green_contexts() -> object:
    found = device()
    whole = found.resources.sm
    parts, rest = whole.split(core.SMResourceOptions(count=16))
    green = found.create_context(core.ContextOptions(resources=[parts[0]]))
    stream = green.create_stream()
    kernel = compiled(found).get_kernel("count")
    host, array = pinned(found, 1, np.int32)
    core.launch(stream, core.LaunchConfig(grid=2, block=2), kernel, host)
    stream.sync()
    result = {"whole": whole.sm_count, "part": parts[0].sm_count, "rest": rest.sm_count, "green": green.is_green}
    needs_gpu()
    return {**result, "runs": int(array[0]), "stream": stream.resources.sm.sm_count}


@area
def ipc() -> object:
    import subprocess
    import sys

    found = device()
    stream = found.create_stream()
    resource = core.DeviceMemoryResource(found, core.DeviceMemoryResourceOptions(max_size=1 << 21, ipc_enabled=True))
    buffer = resource.allocate(64, stream=stream)
    buffer.fill(5, stream=stream)
    stream.sync()
    handle = resource.allocation_handle
    number = int(handle.handle)
    os.set_inheritable(number, True)
    command = [sys.executable, str(Path(__file__).with_name("core_ipc_child.py")), str(number)]
    child = subprocess.run(
        command, input=pickle.dumps(buffer.ipc_descriptor), pass_fds=[number], capture_output=True, timeout=120
    )
    if child.returncode:
        raise RuntimeError(f"the child failed: {child.stderr.decode().splitlines()[-1]}")
    host, array = pinned(found, 64, np.uint8)
    buffer.copy_to(host, stream=stream)
    stream.sync()
    return {"child": child.stdout.decode().strip(), "parent": [int(array.min()), int(array.max())]}


@area
def ipc_events() -> object:
    found = device()
    stream = found.create_stream()
    event = stream.record(options=core.EventOptions(ipc_enabled=True))
    return {"ipc": event.is_ipc_enabled, "size": len(pickle.dumps(event.ipc_descriptor)) > 64}


@area
def tensor_maps() -> object:
    from cuda.core.utils import StridedMemoryView

    found = device()
    buffer = core.DeviceMemoryResource(found).allocate(64 * 64 * 4, stream=found.default_stream)
    view = StridedMemoryView.from_buffer(buffer, (64, 64), dtype=np.dtype(np.float32))
    made = view.as_tensor_map(box_dim=(16, 16))
    result = {"repr": repr(made).split(" at 0x")[0], "device": made.device.device_id if made.device else None}
    other = core.DeviceMemoryResource(found).allocate(64 * 64 * 4, stream=found.default_stream)
    made.replace_address(StridedMemoryView.from_buffer(other, (64, 64), dtype=np.dtype(np.float32)))
    return result


@area
def tensor_map_wrong() -> object:
    from cuda.core.utils import StridedMemoryView

    found = device()
    buffer = core.DeviceMemoryResource(found).allocate(64 * 64 * 4, stream=found.default_stream)
    view = StridedMemoryView.from_buffer(buffer, (64, 64), dtype=np.dtype(np.float32))
    return repr(view.as_tensor_map(box_dim=(1000, 16)))


@area
def textures() -> object:
    if not hasattr(core, "texture"):
        raise Skipped("this cuda.core has no textures")
    texture: Any = core.texture
    found = device()
    made = found.create_opaque_array(texture.OpaqueArrayOptions(shape=(32, 16), format="float32", num_channels=1))
    return {"shape": list(made.shape)}


@area
def checkpoint() -> object:
    if not hasattr(core, "checkpoint"):
        raise Skipped("this cuda.core has no checkpoints")
    needs_gpu()
    process = core.checkpoint.Process(os.getpid())
    return str(process.state)


if __name__ == "__main__":
    main()
