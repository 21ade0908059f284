/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Records: structs and unions with the header's layout, always allocated whole and zero-filled.
 *
 * A pointer in a record leads to memory that something has to keep. The record at the root (the one that owns the bytes)
 * has a dictionary for that: address of the pointer -> what it leads to.
 */
#include "engine.h"

#include <stdio.h>

PyTypeObject **cs_record_types;
static PyTypeObject *block_type;

typedef struct cs_record_object Record;

/* Memory for the elements of a list field. It starts like a record, so that what its elements point to is kept the same way. */
typedef struct {
  Record head;
  Py_ssize_t count;
  size_t bytes;
  _Alignas(16) char space[];
} Block;

/* Where a record's own bytes start in its object. */
#define INLINE_OFFSET ((sizeof(Record) + 15u) & ~(size_t)15u)

static PyObject *block_new(size_t size, Py_ssize_t count);

/* ---- keeping ---- */

static Record *root_of(Record *self) {
  while (self->owner && (cs_is_record(self->owner) || Py_TYPE(self->owner) == block_type)) self = (Record *)self->owner;
  return self;
}

/* What the pointer at `address` leads to, where we keep it: borrowed, or NULL, perhaps with an exception. */
static PyObject *kept_at(Record *self, void *address) {
  Record *root = root_of(self);
  if (!root->keep) return NULL;
  PyObject *key = PyLong_FromVoidPtr(address);
  PyObject *found = key ? PyDict_GetItemWithError(root->keep, key) : NULL;
  Py_XDECREF(key);
  return found;
}

/* Writes a pointer and keeps what it leads to, `object`, whose reference is stolen; NULL keeps nothing. What was kept before goes
 * last: its end can run code that looks at the record. */
static int set_pointer(Record *self, void *address, const void *pointer, PyObject *object) {
  Record *root = root_of(self);
  PyObject *old = Py_XNewRef(kept_at(self, address));
  int status = PyErr_Occurred() ? -1 : 0;
  if (status == 0 && (object || old)) {
    PyObject *key = PyLong_FromVoidPtr(address);
    status = -1;
    if (key && (root->keep || (root->keep = PyDict_New())))
      status = object ? PyDict_SetItem(root->keep, key, object) : PyDict_DelItem(root->keep, key);
    Py_XDECREF(key);
  }
  if (status == 0) memcpy(address, &pointer, sizeof pointer);
  Py_XDECREF(object);
  Py_XDECREF(old);
  return status;
}

/* Copies bytes of a record; what their pointers lead to is kept at the new place too, and what the overwritten bytes kept is let
 * go of, last of all. */
static int copy_with_keep(Record *to, char *target, Record *from, const char *source, size_t size) {
  Record *old = root_of(from), *new = root_of(to);
  PyObject *merged = NULL, *key, *value;
  Py_ssize_t position = 0;
  if (old->keep || new->keep) {
    if (!(merged = PyDict_New())) return -1;
    while (new->keep && PyDict_Next(new->keep, &position, &key, &value)) {
      const char *address = PyLong_AsVoidPtr(key);
      if ((address < target || address >= target + size) && PyDict_SetItem(merged, key, value) < 0) goto failed;
    }
    position = 0;
    while (old->keep && PyDict_Next(old->keep, &position, &key, &value)) {
      const char *address = PyLong_AsVoidPtr(key);
      if (address < source || address >= source + size) continue;
      PyObject *moved = PyLong_FromVoidPtr(target + (address - source));
      int status = moved ? PyDict_SetItem(merged, moved, value) : -1;
      Py_XDECREF(moved);
      if (status < 0) goto failed;
    }
  }
  PyObject *before = new->keep;
  new->keep = merged;
  memmove(target, source, size);
  Py_XDECREF(before);
  return 0;
failed:
  Py_DECREF(merged);
  return -1;
}

/* ---- fields ---- */

static struct cs_where place(Record *self, const struct cs_field *field) {
  struct cs_where where = {CS_STR(cs_records[self->row].name), CS_STR(field->name), -1, true};
  return where;
}

static bool is_bytes(const struct cs_field *field) {
  return field->kind == CS_FIELD_ARRAY && (field->elem == CS_CHAR || field->elem == CS_U8);
}

static int64_t count_field(Record *self, const struct cs_field *field) {
  const struct cs_field *link = &cs_fields[cs_records[self->row].first + field->link];
  int64_t count = 0;
  memcpy(&count, self->data + link->offset, cs_size(link->elem, link->type)); /* counts are unsigned and little-endian */
  return count;
}

static PyObject *get_elements(uint8_t elem, uint16_t type, char *data, Py_ssize_t count, PyObject *owner) {
  if (elem != CS_RECORD) return cs_load_list(elem, type, data, count);
  PyObject *list = PyList_New(count);
  for (Py_ssize_t i = 0; list && i < count; i++) {
    PyObject *item = cs_record_at(type, data + (size_t)i * cs_records[type].size, owner);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *get_list(Record *self, const struct cs_field *field) {
  char *address;
  memcpy(&address, self->data + field->offset, sizeof address);
  if (!address) return PyList_New(0);
  PyObject *kept = kept_at(self, self->data + field->offset);
  if (!kept && PyErr_Occurred()) return NULL;
  /* A driver may have put another pointer where ours was. */
  if (kept && Py_TYPE(kept) == block_type && ((Block *)kept)->head.data == address) {
    Py_INCREF(kept); /* making a list can run the collector, and that any code: it might set the field */
    PyObject *list = get_elements(field->elem, field->type, address, ((Block *)kept)->count, kept);
    Py_DECREF(kept);
    return list;
  }
  if (field->link == CS_NONE8) {
    struct cs_where where = place(self, field);
    cs_fail(PyExc_ValueError, &where, "leads to memory of somebody else and nothing tells how many elements it has; read the pointer with ctypes");
    return NULL;
  }
  int64_t count = count_field(self, field);
  if (count < 0 || count > INT32_MAX) {
    struct cs_where where = place(self, field);
    cs_fail(PyExc_ValueError, &where, "has an impossible count of elements");
    return NULL;
  }
  return get_elements(field->elem, field->type, address, (Py_ssize_t)count, Py_None);
}

/* Whoever takes a callback out of a record keeps its function as the record does. */
static PyObject *get_callback(Record *self, const struct cs_field *field, char *data) {
  PyObject *callback = cs_load(CS_CALLBACK, field->type, data);
  PyObject *kept = callback ? kept_at(self, data) : NULL;
  if (kept)
    ((struct cs_handle_object *)callback)->keep = Py_NewRef(kept);
  else if (callback && PyErr_Occurred())
    Py_CLEAR(callback);
  return callback;
}

static PyObject *field_get(PyObject *object, void *closure) {
  Record *self = (Record *)object;
  const struct cs_field *field = closure;
  char *data = self->data + field->offset;
  switch (field->kind) {
  case CS_FIELD_VALUE:
    if (field->elem == CS_CALLBACK) return get_callback(self, field, data);
    return field->elem == CS_RECORD ? cs_record_at(field->type, data, object) : cs_load(field->elem, field->type, data);
  case CS_FIELD_ARRAY:
    if (field->flags & CS_FIELD_TEXT) {
      const char *end = memchr(data, 0, field->count);
      return PyBytes_FromStringAndSize(data, end ? end - data : field->count);
    }
    if (is_bytes(field)) return PyBytes_FromStringAndSize(data, field->count);
    return get_elements(field->elem, field->type, data, field->count, object);
  case CS_FIELD_LIST: return get_list(self, field);
  default: return cs_load(CS_PTR, 0, data);
  }
}

static int set_value(Record *self, const struct cs_field *field, struct cs_where *where, PyObject *value, char *target) {
  if (field->elem == CS_RECORD) {
    char *source = cs_record_data(where, field->type, value);
    if (!source) return -1;
    size_t size = cs_records[field->type].size;
    return copy_with_keep(self, target, (Record *)value, source, size);
  }
  char bits[8];
  PyObject *kept = NULL;
  if (cs_store(where, field->elem, field->type, 0, value, bits, &kept) < 0) return -1;
  if (field->elem == CS_PTR || field->elem == CS_CSTR || field->elem == CS_CALLBACK) {
    void *pointer;
    memcpy(&pointer, bits, sizeof pointer);
    return set_pointer(self, target, pointer, kept);
  }
  memcpy(target, bits, cs_size(field->elem, field->type));
  return 0;
}

static int set_bytes(const struct cs_field *field, struct cs_where *where, PyObject *value, char *target) {
  Py_buffer view;
  if (!PyObject_CheckBuffer(value)) {
    if (PyUnicode_Check(value)) return cs_fail(PyExc_TypeError, where, "must be bytes, not str: encode it, b\"…\" or text.encode()");
    return cs_fail_type(where, "bytes", value);
  }
  if (cs_buffer(where, value, false, &view) < 0) return -1;
  int status = 0;
  if (view.len > field->count) {
    status = cs_fail(PyExc_ValueError, where, "holds %u bytes, %zd were given", (unsigned)field->count, view.len);
  } else {
    memmove(target, view.buf, (size_t)view.len);
    memset(target + view.len, 0, (size_t)(field->count - view.len));
  }
  PyBuffer_Release(&view);
  return status;
}

/* The elements in memory of their own: the record changes when all of them are right, or not at all. */
static PyObject *convert_elements(const struct cs_field *field, struct cs_where *where, PyObject *items) {
  Py_ssize_t count = PyTuple_Size(items);
  size_t size = cs_size(field->elem, field->type);
  PyObject *block = block_new(size * (size_t)count, count);
  for (Py_ssize_t i = 0; block && i < count; i++) {
    where->index = i;
    if (set_value((Record *)block, field, where, PyTuple_GetItem(items, i), ((Record *)block)->data + (size_t)i * size) < 0) Py_CLEAR(block);
  }
  return block;
}

static int set_array(Record *self, const struct cs_field *field, struct cs_where *where, PyObject *value, char *target) {
  PyObject *items = cs_sequence(where, value, CS_STR(field->ctype), false);
  if (!items) return -1;
  PyObject *block = NULL;
  if (PyTuple_Size(items) != field->count)
    cs_fail(PyExc_ValueError, where, "holds %u elements, %zd were given", (unsigned)field->count, PyTuple_Size(items));
  else
    block = convert_elements(field, where, items);
  Py_DECREF(items);
  if (!block) return -1;
  Record *from = (Record *)block;
  int status = copy_with_keep(self, target, from, from->data, cs_size(field->elem, field->type) * field->count);
  Py_DECREF(block);
  return status;
}

static int set_list(Record *self, const struct cs_field *field, struct cs_where *where, PyObject *value, char *target) {
  char *address = NULL;
  PyObject *block = NULL;
  if (PyLong_CheckExact(value)) {
    if (cs_store_int(where, CS_U64, value, &address) < 0) return -1;
  } else if (value != Py_None) {
    PyObject *items = cs_sequence(where, value, CS_STR(field->ctype), true);
    if (!items) return -1;
    block = convert_elements(field, where, items);
    Py_DECREF(items);
    if (!block) return -1;
    if (((Block *)block)->count) address = ((Record *)block)->data;
  }
  return set_pointer(self, target, address, block);
}

static int set_kernel_params(Record *self, struct cs_where *where, PyObject *value, char *target) {
  struct cs_arena *arena = PyMem_Malloc(sizeof *arena);
  if (!arena) {
    PyErr_NoMemory();
    return -1;
  }
  cs_arena_init(arena, true);
  void **address;
  PyObject *owner = NULL;
  int status = cs_kernel_params(where, value, arena, &address);
  if (status == 0 && !(owner = cs_arena_to_object(arena))) status = -1;
  cs_arena_release(arena);
  PyMem_Free(arena);
  return status < 0 ? -1 : set_pointer(self, target, address, owner);
}

static int field_set(PyObject *object, PyObject *value, void *closure) {
  Record *self = (Record *)object;
  const struct cs_field *field = closure;
  if (CS_LIKELY(field->kind == CS_FIELD_VALUE && field->elem >= CS_I8 && field->elem <= CS_U64 && value && PyLong_CheckExact(value))) {
    int64_t number; /* little-endian: the low bytes come first */
    const struct cs_range *range = &cs_ranges[field->elem];
    if (cs_quick_i64(value, &number) && number >= range->low && (number < 0 || (uint64_t)number <= range->high)) {
      memcpy(self->data + field->offset, &number, cs_size(field->elem, 0));
      return 0;
    }
  }
  struct cs_where where = place(self, field);
  char *target = self->data + field->offset;
  if (!value) return cs_fail(PyExc_AttributeError, &where, "cannot be deleted");
  switch (field->kind) {
  case CS_FIELD_VALUE: return set_value(self, field, &where, value, target);
  case CS_FIELD_ARRAY:
    if (is_bytes(field)) return set_bytes(field, &where, value, target);
    return set_array(self, field, &where, value, target);
  case CS_FIELD_LIST: return set_list(self, field, &where, value, target);
  default: return set_kernel_params(self, &where, value, target);
  }
}

/* ---- objects ---- */

static int row_of(PyTypeObject *type) {
  uint16_t row = cs_family_row(type, CS_FAMILY_RECORD);
  return row == CS_NONE16 ? -1 : row;
}

static Record *allocate(uint16_t row) {
  PyTypeObject *type = cs_record_types[row];
  if (CS_UNLIKELY(!type)) type = cs_record_type(row);
  Record *self = type ? (Record *)PyType_GenericAlloc(type, 0) : NULL;
  if (!self) return NULL;
  self->row = row;
  uintptr_t start = (uintptr_t)self + INLINE_OFFSET, align = cs_records[row].align;
  self->data = (char *)((start + align - 1) & ~(align - 1)); /* a power of two */
  return self;
}

PyObject *cs_record_new(uint16_t row) { return (PyObject *)allocate(row); }

PyObject *cs_record_at(uint16_t row, void *data, PyObject *owner) {
  Record *self = allocate(row);
  if (!self) return NULL;
  self->data = data;
  self->owner = Py_NewRef(owner);
  return (PyObject *)self;
}

static int record_traverse(PyObject *object, visitproc visit, void *arg) {
  Record *self = (Record *)object;
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(self->owner);
  Py_VISIT(self->keep);
  return 0;
}

static int record_clear(PyObject *object) {
  Record *self = (Record *)object;
  Py_CLEAR(self->keep); /* the owner stays: the bytes must not go while somebody can still look at them */
  return 0;
}

static void record_dealloc(PyObject *object) {
  Record *self = (Record *)object;
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(self->keep);
  Py_CLEAR(self->owner);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static PyObject *record_tp_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  int row = row_of(type);
  if (row < 0) {
    PyErr_SetString(PyExc_TypeError, "record classes cannot be subclassed");
    return NULL;
  }
  const char *name = CS_STR(cs_records[row].name);
  if (PyTuple_Size(args)) {
    PyErr_Format(PyExc_TypeError, "%s() takes keyword arguments only: field=value", name);
    return NULL;
  }
  PyObject *at = kwargs ? PyDict_GetItemString(kwargs, "_ptr") : NULL;
  PyObject *self;
  if (at) {
    void *address;
    struct cs_where where = {name, "_ptr", -1, false};
    if (cs_store_int(&where, CS_U64, at, &address) < 0) return NULL;
    self = address ? cs_record_at((uint16_t)row, address, Py_None) : cs_record_new((uint16_t)row);
  } else {
    self = cs_record_new((uint16_t)row);
  }
  if (!self || !kwargs) return self;
  PyObject *key, *value;
  Py_ssize_t position = 0;
  const struct cs_record *record = &cs_records[row];
  while (PyDict_Next(kwargs, &position, &key, &value)) {
    if (value == at && PyUnicode_CompareWithASCIIString(key, "_ptr") == 0) continue;
    const struct cs_field *field = NULL;
    for (uint16_t i = 0; i < record->count && !field; i++)
      if (PyUnicode_CompareWithASCIIString(key, CS_STR(cs_fields[record->first + i].name)) == 0) field = &cs_fields[record->first + i];
    if (!field) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, key);
      Py_DECREF(self);
      return NULL;
    }
    if (field_set(self, value, (void *)(uintptr_t)field) < 0) {
      Py_DECREF(self);
      return NULL;
    }
  }
  return self;
}

char *cs_record_data(const struct cs_where *where, uint16_t row, PyObject *object) {
  if (CS_LIKELY(Py_TYPE(object) == cs_record_types[row])) return ((Record *)object)->data;
  cs_fail_type(where, CS_STR(cs_records[row].name), object);
  return NULL;
}

/* Padding is not content: it differs where one side came from a driver. */
static bool equal(uint16_t row, const char *a, const char *b) {
  const struct cs_record *record = &cs_records[row];
  if (record->is_union) return memcmp(a, b, record->size) == 0;
  for (uint16_t i = 0; i < record->count; i++) {
    const struct cs_field *field = &cs_fields[record->first + i];
    bool pointer = field->kind == CS_FIELD_LIST || field->kind == CS_FIELD_KERNEL_PARAMS;
    uint16_t count = field->kind == CS_FIELD_ARRAY ? field->count : 1;
    size_t size = pointer ? sizeof(void *) : cs_size(field->elem, field->type);
    const char *x = a + field->offset, *y = b + field->offset;
    if (field->elem != CS_RECORD || pointer) {
      if (memcmp(x, y, size * count) != 0) return false;
      continue;
    }
    for (uint16_t k = 0; k < count; k++)
      if (!equal(field->type, x + k * size, y + k * size)) return false;
  }
  return true;
}

static PyObject *record_compare(PyObject *a, PyObject *b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  bool same = equal(((Record *)a)->row, ((Record *)a)->data, ((Record *)b)->data);
  return PyBool_FromLong(same == (op == Py_EQ));
}

static bool is_zero(const char *data, size_t size) {
  for (size_t i = 0; i < size; i++)
    if (data[i]) return false;
  return true;
}

/* Shown: every field, but of those that share bytes only the ones that say something. */
static bool shown(Record *self, const struct cs_field *field) {
  if (!(field->flags & CS_FIELD_UNION) && !cs_records[self->row].is_union) return true;
  size_t size = field->kind == CS_FIELD_LIST || field->kind == CS_FIELD_KERNEL_PARAMS ? sizeof(void *) : cs_size(field->elem, field->type);
  return !is_zero(self->data + field->offset, size * (field->kind == CS_FIELD_ARRAY ? field->count : 1));
}

/* Texts are made by debuggers and logs: they must not follow a pointer that could lead anywhere. */
static PyObject *text_value(PyObject *object, const struct cs_field *field) {
  Record *self = (Record *)object;
  char *place = self->data + field->offset;
  bool follows = field->kind == CS_FIELD_LIST || (field->elem == CS_CSTR && field->kind != CS_FIELD_KERNEL_PARAMS);
  bool null = follows && is_zero(place, sizeof(void *));
  if (!follows || (null && field->kind != CS_FIELD_ARRAY)) return field_get(object, (void *)(uintptr_t)field);
  PyObject *kept = kept_at(self, place);
  if (!kept && PyErr_Occurred()) return NULL;
  void *address;
  memcpy(&address, place, sizeof address);
  bool ours = kept && (field->kind == CS_FIELD_LIST ? Py_TYPE(kept) == block_type && ((Block *)kept)->head.data == address
                                                    : PyBytes_Check(kept) && PyBytes_AsString(kept) == address);
  if (ours) return field_get(object, (void *)(uintptr_t)field);
  return cs_load(CS_PTR, 0, place);
}

static PyObject *field_text(PyObject *object, const struct cs_field *field, bool lines) {
  PyObject *value = text_value(object, field);
  if (!value) return NULL;
  const char *name = CS_STR(field->name);
  PyObject *text = NULL;
  if (!lines) {
    text = PyUnicode_FromFormat("%s=%R", name, value);
  } else if (cs_is_record(value)) {
    PyObject *inner = PyObject_Str(value), *old = PyUnicode_FromString("\n"), *new = PyUnicode_FromString("\n    ");
    PyObject *indented = inner && old && new ? PyUnicode_Replace(inner, old, new, -1) : NULL;
    if (indented) text = PyUnicode_FromFormat("%s :\n    %U", name, indented);
    Py_XDECREF(inner);
    Py_XDECREF(old);
    Py_XDECREF(new);
    Py_XDECREF(indented);
  } else {
    text = PyUnicode_FromFormat("%s : %R", name, value);
  }
  Py_DECREF(value);
  return text;
}

static PyObject *all_fields(PyObject *object, bool lines) {
  Record *self = (Record *)object;
  const struct cs_record *record = &cs_records[self->row];
  PyObject *parts = PyList_New(0);
  for (uint16_t i = 0; parts && i < record->count; i++) {
    const struct cs_field *field = &cs_fields[record->first + i];
    if (!shown(self, field)) continue;
    PyObject *text = field_text(object, field, lines);
    if (!text || PyList_Append(parts, text) < 0) Py_CLEAR(parts);
    Py_XDECREF(text);
  }
  PyObject *separator = parts ? PyUnicode_FromString(lines ? "\n" : ", ") : NULL;
  PyObject *joined = separator ? PyUnicode_Join(separator, parts) : NULL;
  Py_XDECREF(separator);
  Py_XDECREF(parts);
  return joined;
}

static PyObject *record_str(PyObject *object) { return all_fields(object, true); }

static PyObject *record_repr(PyObject *object) {
  PyObject *fields = all_fields(object, false);
  if (!fields) return NULL;
  PyObject *text = PyUnicode_FromFormat("%s(%U)", CS_STR(cs_records[((Record *)object)->row].name), fields);
  Py_DECREF(fields);
  return text;
}

static int record_buffer(PyObject *object, Py_buffer *view, int flags) {
  Record *self = (Record *)object;
  return PyBuffer_FillInfo(view, object, self->data, cs_records[self->row].size, 0, flags);
}

static PyObject *record_get_ptr(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyLong_FromVoidPtr(((Record *)object)->data);
}

static PyObject *record_copy(PyObject *object, PyObject *unused) {
  (void)unused;
  Record *self = (Record *)object;
  PyObject *copy = cs_record_new(self->row);
  if (!copy) return NULL;
  Record *other = (Record *)copy;
  if (copy_with_keep(other, other->data, self, self->data, cs_records[self->row].size) < 0) Py_CLEAR(copy);
  return copy;
}

static PyObject *record_reduce(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyErr_Format(PyExc_TypeError, "%s cannot be pickled, as it may hold addresses of this process; its bytes are bytes(memoryview(it))", CS_STR(cs_records[((Record *)object)->row].name));
}

static PyMethodDef record_methods[] = {
    {"getPtr", record_get_ptr, METH_NOARGS, "getPtr($self)\n--\n\nThe address of the record, valid as long as this object lives."},
    {"__copy__", record_copy, METH_NOARGS, NULL},
    {"__deepcopy__", record_copy, METH_O, "A copy of the record; what its pointers lead to is shared, as in C."},
    {"__reduce__", record_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* ---- types ---- */

PyTypeObject *cs_record_type(uint16_t row) {
  if (CS_LIKELY(cs_record_types[row] != NULL)) return cs_record_types[row];
  const struct cs_record *record = &cs_records[row];
  const char *name = CS_STR(record->name);
  /* One table of descriptors and one spec a type, for as long as the process lives. */
  PyGetSetDef *getset = PyMem_Calloc(record->count + 1u, sizeof *getset);
  char *qualified = cs_qualified(record->is_inline ? strrchr(name, '.') + 1 : name);
  char *doc = cs_type_doc(name, record->is_union ? "A union: its fields share bytes." : "A record with the C layout.", record->since);
  if (!getset || !qualified || !doc) {
    PyMem_Free(getset);
    PyMem_Free(doc);
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return NULL;
  }
  for (uint16_t i = 0; i < record->count; i++) {
    const struct cs_field *field = &cs_fields[record->first + i];
    getset[i] = (PyGetSetDef){CS_STR(field->name), field_get, field_set, CS_STR(field->ctype), (void *)(uintptr_t)field};
  }
  PyType_Slot slots[] = {
      {Py_tp_doc, doc},
      {Py_tp_new, (void *)record_tp_new},
      {Py_tp_dealloc, (void *)record_dealloc},
      {Py_tp_traverse, (void *)record_traverse},
      {Py_tp_clear, (void *)record_clear},
      {Py_tp_getset, getset},
      {Py_tp_methods, record_methods},
      {Py_tp_richcompare, (void *)record_compare},
      {Py_tp_hash, (void *)PyObject_HashNotImplemented},
      {Py_tp_str, (void *)record_str},
      {Py_tp_repr, (void *)record_repr},
      {Py_bf_getbuffer, (void *)record_buffer},
      {0, NULL},
  };
  int size = (int)(INLINE_OFFSET + record->size + (record->align > 16 ? record->align : 0));
  PyType_Spec spec = {qualified, size, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  PyObject *type = PyType_FromSpec(&spec);
  PyMem_Free(doc);
  if (!type) return cs_no_type();
  if (record->is_inline) {
    PyObject *text = PyUnicode_FromString(name);
    if (!text || PyObject_SetAttrString(type, "__qualname__", text) < 0) Py_CLEAR(type);
    Py_XDECREF(text);
    if (!type) return NULL;
  }
  if (cs_family_add((PyTypeObject *)type, CS_FAMILY_RECORD, row) < 0) return NULL;
  if (cs_record_types[row])
    Py_DECREF(type);
  else
    cs_record_types[row] = (PyTypeObject *)type;
  return cs_record_types[row];
}

/* A block has no ob_size to ask: what would be it is `data`. */
static PyObject *block_sizeof(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyLong_FromSize_t(sizeof(Block) + 16 + ((Block *)object)->bytes);
}

static PyObject *block_new(size_t size, Py_ssize_t count) {
  Block *self = (Block *)PyType_GenericAlloc(block_type, (Py_ssize_t)size);
  if (!self) return NULL;
  self->bytes = size;
  self->head.data = (char *)(((uintptr_t)self->space + 15u) & ~(uintptr_t)15u);
  self->head.row = CS_NONE16;
  self->count = count;
  return (PyObject *)self;
}

int cs_record_init(void) {
  if (!cs_record_types && !(cs_record_types = PyMem_Calloc(cs_library.nrecords + 1u, sizeof *cs_record_types))) {
    PyErr_NoMemory();
    return -1;
  }
  if (block_type) return 0;
  static PyMethodDef methods[] = {{"__sizeof__", block_sizeof, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_dealloc, (void *)record_dealloc},
      {Py_tp_traverse, (void *)record_traverse},
      {Py_tp_clear, (void *)record_clear},
      {0, NULL},
  };
  char *name = cs_qualified("_Block");
  if (!name) return -1;
  PyType_Spec spec = {name, sizeof(Block) + 16, 1, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  block_type = (PyTypeObject *)PyType_FromSpec(&spec);
  return block_type ? 0 : -1;
}
