# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""cuda.nvml on a real GPU: what it answers against what nvidia-smi and nvidia-ml-py answer to the same questions."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

nvml = pytest.importorskip("cuda.nvml")

MIB = 1 << 20


@pytest.fixture(scope="module", autouse=True)
def _initialised() -> Iterator[None]:
    try:
        nvml.init_v2()
    except nvml.NvmlError as error:
        pytest.skip(f"no NVML: {error}")
    yield
    nvml.shutdown()


@pytest.fixture(scope="module")
def handle(_initialised: None) -> int:
    return int(nvml.device_get_handle_by_index_v2(0))


def smi(*fields: str) -> dict[str, str]:
    """The first GPU's row of `nvidia-smi --query-gpu`."""
    program = shutil.which("nvidia-smi")
    if program is None:
        pytest.skip("there is no nvidia-smi here")
    command = [program, f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits", "--id=0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    (row,) = csv.reader(done.stdout.splitlines(), skipinitialspace=True)
    return dict(zip(fields, row, strict=True))


# A field of nvidia-smi, and how cuda.nvml answers it: what stays the same from one moment to the next.
SAME: dict[str, Callable[[int], object]] = {
    "name": lambda h: nvml.device_get_name(h),
    "uuid": lambda h: nvml.device_get_uuid(h),
    "serial": lambda h: nvml.device_get_serial(h),
    "vbios_version": lambda h: nvml.device_get_vbios_version(h),
    "driver_version": lambda h: nvml.system_get_driver_version(),
    "index": lambda h: nvml.device_get_index(h),
    "pci.bus_id": lambda h: nvml.device_get_pci_info_v3(h).bus_id,
    "pci.domain": lambda h: f"0x{nvml.device_get_pci_info_v3(h).domain:04X}",
    "pci.bus": lambda h: f"0x{nvml.device_get_pci_info_v3(h).bus:02X}",
    "pci.device_id": lambda h: f"0x{nvml.device_get_pci_info_v3(h).pci_device_id:08X}",
    "pci.sub_device_id": lambda h: f"0x{nvml.device_get_pci_info_v3(h).pci_sub_system_id:08X}",
    "compute_cap": lambda h: ".".join(map(str, nvml.device_get_cuda_compute_capability(h))),
    "memory.total": lambda h: nvml.device_get_memory_info_v2(h).total // MIB,
    "power.limit": lambda h: f"{nvml.device_get_enforced_power_limit(h) / 1000:.2f}",
    "power.default_limit": lambda h: f"{nvml.device_get_power_management_default_limit(h) / 1000:.2f}",
    "power.min_limit": lambda h: f"{nvml.device_get_power_management_limit_constraints(h)[0] / 1000:.2f}",
    "power.max_limit": lambda h: f"{nvml.device_get_power_management_limit_constraints(h)[1] / 1000:.2f}",
    "clocks.max.sm": lambda h: nvml.device_get_max_clock_info(h, nvml.ClockType.SM),
    "clocks.max.memory": lambda h: nvml.device_get_max_clock_info(h, nvml.ClockType.MEM),
    "pcie.link.gen.max": lambda h: nvml.device_get_max_pcie_link_generation(h),
    "pcie.link.width.max": lambda h: nvml.device_get_max_pcie_link_width(h),
    "ecc.mode.current": lambda h: ("Disabled", "Enabled")[nvml.device_get_ecc_mode(h)[0]],
    "mig.mode.current": lambda h: ("Disabled", "Enabled")[nvml.device_get_mig_mode(h)[0]],
    "persistence_mode": lambda h: ("Disabled", "Enabled")[nvml.device_get_persistence_mode(h)],
    "compute_mode": lambda h: {0: "Default", 2: "Prohibited", 3: "Exclusive_Process"}[nvml.device_get_compute_mode(h)],
}


@pytest.mark.parametrize("field", SAME)
def test_what_nvidia_smi_says(handle: int, field: str) -> None:
    told = smi(field)[field]
    if told.startswith("["):  # [N/A], [Not Supported]
        with pytest.raises(nvml.NvmlError):
            SAME[field](handle)
        return
    assert str(SAME[field](handle)) == told


def test_what_changes_is_near_to_what_nvidia_smi_says(handle: int) -> None:
    """Each is asked before and after, and lies between or close by."""
    asks: dict[str, tuple[Callable[[], float], float]] = {
        "temperature.gpu": (lambda: nvml.device_get_temperature_v(handle, nvml.TemperatureSensors.GPU), 3),
        "power.draw": (lambda: nvml.device_get_power_usage(handle) / 1000, 60),
        "memory.used": (lambda: nvml.device_get_memory_info_v2(handle).used / MIB, 1024),
        "memory.free": (lambda: nvml.device_get_memory_info_v2(handle).free / MIB, 1024),
        "clocks.current.memory": (lambda: nvml.device_get_clock_info(handle, nvml.ClockType.MEM), 100),
        "utilization.gpu": (lambda: nvml.device_get_utilization_rates(handle).gpu, 100),
    }
    before = {field: ask() for field, (ask, _) in asks.items()}
    told = smi(*asks)
    for field, (ask, slack) in asks.items():
        low, high = sorted((before[field], ask()))
        assert low - slack <= float(told[field]) <= high + slack, field


def test_every_device_is_found_by_each_of_its_names() -> None:
    for index in range(nvml.device_get_count_v2()):
        handle = nvml.device_get_handle_by_index_v2(index)
        uuid = nvml.device_get_uuid(handle)
        assert nvml.device_get_handle_by_uuid(uuid) == handle
        assert nvml.device_get_handle_by_uuid(uuid.encode()) == handle
        assert nvml.device_get_handle_by_pci_bus_id_v2(nvml.device_get_pci_info_v3(handle).bus_id) == handle
        assert nvml.device_get_index(handle) == index


def test_a_device_index_that_is_out_of_range() -> None:
    with pytest.raises(nvml.InvalidArgumentError) as caught:
        nvml.device_get_handle_by_index_v2(nvml.device_get_count_v2())
    assert caught.value.status == nvml.Return.ERROR_INVALID_ARGUMENT
    status, handle = nvml.nvmlDeviceGetHandleByIndex_v2(nvml.device_get_count_v2())
    assert (status, handle) == (nvml.NVML_ERROR_INVALID_ARGUMENT, None)


def test_a_struct_version_that_the_driver_does_not_know(handle: int) -> None:
    record = nvml.nvmlMemory_v2_t(version=nvml.nvmlMemory_v2 + (90 << 24))
    (status,) = nvml.nvmlDeviceGetMemoryInfo_v2(handle, record)
    # A driver 580 takes the version for that of a function that it has not got.
    refusals = ("ARGUMENT_VERSION_MISMATCH", "FUNCTION_NOT_FOUND", "INVALID_ARGUMENT")
    assert status in [nvml.Return[f"ERROR_{refusal}"] for refusal in refusals]


def test_permanent_names_answer_as_the_others(handle: int) -> None:
    status, name = nvml.nvmlDeviceGetName(handle, 96)
    assert status == nvml.NVML_SUCCESS
    assert name.partition(b"\0")[0].decode() == nvml.device_get_name(handle)
    memory = nvml.nvmlMemory_v2_t(version=nvml.nvmlMemory_v2)
    assert nvml.nvmlDeviceGetMemoryInfo_v2(handle, memory) == (nvml.NVML_SUCCESS,)
    assert memory.total == nvml.device_get_memory_info_v2(handle).total
    status, count = nvml.cu13.nvmlDeviceGetCount()
    assert (status, count) == (nvml.NVML_SUCCESS, nvml.device_get_count_v2())


def test_this_process_is_listed_while_it_uses_the_gpu(handle: int, context: Any) -> None:
    found = nvml.device_get_compute_running_processes_v3(handle)
    if os.getpid() not in [row.pid for row in found]:
        pytest.skip("processes have other numbers outside this container, or are hidden")
    (own,) = (row for row in found if row.pid == os.getpid())
    assert own.used_gpu_memory > 0


def test_field_values_are_what_functions_say(handle: int) -> None:
    fields = [nvml.FieldId.DEV_POWER_CURRENT_LIMIT, nvml.FieldId.DEV_TOTAL_ENERGY_CONSUMPTION, 0xFFFF]
    before = nvml.device_get_total_energy_consumption(handle)
    limit, energy, unknown = nvml.device_get_field_values(handle, fields)
    after = nvml.device_get_total_energy_consumption(handle)
    assert unknown.nvml_return != nvml.Return.SUCCESS
    if limit.nvml_return == nvml.Return.SUCCESS:
        assert limit.value.ui_val[0] == nvml.device_get_power_management_limit(handle)
    assert energy.nvml_return == nvml.Return.SUCCESS
    assert before <= energy.value.ull_val[0] <= after


def test_lists(handle: int) -> None:
    memory_clocks = list(nvml.device_get_supported_memory_clocks(handle))
    assert memory_clocks
    assert nvml.device_get_max_clock_info(handle, nvml.ClockType.MEM) in memory_clocks
    assert max(nvml.device_get_supported_graphics_clocks(handle, memory_clocks[0])) > 0
    assert nvml.device_get_performance_state(handle) in list(nvml.device_get_supported_performance_states(handle))
    words = (os.cpu_count() or 1) // 64 + 1
    assert any(nvml.device_get_cpu_affinity(handle, words))


def test_events_time_out(handle: int) -> None:
    events = nvml.event_set_create()
    try:
        nvml.device_register_events(handle, nvml.EventType.XID_CRITICAL_ERROR, events)
        start = time.monotonic()
        with pytest.raises(nvml.TimeoutError):
            nvml.event_set_wait_v2(events, 50)
        assert time.monotonic() - start >= 0.04
    finally:
        nvml.event_set_free(events)


def test_what_the_driver_says_of_itself() -> None:
    from cuda import driver_stable

    _, version = driver_stable.cuDriverGetVersion()
    assert nvml.system_get_cuda_driver_version_v2() == version
    assert nvml.system_get_driver_version() in nvml.system_get_nvml_version()


def test_every_getter_answers_or_says_why_not(handle: int) -> None:
    """Each function that takes a device and no more: an answer, or one of NVML's own codes, and never a crash."""
    import inspect

    from cuda.nvml._generated.names import OWN

    answered = 0
    for name, module in sorted(OWN.items()):
        if module not in ("_generated.functions", "_by_hand") or not name.startswith("device_get_"):
            continue
        function = getattr(nvml, name)
        if list(inspect.signature(function).parameters) != ["device"]:
            continue
        try:
            repr(function(handle))
            answered += 1
        except nvml.NvmlError:
            pass
    assert answered > 60


# A question to both modules: name in nvidia-ml-py, and how cuda.nvml says it.
PYNVML: dict[str, Callable[[int], object]] = {
    "nvmlDeviceGetName": lambda h: nvml.device_get_name(h),
    "nvmlDeviceGetUUID": lambda h: nvml.device_get_uuid(h),
    "nvmlDeviceGetBrand": lambda h: nvml.device_get_brand(h),
    "nvmlDeviceGetBoardId": lambda h: nvml.device_get_board_id(h),
    "nvmlDeviceGetMinorNumber": lambda h: nvml.device_get_minor_number(h),
    "nvmlDeviceGetArchitecture": lambda h: nvml.device_get_architecture(h),
    "nvmlDeviceGetNumGpuCores": lambda h: nvml.device_get_num_gpu_cores(h),
    "nvmlDeviceGetMemoryBusWidth": lambda h: nvml.device_get_memory_bus_width(h),
    "nvmlDeviceGetBusType": lambda h: nvml.device_get_bus_type(h),
    "nvmlDeviceGetPowerManagementLimit": lambda h: nvml.device_get_power_management_limit(h),
    "nvmlDeviceGetPowerManagementLimitConstraints": lambda h: nvml.device_get_power_management_limit_constraints(h),
    "nvmlDeviceGetCudaComputeCapability": lambda h: nvml.device_get_cuda_compute_capability(h),
    "nvmlDeviceGetMaxPcieLinkGeneration": lambda h: nvml.device_get_max_pcie_link_generation(h),
    "nvmlDeviceGetSupportedMemoryClocks": lambda h: nvml.device_get_supported_memory_clocks(h),
    "nvmlDeviceGetEccMode": lambda h: nvml.device_get_ecc_mode(h),
    "nvmlDeviceGetMigMode": lambda h: nvml.device_get_mig_mode(h),
    "nvmlDeviceGetRemappedRows": lambda h: nvml.device_get_remapped_rows(h),
    "nvmlDeviceGetSupportedEventTypes": lambda h: nvml.device_get_supported_event_types(h),
    "nvmlDeviceGetPciInfo": lambda h: nvml.device_get_pci_info_v3(h),
    "nvmlDeviceGetBAR1MemoryInfo": lambda h: nvml.device_get_bar1_memory_info(h),
    "nvmlDeviceGetAttributes": lambda h: nvml.device_get_attributes_v2(h),
    "nvmlDeviceGetVbiosVersion": lambda h: nvml.device_get_vbios_version(h),
    "nvmlDeviceGetInforomImageVersion": lambda h: nvml.device_get_inforom_image_version(h),
}


@pytest.mark.parametrize("name", PYNVML)
def test_what_nvidia_ml_py_says(handle: int, name: str) -> None:
    pynvml = pytest.importorskip("pynvml")
    pynvml.nvmlInit()
    refused: int | None = None
    theirs: Any = None
    try:
        theirs = getattr(pynvml, name)(pynvml.nvmlDeviceGetHandleByIndex(0))
    except pynvml.NVMLError as error:
        refused = error.value
    finally:
        pynvml.nvmlShutdown()
    if refused is None:
        assert comparable(PYNVML[name](handle)) == comparable(theirs)
        return
    with pytest.raises(nvml.NvmlError) as caught:
        PYNVML[name](handle)
    assert caught.value.status == refused


def comparable(value: Any) -> object:
    """Structs as their fields in order, lists as lists, texts as str."""
    if isinstance(value, bytes):
        return value.decode()
    if hasattr(value, "_fields_"):  # a ctypes structure
        return [comparable(getattr(value, name)) for name, *_ in value._fields_]
    if hasattr(value, "_c_name"):
        return [comparable(getattr(value, field.name)) for field in value._fields()]
    if isinstance(value, (list, tuple, memoryview)):
        return [comparable(one) for one in value]
    return value
