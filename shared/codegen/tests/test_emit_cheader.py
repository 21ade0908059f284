# SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
# SPDX-License-Identifier: Apache-2.0
"""The C headers and the function table of a made-up registry, to the letter and to the compiler."""

from __future__ import annotations

import difflib
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from codegen.emit import cheader, cheader_table
from codegen.emit.errors import EmitError
from codegen.emit.libraries import LIBRARIES
from codegen.ingest.assign import assign
from codegen.ingest.check import rows
from codegen.model.api import Enum, Enumerator, Release
from codegen.model.registry import FunctionName, TablePosition, load, save_index
from codegen.model.spelling import Span, spell_registry
from codegen.tests.cheader_sample import TABLE, emitted, golden, registry

DRIVER = LIBRARIES["driver"]
EMITTED = emitted()
R11, R12, R13 = Release(11, 2), Release(12, 0), Release(13, 0)


@pytest.mark.parametrize("name", sorted(EMITTED))
def test_output_is_golden(name: str) -> None:
    path = golden(name)
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    diff = difflib.unified_diff(kept.splitlines(), EMITTED[name].splitlines(), str(path), "emitted", lineterm="")
    assert kept == EMITTED[name], "python -m codegen.tests.cheader_sample rewrites it:\n" + "\n".join(diff)


# What the three releases' own headers would say, as far as a compiler can object.
INCLUDED = {
    11020: """
        enum cudaError_enum { CUDA_SUCCESS, CUDA_ERROR_OLD = 7, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_MASK = 1 };
        enum CUattrID_enum { CU_ATTR_SIZE = 2 };
        typedef enum CUattrID_enum CUattrID;
        struct CUpair_st { unsigned long long first; const char *second; };
        struct CUbox_st { union { struct CUpair_st *pair; struct CUthing_st *thing; } part; };
        CUresult cuAttr(CUattrID attr);
    """,
    12000: """
        enum cudaError_enum { CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_MASK = 1 };
        enum CUlaunchAttrID_enum { CU_LAUNCH_ATTR_SIZE = 2 };
        #define CU_ATTR_SIZE CU_LAUNCH_ATTR_SIZE
        typedef enum { CU_FLAG_A = 1 } CUflags;
        struct CUpair_st { unsigned long long first; const char *second; };
        struct CUbox_st { union { struct CUpair_st *pair; struct CUthing_st *thing; } part; };
        CUresult cuAttr(enum CUlaunchAttrID_enum attr);
    """,
    13000: """
        enum cudaError_enum { CUDA_SUCCESS, CUDA_ERROR_NOT_FOUND = 500, CUDA_ERROR_NEW = 801, CUDA_ERROR_MASK = -1 };
        enum CUlaunchAttrID_enum { CU_LAUNCH_ATTR_SIZE = 2 };
        typedef enum { CU_FLAG_A = 1 } CUoptions;
        struct CUpair_v1_st { unsigned long long first; const char *second; };
        struct CUbox_st { char rest[64]; };
        CUresult cuAttr(enum CUlaunchAttrID_enum attr);
    """,
}
ALWAYS = """
    union CUouter_union { struct CUinner_st { enum cudaError_enum status; } inner; unsigned long long pad; };
    #define CU_UUID_HAS_BEEN_DEFINED
    struct CUuuid_st { char bytes[16]; };
"""
USES = """
    CUflags flags = CU_FLAG_A; CUoptions options = CU_FLAG_A; CUattrID attr = CU_ATTR_SIZE; CUinner_st inner;
    CUpair_v1 pair; CUuuid uuid; CUframe frame; CUouter outer; CUresult old = CUDA_ERROR_OLD, new_ = CUDA_ERROR_NEW;
    CUDA_DRIVER_STABLE_SIZE(CUpair_v1, 16);
"""


@pytest.mark.parametrize("version", [0, *INCLUDED])
@pytest.mark.parametrize(("compiler", "standard"), [("cc", "-std=c11"), ("c++", "-std=c++17")])
def test_compiles_after_each_release(tmp_path: Path, version: int, compiler: str, standard: str) -> None:
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    (tmp_path / "cuda_driver_stable.h").write_text(EMITTED["include/cuda_driver_stable.h"], "utf-8")
    included = re.sub(r"^ +", "", INCLUDED.get(version, "") + ALWAYS, flags=re.MULTILINE)
    included = included.replace(
        "CUresult cuAttr", 'extern "C" CUresult cuAttr' if compiler == "c++" else "CUresult cuAttr"
    )
    head = f"#define __cuda_cuda_h__\n#define CUDA_VERSION {version}\n"
    early, _, late = included.partition("enum CU")  # the typedef of CUresult goes behind its enum
    text = f"{head}{early}typedef enum cudaError_enum CUresult;\nenum CU{late}" if version else ""
    text += f'#include "cuda_driver_stable.h"\n{USES}'
    language = "c++" if compiler == "c++" else "c"
    done = subprocess.run(
        [compiler, standard, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{tmp_path}", "-x", language, "-"],
        input=text,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


class TestSpelling:
    def test_types_are_spelled_as_the_compiler_has_to_see_them(self) -> None:
        _, spelling = spell_registry(registry(), "driver")
        assert {name: str(type_) for name, type_ in spelling.handles.items()} == {
            "CUaddr_v2": "unsigned long long",
            "CUthing": "CUthing_st *",
            "cuuint64_t": "uint64_t",
            "EGLImageKHR": "void *",
        }
        assert [str(p.type) for p in spelling.parameters["cuMake_v2"]] == ["CUthing *", "const CUbox *", "cuuint64_t"]
        assert [str(p.type) for p in spelling.parameters["cuAttr_v1"]] == ["CUattrID"]
        assert str(spelling.fields["CUbox", "whole"]) == "uint64_t"

    def test_spans_say_which_releases_have_a_name(self) -> None:
        _, spelling = spell_registry(registry(), "driver")
        assert spelling.of("enumerator", "CUDA_ERROR_OLD") == (Span(R11, R12),)
        assert spelling.of("tag", "CUpair_v1_st") == (Span(R13, None),)
        assert spelling.of("type", "CUflags") == (Span(R12, R13),)
        assert spelling.of("type", "CUnothing") == ()

    def test_as_of_a_release_nothing_later_shows(self) -> None:
        api, spelling = spell_registry(registry(), "driver", R12)
        assert api.release == R12
        assert spelling.of("tag", "CUpair_st") == (Span(R11, None),)
        text = cheader.emit(api, spelling, DRIVER)
        assert "typedef unsigned long long CUaddr_v2;" in text, "a permanent name, though no header has it yet"
        assert "CUDA_ERROR_NEW" not in text
        assert "CUpair_v1_st" not in text

    def test_an_enum_may_not_lose_only_some_enumerators_to_another(self) -> None:
        api, spelling = spell_registry(registry(), "driver")
        more = Enumerator("CU_FLAG_B", 2, R12)
        enums = tuple(replace(e, enumerators=(*e.enumerators, more)) if e.name == "CUflags" else e for e in api.enums)
        with pytest.raises(EmitError, match="CUflags: some of its enumerators are in CUoptions too"):
            cheader.emit(replace(api, enums=enums), spelling, DRIVER)

    def test_a_renamed_enum_that_has_a_tag_is_an_error(self) -> None:
        api, spelling = spell_registry(registry(), "driver")
        newest = Enum("CUnewest", (Enumerator("CU_LAUNCH_ATTR_SIZE", 2, R13),), R13)
        with pytest.raises(EmitError, match="CUlaunchAttrID and CUnewest: a renamed enum"):
            cheader.emit(replace(api, enums=(*api.enums, newest)), spelling, DRIVER)


class TestTable:
    def test_positions_are_those_of_the_registry(self) -> None:
        _, spelling = spell_registry(registry(), "driver")
        assert spelling.positions == {name: i for i, name in enumerate(TABLE)}

    def test_an_older_release_has_holes_where_functions_came_later(self) -> None:
        recorded = registry()
        moved = (TablePosition(0, "cuMake_v2"), *(TablePosition(i + 1, name) for i, name in enumerate(TABLE[:-1])))
        api, spelling = spell_registry(replace(recorded, table=moved), "driver", R12)
        assert "    CS_NONE16," in cheader_table.emit(api, spelling.positions)
        assert f"cs_table_count = {len(TABLE)};" in cheader_table.emit(api, spelling.positions)

    def test_a_function_without_a_position_is_an_error(self) -> None:
        recorded = registry()
        with pytest.raises(ValueError, match=r"no position in table\.toml: cuMake_v2"):
            spell_registry(replace(recorded, table=recorded.table[:-1]), "driver")

    def test_a_position_that_is_given_twice_is_an_error(self) -> None:
        recorded = registry()
        twice = (*recorded.table[:-1], TablePosition(0, "cuMake_v2"))
        with pytest.raises(ValueError, match="gives 0 to several functions"):
            spell_registry(replace(recorded, table=twice), "driver")

    def test_what_is_new_is_appended_and_what_is_there_stays(self) -> None:
        recorded = registry()
        first = assign(replace(recorded, table=()), R13)
        assert [row.name for row in first.table] == [
            "cuAttr_v1", "cuInit_v1", "cuMake_v1", "cuPush_v1", "cuPush_v1_ptsz", "cuFrame_v1", "cuGetProcAddress_v1",
            "cuMake_v2",
        ]  # fmt: skip
        fewer = replace(recorded, table=recorded.table[1:])
        again = assign(fewer, R13)
        assert again.table == (*recorded.table[1:], TablePosition(len(TABLE), "cuInit_v1"))
        assert assign(again, R13).table == again.table

    def test_what_no_header_declares_has_no_position(self) -> None:
        recorded = registry()
        exported = (*recorded.functions, FunctionName("cuHidden", "cuHidden_v1", None))
        assert assign(replace(recorded, functions=exported), R13).table == recorded.table

    def test_is_kept_in_a_file_whose_rows_the_check_compares(self, tmp_path: Path) -> None:
        save_index(tmp_path, registry())
        assert load(tmp_path).table == registry().table
        text = (tmp_path / "table.toml").read_text("utf-8")
        changed = text.replace("position = 3", "position = 4")
        lost = set(rows(text)) - set(rows(changed))
        assert lost == {"function { name = 'cuPush_v1_ptsz', position = 3 }"}
