/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The void ** that hold values of many types, kernel parameters and option values, and the arena they live in.
 */
#include "engine.h"

#include <stdio.h>

/* ---- arena ---- */

struct cs_chunk {
  struct cs_chunk *next;
  _Alignas(16) char space[];
};

struct cs_views {
  struct cs_views *next;
  Py_buffer view;
};

static void *take(struct cs_arena *arena, size_t size, bool zeroed) {
  if (size > (size_t)PY_SSIZE_T_MAX - 64) {
    PyErr_NoMemory();
    return NULL;
  }
  size = (size + 15u) & ~(size_t)15u;
  if (!arena->heap_only && size <= CS_ARENA_INLINE - arena->used) {
    void *memory = arena->space + arena->used;
    arena->used += size;
    return zeroed ? memset(memory, 0, size) : memory;
  }
  struct cs_chunk *chunk = zeroed ? PyMem_Calloc(1, sizeof *chunk + size) : PyMem_Malloc(sizeof *chunk + size);
  if (!chunk) {
    PyErr_NoMemory();
    return NULL;
  }
  chunk->next = arena->chunks;
  arena->chunks = chunk;
  return chunk->space;
}

void *cs_arena_take(struct cs_arena *arena, size_t size) { return take(arena, size, false); }
void *cs_arena_take_zeroed(struct cs_arena *arena, size_t size) { return take(arena, size, true); }

int cs_arena_keep(struct cs_arena *arena, PyObject *reference) {
  if (!reference) return 0;
  int status = arena->keep || (arena->keep = PyList_New(0)) ? PyList_Append(arena->keep, reference) : -1;
  Py_DECREF(reference);
  return status;
}

int cs_arena_buffer(struct cs_arena *arena, const struct cs_where *where, PyObject *object, bool writable, void **address) {
  struct cs_views *views = cs_arena_take(arena, sizeof *views);
  if (!views || cs_buffer(where, object, writable, &views->view) < 0) return -1;
  views->next = arena->views;
  arena->views = views;
  *address = views->view.buf;
  return 0;
}

Py_ssize_t cs_arena_last_size(const struct cs_arena *arena) { return arena->views->view.len; }

int cs_arena_pointer(struct cs_arena *arena, const struct cs_where *where, PyObject *object, bool writable, void **address) {
  int found = cs_pointer(where, object, address);
  if (found) return found < 0 ? -1 : 0;
  return cs_arena_buffer(arena, where, object, writable, address);
}

void cs_arena_release(struct cs_arena *arena) {
  for (struct cs_views *views = arena->views; views; views = views->next) PyBuffer_Release(&views->view);
  arena->views = NULL;
  Py_CLEAR(arena->keep);
  while (arena->chunks) {
    struct cs_chunk *next = arena->chunks->next;
    PyMem_Free(arena->chunks);
    arena->chunks = next;
  }
}

/* What a heap-only arena held, as an object that the collector sees: what is kept may lead back to who keeps it. */
typedef struct {
  PyObject_HEAD
  struct cs_chunk *chunks;
  PyObject *keep;
  struct cs_views *views;
} Owner;

static PyTypeObject *owner_type;

static int owner_traverse(PyObject *object, visitproc visit, void *arg) {
  Owner *self = (Owner *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->keep);
  for (struct cs_views *views = self->views; views; views = views->next) Py_VISIT(views->view.obj);
  return 0;
}

static int owner_clear(PyObject *object) {
  Py_CLEAR(((Owner *)object)->keep); /* the memory stays: somebody may still hold its address */
  return 0;
}

static void owner_dealloc(PyObject *object) {
  Owner *self = (Owner *)object;
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  struct cs_arena arena = {.chunks = self->chunks, .keep = self->keep, .heap_only = true, .views = self->views};
  cs_arena_release(&arena);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

int cs_kernel_init(void) {
  static PyType_Slot slots[] = {
      {Py_tp_dealloc, (void *)owner_dealloc},
      {Py_tp_traverse, (void *)owner_traverse},
      {Py_tp_clear, (void *)owner_clear},
      {0, NULL},
  };
  if (owner_type) return 0;
  char *name = cs_qualified("_Owner");
  if (!name) return -1;
  PyType_Spec spec = {name, sizeof(Owner), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  owner_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return owner_type ? 0 : (cs_no_type(), -1);
}

PyObject *cs_arena_to_object(struct cs_arena *arena) {
  Owner *self = (Owner *)PyType_GenericAlloc(owner_type, 0);
  if (!self) return NULL;
  self->chunks = arena->chunks;
  self->keep = arena->keep;
  self->views = arena->views;
  cs_arena_init(arena, true);
  return (PyObject *)self;
}

/* ---- ctypes ---- */

/* What a parameter's type says, beside cs_elem. */
enum {
  CS_BOOL = 32,
  CS_OWN = 33,  /* None: the value brings its type along */
  CS_CLASS = 34 /* another ctypes class, a structure say: the value is an object of it */
};

static const struct {
  const char *name;
  uint8_t elem;
} ctypes_names[] = {
    {"c_bool", CS_BOOL},
    {"c_char", CS_CHAR},
    {"c_byte", CS_I8},
    {"c_ubyte", CS_U8},
    {"c_short", CS_I16},
    {"c_ushort", CS_U16},
    {"c_int", CS_I32},
    {"c_uint", CS_U32},
    {"c_long", sizeof(long) == 8 ? CS_I64 : CS_I32},
    {"c_ulong", sizeof(long) == 8 ? CS_U64 : CS_U32},
    {"c_longlong", CS_I64},
    {"c_ulonglong", CS_U64},
    {"c_size_t", CS_U64},
    {"c_ssize_t", CS_I64},
    {"c_float", CS_F32},
    {"c_double", CS_F64},
    {"c_void_p", CS_PTR},
};

#define MAP_SIZE 64 /* a power of two, well above the number of names */
static struct {
  PyObject *type; /* borrowed from ctypes, whose classes never go */
  uint8_t elem;
} map[MAP_SIZE];
static bool map_ready;

static size_t map_slot(PyObject *type) {
  size_t slot = cs_pointer_hash(type, 6);
  while (map[slot].type && map[slot].type != type) slot = (slot + 1) % MAP_SIZE;
  return slot;
}

static int make_map(void) {
  PyObject *ctypes = PyImport_ImportModule("ctypes");
  if (!ctypes) return -1;
  for (size_t i = 0; i < sizeof ctypes_names / sizeof *ctypes_names; i++) {
    PyObject *type = PyObject_GetAttrString(ctypes, ctypes_names[i].name);
    if (!type) {
      Py_DECREF(ctypes);
      return -1;
    }
    size_t slot = map_slot(type);
    if (map[slot].type)
      Py_DECREF(type); /* c_longlong is c_long where both have 64 bits */
    else
      map[slot].type = type; /* the reference is kept for ever */
    map[slot].elem = ctypes_names[i].elem;
  }
  Py_DECREF(ctypes);
  map_ready = true;
  return 0;
}

static size_t word_size(uint8_t elem) { return elem == CS_BOOL ? 1 : cs_size(elem, 0); }

/* ---- kernel parameters ---- */

/* The element of an object of one of ctypes' simple classes, CS_VOID of any other. */
static uint8_t simple_elem(PyObject *value) {
  size_t slot = map_slot((PyObject *)Py_TYPE(value));
  return map[slot].type ? map[slot].elem : CS_VOID;
}

/* The memory of an object of a simple class. It does not move while the object lives, and whoever packs parameters sees to that: so
 * the buffer is not held, and costs no room. */
static int simple_value(const struct cs_where *where, PyObject *value, size_t size, void **parameter) {
  Py_buffer view;
  if (cs_buffer(where, value, false, &view) < 0) return -1;
  *parameter = view.buf;
  Py_ssize_t length = view.len;
  PyBuffer_Release(&view);
  if ((size_t)length == size) return 0;
  return cs_fail(PyExc_TypeError, where, "is a ctypes object of %zd bytes where the type beside it has %zu", length, size);
}

/* A value that brings its type along: handle, enum member, record, ctypes object, NumPy scalar. */
static int typed_value(struct cs_arena *arena, const struct cs_where *where, PyObject *value, void *word, void **parameter) {
  *parameter = word;
  if (cs_is_handle(value) || cs_is_callback(value)) {
    memcpy(word, &((struct cs_handle_object *)value)->value, 8);
    return 0;
  }
  if (cs_is_record(value)) {
    *parameter = ((struct cs_record_object *)value)->data;
    return arena->heap_only ? cs_arena_keep(arena, Py_NewRef(value)) : 0;
  }
  if (cs_is_enum_member(value)) {
    int64_t wide;
    if (cs_store_int(where, CS_I64, value, &wide) < 0) return -1;
    uint32_t narrow = (uint32_t)wide;
    memcpy(word, &narrow, sizeof narrow);
    return 0;
  }
  uint8_t simple = simple_elem(value);
  if (simple != CS_VOID) return simple_value(where, value, word_size(simple), parameter);
  if (PyObject_CheckBuffer(value)) return cs_arena_buffer(arena, where, value, false, parameter);
  if (PyLong_Check(value) && !PyLong_CheckExact(value)) {
    PyObject *members = PyObject_GetAttrString((PyObject *)Py_TYPE(value), "__members__");
    if (members) { /* an enum of somebody else: a C int */
      Py_DECREF(members);
      return cs_store_int(where, CS_I32, value, word);
    }
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
  }
  PyObject *method = PyObject_GetAttrString(value, "getPtr");
  if (method) {
    PyObject *result = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    if (!result) return -1;
    int status = cs_store_int(where, CS_U64, result, parameter);
    Py_DECREF(result);
    if (status == 0 && arena->heap_only) status = cs_arena_keep(arena, Py_NewRef(value));
    return status;
  }
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  return cs_fail_type(where, "a value that brings its type (a handle, record, enum member, ctypes object or NumPy scalar) or has a ctypes type beside it",
                      value);
}

/* A value with a ctypes type beside it. */
static int given_value(struct cs_arena *arena, const struct cs_where *where, PyObject *value, uint8_t elem, void *word, void **parameter) {
  *parameter = word;
  if (CS_LIKELY(PyLong_Check(value))) {
    switch (elem) {
    case CS_BOOL: {
      int truth = PyObject_IsTrue(value);
      if (truth < 0) return -1;
      *(char *)word = (char)truth;
      return 0;
    }
    case CS_F32:
    case CS_F64: return cs_store(where, elem, 0, 0, value, word, NULL);
    case CS_CHAR: return cs_store_int(where, CS_I8, value, word);
    case CS_PTR: return cs_store_int(where, CS_U64, value, word);
    default: return cs_store_int(where, elem, value, word);
    }
  }
  if (elem == CS_PTR) {
    void *address;
    if (cs_is_handle(value)) {
      memcpy(word, &((struct cs_handle_object *)value)->value, 8);
      return 0;
    }
    if (simple_elem(value) == CS_PTR) return simple_value(where, value, sizeof(void *), parameter); /* c_void_p itself */
    /* As memory, a ctypes pointer is the word that holds the address: nobody means to give that word's own address to a kernel. */
    if (PyObject_CheckBuffer(value) && PyObject_HasAttrString((PyObject *)Py_TYPE(value), "contents"))
      return cs_fail(PyExc_TypeError, where, "is a ctypes pointer: give None or its own class as its type, or cast it to c_void_p");
    if (cs_arena_pointer(arena, where, value, false, &address) < 0) return -1;
    memcpy(word, &address, sizeof address);
    return arena->heap_only && value != Py_None ? cs_arena_keep(arena, Py_NewRef(value)) : 0;
  }
  /* A ctypes object of that very width goes as it is. */
  if (simple_elem(value) != CS_VOID) return simple_value(where, value, word_size(elem), parameter);
  /* A number of somebody else, of NumPy say. */
  if (elem >= CS_I8 && elem <= CS_U64 && PyIndex_Check(value)) return cs_store_int(where, elem, value, word);
  if ((elem == CS_F32 || elem == CS_F64) && PyType_GetSlot(Py_TYPE(value), Py_nb_float)) return cs_store(where, elem, 0, 0, value, word, NULL);
  if (elem == CS_CHAR && PyBytes_Check(value)) return cs_store(where, CS_CHAR, 0, 0, value, word, NULL);
  /* An object of another ctypes class goes as it is too. */
  if (PyObject_CheckBuffer(value) && PyObject_HasAttrString((PyObject *)Py_TYPE(value), "_type_")) {
    if (cs_arena_buffer(arena, where, value, false, parameter) < 0) return -1;
    if ((size_t)arena->views->view.len != word_size(elem))
      return cs_fail(PyExc_TypeError, where, "is a ctypes object of %zd bytes where the type beside it has %zu", arena->views->view.len,
                     word_size(elem));
    return 0;
  }
  if (elem == CS_BOOL) {
    int truth = PyObject_IsTrue(value);
    if (truth < 0) return -1;
    *(char *)word = (char)truth;
    return 0;
  }
  return cs_store(where, elem, 0, 0, value, word, NULL);
}

static uint8_t code_of(PyObject *type) {
  if (type == Py_None) return CS_OWN;
  size_t slot = map_slot(type);
  return map[slot].type ? map[slot].elem : CS_CLASS;
}

/* Programs launch with the same tuple of types again and again: what it says is worked out once. */
#define CODES_CACHED 16
struct codes {
  Py_ssize_t users; /* the cache is one; converting a value can run code that takes another's place in it */
  uint8_t of[];
};
static struct {
  PyObject *types; /* a strong reference: the address stays its own */
  struct codes *codes;
} cache[CODES_CACHED];

static void codes_done(struct codes *codes) {
  if (codes && !--codes->users) PyMem_Free(codes);
}

/* One code a type; NULL with an exception. To be given to codes_done. */
static struct codes *codes_of(PyObject *types, Py_ssize_t count) {
  uint32_t slot = cs_pointer_hash(types, 4);
  if (cache[slot].types == types) {
    cache[slot].codes->users++;
    return cache[slot].codes;
  }
  struct codes *codes = PyMem_Malloc(sizeof *codes + (size_t)count);
  if (!codes) {
    PyErr_NoMemory();
    return NULL;
  }
  codes->users = 1;
  bool lasting = count <= 4096;
  for (Py_ssize_t i = 0; i < count; i++) {
    codes->of[i] = code_of(PyTuple_GetItem(types, i));
    if (codes->of[i] == CS_CLASS) lasting = false; /* a user's class is not to be kept alive by a cache */
  }
  if (!lasting) return codes;
  PyObject *old = cache[slot].types;
  codes_done(cache[slot].codes);
  codes->users++;
  cache[slot].types = Py_NewRef(types);
  cache[slot].codes = codes;
  Py_XDECREF(old); /* of simple types alone: runs no code that could come back here */
  return codes;
}

struct job {
  struct cs_where where;
  struct cs_arena *arena;
  const uint8_t *codes; /* NULL: every value brings its type */
  PyObject *types;
  void **pointers;
};

CS_APART static int pack_one(struct job *job, Py_ssize_t i, PyObject *value, void *word) {
  job->where.index = i;
  uint8_t code = job->codes ? job->codes[i] : CS_OWN;
  if (code == CS_OWN) return typed_value(job->arena, &job->where, value, word, &job->pointers[i]);
  if (code != CS_CLASS) return given_value(job->arena, &job->where, value, code, word, &job->pointers[i]);
  PyObject *type = PyTuple_GetItem(job->types, i);
  int instance = PyType_Check(type) ? PyObject_IsInstance(value, type) : 0;
  if (instance < 0) return -1;
  if (!instance || !PyObject_CheckBuffer(value)) return cs_fail(PyExc_TypeError, &job->where, "must have None, a simple ctypes type or its own ctypes class as its type");
  return cs_arena_buffer(job->arena, &job->where, value, false, &job->pointers[i]);
}

/* `values` is the items' array, or NULL: then they are asked of the tuple one by one. */
static int pack_all(struct job *job, PyObject *tuple, PyObject *const *values, Py_ssize_t count) {
  /* Not asked of `job` each time: what is written through a char * might have changed it, for all the compiler knows. */
  void **pointers = job->pointers;
  const uint8_t *codes = job->codes;
  char *word = (char *)(pointers + count);
  for (Py_ssize_t i = 0; i < count; i++, word += 8) {
    PyObject *value = values ? values[i] : PyTuple_GetItem(tuple, i);
    int64_t number;
    pointers[i] = word;
    switch (codes ? codes[i] : CS_OWN) { /* the most usual ones; pack_one knows them all */
    case CS_OWN:
      if (cs_family(value) != CS_FAMILY_HANDLE) break;
      memcpy(word, &((struct cs_handle_object *)value)->value, 8);
      continue;
    case CS_PTR:
      if (cs_quick_u64(value, (uint64_t *)(void *)word)) continue;
      if (cs_family(value) != CS_FAMILY_HANDLE) break;
      memcpy(word, &((struct cs_handle_object *)value)->value, 8);
      continue;
    case CS_U64:
      if (!cs_quick_u64(value, (uint64_t *)(void *)word)) break;
      continue;
    case CS_I64:
      if (!cs_plain_i64(value, (int64_t *)(void *)word)) break;
      continue;
    case CS_I32:
      if (!cs_plain_i64(value, &number) || number != (int32_t)number) break;
      memcpy(word, &number, 4);
      continue;
    case CS_U32:
      if (!cs_plain_i64(value, &number) || number != (uint32_t)number) break;
      memcpy(word, &number, 4);
      continue;
    case CS_F32:
    case CS_F64:
      if (!PyFloat_CheckExact(value)) break;
      double real = PyFloat_AsDouble(value);
      if (codes[i] == CS_F64) {
        memcpy(word, &real, 8);
      } else {
        float narrow = (float)real;
        if (narrow - narrow != 0 && real - real == 0) break; /* finite, but not as a float */
        memcpy(word, &narrow, 4);
      }
      continue;
    default: break;
    }
    memset(word, 0, 8);
    if (pack_one(job, i, value, word) < 0) return -1;
  }
  return 0;
}

/* The stable ABI has no array of a tuple's items, but a fast call made from a tuple is given just that. The call costs as much as
 * asking for some items one by one, so it is for long tuples. */
#define FEW 6
static struct job *pending;

static PyObject *pack_call(PyObject *self, PyObject *const *values, Py_ssize_t count) {
  (void)self;
  struct job *job = pending; /* taken at once: converting a value can run code that launches a kernel */
  pending = NULL;
  if (!job) { /* whoever looks through all objects finds this one too */
    PyErr_SetString(PyExc_TypeError, "_pack() is the engine's own");
    return NULL;
  }
  return pack_all(job, NULL, values, count) < 0 ? NULL : Py_NewRef(Py_None);
}

static PyMethodDef pack_method = {"_pack", (PyCFunction)(void (*)(void))pack_call, METH_FASTCALL, NULL};
static PyObject *packer;

/* `types` is a tuple as long as `values`, or NULL. */
static int pack(const struct cs_where *where, PyObject *values, PyObject *types, struct cs_arena *arena, void ***target) {
  Py_ssize_t count = PyTuple_Size(values);
  if (types && PyTuple_Size(types) != count)
    return cs_fail(PyExc_ValueError, where, "has %zd values but %zd types", count, PyTuple_Size(types));
  if (!count) {
    *target = NULL;
    return 0;
  }
  if (CS_UNLIKELY(!map_ready) && make_map() < 0) return -1;
  if (CS_UNLIKELY(!packer) && !(packer = PyCFunction_NewEx(&pack_method, NULL, NULL))) return -1;
  struct job job = {*where, arena, NULL, types, NULL};
  struct codes *codes = NULL;
  if (types) {
    if (!(codes = codes_of(types, count))) return -1;
    job.codes = codes->of;
  }
  job.pointers = cs_arena_take(arena, (size_t)count * (sizeof(void *) + 8));
  int status = -1;
  if (job.pointers && count < FEW) {
    status = pack_all(&job, values, NULL, count);
  } else if (job.pointers) {
    pending = &job;
    PyObject *done = PyObject_Call(packer, values, NULL);
    if (done) status = 0;
    Py_XDECREF(done);
  }
  codes_done(codes);
  *target = job.pointers;
  return status;
}

static bool is_row(PyObject *object) { return PyTuple_Check(object) || PyList_Check(object); }

int cs_kernel_params(const struct cs_where *given, PyObject *object, struct cs_arena *arena, void ***target) {
  struct cs_where where = *given;
  *target = NULL;
  if (object == Py_None) return 0;
  if (!arena->heap_only && PyTuple_CheckExact(object)) { /* tuples do not change: what they hold lives as long as the call */
    if (PyTuple_Size(object) != 2) return pack(&where, object, NULL, arena, target);
    PyObject *first = PyTuple_GetItem(object, 0), *second = PyTuple_GetItem(object, 1);
    if (PyTuple_CheckExact(first) && PyTuple_CheckExact(second)) return pack(&where, first, second, arena, target);
    if (!is_row(first) || !is_row(second)) return pack(&where, object, NULL, arena, target);
  }
  if (!is_row(object)) {
    void *address;
    if (cs_arena_pointer(arena, &where, object, false, &address) < 0) return -1;
    *target = address;
    return arena->heap_only && !PyLong_CheckExact(object) ? cs_arena_keep(arena, Py_NewRef(object)) : 0;
  }
  PyObject *outer = cs_sequence(&where, object, "values", true);
  if (!outer) return -1;
  PyObject *values = NULL, *types = NULL;
  int status = -1;
  if (PyTuple_Size(outer) == 2 && is_row(PyTuple_GetItem(outer, 0)) && is_row(PyTuple_GetItem(outer, 1))) {
    values = cs_sequence(&where, PyTuple_GetItem(outer, 0), "values", false);
    types = values ? cs_sequence(&where, PyTuple_GetItem(outer, 1), "types", false) : NULL;
    if (types) status = pack(&where, values, types, arena, target);
  } else {
    values = Py_NewRef(outer);
    status = pack(&where, values, NULL, arena, target);
  }
  /* Buffers and records that the parameters point to live as long as the values. */
  if (status == 0 && (arena->heap_only || values != object)) status = cs_arena_keep(arena, Py_NewRef(values));
  Py_XDECREF(values);
  Py_XDECREF(types);
  Py_DECREF(outer);
  return status;
}

/* ---- options ---- */

const struct cs_typed_row *cs_typed_find(uint8_t table, int32_t value) {
  const struct cs_typed *typed = &cs_typed[table];
  /* Attributes are numbered from one on as a rule: then the place of a row follows from its value. */
  const struct cs_typed_row *first = &cs_typed_rows[typed->rows];
  uint32_t guess = (uint32_t)value - (uint32_t)first->value;
  if (guess < typed->nrows && first[guess].value == value) return &first[guess];
  uint16_t low = typed->rows, high = (uint16_t)(typed->rows + typed->nrows);
  while (low < high) {
    uint16_t middle = (uint16_t)((low + high) / 2);
    if (cs_typed_rows[middle].value < value)
      low = (uint16_t)(middle + 1);
    else
      high = middle;
  }
  if (low < typed->rows + typed->nrows && cs_typed_rows[low].value == value) return &cs_typed_rows[low];
  return NULL;
}

/* Arrays as an option's value: names (bytes) or addresses. */
static int option_array(struct cs_arena *arena, struct cs_where *where, uint8_t elem, PyObject *value, void **word) {
  PyObject *items = cs_sequence(where, value, "bytes or int", false);
  if (!items) return -1;
  Py_ssize_t count = PyTuple_Size(items);
  void **array = cs_arena_take(arena, (size_t)(count ? count : 1) * sizeof(void *));
  int status = array ? 0 : -1;
  for (Py_ssize_t i = 0; i < count && status == 0; i++) {
    PyObject *item = PyTuple_GetItem(items, i);
    if (elem == CS_CSTR || PyBytes_Check(item)) {
      PyObject *keep = NULL;
      status = cs_store(where, CS_CSTR, 0, 0, item, &array[i], &keep);
      Py_XDECREF(keep); /* the tuple has it */
    } else {
      status = cs_arena_pointer(arena, where, item, false, &array[i]);
    }
  }
  *word = array;
  if (status == 0) return cs_arena_keep(arena, items);
  Py_DECREF(items);
  return -1;
}

int cs_option_values(const struct cs_where *given, PyObject *object, uint8_t table, const int32_t *options, Py_ssize_t count,
                     struct cs_arena *arena, void ***target) {
  struct cs_where where = *given;
  *target = NULL;
  if (object == Py_None) return 0;
  PyObject *values = cs_sequence(&where, object, "option values", true);
  if (!values) return -1;
  int status = 0;
  if (PyTuple_Size(values) < count)
    status = cs_fail(PyExc_ValueError, &where, "has %zd values for %zd options", PyTuple_Size(values), count);
  void **words = status == 0 ? cs_arena_take(arena, (size_t)(count ? count : 1) * sizeof(void *)) : NULL;
  if (!words) status = -1;
  for (Py_ssize_t i = 0; i < count && status == 0; i++) {
    PyObject *value = PyTuple_GetItem(values, i);
    const struct cs_typed_row *row = options && table != CS_NONE8 ? cs_typed_find(table, options[i]) : NULL;
    where.index = i;
    words[i] = NULL;
    if (is_row(value)) {
      status = option_array(arena, &where, row ? row->elem : CS_PTR, value, &words[i]);
    } else if (row && row->elem != CS_PTR && row->elem != CS_CSTR) {
      PyObject *keep = NULL;
      status = cs_store(&where, row->elem, row->type, 0, value, &words[i], &keep);
      if (status == 0) status = cs_arena_keep(arena, keep);
    } else if (row && row->elem == CS_CSTR) {
      PyObject *keep = NULL;
      status = cs_store(&where, CS_CSTR, 0, 0, value, &words[i], &keep);
      if (status == 0) status = cs_arena_keep(arena, keep);
    } else if (cs_is_enum_member(value) || PyBool_Check(value)) {
      status = cs_store_int(&where, CS_I64, value, &words[i]);
    } else {
      status = cs_arena_pointer(arena, &where, value, row && (row->flags & CS_TYPED_WRITABLE), &words[i]);
    }
  }
  if (status == 0) {
    *target = words;
    return cs_arena_keep(arena, values);
  }
  Py_DECREF(values);
  return -1;
}
