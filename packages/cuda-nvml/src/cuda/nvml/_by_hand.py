# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Functions whose arguments belong together in a way that no rule tells."""

from __future__ import annotations

from . import _core
from ._calls import call, check_status, function_of, given, new, plain, text, wrap
from ._errors import of
from ._struct import FORMAT_SIZES, Struct
from ._structs import kind

TYPE_CHECKING = False  # as typing's, which takes longer to import than everything else here
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from typing_extensions import Buffer

    # Fields to ask for: structs of the class FieldValue, or numbers of fields, or pairs of a number and a scope.
    Fields = Iterable[int | tuple[int, int]] | Any

_INSUFFICIENT_SIZE = 7
_PSTATES = 16  # NVML_MAX_GPU_PERF_PSTATES
_PRM_DATA = 496  # NVML_PRM_DATA_MAX_SIZE


def error_string(result: int) -> str:
    """What NVML says of a status."""
    return text(call("nvmlErrorString", plain(result)))


def device_get_field_values(device: int, values: Fields) -> Any:
    """Answer each field that is asked for, in a struct of the class FieldValue; `nvml_return` tells how that went."""
    return _fields("device_get_field_values", "nvmlDeviceGetFieldValues", device, values)


def device_clear_field_values(device: int, values: Fields) -> Any:
    """Reset each field."""
    return _fields("device_clear_field_values", "nvmlDeviceClearFieldValues", device, values)


def _fields(function: str, name: str, device: int, values: Fields) -> Any:
    wanted = kind("FieldValue")
    if isinstance(values, Struct):
        if not isinstance(values, wanted):
            raise TypeError(f"{function}() argument 'values' must be FieldValue, not {type(values).__name__}")
        asked = values
    else:
        rows = list(values)
        asked = wanted(len(rows))
        for struct, row in zip(asked, rows, strict=True):
            struct.field_id, struct.scope_id = row if isinstance(row, tuple) else (row, 0)
    record: Any = _core.lookup("", "nvmlFieldValue_t")
    records = [record(_ptr=struct.ptr) for struct in asked]
    call(name, device, len(records), records)
    for struct, answer in zip(asked, records, strict=True):
        answered = memoryview(answer).cast("B")
        if answered != struct._memory:
            struct._memory[:] = answered
    return asked


def device_get_handle_by_uuidv(type: int, uuid: bytes) -> int:  # noqa: A002  # the header's name
    """The device that has a UUID: as the text with its prefix, or as 16 bytes."""
    if not isinstance(uuid, (bytes, bytearray)):
        raise TypeError(f"device_get_handle_by_uuidv() argument 'uuid' must be bytes, not {uuid.__class__.__name__}")
    asked = new("UUID_v1")
    asked.type = type
    room = asked.value._size
    if len(uuid) > room:
        raise ValueError(f"device_get_handle_by_uuidv() argument 'uuid' has room for {room} bytes, not {len(uuid)}")
    asked.value._memory[: len(uuid)] = uuid
    return int(call("nvmlDeviceGetHandleByUUIDV", asked._record()))


def device_get_supported_performance_states(device: int) -> memoryview:
    """All of them; behind the last comes NVML_PSTATE_UNKNOWN."""
    states = bytearray(_PSTATES * FORMAT_SIZES["I"])
    call("nvmlDeviceGetSupportedPerformanceStates", device, states, len(states))
    return memoryview(states).cast("I")


def device_get_conf_compute_gpu_attestation_report(device: int, nonce: Buffer) -> Any:
    """A report over 32 bytes of the caller's."""
    report = new("ConfComputeGpuAttestationReport")
    if isinstance(nonce, (str, int)):  # bytes(32) would be 32 zeros
        raise TypeError(
            "device_get_conf_compute_gpu_attestation_report() argument 'nonce' must be bytes, not "
            + type(nonce).__name__
        )
    report.nonce = bytes(nonce)
    call("nvmlDeviceGetConfComputeGpuAttestationReport", device, report._record())
    return report


def device_read_prm_counters_v1(device: int, counters: Any) -> None:
    """Fill counters, each of which says which one it is."""
    if not isinstance(counters, kind("PRMCounter_v1")):
        raise TypeError(
            f"device_read_prm_counters_v1() argument 'counters' must be PRMCounter_v1, not {type(counters).__name__}"
        )
    asked = new("PRMCounterList_v1")
    asked.num_counters = len(counters)
    asked.counters = counters.ptr
    call("nvmlDeviceReadPRMCounters_v1", device, asked._record())


def device_read_write_prm_v1(device: int, in_data: bytes) -> tuple[int, bytes]:
    """Write a register, and return the status it gives and its contents."""
    if not isinstance(in_data, (bytes, bytearray)):
        raise TypeError(f"device_read_write_prm_v1() argument 'in_data' must be bytes, not {type(in_data).__name__}")
    if len(in_data) > _PRM_DATA:
        raise ValueError(
            f"device_read_write_prm_v1() argument 'in_data' has room for {_PRM_DATA} bytes, not {len(in_data)}"
        )
    asked = new("PRMTLV_v1")
    asked.data_size = len(in_data)
    asked.in_data = bytes(in_data).ljust(len(asked.in_data), b"\0")
    call("nvmlDeviceReadWritePRM_v1", device, asked._record())
    return asked.status, bytes(asked.out_data[: asked.data_size])


def event_set_get_context_data_v1(set: int, index: int) -> bytes:  # noqa: A002  # the header's name
    """What came with an event."""
    asked = new("EventSetGetContextData_v1")
    asked.index = index
    name = "nvmlEventSetGetContextData_v1"
    (status,) = function_of(name)(set, asked._record())
    if status not in (0, _INSUFFICIENT_SIZE):
        raise of(int(status))
    room = bytearray(asked.data_size)
    if room:
        asked.data_ = _address(room)
        call(name, set, asked._record())
    return bytes(room[: asked.data_size])


def system_event_set_wait(event_set: int, timeout_ms: int, buffer_size: int) -> Any:
    """The events that came, at most `buffer_size` of them."""
    events = kind("SystemEventData_v1")(buffer_size)
    asked = new("SystemEventSetWaitRequest_v1")
    asked.set, asked.timeoutms, asked.data_size = event_set, timeout_ms, buffer_size
    asked.data_ = events.ptr
    call("nvmlSystemEventSetWait", asked._record())
    return events[: asked.num_event]


def vgpu_instance_get_metadata(vgpu_instance: int) -> Any:
    """What `get_vgpu_compatibility` compares, of a vGPU."""
    return _metadata("nvmlVgpuInstanceGetMetadata", "VgpuMetadata", vgpu_instance)


def device_get_vgpu_metadata(device: int) -> Any:
    """What `get_vgpu_compatibility` compares, of a GPU."""
    return _metadata("nvmlDeviceGetVgpuMetadata", "VgpuPgpuMetadata", device)


def _metadata(name: str, struct: str, handle: int) -> Any:
    """The struct, with whatever data lies behind it."""
    wanted = kind(struct)
    size = wanted._size
    room = bytearray(size)
    for _ in range(2):
        status, needed = function_of(name)(handle, room, len(room))
        if status == _INSUFFICIENT_SIZE and needed > len(room):
            room = bytearray(needed)
            continue
        check_status(int(status))
        break
    return wanted._of_memory(memoryview(room)[:size], room)


def get_vgpu_compatibility(vgpu_metadata: Any, pgpu_metadata: Any) -> Any:
    """Whether a vGPU can run on a GPU."""
    vgpu = given("get_vgpu_compatibility", "vgpu_metadata", "VgpuMetadata", vgpu_metadata)
    pgpu = given("get_vgpu_compatibility", "pgpu_metadata", "VgpuPgpuMetadata", pgpu_metadata)
    return wrap("VgpuPgpuCompatibility", call("nvmlGetVgpuCompatibility", vgpu.getPtr(), pgpu.getPtr()))


def _address(memory: bytearray) -> int:
    from ctypes import addressof, c_char

    return addressof(c_char.from_buffer(memory))
