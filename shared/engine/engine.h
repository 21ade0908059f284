/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine's files share. One subject a file:
 *   symbols.c  find the library, resolve a symbol once, tell why not
 *   elf.c      see that a library's file is whole before it is loaded
 *   convert.c  one value between Python and C, for every element
 *   kernel.c   kernel parameters and option values: the two void ** that hold values of many types
 *   handle.c enum.c record.c   the three families of types, made on first access
 *   doc.c      signatures and docstrings, written from the rows
 *   call.c     a function: arguments in, typed call, results out
 *   capsules.c what other compiled modules call
 *   names.c    a name in a scope -> the object
 *   module.c   the extension module
 */
#ifndef CS_ENGINE_H
#define CS_ENGINE_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030B0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "rows.h"

#define CS_MAX_PARAMS 32

#if defined(__GNUC__)
#define CS_LIKELY(x) __builtin_expect(!!(x), 1)
#define CS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define CS_PRINTF(string, first) __attribute__((format(printf, string, first)))
#define CS_APART __attribute__((noinline)) /* seldom called, and would take the caller's registers */
#else
#define CS_LIKELY(x) (x)
#define CS_UNLIKELY(x) (x)
#define CS_PRINTF(string, first)
#define CS_APART
#endif

/* ---- types of ours ---- */

enum cs_family { CS_FOREIGN, CS_FAMILY_HANDLE, CS_FAMILY_CALLBACK, CS_FAMILY_ENUM, CS_FAMILY_RECORD };

/* Every type that the engine has made, by address: "is it one of ours" costs a load or two and no call. */
struct cs_family_slot {
  PyTypeObject *type;
  uint16_t family;
  uint16_t row; /* of the type, in the table of its family */
};
#define CS_FAMILY_SLOTS 2048u /* a power of two, several times the number of types */
extern struct cs_family_slot cs_family_slots[CS_FAMILY_SLOTS];
int cs_family_add(PyTypeObject *type, enum cs_family family, uint16_t row);

static inline uint32_t cs_pointer_hash(const void *pointer, unsigned bits) {
  return (uint32_t)(((uint64_t)(uintptr_t)pointer >> 4) * 0x9E3779B97F4A7C15u >> (64 - bits));
}

static inline enum cs_family cs_family(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  for (uint32_t slot = cs_pointer_hash(type, 11);; slot = (slot + 1) % CS_FAMILY_SLOTS) {
    if (cs_family_slots[slot].type == type) return (enum cs_family)cs_family_slots[slot].family;
    if (!cs_family_slots[slot].type) return CS_FOREIGN;
  }
}

/* The row of a type of ours, CS_NONE16 where it is none of that family. */
static inline uint16_t cs_family_row(PyTypeObject *type, enum cs_family family) {
  for (uint32_t slot = cs_pointer_hash(type, 11);; slot = (slot + 1) % CS_FAMILY_SLOTS) {
    if (cs_family_slots[slot].type == type) return cs_family_slots[slot].family == family ? cs_family_slots[slot].row : CS_NONE16;
    if (!cs_family_slots[slot].type) return CS_NONE16;
  }
}

static inline bool cs_is_handle(PyObject *object) { return cs_family(object) == CS_FAMILY_HANDLE; }
static inline bool cs_is_callback(PyObject *object) { return cs_family(object) == CS_FAMILY_CALLBACK; }
static inline bool cs_is_enum_member(PyObject *object) { return cs_family(object) == CS_FAMILY_ENUM; }
static inline bool cs_is_record(PyObject *object) { return cs_family(object) == CS_FAMILY_RECORD; }

/* CPython has one object for each small int, made once for all and side by side. Those that cs_ints_init finds so, and keeps, are
 * known by their address: no call is needed to read them. */
#define CS_SMALL_LOW (-5)
#define CS_SMALL_STRIDE_BITS 5
extern uint64_t cs_small_start; /* the address of the first */
extern uint64_t cs_small_count; /* 0 where they do not lie so */
int cs_ints_init(void);

static inline bool cs_small_int(PyObject *object, int64_t *value) {
  uint64_t place = (uint64_t)(uintptr_t)object - cs_small_start;
  place = place >> CS_SMALL_STRIDE_BITS | place << (64 - CS_SMALL_STRIDE_BITS); /* too large where it is no multiple */
  *value = (int64_t)place + CS_SMALL_LOW;
  return place < cs_small_count;
}

/* A 64-bit number from an int; false, without an exception, where it has another type or does not fit. PyLong_AsLongAndOverflow
 * reads numbers of several digits several times faster than the functions for unsigned and long long numbers do. */
static inline bool cs_quick_u64(PyObject *object, uint64_t *value) {
  int64_t small;
  if (cs_small_int(object, &small) && small >= 0) {
    *value = (uint64_t)small;
    return true;
  }
  if (!PyLong_CheckExact(object)) return false;
  int overflow;
#if LONG_MAX == INT64_MAX
  long number = PyLong_AsLongAndOverflow(object, &overflow);
#else
  long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
#endif
  *value = (uint64_t)number;
  return !overflow && number >= 0;
}

/* Of an int or a member of an enum class of ours. */
static inline bool cs_quick_i64(PyObject *object, int64_t *value) {
  int overflow;
#if LONG_MAX == INT64_MAX
  *value = PyLong_AsLongAndOverflow(object, &overflow);
#else
  *value = PyLong_AsLongLongAndOverflow(object, &overflow);
#endif
  return !overflow;
}

/* The same where nothing is known of the object yet. */
static inline bool cs_plain_i64(PyObject *object, int64_t *value) {
  return cs_small_int(object, value) || (PyLong_CheckExact(object) && cs_quick_i64(object, value));
}

/* ---- objects ---- */

/* A handle or a callback: a value of pointer size or less, kept as C keeps it, so that its address is of use. */
struct cs_handle_object {
  PyObject_HEAD
  uint64_t value;
  PyObject *keep; /* what has to live as long as the handle, or NULL */
  uint16_t row;
};

struct cs_record_object {
  PyObject_HEAD
  char *data;
  PyObject *owner; /* whose memory `data` is: NULL for our own, None for somebody else's */
  PyObject *keep;  /* dict: address -> object that a pointer in the record leads to, or NULL */
  uint16_t row;
};

/* ---- errors that name the place ---- */

/* Where a value comes from: an argument of a call or a field of a record, perhaps an element of it. */
struct cs_where {
  const char *owner; /* "cuMemAlloc_v2" or "CUlaunchConfig" */
  const char *name;  /* "bytesize" */
  Py_ssize_t index;  /* of the element, or -1 */
  bool field;
};

/* Raises `type` with "cuMemAlloc_v2(): argument 'bytesize' <text>"; returns -1. */
int cs_fail(PyObject *type, const struct cs_where *where, const char *text, ...) CS_PRINTF(3, 4);
/* Raises TypeError: "… must be <expected>, not <type of got>"; returns -1. */
int cs_fail_type(const struct cs_where *where, const char *expected, PyObject *got);

/* ---- symbols.c ---- */

extern _Atomic(cs_address) *cs_slots; /* one a function row; NULL until resolved */
int cs_symbols_init(void);
/* The function's address; NULL with an exception set. Call with the GIL. */
cs_address cs_resolve(uint16_t row);
/* The same from any thread, with or without the GIL. A thread that Python does not know gets no exception, only NULL. */
cs_address cs_resolve_anywhere(uint16_t row);
/* The same without an exception; loads the library if `load`. */
cs_address cs_find(uint16_t row, bool load);
/* dict: path, version, tried, loaded. */
PyObject *cs_library_info(void);
extern PyObject *cs_FunctionNotFoundError;
extern PyObject *cs_LibraryNotFoundError;
extern PyObject *cs_finder; /* callable: paths to try, in order; NULL: the soname, which the system finds */

/* ---- elf.c ---- */

/* False where loading the file would end the process; true too where it is no library at all, which the loader says better. */
bool cs_file_is_whole(const char *path);

/* ---- convert.c ---- */

size_t cs_size(uint8_t elem, uint16_t type);
/* Writes the C value of `object` to `target`. Where the value is a pointer into an object, *keep gets a reference to
 * what must stay alive (else it is left alone). `flags` are those of cs_param. */
int cs_store(const struct cs_where *where, uint8_t elem, uint16_t type, uint8_t flags, PyObject *object, void *target,
             PyObject **keep);
PyObject *cs_load(uint8_t elem, uint16_t type, const void *source);
/* Integers of every width: smallest and largest value by element. */
struct cs_range {
  const char *text;
  int64_t low;
  uint64_t high;
};
extern const struct cs_range cs_ranges[];
int cs_store_int(const struct cs_where *where, uint8_t elem, PyObject *object, void *target);
/* A void *: 1 and *address where no buffer is needed, 0 where a buffer has to be asked for, -1 with an exception. */
int cs_pointer(const struct cs_where *where, PyObject *object, void **address);
int cs_buffer(const struct cs_where *where, PyObject *object, bool writable, Py_buffer *view);
/* A list or tuple of what a sequence holds: new reference; NULL with an exception that names the place. */
PyObject *cs_sequence(const struct cs_where *where, PyObject *object, const char *of, bool or_none);
PyObject *cs_load_list(uint8_t elem, uint16_t type, const void *source, Py_ssize_t count);

/* ---- kernel.c ---- */

int cs_kernel_init(void);
struct cs_arena;
/* void ** for a kernel. Memory comes from the arena; *keep as for cs_store. */
int cs_kernel_params(const struct cs_where *where, PyObject *object, struct cs_arena *arena, void ***target);
const struct cs_typed_row *cs_typed_find(uint8_t table, int32_t value);
int cs_option_values(const struct cs_where *where, PyObject *object, uint8_t table, const int32_t *options, Py_ssize_t count,
                     struct cs_arena *arena, void ***target);

/* Memory and references that last as long as a call, or, once moved out, as long as an object. */
#define CS_ARENA_INLINE 1024
struct cs_arena {
  size_t used;
  struct cs_chunk *chunks; /* memory that did not fit */
  PyObject *keep;          /* list of objects, or NULL */
  bool heap_only;          /* for what outlives the call */
  struct cs_views *views;  /* buffers to release */
  _Alignas(16) char space[CS_ARENA_INLINE];
};
static inline void cs_arena_init(struct cs_arena *arena, bool heap_only) {
  arena->used = 0;
  arena->chunks = NULL;
  arena->keep = NULL;
  arena->heap_only = heap_only;
  arena->views = NULL;
}
void *cs_arena_take(struct cs_arena *arena, size_t size); /* aligned to 16; NULL with MemoryError */
void *cs_arena_take_zeroed(struct cs_arena *arena, size_t size); /* large pieces cost nothing until they are touched */
/* cs_arena_take of what is small, in the arena of a call. */
static inline void *cs_arena_take_small(struct cs_arena *arena, size_t size) {
  size_t room = (size + 15u) & ~(size_t)15u;
  if (CS_UNLIKELY(size > CS_ARENA_INLINE || room > CS_ARENA_INLINE - arena->used)) return cs_arena_take(arena, size);
  arena->used += room;
  return arena->space + arena->used - room;
}
int cs_arena_keep(struct cs_arena *arena, PyObject *reference); /* steals the reference, also on failure */
int cs_arena_buffer(struct cs_arena *arena, const struct cs_where *where, PyObject *object, bool writable, void **address);
Py_ssize_t cs_arena_last_size(const struct cs_arena *arena); /* bytes of the buffer that was taken last */
void cs_arena_release(struct cs_arena *arena);
/* An object that owns what a heap-only arena holds. */
PyObject *cs_arena_to_object(struct cs_arena *arena);
/* A void * whose buffer the arena holds. */
int cs_arena_pointer(struct cs_arena *arena, const struct cs_where *where, PyObject *object, bool writable, void **address);

/* ---- handle.c ---- */

extern PyTypeObject **cs_handle_types; /* one a row, NULL until made */
extern PyTypeObject **cs_callback_types;
int cs_handle_init(void);
PyTypeObject *cs_handle_type(uint16_t row); /* borrowed; NULL with an exception */
PyTypeObject *cs_callback_type(uint16_t row);
PyObject *cs_handle_new(uint16_t row, uint64_t value);
/* The same where the class is at hand and the value is as C wrote it into zeroed memory. */
static inline PyObject *cs_handle_of(PyTypeObject *type, uint16_t row, uint64_t value) {
  struct cs_handle_object *self = PyObject_New(struct cs_handle_object, type);
  if (!self) return NULL;
  self->value = value;
  self->keep = NULL;
  self->row = row;
  return (PyObject *)self;
}
PyObject *cs_callback_new(uint16_t row, uint64_t value);
/* 1 where the object is a handle of another package, -1 with an exception. */
int cs_is_foreign_handle(PyObject *object);
int cs_handle_value(const struct cs_where *where, uint16_t row, uint8_t flags, PyObject *object, uint64_t *value);
int cs_callback_value(const struct cs_where *where, uint16_t row, PyObject *object, void **value, PyObject **keep);

/* ---- enum.c ---- */

extern PyTypeObject **cs_enum_types; /* one a row, NULL until made */
int cs_enum_init(void);
PyTypeObject *cs_enum_type(uint16_t row); /* borrowed */
PyObject *cs_enum_view_type(uint16_t row, const char *scope); /* new reference; `scope` is where it is to be found */
PyObject *cs_enum_member(uint16_t row, int64_t value); /* new reference; unknown values get an unnamed member */
int cs_enum_value(const struct cs_where *where, uint16_t row, PyObject *object, int32_t *value);
PyObject *cs_enum_from_driver(PyObject *module, PyObject *args);

/* ---- record.c ---- */

extern PyTypeObject **cs_record_types;
int cs_record_init(void);
PyTypeObject *cs_record_type(uint16_t row); /* borrowed */
PyObject *cs_record_new(uint16_t row);
/* A record in memory that `owner` keeps. */
PyObject *cs_record_at(uint16_t row, void *data, PyObject *owner);
/* The record's memory, or NULL with TypeError. */
char *cs_record_data(const struct cs_where *where, uint16_t row, PyObject *object);

/* ---- doc.c ---- */

char *cs_function_doc(uint16_t row);  /* PyMem_Malloc'ed, with the signature line that inspect reads */
char *cs_type_doc(const char *name, const char *what, uint16_t since);
void cs_format_release(uint16_t number, char out[16]);
PyObject *cs_function_signature(const struct cs_func *func); /* str: "CUresult cuInit(unsigned int Flags)" */

/* ---- call.c ---- */

int cs_call_init(void);
PyObject *cs_function_new(uint16_t row);
bool cs_is_input(uint8_t kind);
bool cs_is_output(uint8_t kind);

/* ---- capsules.c ---- */

/* What _generated/entries.c calls to fill in a target; as cs_resolve_anywhere. */
cs_address cs_capsule_resolve(uint16_t row, _Atomic(cs_address) *target);
/* For a function that no library of this major has: FunctionNotFoundError, as cs_resolve_anywhere sets it. */
void cs_capsule_absent(const char *name, uint16_t introduced);
/* dict: name -> capsule, for every function of a scope: over permanent types, or as the official module has them. */
PyObject *cs_capsules(uint16_t scope, bool official);

/* ---- names.c ---- */

int cs_names_init(void);
/* New reference; NULL without an exception where the scope does not have the name. */
PyObject *cs_names_get(uint16_t scope, const char *name);
PyObject *cs_names_list(uint16_t scope);
int cs_scope_find(const char *name); /* row or -1 */
/* Row of the function that the scope calls so, or -1. */
int cs_names_function(uint16_t scope, const char *name);
PyObject *cs_function_object(uint16_t row);

/* NULL, with an exception: PyType_FromSpec of CPython 3.11 sets none where its copy of the name fails. */
static inline void *cs_no_type(void) {
  if (!PyErr_Occurred()) PyErr_NoMemory();
  return NULL;
}

/* "cuda.driver_stable.CUcontext", never freed: types live as long as the process. */
char *cs_qualified(const char *name);

#endif
