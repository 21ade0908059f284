/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Linked with the tables and thunks of emit_sample.py: reads rows as the engine does, and calls functions that were compiled
 * from a header of their own through the thunks.
 */
#include "rows.h"

#include <stdio.h>
#include <string.h>

static int failures;
#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      failures++; \
      printf("line %d: %s\n", __LINE__, #condition); \
    } \
  } while (0)

/* As a header would say it: not the definition that was emitted. */
typedef struct CUplace_st {
  enum { PLACE_A = 1 } kind;
  union {
    float weight;
    struct {
      short x, y;
    };
    void *address;
  };
} CUplace;

static CUplace seen_place;
static float seen_scale;
static void *seen_stream;

static int make_v2(void **stream, CUplace place, float scale) {
  seen_stream = stream;
  seen_place = place;
  seen_scale = scale;
  return 77;
}

static unsigned int seen_flags;
static int init(unsigned int flags) {
  seen_flags = flags;
  return -3;
}

static const struct cs_func *function(const char *name) {
  for (int i = 0; i < cs_library.nfuncs; i++)
    if (strcmp(CS_STR(cs_funcs[i].name), name) == 0) return &cs_funcs[i];
  return NULL;
}

static int scope_of(const char *name) {
  for (int i = 0; i < cs_library.nscopes; i++)
    if (strcmp(CS_STR(cs_scopes[i].name), name) == 0) return i;
  return -1;
}

/* kind * 65536 + ref, or -1 */
static long meaning(const char *scope, const char *name) {
  int row = scope_of(scope);
  for (uint32_t i = 0; i < cs_scopes[row].count; i++) {
    const struct cs_scope_name *own = &cs_scope_names[cs_scopes[row].first + i];
    if (strcmp(CS_STR(own->name), name) == 0) return own->kind * 65536L + own->ref;
  }
  for (int i = 0; i < cs_library.nnames; i++)
    if (strcmp(CS_STR(cs_names[i].name), name) == 0 && cs_names[i].scopes >> row & 1)
      return cs_names[i].kind * 65536L + cs_names[i].ref;
  return -1;
}

static const char *target(const char *scope, const char *name) {
  long found = meaning(scope, name);
  return found / 65536 == CS_NAME_FUNCTION && found >= 0 ? CS_STR(cs_funcs[found % 65536].name) : "";
}

int main(void) {
  union cs_arg args[8];
  CUplace place;
  memset(&place, 0, sizeof place);
  place.kind = PLACE_A;
  place.x = -5;
  place.y = 1234;
  args[0].ptr = &args;
  args[1].ptr = &place;
  args[2].f32 = 2.5f;
  const struct cs_func *row = function("cuMake_v2");
  CHECK(cs_thunks[row->thunk]((cs_address)make_v2, args) == 77);
  CHECK(seen_stream == &args && seen_scale == 2.5f);
  CHECK(seen_place.kind == PLACE_A && seen_place.x == -5 && seen_place.y == 1234);
  args[0].u32 = 0xFFFFFFFEu;
  CHECK(cs_thunks[function("cuInit_v1")->thunk]((cs_address)init, args) == -3);
  CHECK(seen_flags == 0xFFFFFFFEu);

  for (int i = 1; i < cs_library.nnames; i++) CHECK(strcmp(CS_STR(cs_names[i - 1].name), CS_STR(cs_names[i].name)) < 0);
  for (int i = 0; i < cs_library.nscopes; i++)
    for (uint32_t j = 1; j < cs_scopes[i].count; j++)
      CHECK(strcmp(CS_STR(cs_scope_names[cs_scopes[i].first + j - 1].name), CS_STR(cs_scope_names[cs_scopes[i].first + j].name)) < 0);
  for (int i = 0; i < cs_library.nenums; i++)
    for (int j = cs_enums[i].first + 1; j < cs_enums[i].first + cs_enums[i].count; j++) {
      CHECK(cs_enumerators[j - 1].value <= cs_enumerators[j].value);
      CHECK(cs_enumerators[j].owner == i);
    }

  CHECK(!strcmp(target("", "cuInit"), "cuInit_v1") && !strcmp(target("", "cuMake_v2"), "cuMake_v2"));
  CHECK(meaning("", "cuMake") == -1 && meaning("cu13", "cuInit_v1") == -1);
  CHECK(!strcmp(target("cu11", "cuMake"), "cuMake_v1") && !strcmp(target("cu13", "cuMake"), "cuMake_v2"));
  CHECK(!strcmp(target("cu13", "cuSync"), "cuSync_v1"));
  CHECK(!strcmp(target("cu13.per_thread", "cuSync"), "cuSync_v1_ptsz"));
  CHECK(meaning("cu11", "CUnode") == -1 && meaning("cu13", "CUnode") == meaning("", "CUnode_v2"));
  CHECK(meaning("", "CUplace_st") == -1 && meaning("cu11", "CUplace_st") == meaning("", "CUplace"));

  long clock = meaning("cu11", "CU_ATTR_CLOCK");
  CHECK(clock / 65536 == CS_NAME_MEMBER && cs_enum_view_members[clock % 65536].value == 2);
  clock = meaning("cu13", "CU_ATTR_CLOCK");
  CHECK(clock / 65536 == CS_NAME_ENUMERATOR && cs_enumerators[clock % 65536].value == 9);
  CHECK(meaning("cu11", "CUattr") / 65536 == CS_NAME_ENUM_VIEW && meaning("cu13", "CUattr") / 65536 == CS_NAME_ENUM);
  CHECK(meaning("", "CU_COUNT") == meaning("", "CU_ATTR_COUNT"));
  CHECK(cs_constants[meaning("cu11", "CUDA_VERSION") % 65536].value == 11080);
  CHECK(cs_constants[meaning("", "CUDA_VERSION") % 65536].value == 13050);
  const struct cs_constant *text = &cs_constants[meaning("", "CU_TEXT") % 65536];
  CHECK(text->elem == CS_CSTR && !strcmp(CS_STR(text->value), "a \"b\""));
  double pi;
  memcpy(&pi, &cs_constants[meaning("", "CU_PI") % 65536].value, sizeof pi);
  CHECK(pi == 1.5);
  CHECK((uint64_t)cs_constants[meaning("", "CU_TOP") % 65536].value == UINT64_MAX);
  return failures != 0;
}
