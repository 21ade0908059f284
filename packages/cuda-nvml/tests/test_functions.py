# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Functions in snake_case: what they call, and what they make of statuses, structs, texts and lists."""

from __future__ import annotations

import inspect
import struct
from typing import Any

import pytest

from codegen.emit.pythonic import Layer
from codegen.model.bind import bind
from codegen.model.fold import fold
from cuda import nvml
from support.stub import Stub

INSUFFICIENT_SIZE = 7
LAYER = Layer(bind(fold("nvml")))
WRITTEN = {function.name: function for function in LAYER.functions}
SYMBOLS = {f.function.symbol: f for f in LAYER.binding.functions}


def u32(*values: int) -> bytes:
    return struct.pack(f"={len(values)}I", *values)


def values_for(name: str) -> list[Any]:
    """An argument of each parameter's type, all of them different."""
    found: list[Any] = []
    for i, (_, type_) in enumerate(WRITTEN[name].inputs):
        if type_ == "int":
            found.append(3 + i)
        elif type_ in ("str | bytes", "str"):
            found.append("text")
        else:
            found.append(getattr(nvml, type_.removesuffix(" | int"))())
    return found


RULED = [name for name, function in WRITTEN.items() if function.body]


@pytest.mark.parametrize("name", RULED)
def test_each_function_calls_its_symbol(stub: Stub, name: str) -> None:
    """Numbers go through as they are, to the parameter of that name."""
    function = WRITTEN[name]
    bound = SYMBOLS[function.symbol]
    arguments = values_for(name)
    getattr(nvml, name)(*arguments)
    calls = [call for call in stub.calls() if call.symbol == function.symbol]
    assert calls
    by_name = {LAYER.rules.function(f"nvml{p.name[0].upper()}{p.name[1:]}"): i for i, p in enumerate(bound.parameters)}
    sent = 0
    for (parameter, type_), value in zip(function.inputs, arguments, strict=True):
        i = by_name.get(parameter)
        if type_ == "int" and i is not None and not bound.parameters[i].ctype.depth:
            assert int.from_bytes(calls[0].arguments[i], "little") == value, parameter
            sent += 1
    in_structs = LAYER.rules.fields.get(function.symbol, {})
    numbers = [p for p, type_ in function.inputs if type_ == "int"]
    by_address = [p for p in bound.parameters if p.kind == "inout" and "Set" in function.symbol]
    assert sent + len(in_structs) + len(by_address) >= len(numbers)


@pytest.mark.parametrize("name", RULED)
def test_each_function_raises_what_fails(stub: Stub, name: str) -> None:
    stub.returns(WRITTEN[name].symbol, 15)
    with pytest.raises(nvml.GpuIsLostError) as caught:
        getattr(nvml, name)(*values_for(name))
    assert caught.value.status == nvml.Return.ERROR_GPU_IS_LOST


@pytest.mark.parametrize("name", list(WRITTEN))
def test_each_function_tells_its_parameters(name: str) -> None:
    assert list(inspect.signature(getattr(nvml, name)).parameters) == [
        parameter for parameter, _ in WRITTEN[name].inputs
    ]


@pytest.mark.parametrize("name", RULED)
def test_each_function_refuses_what_is_no_number(stub: Stub, name: str) -> None:
    arguments = values_for(name)
    for i, (parameter, type_) in enumerate(WRITTEN[name].inputs):
        wrong = [*arguments[:i], object(), *arguments[i + 1 :]]
        with pytest.raises(TypeError):
            getattr(nvml, name)(*wrong)
        assert stub.count(WRITTEN[name].symbol) == 0, (parameter, type_)


def test_an_output_is_an_int(stub: Stub) -> None:
    stub.returns("nvmlDeviceGetCount_v2")
    stub.writes("nvmlDeviceGetCount_v2", (0, 0, 0), u32(8))
    assert nvml.device_get_count_v2() == 8
    stub.returns("nvmlDeviceGetHandleByIndex_v2")
    stub.writes("nvmlDeviceGetHandleByIndex_v2", (1, 0, 0), (0x1234).to_bytes(8, "little"))
    handle = nvml.device_get_handle_by_index_v2(0)
    assert (type(handle), handle) == (int, 0x1234)


def test_several_outputs_are_a_tuple(stub: Stub) -> None:
    stub.returns("nvmlDeviceGetEccMode")
    stub.writes("nvmlDeviceGetEccMode", (1, 0, 0), u32(1))
    stub.writes("nvmlDeviceGetEccMode", (2, 0, 0), u32(0))
    assert nvml.device_get_ecc_mode(5) == (1, 0)


def test_a_text_ends_at_its_nul(stub: Stub) -> None:
    stub.returns("nvmlDeviceGetName")
    stub.writes("nvmlDeviceGetName", (1, 0, 0), "GPU µ\0rest".encode())
    assert nvml.device_get_name(5) == "GPU µ"
    assert stub.call().arguments[2] == u32(96)


def test_a_struct_with_a_version_tells_it(stub: Stub) -> None:
    stub.returns("nvmlDeviceGetMemoryInfo_v2")
    stub.captures("nvmlDeviceGetMemoryInfo_v2", (1, 0, 0), 40)
    stub.writes("nvmlDeviceGetMemoryInfo_v2", (1, 0, 8), struct.pack("=4Q", 100, 1, 60, 39))
    info = nvml.device_get_memory_info_v2(5)
    sent = stub.call().captured[0]
    assert sent is not None
    assert sent[:4] == u32(nvml.nvmlMemory_v2)
    assert (info.total, info.reserved, info.free, info.used) == (100, 1, 60, 39)


def test_parameters_that_are_fields_of_a_struct(stub: Stub) -> None:
    stub.returns("nvmlDeviceGetTemperatureV")
    stub.captures("nvmlDeviceGetTemperatureV", (1, 0, 0), 12)
    stub.writes("nvmlDeviceGetTemperatureV", (1, 0, 8), struct.pack("=i", -7))
    assert nvml.device_get_temperature_v(5, nvml.TemperatureSensors.GPU) == -7
    assert stub.call().captured[0] == u32(nvml.nvmlTemperature_v1, 0) + stub_bytes(stub, 8)


def stub_bytes(stub: Stub, start: int) -> bytes:
    captured = stub.call().captured[0]
    assert captured is not None
    return captured[start:]


def test_a_list_is_counted_and_then_fetched(stub: Stub) -> None:
    """The stub says the same count both times, so the second call has the room."""
    name = "nvmlDeviceGetAccountingPids"
    stub.returns(name, INSUFFICIENT_SIZE)
    stub.writes(name, (1, 0, 0), u32(3))
    with pytest.raises(nvml.InsufficientSizeError):
        nvml.device_get_accounting_pids(5)
    assert stub.count(name) > 2  # it may be that the list grows: it tries again, but not for ever
    stub.reset()
    stub.returns(name)
    stub.writes(name, (1, 0, 0), u32(3))
    stub.writes(name, (2, 0, 0), u32(10, 20, 30))
    pids = nvml.device_get_accounting_pids(5)
    assert list(pids) == [10, 20, 30]
    assert stub.count(name) == 2


def test_a_list_of_structs_is_one_object(stub: Stub) -> None:
    name = "nvmlDeviceGetComputeRunningProcesses_v3"
    stub.returns(name)
    stub.writes(name, (1, 0, 0), u32(2))
    rows = [(11, 1 << 33, 7, 8), (12, 5, 9, 10)]
    stub.writes(name, (2, 0, 0), b"".join(struct.pack("=I4xQII", *row) for row in rows))
    found: Any = nvml.device_get_compute_running_processes_v3(5)
    assert len(found) == 2
    assert [(p.pid, p.used_gpu_memory, p.gpu_instance_id, p.compute_instance_id) for p in found] == rows
    assert list(found.pid) == [11, 12]


def test_no_list_is_an_empty_one(stub: Stub) -> None:
    assert len(nvml.device_get_accounting_pids(5)) == 0
    assert len(nvml.device_get_compute_running_processes_v3(5)) == 0
    assert stub.count("nvmlDeviceGetAccountingPids") == 1


def test_a_list_inside_a_struct(stub: Stub) -> None:
    name = "nvmlGpuInstanceGetActiveVgpus"
    stub.returns(name)
    stub.writes(name, (1, 0, 4), u32(3))
    found = nvml.gpu_instance_get_active_vgpus(5)
    assert stub.count(name) == 2
    assert found.version == nvml.nvmlActiveVgpuInstanceInfo_v1
    assert list(found.vgpu_instances) == [0, 0, 0]


def test_field_values(stub: Stub) -> None:
    name = "nvmlDeviceGetFieldValues"
    stub.returns(name)
    stub.captures(name, (2, 0, 0), 80)
    stub.writes(name, (2, 0, 40 + 32), struct.pack("=d", 2.5))
    asked = [nvml.FieldId.DEV_POWER_INSTANT, (nvml.FieldId.DEV_NVLINK_GET_SPEED, 4)]
    found = nvml.device_get_field_values(5, asked)
    sent = stub.call().captured[0]
    assert sent is not None
    assert sent[:8] == u32(nvml.FieldId.DEV_POWER_INSTANT, 0)
    assert sent[40:48] == u32(nvml.FieldId.DEV_NVLINK_GET_SPEED, 4)
    assert found[1].value.d_val[0] == 2.5
    again: Any = nvml.FieldValue(2)
    again.field_id = [1, 2]
    assert nvml.device_get_field_values(5, again) is again
    assert again[1].value.d_val[0] == 2.5


def test_metadata_with_data_behind_it(stub: Stub) -> None:
    """Once with the room of the struct, then with what NVML says that it needs."""
    name = "nvmlDeviceGetVgpuMetadata"
    size = nvml._core.sizeof(nvml.nvmlVgpuPgpuMetadata_t)
    stub.returns(name, INSUFFICIENT_SIZE)
    stub.writes(name, (2, 0, 0), u32(size + 100))
    with pytest.raises(nvml.InsufficientSizeError):
        nvml.device_get_vgpu_metadata(5)
    stub.reset()
    stub.returns(name)
    stub.writes(name, (1, 0, 0), u32(77))
    found = nvml.device_get_vgpu_metadata(5)
    assert found.version == 77


def test_a_uuid_as_bytes(stub: Stub) -> None:
    name = "nvmlDeviceGetHandleByUUIDV"
    stub.captures(name, (0, 0, 0), 52)
    uuid = b"GPU-" + b"0" * 36
    nvml.device_get_handle_by_uuidv(nvml.UUIDType.ASCII, uuid)
    sent = stub.call().captured[0]
    assert sent is not None
    assert sent[:8] == u32(nvml.nvmlUUID_v1, nvml.UUIDType.ASCII)
    assert sent[8:48] == uuid
    text: Any = uuid.decode()
    with pytest.raises(TypeError, match="'uuid' must be bytes, not str"):
        nvml.device_get_handle_by_uuidv(nvml.UUIDType.ASCII, text)
    with pytest.raises(ValueError, match="room for 41 bytes, not 42"):
        nvml.device_get_handle_by_uuidv(nvml.UUIDType.ASCII, b"x" * 42)


def test_names_are_str_or_bytes(stub: Stub) -> None:
    name = "nvmlDeviceGetHandleBySerial"
    for serial in ("0123", b"0123"):
        stub.reset()
        stub.captures(name, (0, 0, 0), 5)
        nvml.device_get_handle_by_serial(serial)
        assert stub.call().captured[0] == b"0123\0"
    number: Any = 123
    with pytest.raises(TypeError, match="'serial' must be str or bytes, not int"):
        nvml.device_get_handle_by_serial(number)


def test_a_number_that_does_not_fit(stub: Stub) -> None:
    with pytest.raises(OverflowError, match="index"):
        nvml.device_get_handle_by_index_v2(-1)
    with pytest.raises(OverflowError, match="index"):
        nvml.device_get_handle_by_index_v2(1 << 32)
    assert stub.count() == 0


def test_a_struct_that_is_given(stub: Stub) -> None:
    name = "nvmlDeviceSetClockOffsets"
    stub.captures(name, (1, 0, 0), 24)
    info = nvml.ClockOffset_v1()
    info.clock_offset_m_hz = -30
    nvml.device_set_clock_offsets(5, info)
    sent = stub.call().captured[0]
    assert sent is not None
    assert sent[:4] == u32(nvml.nvmlClockOffset_v1)
    assert sent == bytes(info)
    nvml.device_set_clock_offsets(5, info.ptr)
    assert stub.call().captured[0] == sent
    info.version = 99  # NVML judges it
    nvml.device_set_clock_offsets(5, info)
    seen = stub.call().captured[0]
    assert seen is not None
    assert seen[:4] == u32(99)
    other: Any = nvml.PciInfo()
    with pytest.raises(TypeError, match=r"device_set_clock_offsets\(\) argument 'info' must be ClockOffset_v1, "):
        nvml.device_set_clock_offsets(5, other)
    with pytest.raises(ValueError, match="must be one ClockOffset_v1, not 2"):
        nvml.device_set_clock_offsets(5, nvml.ClockOffset_v1(2))


def test_a_report_is_over_the_nonce_of_the_caller(stub: Stub) -> None:
    symbol = "nvmlDeviceGetConfComputeGpuAttestationReport"
    stub.returns(symbol)
    record = nvml.nvmlConfComputeGpuAttestationReport_t(nonce=bytes(range(32)))
    content = bytes(memoryview(record))
    sent = stub.captures(symbol, (1, 0, 0), len(content))
    report = nvml.device_get_conf_compute_gpu_attestation_report(5, bytes(range(32)))
    assert stub.call().captured[sent] == content
    assert bytes(report.nonce) == bytes(range(32))
    assert nvml.nvmlDeviceGetConfComputeGpuAttestationReport(5, record) == (0,)
    assert stub.call().captured[sent] == content
    for wrong in ("text", 32):
        with pytest.raises(TypeError, match="'nonce' must be bytes, not"):
            nvml.device_get_conf_compute_gpu_attestation_report(5, wrong)  # type: ignore[arg-type]
