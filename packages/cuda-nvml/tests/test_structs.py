# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""Classes of structs: their layout, fields of each kind, arrays of them, and memory that is not theirs."""

from __future__ import annotations

import copy
import ctypes
import gc
import pickle
from typing import Any

import pytest

from cuda import nvml
from cuda.nvml._generated.tables import STRUCTS
from cuda.nvml._struct import numpy_dtype


def kind(name: str) -> Any:
    return getattr(nvml, name)


@pytest.mark.parametrize("name", list(STRUCTS))
def test_layout_is_that_of_the_record(name: str) -> None:
    """The core has its layouts from other rows."""
    c_name, size, _, _, fields = STRUCTS[name]
    if "." in c_name:
        pytest.skip("a struct inside another has no name in C")
    record = kind(c_name)
    assert nvml._core.sizeof(record) == size
    assert len(bytes(kind(name)())) == size
    assert len(fields) == len([v for v in vars(record).values() if type(v).__name__ == "getset_descriptor"])


@pytest.mark.parametrize("name", list(STRUCTS))
def test_every_field_can_be_read_and_set(name: str) -> None:
    one = kind(name)()
    for field, _, code in STRUCTS[name][4]:
        value = getattr(one, field)
        body = code.partition("@")[0]
        if body in ("f", "d"):
            setattr(one, field, 0.5)
            assert getattr(one, field) == 0.5
        elif len(body) == 1 and body != "c":
            setattr(one, field, 3)
            assert getattr(one, field) == 3
        elif body[0] in "sc":
            setattr(one, field, "ab")
            assert getattr(one, field) == "ab"
        elif "=" in body:
            setattr(one, field, value)
            assert getattr(one, field) == value
        else:
            numbers = [i % 100 for i in range(len(value))]
            setattr(one, field, numbers)
            assert list(getattr(one, field)) == numbers
    assert name in repr(one)


@pytest.mark.parametrize("name", list(STRUCTS))
def test_every_number_refuses_what_does_not_fit(name: str) -> None:
    one = kind(name)()
    for field, _, code in STRUCTS[name][4]:
        if len(code) != 1 or code == "c":
            continue
        with pytest.raises(TypeError, match=field):
            setattr(one, field, "1")
        if code not in "fd":
            for wrong in (1 << 64, -(1 << 63) - 1):
                with pytest.raises(OverflowError, match=field):
                    setattr(one, field, wrong)
            with pytest.raises(TypeError, match=field):
                setattr(one, field, 1.5)
    assert bytes(one) == bytes(len(bytes(one)))


def test_texts() -> None:
    pci = nvml.PciInfo()
    pci.bus_id = "0000:01:00.0"
    assert pci.bus_id == "0000:01:00.0"
    pci.bus_id = b"short"
    assert pci.bus_id == "short"
    with pytest.raises(ValueError, match=r"PciInfo\.bus_id has room for 31 bytes, not 32"):
        pci.bus_id = "x" * 32
    with pytest.raises(TypeError, match=r"PciInfo\.bus_id must be str or bytes, not int"):
        setattr(pci, "bus_id", 5)  # noqa: B010  # a type checker knows better
    with pytest.raises(AttributeError):
        setattr(pci, "no_such_field", 5)  # noqa: B010


def test_arrays_of_numbers() -> None:
    info = nvml.GpuFabricInfo_v3()
    info.cluster_uuid = range(16)
    assert list(info.cluster_uuid) == list(range(16))
    info.cluster_uuid[3] = 200
    assert info.cluster_uuid[3] == 200
    with pytest.raises(ValueError, match="takes 16 elements, not 15"):
        info.cluster_uuid = range(15)
    with pytest.raises(OverflowError, match=r"GpuFabricInfo_v3\.cluster_uuid"):
        info.cluster_uuid = [256] * 16
    with pytest.raises(TypeError, match="not str"):
        setattr(info, "cluster_uuid", "x" * 16)  # noqa: B010


def test_arrays_of_which_a_field_tells_the_length() -> None:
    chips: Any = nvml.BridgeChipHierarchy()
    assert len(chips.bridge_chip_info) == 0
    two: Any = nvml.BridgeChipInfo(2)
    two.fw_version = [5, 6]
    chips.bridge_chip_info = two
    assert (chips.bridge_count, list(chips.bridge_chip_info.fw_version)) == (2, [5, 6])
    chips.bridge_count = 255  # a library that says more than there is room for
    assert len(chips.bridge_chip_info) == 128
    with pytest.raises(ValueError, match="at most 128 elements, not 129"):
        chips.bridge_chip_info = nvml.BridgeChipInfo(129)
    with pytest.raises(TypeError, match="must be BridgeChipInfo, not PciInfo"):
        setattr(chips, "bridge_chip_info", nvml.PciInfo())  # noqa: B010


def test_pointers_keep_what_they_point_to() -> None:
    info = nvml.ActiveVgpuInstanceInfo_v1()
    assert list(info.vgpu_instances) == []
    info.vgpu_instances = [7, 8, 9]
    gc.collect()
    assert (info.vgpu_count, list(info.vgpu_instances)) == (3, [7, 8, 9])
    address = int.from_bytes(bytes(info)[8:16], "little")
    assert list((ctypes.c_uint32 * 3).from_address(address)) == [7, 8, 9]
    again = copy.copy(info)
    del info
    gc.collect()
    assert list(again.vgpu_instances) == [7, 8, 9]
    with pytest.raises(TypeError, match="points to memory that cannot be pickled"):
        pickle.dumps(again)


def test_structs_inside_are_the_same_memory() -> None:
    fans = nvml.UnitFanSpeeds()
    fans.fans[2].speed = 40
    assert fans.fans[2].speed == 40
    info = nvml.GpuInstanceInfo()
    placement = info.placement
    placement.start = 4
    assert info.placement.start == 4
    del info
    gc.collect()
    assert placement.start == 4


def test_several() -> None:
    rows: Any = nvml.ProcessInfo(3)
    assert (len(rows), list(rows.pid)) == (3, [0, 0, 0])
    rows.pid = [5, 6, 7]
    rows[1].used_gpu_memory = 1 << 40
    assert [row.pid for row in rows] == [5, 6, 7]
    assert list(rows[1:].pid) == [6, 7]
    assert rows[-1].pid == 7
    assert list(rows.used_gpu_memory) == [0, 1 << 40, 0]
    rows.pid = 1
    assert list(rows.pid) == [1, 1, 1]
    rows[0] = rows[1]
    assert rows[0].used_gpu_memory == 1 << 40
    for index in (3, -4):
        with pytest.raises(IndexError, match="out of bounds: there are 3"):
            rows[index]
    with pytest.raises(ValueError, match="takes 3 values, not 2"):
        rows.pid = [1, 2]
    with pytest.raises(ValueError, match="one after the other"):
        rows[::2]
    with pytest.raises(ValueError, match="'size' is -1"):
        nvml.ProcessInfo(-1)
    with pytest.raises(TypeError, match="must be one of the same"):
        rows[0] = rows
    with pytest.raises(TypeError):  # what is written there would be lost
        rows.pid[0] = 5


def test_structs_inside_one_of_several_have_arrays() -> None:
    """As they are in an array of NumPy's, of which each field is an array however few there are."""
    one: Any = nvml.FieldValue()
    one.value.ui_val = 5
    assert list(one.value.ui_val) == [5]
    assert one.value.ui_val[0] == 5
    two: Any = nvml.FieldValue(2)
    two[1].value.ull_val = 1 << 40
    assert list(two.value.ull_val) == [0, 1 << 40]
    with pytest.raises(TypeError):  # what is written there would be lost
        two.value.ull_val = [1, 2]
    assert nvml.GpuInstanceInfo().placement.size_ == 0  # NVML has no array of the outer one


def test_versions_are_told_by_those_that_have_them() -> None:
    for name, (c_name, _, version, _, fields) in STRUCTS.items():
        constant = c_name.removesuffix("_t")
        if version:
            assert fields[0][:2] == ("version", 0), name
            assert getattr(nvml, constant) == version
    assert STRUCTS["C2cModeInfo_v1"][2] == 0  # the header has a constant, and the struct no field for it


def test_equality_is_of_bytes() -> None:
    one, other = nvml.PciInfo(), nvml.PciInfo()
    assert one == other
    other.bus = 1
    assert one != other
    assert one != nvml.Memory()
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_memory_of_others() -> None:
    memory = bytearray(68)
    pci = nvml.PciInfo.from_buffer(memory)
    pci.domain = 7
    assert memory[16] == 7
    for size in (0, 67):
        with pytest.raises(ValueError, match=f"must have 68 bytes.*not {size}"):
            nvml.PciInfo.from_buffer(bytearray(size))
    same = nvml.PciInfo.from_ptr(pci.ptr, owner=pci)
    same.domain = 8
    assert (pci.domain, int(same)) == (8, pci.ptr)
    fixed = nvml.PciInfo.from_ptr(pci.ptr, readonly=True, owner=pci)
    with pytest.raises(TypeError):
        fixed.domain = 9
    with pytest.raises(ValueError, match="must not be null"):
        nvml.PciInfo.from_ptr(0)


def test_copies_and_pickles() -> None:
    pci = nvml.PciInfo()
    pci.domain = 7
    for again in (copy.copy(pci), pickle.loads(pickle.dumps(pci))):
        assert again == pci
        again.domain = 8
        assert pci.domain == 7


def test_numpy() -> None:
    numpy = pytest.importorskip("numpy")
    rows: Any = nvml.ProcessInfo(2)
    rows.pid = [5, 6]
    assert rows._data["pid"].tolist() == [5, 6]
    assert numpy.asarray(rows).dtype == nvml.process_info_dtype
    again: Any = nvml.ProcessInfo.from_data(numpy.asarray(rows))
    again.pid = [7, 8]
    assert list(rows.pid) == [7, 8]
    copied = numpy.array(rows)
    assert copied.dtype == nvml.process_info_dtype
    copied["pid"] = 9
    assert list(rows.pid) == [7, 8]
    assert numpy.asarray(nvml.PciInfo()).dtype == nvml.pci_info_dtype
    for other in (numpy.zeros(3), numpy.zeros(1, "V24"), [1]):
        with pytest.raises(TypeError, match="a NumPy array of the dtype of the class"):
            nvml.ProcessInfo.from_data(other)
    with pytest.raises(ValueError, match="one behind the other"):
        nvml.ProcessInfo.from_data(numpy.zeros((4, 2), nvml.process_info_dtype)[::2])
    for name in STRUCTS:
        assert numpy_dtype(kind(name)).itemsize == STRUCTS[name][1]
