# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""One driver wheel, toolkit wheels of any majors beside it, and NVIDIA's libraries of both in one environment."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.model.api import Release
from support import nvvmir, rehearsal, toolkits
from support.build import ROOT, stub_library
from support.wheels import wheel

DIST = ROOT / "dist"
LIBRARIES = {"12": "12.9", "13": "13.5"}
# The driver wheel as it is here, and that of a made-up next major.
DRIVERS = ("13.5", rehearsal.RELEASE)
OTHER = {"12": "13", "13": "12"}
# Of libNVVM, which takes and makes text, there is the other major than NVRTC's.
MIXES = [(r, c, link, OTHER[c]) for r, c, link in itertools.product(LIBRARIES, repeat=3)]

PROGRAM = r"""
import json
import sys
from cuda import driver_stable, nvjitlink, nvrtc, nvvm, runtime
from cuda.driver_stable.cu12 import cuCtxCreate


def check(results):
    status, *outputs = results
    assert status == 0, repr(status)
    return outputs[0] if len(outputs) == 1 else outputs


source = b'extern "C" __global__ void k(int *p) { *p = 1; }'
program = check(nvrtc.nvrtcCreateProgram(source, b"k.cu", 0, None, None))
check(nvrtc.nvrtcCompileProgram(program, 2, [b"-arch=sm_80", b"-rdc=true"]))
cubin = bytearray(check(nvrtc.nvrtcGetCUBINSize(program)))
check(nvrtc.nvrtcGetCUBIN(program, cubin))
linker = nvjitlink.create(1, ["-arch=sm_80"])
try:
    nvjitlink.add_data(linker, nvjitlink.InputType.CUBIN, cubin, len(cubin), "k")
    nvjitlink.complete(linker)
    image = bytearray(nvjitlink.get_linked_cubin_size(linker))
    nvjitlink.get_linked_cubin(linker, image)
except nvjitlink.nvJitLinkError as error:  # a linker may be too old for what a later compiler makes
    image = cubin
ir = json.loads(sys.argv[1]).encode()
compiler = nvvm.create_program()
nvvm.add_module_to_program(compiler, ir, len(ir), "ir")
nvvm.compile_program(compiler, 1, ["-arch=compute_80"])
ptx = bytearray(nvvm.get_compiled_result_size(compiler))
nvvm.get_compiled_result(compiler, ptx)
check(driver_stable.cuInit(0))
check(cuCtxCreate(0, 0))
module = check(driver_stable.cuModuleLoadData(image))
print(json.dumps({
    "driver": check(driver_stable.cuDriverGetVersion()),
    "runtime": check(runtime.cudaRuntimeGetVersion()),
    "nvrtc": check(nvrtc.nvrtcVersion()),
    "nvjitlink": nvjitlink.version(),
    "nvvm": nvvm._core.library()["version"],
    "compiled": b".func" in ptx,
    "tried": [m.__name__ for m in (runtime, nvrtc, nvjitlink, nvvm) if m._core.library()["tried"]],
    "module": int(module) != 0,
    "linked": image is not cubin,
}))
"""


@pytest.mark.parametrize("majors", MIXES, ids="-".join)
@pytest.mark.parametrize("driver", DRIVERS)
def test_mix(driver: str, majors: tuple[str, ...], tmp_path: Path) -> None:
    wheels = [wheel(driver)] if rehearsal.is_rehearsed(driver) else list(DIST.glob("cuda_driver_stable-*.whl"))
    for name, major in zip(toolkits.NAMES, majors, strict=True):
        wheels += DIST.glob(f"cuda_{name}-{LIBRARIES[major]}*.whl")
    assert len(wheels) == 5, f"nox -s build makes the wheels in {DIST}"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(tmp_path)]
    subprocess.run([*pip, *map(str, wheels)], check=True)
    libraries = [str(toolkits.site(Release.parse(release))) for release in LIBRARIES.values()]
    named = {name: value for name, value in os.environ.items() if not name.endswith("_LIBRARY")}
    environment = {
        **named,
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *libraries]),
        "CUDA_DRIVER_STABLE_LIBRARY": str(stub_library(driver)),
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(nvvmir.definition("f", 1).decode())],
        capture_output=True,
        text=True,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    runtime, nvrtc, nvjitlink, nvvm = (Release.parse(LIBRARIES[major]) for major in majors)
    assert found.pop("linked") or nvjitlink < nvrtc
    assert found == {
        "driver": Release.parse(driver).number,
        "runtime": runtime.number,
        "nvrtc": [nvrtc.major, nvrtc.minor],
        "nvjitlink": [nvjitlink.major, nvjitlink.minor],
        "nvvm": nvvm.number,
        "compiled": True,
        "tried": [],  # each found the library of its own major at once
        "module": True,
    }
