# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""What a made-up CUDA 14.0 does to the driver API: everything that a major release has ever done, and more.

None of it is known to come. The names that it is done to were picked so that each change meets what programs use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..model.api import Release, split_symbol
from ..model.registry import Key, Scalar, Value

RELEASE = Release(14, 0)
HEADER = "cuda.h"

State = dict[Key, Value]
Change = Callable[[State], None]

# Bases whose default is a new version with another signature, and the parameters of that.
SUPERSEDED: Mapping[str, str] = {
    "cuCtxCreate": (
        "CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags, CUdevice dev, CUmeter meter"
    ),
    "cuDeviceGetName": "char *name, size_t len, CUdevice dev",  # a base that had one version
    "cuStreamGetPriority": "CUstream hStream, int *priority, int *sharedPriority",  # with per-thread variants
}
UNDECLARED = ("cuCtxAttach", "cuCtxDetach")
# A base that is mapped to the symbol of another.
MAPPED = {"cuEventRecord": "cuEventRecordWithFlags"}
# An alias, what it stood for and stands for now; functions that take it get a new version that takes the new record.
RETARGETED = ("CUDA_BATCH_MEM_OP_NODE_PARAMS", "CUDA_BATCH_MEM_OP_NODE_PARAMS_v1", "CUDA_BATCH_MEM_OP_NODE_PARAMS_v2")
RETARGETED_USERS = (
    "cuGraphAddBatchMemOpNode",
    "cuGraphBatchMemOpNodeGetParams",
    "cuGraphBatchMemOpNodeSetParams",
    "cuGraphExecBatchMemOpNodeSetParams",
)
# A name that gets another value, and the name that its old value has now.
REUSED = (
    "CUdevice_attribute_enum",
    "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED",
    "CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED_V1",
)
# Enumerators that come where the end was: enum, name, and the name that follows the end.
ADDED = (
    ("CUdevice_attribute_enum", "CU_DEVICE_ATTRIBUTE_METER_SUPPORTED", "CU_DEVICE_ATTRIBUTE_MAX"),
    ("CUlimit_enum", "CU_LIMIT_METERS", "CU_LIMIT_MAX"),
)
ERROR = ("CUDA_ERROR_METER_BUSY", 990)
# A record that gets a field at its end, and one that gets a field where bytes were reserved.
GROWN = ("CUdevSmResource_st", "meterCount")
FILLED = ("CUmemPoolProps_st", "meterSlots")

PROTOTYPES: Mapping[str, str] = {
    "cuMeterCreate": "CUmeter *meter, CUmeterKind kind, CUdevice dev",
    "cuMeterDestroy": "CUmeter meter",
    "cuMeterRead": "CUmeter meter, CUmeterReading *reading",
    "cuMeterSetCallback": "CUmeter meter, CUmeterCallback callback, void *userData",
    "cuStreamMeter": "CUstream hStream, CUmeter meter",
}
PER_THREAD = ("cuStreamMeter",)


def made_up(state: Mapping[Key, Value]) -> State:
    """The facts of the release, from those of the one before it."""
    after = dict(state)
    for change in (_version, _types, _bases, _supersede, _undeclare, _map, _retarget, _enumerators, _records):
        change(after)
    return after


def _version(state: State) -> None:
    state["constant", "CUDA_VERSION"] = {**state["constant", "CUDA_VERSION"], "value": RELEASE.number}


# -- functions


def _bases(state: State) -> None:
    for base, parameters in PROTOTYPES.items():
        _declare(state, base, 1, parameters, ("", "ptsz") if base in PER_THREAD else ("",))


def _declare(state: State, base: str, version: int, parameters: str, streams: tuple[str, ...]) -> None:
    """A version of a base that is its default from now on, with its per-thread variant where it has one."""
    plain = f"{base}_v{version}" if version > 1 else base
    symbols = {stream: f"{plain}{stream and f'_{stream}'}" for stream in streams}
    per_thread = symbols[streams[-1]]
    for stream, symbol in symbols.items():
        state["declared", symbol] = {"header": HEADER, "parameters": parameters}
        state["introduced", base, stream, str(RELEASE.number)] = {"header": "cudaTypedefs.h"}
    for name in {base, plain}:
        state["default", name] = {"legacy": plain, "per_thread": per_thread}
    if per_thread != plain:
        state["default", per_thread] = {"per_thread": per_thread}


def _supersede(state: State) -> None:
    for base, parameters in SUPERSEDED.items():
        _next(state, base, parameters)


def _next(state: State, base: str, parameters: str) -> None:
    """What was the default is there for old programs only, as it was at every major so far."""
    symbols = [split_symbol(key[1]) for key in state if key[0] == "declared" and split_symbol(key[1])[0] == base]
    old = state["default", base]
    for symbol in {str(old["legacy"]), str(old["per_thread"])} - {base}:
        state.pop(("default", symbol), None)
    streams = tuple(sorted({stream for _, _, stream in symbols}))
    _declare(state, base, max(version for _, version, _ in symbols) + 1, parameters, streams)


def _undeclare(state: State) -> None:
    """Of a symbol that libraries go on exporting, no header says anything any more."""
    for key in [key for key in state if key[0] in ("declared", "default", "introduced") and key[1] in UNDECLARED]:
        del state[key]


def _map(state: State) -> None:
    for base, other in MAPPED.items():
        old = state["default", base]
        state["default", base] = state["default", other]
        if old["per_thread"] != old["legacy"]:
            del state["default", str(old["per_thread"])]


def _retarget(state: State) -> None:
    alias, old, new = RETARGETED
    state["typedef", alias] = {**state["typedef", alias], "type": new}
    for symbol in RETARGETED_USERS:
        declared = state["declared", symbol]
        parameters = str(declared["parameters"])
        state["declared", symbol] = {**declared, "parameters": parameters.replace(f"{alias} *", f"{old} *")}
        _next(state, split_symbol(symbol)[0], parameters)


# -- types


def _types(state: State) -> None:
    common: dict[str, Scalar] = {"header": HEADER}
    state["enum", "CUmeterKind_enum"] = common
    for value, name in enumerate(("CU_METER_KIND_CYCLES", "CU_METER_KIND_BYTES")):
        state["enumerator", "CUmeterKind_enum", name] = {"value": value}
    state["typedef", "CUmeterKind"] = {"type": "CUmeterKind_enum", **common}
    state["typedef", "CUmeter"] = {"type": "CUmeter_st *", "size": 8, **common}
    state["callback", "CUmeterCallback"] = {
        "result": "void",
        "parameters": "CUmeter meter, void *userData",
        **common,
    }
    state["record", "CUmeterReading_st"] = {"size": 24, "align": 8, **common}
    for name, offset, size, type_ in (
        ("kind", 0, 4, "CUmeterKind"),
        ("value", 8, 8, "unsigned long long"),
        ("uuid", 16, 8, "CUdeviceptr"),
    ):
        state["field", "CUmeterReading_st", name] = {"offset": offset, "size": size, "type": type_}
    state["typedef", "CUmeterReading_v1"] = {"type": "CUmeterReading_st", **common}
    state["typedef", "CUmeterReading"] = {"type": "CUmeterReading_v1", **common}


def _enumerators(state: State) -> None:
    for enum, name, end in ADDED:
        value = state["enumerator", enum, end]["value"]
        state["enumerator", enum, name] = {"value": value}
        _move(state, enum, end, int(value) + 1)
    name, value = ERROR
    state["enumerator", "cudaError_enum", name] = {"value": value}
    enum, name, former = REUSED
    end = next(end for other, _, end in ADDED if other == enum)
    value = state["enumerator", enum, end]["value"]
    state["enumerator", enum, former] = state["enumerator", enum, name]
    _move(state, enum, name, int(value))
    _move(state, enum, end, int(value) + 1)


def _move(state: State, enum: str, name: str, value: int) -> None:
    state["enumerator", enum, name] = {**state["enumerator", enum, name], "value": value}


def _records(state: State) -> None:
    record, field = GROWN
    size = int(state["record", record]["size"])
    state["field", record, field] = {"offset": size, "size": 4, "type": "unsigned int"}
    state["record", record] = {**state["record", record], "size": size + 4}
    for key, value in list(state.items()):
        if key[0] == "field" and value["type"] == record.removesuffix("_st"):  # in what holds it by value
            state[key] = {**value, "size": size + 4}
    record, field = FILLED
    reserved = state["field", record, "reserved"]
    start, count = int(reserved["offset"]), int(reserved["count"])
    state["field", record, field] = {"offset": start, "size": 1, "type": "unsigned char"}
    state["field", record, "reserved"] = {**reserved, "offset": start + 1, "size": count - 1, "count": count - 1}
