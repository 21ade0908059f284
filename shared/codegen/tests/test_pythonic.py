# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Names and bodies of functions that are written as Python writes them, and rules that fit nothing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from codegen.emit.errors import EmitError
from codegen.emit.pythonic import Layer, modules
from codegen.emit.pythonic_rules import EnumRule, check, load, record_name, snake
from codegen.model.bind import bind
from codegen.model.binding import Binding
from codegen.model.fold import fold

RULES = load("nvml")
ENCODED = 'encoded("device_get_handle_by_serial", "serial", serial)'


@cache
def binding() -> Binding:
    return bind(fold("nvml"))


@cache
def layer() -> Layer:
    return Layer(binding())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("pciDeviceId", "pci_device_id"),
        ("usedGpuMemory", "used_gpu_memory"),
        ("minGpuClockMHz", "min_gpu_clock_m_hz"),
        ("BAR1Memory", "ba_r1memory"),
        ("GetP2PStatus", "get_p2p_status"),
        ("PSUInfo", "psu_info"),
        ("Memory_v2", "memory_v2"),
    ],
)
def test_snake(name: str, expected: str) -> None:
    assert snake(name) == expected


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("nvmlInit_v2", "init_v2"),
        ("nvmlDeviceGetNvLinkState", "device_get_nvlink_state"),
        ("nvmlDeviceGetNvLinkTelemetrySamples_v1", "device_get_nv_link_telemetry_samples_v1"),
        ("nvmlDeviceGetBAR1MemoryInfo", "device_get_bar1_memory_info"),
        ("nvmlDeviceGetHandleByUUIDV", "device_get_handle_by_uuidv"),
        ("nvmlDeviceGetMPSComputeRunningProcesses_v3", "device_get_mps_compute_running_processes_v3"),
    ],
)
def test_names_of_functions(symbol: str, expected: str) -> None:
    assert RULES.function(symbol) == expected


def test_names_of_records() -> None:
    assert record_name("nvmlMemory_v2_t") == "Memory_v2"
    assert record_name("nvmlGpuThermalSettings_t.sensor") == "GpuThermalSettingsSensor"


def test_every_symbol_has_a_function_of_its_own() -> None:
    names = [function.name for function in layer().functions]
    assert len(set(names)) == len(names) == len(binding().functions)


@pytest.mark.parametrize(
    ("symbol", "body"),
    [
        ("nvmlInit_v2", ['call("nvmlInit_v2")']),
        ("nvmlDeviceGetIndex", ['return int(call("nvmlDeviceGetIndex_v1", device))']),
        ("nvmlDeviceGetEccMode", ['return integers(call("nvmlDeviceGetEccMode_v1", device))']),
        ("nvmlDeviceGetName", ['return text(call("nvmlDeviceGetName_v1", device, 96))']),
        (
            "nvmlDeviceGetHandleBySerial",
            [f'return int(call("nvmlDeviceGetHandleBySerial_v1", {ENCODED}))'],
        ),
        (
            "nvmlDeviceGetTemperatureV",
            [
                'temperature = new("Temperature_v1")',
                "temperature.sensor_type = sensorType",
                'call("nvmlDeviceGetTemperatureV_v1", device, temperature._record())',
                "return temperature.temperature",
            ],
        ),
        (
            "nvmlDeviceGetSamples",
            [
                (
                    'out0, out1 = counted("nvmlDeviceGetSamples_v1", 1, '
                    "lambda count: (device, plain(type), last_seen_time_stamp, count,))"
                ),
                'return int(out0), structs("Sample", out1)',
            ],
        ),
        (
            "nvmlDeviceSetClockOffsets",
            [
                (
                    'call("nvmlDeviceSetClockOffsets_v1", device, '
                    'given("device_set_clock_offsets", "info", "ClockOffset_v1", info))'
                )
            ],
        ),
    ],
)
def test_bodies(symbol: str, body: list[str]) -> None:
    (function,) = (f for f in layer().functions if f.symbol == symbol)
    assert list(function.body) == body


def test_codes_of_fields() -> None:
    codes = {
        (record_name(bound.record.name), f.field.name): layer().code(bound, f)
        for bound in binding().records
        for f in bound.fields
    }
    assert codes["PciInfo", "bus"] == "I"
    assert codes["PciInfo", "busId"] == "s32"
    assert codes["GpuFabricInfo_v3", "clusterUuid"] == "16B"
    assert codes["GpuInstanceInfo", "placement"] == "=GpuInstancePlacement"
    assert codes["UnitFanSpeeds", "fans"] == "24=UnitFanInfo"
    assert codes["BridgeChipHierarchy", "bridgeChipInfo"] == "128=BridgeChipInfo@bridge_count"
    assert codes["ActiveVgpuInstanceInfo_v1", "vgpuInstances"] == "*I@vgpu_count"
    assert codes["GetMemoryLimits_v1", "nameSpace"] == "c"
    assert codes["NvlinkTelemetrySample_v1", "samples"] == "Q"


def test_enums_of_the_header_and_of_constants() -> None:
    brand = layer().enum(RULES.enums["BrandType"])
    assert brand["GEFORCE"] == brand["BRAND_GEFORCE"] == 5
    assert layer().enum(RULES.enums["BusType"])["PCIE"] == 2
    assert layer().enum(RULES.enums["EventType"])["PSTATE"] == 4
    assert "PROFILE_CAPS_GFX" not in layer().enum(RULES.enums["ComputeInstanceProfile"])
    assert layer().enum(EnumRule(members={"ONE": "NVML_BUS_TYPE_PCI"})) == {"ONE": 1}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"returns": {"nvmlNoSuchFunction": "x"}}, "there is no nvmlNoSuchFunction"),
        ({"text": {"nvmlDeviceGetNameX": 96}}, "there is no nvmlDeviceGetNameX"),
        ({"counts": {"nvmlPciInfo_t": {"bus": "noSuchField"}}}, "nvmlPciInfo_t has no field noSuchField"),
        ({"counts": {"nvmlNoSuch_t": {"bus": "x"}}}, "nvmlNoSuch_t has no field"),
    ],
)
def test_rules_that_fit_nothing(change: dict[str, object], told: str) -> None:
    with pytest.raises(EmitError, match=told):
        check(replace(RULES, **change), binding().api)  # type: ignore[arg-type]


def test_a_text_whose_length_nobody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    without = {symbol: size for symbol, size in RULES.text.items() if symbol != "nvmlDeviceGetName"}
    monkeypatch.setattr("codegen.emit.pythonic.load", lambda _: replace(RULES, text=without))
    with pytest.raises(EmitError, match="how long may the text of nvmlDeviceGetName be"):
        Layer(binding())


def test_the_same_each_time() -> None:
    assert modules(binding(), binding().api.release) == modules(binding(), binding().api.release)
