# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The C level of a toolkit package: what other compiled modules get of it, by every way there is, to the bit.

A package's tests say which library:

    class TestCLevel(CLevelTests):
        suite = Suite("nvrtc13", cuda.nvrtc)

Each function is called by its address, as the capsules give it, as a Cython module has it, and as C and C++ modules do
that were compiled with the package's headers and nothing else.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from codegen.emit import cytypes
from codegen.emit.abi import RETURNS, Abi
from codegen.emit.cheader_major import inline
from codegen.emit.cheader_types import is_own
from codegen.emit.libraries import LIBRARIES, Library
from codegen.model.api import Parameter, Release, View
from codegen.model.bind import bind
from codegen.model.binding import Binding, BoundFunction
from codegen.model.fold import fold

from .build import stub_library
from .capsules import address, spelling
from .cython import USABLE, compile_module
from .layouts import CHECK, layouts, values
from .stub import Stub
from .symbols import Suite
from .values import pattern

SCALARS: Mapping[str, Any] = {
    "i8": ctypes.c_int8,
    "u8": ctypes.c_uint8,
    "i16": ctypes.c_int16,
    "u16": ctypes.c_uint16,
    "i32": ctypes.c_int32,
    "u32": ctypes.c_uint32,
    "i64": ctypes.c_int64,
    "u64": ctypes.c_uint64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "ptr": ctypes.c_void_p,
}
STANDARDS = {"gcc": "-std=c11", "g++": "-std=c++17", "clang": "-std=c11", "clang++": "-std=c++17"}
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Werror", "-Wno-unused-function")
PYTHON = sysconfig.get_path("include")

# A module that gives the addresses of functions, as `addresses()`, and calls one by its name.
_MODULE = """
#include "{header}"
{check}
static PyObject *addresses(PyObject *module, PyObject *unused) {{
  (void)module;
  (void)unused;
  PyObject *found = PyDict_New();
  PyObject *number;
{lines}
  return found;
}}
static PyMethodDef methods[] = {{{{"addresses", addresses, METH_NOARGS, NULL}}, {{NULL, NULL, 0, NULL}}}};
static struct PyModuleDef definition = {{PyModuleDef_HEAD_INIT, "{name}", NULL, -1, methods, NULL, NULL, NULL, NULL}};
PyMODINIT_FUNC PyInit_{name}(void) {{
  if (import_{stem}() < 0) return NULL;
  return PyModule_Create(&definition);
}}
"""
_ENTRY = """\
  number = PyLong_FromSize_t((size_t)(uintptr_t){name});
  if (!number || PyDict_SetItemString(found, "{name}", number) < 0) return NULL;
  Py_DECREF(number);
"""


class CLevel:
    """What a package has at C level, compiled once for all its tests."""

    def __init__(
        self, library: Library, binding: Binding, site: Path, folder: Path, flags: tuple[str, ...] = ()
    ) -> None:
        self.library = library
        self.binding = binding
        self.site = site  # with the package, as it is installed or unpacked
        self.include = site.joinpath(*library.module.split("."), "include")
        self.folder = folder
        self.flags = flags
        self.api = binding.api
        # What names mean for a library that breaks at majors; others have views beside the C level's own names.
        self.view = self.api.views[0] if library.major else View(0, self.api.release, {}, {}, {}, {}, {})
        self.here = {f.name for f in self.api.functions if f.platform != "windows"}
        self.permanent = {name: f.name for f in self.api.functions for name in (f.name, f.plain) if name}

    @property
    def names(self) -> Mapping[str, str]:
        """Every name of the C level, and the function that it is."""
        view = {name: self.api.by_name[target].name for name, target in self.view.functions.items()}
        extras = {x.name: self.api.by_name[x.calls].name for x in inline(self.binding) if x.calls}
        return {**self.permanent, **view, **extras}

    @property
    def per_thread(self) -> Mapping[str, str]:
        return {name: self.api.by_name[target].name for name, target in self.view.per_thread.items()}

    def cython(self) -> Path:
        """A Cython module with the address of every function, the size of every type and the value of every name."""
        module = self.library.cython
        types = {x.name: x.size for kind in (self.api.records, self.api.handles) for x in kind if "/" not in x.header}
        self.sizes = {name: size for name, size in types.items() if "." not in name}
        self.enumerators = {e.name: e.value for enum in self.api.enums for e in enum.enumerators}

        def lines() -> Iterator[str]:
            yield "from libc.stdint cimport uintptr_t"
            twin = f", {module}_per_thread as p" if self.per_thread else ""
            yield f"from cuda.{self.library.name} cimport {module} as c{twin}"
            yield from _function("addresses", {n: f"<uintptr_t><void *>c.{n}" for n in self.names})
            yield from _function("per_thread", {n: f"<uintptr_t><void *>p.{n}" for n in self.per_thread})
            yield from _function("sizes", {name: f"sizeof(c.{name})" for name in self.sizes})
            yield from _function("values", {name: f"<unsigned int>c.{name}" for name in self.enumerators})
            others = {n: f"sizeof(c.{n})" for n, t in self.view.types.items() if t in self.sizes}
            yield from _function("other_names", others)
            for extra in inline(self.binding):
                if not extra.calls:
                    arguments = ", ".join(_converted(p) for p in extra.parameters)
                    fields = ", ".join(f"<uintptr_t>made.{name}" for name in extra.fields)
                    yield f"def {extra.name}({', '.join(p.name for p in extra.parameters)}):"
                    yield f"    made = c.{extra.name}({arguments})"
                    yield f"    return [{fields}]"

        source = self.folder / f"uses_{module}.pyx"
        source.write_text("\n".join(lines()) + "\n")
        return compile_module(
            USABLE[-1], source, self.folder, flags=("-O0",), include_folders=(self.include,), pxd_folders=(self.site,)
        )

    def compiled(self, compiler: str, *defines: str) -> Path:
        """A C or C++ module with the address of every function; the compiler checks every record and value."""
        if not shutil.which(compiler):
            if os.environ.get("CI"):
                pytest.fail(f"{compiler} is not installed", pytrace=False)
            pytest.skip(f"{compiler} is not installed")
        library = self.library
        name = f"uses_{library.name}_{compiler.replace('+', 'x')}{len(defines)}"
        names = {**self.names, **(self.per_thread if defines else {})}
        check = "\n".join([CHECK, *layouts(self.api), *values(self.api, bool if library.major else is_own)])
        text = _MODULE.format(
            header=library.header_api,
            stem=library.header.removesuffix(".h"),
            check=check,
            name=name,
            lines="".join(_ENTRY.format(name=n) for n, target in names.items() if target in self.here),
        )
        output = self.folder / f"{name}{sysconfig.get_config_var('EXT_SUFFIX')}"
        language = "c++" if "++" in compiler else "c"
        command = [
            compiler,
            STANDARDS[compiler],
            *WARNINGS,
            *self.flags,
            "-O1",
            "-shared",
            "-fPIC",
            "-x",
            language,
            "-",
        ]
        command += [f"-I{self.include}", "-isystem", PYTHON, *(f"-D{d}" for d in defines)]
        done = subprocess.run([*command, "-o", str(output)], input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:3000]
        return output


def _function(title: str, values: Mapping[str, str]) -> Iterator[str]:
    yield f"def {title}():"
    yield "    found = {}"
    yield from (f'    found["{name}"] = {expression}' for name, expression in values.items())
    yield "    return found"


def _converted(parameter: Parameter) -> str:
    """A Python number as what C takes there, which may be a pointer."""
    return f"<{parameter.type}><uintptr_t>{parameter.name}" if parameter.type.depth else parameter.name


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.name.partition(".")[0], path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _types(abi: Abi, bound: BoundFunction) -> tuple[Any, list[Any]]:
    """ctypes of the result and of the parameters; a record passed by value is as many bytes."""

    def one(value: str) -> Any:
        if value in SCALARS:
            return SCALARS[value]
        size = abi.records[value.removeprefix("record:")].record.size
        return type("Record", (ctypes.Structure,), {"_fields_": [("bytes", ctypes.c_uint8 * size)]})

    signature = [one(value.removeprefix(RETURNS)) for value in abi.signature(bound)]
    return (signature[0], signature[1:]) if bound.returns_value else (ctypes.c_int, signature)


class EveryNameTests:
    suite: ClassVar[Suite]
    flags: ClassVar[tuple[str, ...]] = ()  # of the C compilers
    parts: ClassVar[tuple[str, ...]] = ("_core", "_scope")  # modules of the package that importing it imports

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "bound" in metafunc.fixturenames:
            metafunc.parametrize("bound", self.suite.functions, ids=lambda bound: bound.function.name)

    @pytest.fixture(scope="class")
    @classmethod
    def level(cls, tmp_path_factory: pytest.TempPathFactory) -> CLevel:
        site = Path(str(cls.suite.module.__file__)).resolve().parents[2]
        return CLevel(cls.suite.library, cls.suite.binding, site, tmp_path_factory.mktemp("clevel"), cls.flags)

    @pytest.fixture(scope="class")
    @classmethod
    def cython(cls, level: CLevel) -> Any:
        return load(level.cython())

    # clang's view of all headers together is for tests/compat/header, once and not with every Python.
    @pytest.fixture(scope="class", params=("gcc", "g++"))
    @classmethod
    def compiled(cls, level: CLevel, request: pytest.FixtureRequest) -> Any:
        return load(level.compiled(request.param))

    @pytest.fixture(scope="class")
    @classmethod
    def capsules(cls) -> Mapping[str, Any]:
        module: Any = importlib.import_module(f"cuda.{cls.suite.library.name}.{cls.suite.library.cython}")
        found: dict[str, Any] = module.__pyx_capi__
        assert type(found) is dict
        return found

    def test_every_name_has_a_capsule(self, level: CLevel, capsules: Mapping[str, Any]) -> None:
        extras = {extra.name for extra in inline(self.suite.binding)}
        assert set(capsules) == level.names.keys() - extras
        addresses = {name: address(capsules[name]) for name in level.permanent}
        by_function = {level.permanent[name]: found for name, found in addresses.items()}
        assert addresses == {name: by_function[function] for name, function in level.permanent.items()}
        assert len(set(by_function.values())) == len(by_function) == len(level.api.functions)

    def test_types_of_capsules_are_permanent(self, level: CLevel, capsules: Mapping[str, Any]) -> None:
        for f in level.api.functions:
            assert spelling(capsules[f.name]) == cytypes.signature(f.result, (p.type for p in f.parameters))

    @pytest.mark.parametrize("prototype", [ctypes.CFUNCTYPE, ctypes.PYFUNCTYPE], ids=["without GIL", "with GIL"])
    def test_arguments_arrive_to_the_bit(
        self, stub: Stub, capsules: Mapping[str, Any], bound: BoundFunction, prototype: Any
    ) -> None:
        self.call(stub, bound, address(capsules[bound.function.name]), prototype)

    def test_cython_has_every_name(self, level: CLevel, cython: Any, capsules: Mapping[str, Any]) -> None:
        found = cython.addresses()
        assert set(found) == set(level.names)
        assert {n: found[n] for n in level.permanent} == {n: address(capsules[n]) for n in level.permanent}
        assert cython.sizes() == level.sizes
        assert cython.values() == {name: value & 0xFFFFFFFF for name, value in level.enumerators.items()}
        others = {n: level.sizes[t] for n, t in level.view.types.items() if t in level.sizes}
        assert cython.other_names() == others

    def test_a_cython_module_imports_nothing_else(self, cython: Any) -> None:
        name = self.suite.library.name
        folder = Path(str(cython.__file__)).parent
        code = (
            f"import sys; before = set(sys.modules); import uses_{self.suite.library.cython}; "
            "print(*sorted(m for m in set(sys.modules) - before if m.startswith('cuda.')))"
        )
        loaded = [f"cuda.{name}", *(f"cuda.{name}.{part}" for part in self.parts)]
        assert run(code, folder) == " ".join([*loaded, f"cuda.{name}.{self.suite.library.cython}"])

    def test_c_has_every_function(self, level: CLevel, compiled: Any, stub: Stub) -> None:
        found = compiled.addresses()
        bound = {b.function.name: b for b in self.suite.functions}
        assert set(found) == {name for name, target in level.names.items() if target in level.here}
        for name, target in level.names.items():
            if target in bound and name in found and (name == target or name not in level.permanent):
                self.call(stub, bound[target], found[name], ctypes.PYFUNCTYPE)
                stub.reset()

    def call(self, stub: Stub, bound: BoundFunction, where: int, prototype: Any) -> None:
        call_to_the_bit(Abi(self.suite.binding), stub, bound, where, prototype)


class CLevelTests(EveryNameTests):
    """Of a library that breaks at majors."""

    def test_capi(self, level: CLevel, capsules: Mapping[str, Any]) -> None:
        module = self.suite.module
        extras = {x.name: x for x in self.suite.binding.official.extras} if self.suite.binding.official else {}
        views = ((level.view.functions, level.names, False), (level.view.per_thread, level.per_thread, True))
        for view, meant, per_thread in views:
            if not meant:
                with pytest.raises(ValueError, match="no functions for per-thread default streams"):
                    module.capi(per_thread=True)
                continue
            found = module.capi(per_thread=per_thread)
            assert type(found) is dict
            assert found is not module.capi(per_thread=per_thread)
            spelled = {name for name, target in meant.items() if target in level.view.spelled}
            assert view.keys() <= spelled
            assert {n: address(found[n]) for n in spelled} == {n: address(capsules[meant[n]]) for n in spelled}
            assert extras.keys() <= found.keys()

    def test_capi_has_what_headers_make_themselves(self) -> None:
        for extra in inline(self.suite.binding):
            if extra.calls:
                continue
            kinds = [ctypes.c_void_p if p.type.depth else ctypes.c_size_t for p in extra.parameters]
            cells = ctypes.c_uint64 * len(kinds)
            made = type("Made", (ctypes.Structure,), {"_fields_": [("cells", cells)]})
            values = [0x1111111111111111 * (i + 1) for i in range(len(kinds))]
            result = ctypes.CFUNCTYPE(made, *kinds)(address(self.suite.module.capi()[extra.name]))(*values)
            assert list(result.cells) == values

    def test_capi_has_what_only_a_later_major_can_do(self) -> None:
        official = self.suite.binding.official
        for extra in official.extras if official else ():
            if extra.introduced:
                call = ctypes.PYFUNCTYPE(ctypes.c_int)(address(self.suite.module.capi()[extra.name]))
                with pytest.raises(self.suite.module.FunctionNotFoundError) as raised:
                    call()
                major = self.suite.library.major
                assert f"{extra.name} was introduced with CUDA {extra.introduced}, and no library of" in str(
                    raised.value
                )
                assert f"CUDA {major} has it" in str(raised.value)

    def test_cython_makes_what_headers_make(self, cython: Any) -> None:
        for extra in inline(self.suite.binding):
            if not extra.calls:
                values = list(range(5, 5 + len(extra.parameters)))
                assert getattr(cython, extra.name)(*values) == values

    def test_unversioned_names_of_cython_arrive(self, level: CLevel, cython: Any, stub: Stub) -> None:
        bound = {b.function.name: b for b in self.suite.functions}
        others = {n: t for n, t in level.names.items() if n not in level.permanent and t in bound}
        for found, meant in ((cython.addresses(), others), (cython.per_thread(), level.per_thread)):
            for name, target in meant.items():
                if target in bound:
                    self.call(stub, bound[target], found[name], ctypes.PYFUNCTYPE)
                    stub.reset()

    @pytest.mark.parametrize("define", ["CUDA_API_PER_THREAD_DEFAULT_STREAM", "{}_PER_THREAD"])
    def test_c_with_streams_of_threads(self, level: CLevel, stub: Stub, define: str) -> None:
        if not level.per_thread:
            return
        stem = self.suite.library.header.removesuffix(".h").upper()
        found = load(level.compiled("gcc", define.format(stem))).addresses()
        bound = {b.function.name: b for b in self.suite.functions}
        for name, target in level.per_thread.items():
            if target in bound:
                self.call(stub, bound[target], found[name], ctypes.PYFUNCTYPE)
                stub.reset()

    def test_c_of_another_major_is_refused(self, level: CLevel) -> None:
        """Positions and records are those of a major, so a module compiled for another must not run."""
        other = {12: 13, 13: 12}[self.suite.library.major]
        include = Path(self.suite.module.get_include())
        folder = level.folder / "other"
        folder.mkdir()
        stem = self.suite.library.header.removesuffix(".h")
        for path in include.glob("*.h"):
            text = path.read_text("utf-8")
            release = f"#define {stem.upper()}_RELEASE "
            (folder / path.name).write_text(text.replace(release + str(self.suite.library.major), release + str(other)))
        source = _MODULE.format(header=f"{stem}_api.h", stem=stem, check="", name="other", lines="  (void)number;")
        output = level.folder / f"other{sysconfig.get_config_var('EXT_SUFFIX')}"
        command = [
            "gcc",
            "-std=c11",
            "-shared",
            "-fPIC",
            "-x",
            "c",
            "-",
            f"-I{folder}",
            f"-I{PYTHON}",
            "-o",
            str(output),
        ]
        subprocess.run(command, input=source, text=True, check=True)
        with pytest.raises(ImportError, match=f"for cuda-{self.suite.library.name} of CUDA {other}, and what is insta"):
            load(output)

    def test_missing_functions(self, capsules: Mapping[str, Any], level: CLevel) -> None:
        """A function that came with a later release of the major, called on the library of its first one."""
        library, first = self.suite.library, f"{self.suite.library.major}.0"
        late = [f for f in level.api.functions if f.introduced > Release.parse(first) and f.result == library.result]
        late = [f for f in late if f.platform != "windows"]
        module = f"cuda.{library.name}.{library.cython}"
        code = f"""
import ctypes
from {module} import __pyx_capi__ as capsules
from cuda.{library.name} import FunctionNotFoundError
from support.capsules import address
for name in {[f.name for f in late]!r}:
    try:
        ctypes.PYFUNCTYPE(ctypes.c_int)(address(capsules[name]))()
        print(name, "returned")
    except FunctionNotFoundError as error:
        print(name, "was introduced with CUDA" in str(error))
"""
        path = stub_library(first, library.key)
        lines = run(code, Path(path).parent, **{library.path_variable: str(path)}).splitlines()
        assert lines == [f"{f.name} True" for f in late]


def call_to_the_bit(abi: Abi, stub: Stub, bound: BoundFunction, where: int, prototype: Any) -> None:
    """A call through an address: each argument reaches the library, and what it gives back comes back."""
    result_type, parameters = _types(abi, bound)
    raw = [pattern(ctypes.sizeof(t), salt, top=0x7F) for salt, t in enumerate(parameters)]
    symbol = bound.function.symbol
    if bound.returns_value:
        expected = pattern(ctypes.sizeof(result_type), 99, top=0x7F)
        stub.writes(symbol, (len(raw), 0, 0), expected)  # the stub has a pointer to it as one parameter more
    else:
        expected = (10_000 + len(symbol)).to_bytes(4, "little")
        stub.returns(symbol, 10_000 + len(symbol))
    # As many bytes: ctypes turns what it knows into Python's numbers.
    boxed = type("Boxed", (result_type,), {}) if issubclass(result_type, ctypes._SimpleCData) else result_type
    call = prototype(boxed, *parameters)(where)
    result = call(*(t.from_buffer_copy(data) for t, data in zip(parameters, raw, strict=True)))
    assert bytes(result) == expected
    assert stub.count() == 1
    assert stub.call().symbol == symbol
    assert list(stub.call().arguments[: len(raw)]) == raw


def run(code: str, folder: Path, **environment: str) -> str:
    """What a process of its own prints."""
    folders = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": folders, **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def suite_of(name: str, module: Any) -> Suite:
    """That of the installed wheel's major."""
    return Suite(f"{name}{module._core.RELEASE // 1000}", module)


def run_consumer(path: str, key: str, newest: str, names: Mapping[str, str]) -> int:
    """In a process of its own: loads a consumer, and calls each function that it names to the bit; how many it were."""
    library, as_of = LIBRARIES[key], Release.parse(newest)
    binding = bind(fold(library.name, as_of, major=library.major))
    abi, stub = Abi(binding), Stub(os.environ[library.path_variable])
    functions = {b.function.name: b for b in binding.functions}
    addresses = load(Path(path)).addresses()
    importlib.import_module(f"{library.module}._core").library()  # loading it asks for its version
    for name, target in names.items():
        stub.reset()
        call_to_the_bit(abi, stub, functions[target], addresses[name], ctypes.PYFUNCTYPE)
    return len(names)
