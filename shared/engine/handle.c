/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Handles (CUcontext, CUdeviceptr, …) and callbacks (CUhostFn, …): one class each, a value of pointer size or less.
 */
#include "engine.h"

#include <stdio.h>

PyTypeObject **cs_handle_types;
PyTypeObject **cs_callback_types;
static PyObject *name_cuda_handle, *name_cuda_stream, *name_module, *name_name;

typedef struct cs_handle_object Handle;

int cs_handle_init(void) {
  if (!cs_handle_types) cs_handle_types = PyMem_Calloc(cs_library.nhandles + 1u, sizeof *cs_handle_types);
  if (!cs_callback_types) cs_callback_types = PyMem_Calloc(cs_library.ncallbacks + 1u, sizeof *cs_callback_types);
  if (!cs_handle_types || !cs_callback_types) {
    PyErr_NoMemory();
    return -1;
  }
  if (!name_cuda_handle) name_cuda_handle = PyUnicode_InternFromString("__cuda_handle__");
  if (!name_cuda_stream) name_cuda_stream = PyUnicode_InternFromString("__cuda_stream__");
  if (!name_module) name_module = PyUnicode_InternFromString("__module__");
  if (!name_name) name_name = PyUnicode_InternFromString("__name__");
  return name_cuda_handle && name_cuda_stream && name_module && name_name ? 0 : -1;
}

/* The value as an integer of its own width and sign. */
static int64_t signed_value(const Handle *self, bool callback) {
  if (callback) return (int64_t)self->value;
  switch (cs_handles[self->row].elem) {
  case CS_I32: {
    int32_t value;
    memcpy(&value, &self->value, sizeof value);
    return value;
  }
  case CS_U32: {
    uint32_t value;
    memcpy(&value, &self->value, sizeof value);
    return value;
  }
  default: return (int64_t)self->value;
  }
}

static PyObject *to_int(const Handle *self, bool callback) {
  int64_t value = signed_value(self, callback);
  if (!callback && cs_handles[self->row].elem == CS_I32) return PyLong_FromLongLong(value);
  return PyLong_FromUnsignedLongLong((uint64_t)value);
}

static void set_value(Handle *self, uint8_t elem, uint64_t value) {
  if (elem == CS_I32 || elem == CS_U32) {
    uint32_t narrow = (uint32_t)value; /* the low 32 bits are where C looks for them, whatever the byte order */
    memcpy(&self->value, &narrow, sizeof narrow);
  } else {
    self->value = value;
  }
}

static Handle *allocate(PyTypeObject *type, uint16_t row) {
  Handle *self = PyObject_New(Handle, type);
  if (!self) return NULL;
  self->value = 0;
  self->keep = NULL;
  self->row = row;
  return self;
}

static void handle_dealloc(PyObject *object) {
  Handle *self = (Handle *)object;
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(self->keep);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* A callback keeps a ctypes function, whose closure may well lead back to it: so the collector has to see it. A handle keeps
 * plain memory, rarely, and is made by the million. */
static Handle *allocate_callback(PyTypeObject *type, uint16_t row) {
  Handle *self = (Handle *)PyType_GenericAlloc(type, 0);
  if (self) self->row = row;
  return self;
}

static int callback_traverse(PyObject *object, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(object));
  Py_VISIT(((Handle *)object)->keep);
  return 0;
}

static int callback_clear(PyObject *object) {
  Py_CLEAR(((Handle *)object)->keep);
  return 0;
}

static void callback_dealloc(PyObject *object) {
  PyTypeObject *type = Py_TYPE(object);
  PyObject_GC_UnTrack(object);
  Py_CLEAR(((Handle *)object)->keep);
  PyObject_GC_Del(object);
  Py_DECREF(type);
}

static bool is_callback_type(PyTypeObject *type);

static PyObject *handle_int(PyObject *object) { return to_int((Handle *)object, false); }
static PyObject *callback_int(PyObject *object) { return to_int((Handle *)object, true); }

static Py_hash_t handle_hash(PyObject *object) {
  uint64_t value = ((Handle *)object)->value;
  /* Addresses end in zeros: spread them as CPython does for its own objects. */
  Py_hash_t hash = (Py_hash_t)((value >> 4) | (value << 60)) ^ (Py_hash_t)((uintptr_t)Py_TYPE(object) >> 5);
  return hash == -1 ? -2 : hash;
}

static PyObject *handle_compare(PyObject *a, PyObject *b, int op) {
  if (Py_TYPE(a) != Py_TYPE(b) || (op != Py_EQ && op != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  bool equal = ((Handle *)a)->value == ((Handle *)b)->value;
  return PyBool_FromLong(equal == (op == Py_EQ));
}

static PyObject *handle_repr(PyObject *object) {
  Handle *self = (Handle *)object;
  const struct cs_handle *row = &cs_handles[self->row];
  char text[32];
  int64_t value = signed_value(self, false);
  if (row->elem == CS_PTR)
    snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
  else if (row->elem == CS_I32)
    snprintf(text, sizeof text, "%lld", (long long)value);
  else
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
  return PyUnicode_FromFormat("<%s %s>", CS_STR(row->name), text);
}

static PyObject *callback_repr(PyObject *object) {
  Handle *self = (Handle *)object;
  char text[32];
  snprintf(text, sizeof text, "0x%llx", (unsigned long long)self->value);
  return PyUnicode_FromFormat("<%s %s>", CS_STR(cs_callbacks[self->row].name), text);
}

static PyObject *handle_get_ptr(PyObject *object, PyObject *unused) {
  (void)unused;
  return PyLong_FromVoidPtr(&((Handle *)object)->value);
}

static PyObject *handle_reduce(PyObject *object, PyObject *unused) {
  (void)unused;
  if (((Handle *)object)->keep) {
    PyErr_Format(PyExc_TypeError, "%R leads to what this process keeps alive and cannot be pickled", object);
    return NULL;
  }
  PyObject *value = to_int((Handle *)object, is_callback_type(Py_TYPE(object)));
  return value ? Py_BuildValue("(O(N))", (PyObject *)Py_TYPE(object), value) : NULL;
}

/* What a handle or a callback keeps, its copy keeps as well: made from the number alone, it would lead to memory that is gone. */
static PyObject *handle_copy(PyObject *object, PyObject *unused) {
  (void)unused;
  Handle *self = (Handle *)object;
  PyTypeObject *type = Py_TYPE(object);
  Handle *copy = is_callback_type(type) ? allocate_callback(type, self->row) : allocate(type, self->row);
  if (!copy) return NULL;
  copy->value = self->value;
  copy->keep = Py_XNewRef(self->keep);
  return (PyObject *)copy;
}

static PyMethodDef handle_methods[] = {
    {"getPtr", handle_get_ptr, METH_NOARGS, "getPtr($self)\n--\n\nThe address of the handle's own memory, valid as long as this object lives."},
    {"__copy__", handle_copy, METH_NOARGS, NULL},
    {"__deepcopy__", handle_copy, METH_O, NULL},
    {"__reduce__", handle_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static bool is_callback_type(PyTypeObject *type) { return cs_family_row(type, CS_FAMILY_CALLBACK) != CS_NONE16; }

static PyObject *one_argument(const char *name, PyObject *args, PyObject *kwargs) {
  PyObject *value = NULL;
  if (CS_LIKELY(!kwargs && PyTuple_Size(args) == 1)) return PyTuple_GetItem(args, 0);
  static char *keywords[] = {"init_value", NULL};
  char format[128];
  snprintf(format, sizeof format, "|O:%s", name);
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, keywords, &value)) return NULL;
  return value ? value : Py_None;
}

static PyObject *handle_tp_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  uint16_t row = cs_family_row(type, CS_FAMILY_HANDLE);
  if (row == CS_NONE16) {
    PyErr_SetString(PyExc_TypeError, "handle classes cannot be subclassed");
    return NULL;
  }
  const struct cs_handle *handle = &cs_handles[row];
  PyObject *given = one_argument(CS_STR(handle->name), args, kwargs);
  if (!given) return NULL;
  uint64_t value;
  if (CS_LIKELY(handle->elem == CS_PTR && cs_quick_u64(given, &value))) return cs_handle_of(type, row, value);
  if (Py_TYPE(given) == type) return handle_copy(given, NULL);
  struct cs_where where = {CS_STR(handle->name), "init_value", -1, false};
  if (cs_handle_value(&where, row, handle->flags, given, &value) < 0) return NULL;
  Handle *self = allocate(type, row);
  if (self) set_value(self, handle->elem, value);
  return (PyObject *)self;
}

static PyObject *callback_tp_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  uint16_t row = cs_family_row(type, CS_FAMILY_CALLBACK);
  if (row == CS_NONE16) {
    PyErr_SetString(PyExc_TypeError, "callback classes cannot be subclassed");
    return NULL;
  }
  const char *name = CS_STR(cs_callbacks[row].name);
  PyObject *given = one_argument(name, args, kwargs);
  if (!given) return NULL;
  struct cs_where where = {name, "init_value", -1, false};
  void *value = NULL;
  PyObject *keep = NULL;
  if (cs_callback_value(&where, row, given, &value, &keep) < 0) return NULL;
  Handle *self = allocate_callback(type, row);
  if (!self) {
    Py_XDECREF(keep);
    return NULL;
  }
  self->value = (uint64_t)(uintptr_t)value;
  self->keep = keep;
  return (PyObject *)self;
}

static PyTypeObject *make_type(const char *name, char *doc, newfunc new, reprfunc repr, unaryfunc integer, enum cs_family family, uint16_t row) {
  bool collected = family == CS_FAMILY_CALLBACK;
  PyType_Slot slots[] = {
      {Py_tp_doc, doc},
      {Py_tp_new, (void *)new},
      {Py_tp_dealloc, collected ? (void *)callback_dealloc : (void *)handle_dealloc},
      {Py_tp_repr, (void *)repr},
      {Py_tp_hash, (void *)handle_hash},
      {Py_tp_richcompare, (void *)handle_compare},
      {Py_tp_methods, handle_methods},
      {Py_nb_int, (void *)integer},
      {Py_nb_index, (void *)integer},
      {collected ? Py_tp_traverse : 0, (void *)callback_traverse}, /* slot 0 ends the list */
      {Py_tp_clear, (void *)callback_clear},
      {0, NULL},
  };
  char *qualified = cs_qualified(name);
  if (!qualified) return NULL;
  PyType_Spec spec = {qualified, sizeof(Handle), 0, Py_TPFLAGS_DEFAULT | (collected ? Py_TPFLAGS_HAVE_GC : 0), slots};
  PyObject *type = PyType_FromSpec(&spec);
  PyMem_Free(doc); /* PyType_FromSpec copies it */
  if (!type) return cs_no_type();
  PyObject *text = PyUnicode_FromString(name);
  if (!text || PyObject_SetAttr(type, name_cuda_handle, text) < 0 || cs_family_add((PyTypeObject *)type, family, row) < 0) {
    Py_XDECREF(text);
    Py_DECREF(type);
    return NULL;
  }
  Py_DECREF(text);
  return (PyTypeObject *)type;
}

PyTypeObject *cs_handle_type(uint16_t row) {
  if (CS_LIKELY(cs_handle_types[row] != NULL)) return cs_handle_types[row];
  const struct cs_handle *handle = &cs_handles[row];
  const char *name = CS_STR(handle->name);
  char *doc = cs_type_doc(name, handle->elem == CS_PTR ? "An opaque handle: int(h) is the pointer's value." : "An integer type of the API with a name of its own.",
                          handle->since);
  if (!doc) return NULL;
  PyTypeObject *type = make_type(name, doc, handle_tp_new, handle_repr, handle_int, CS_FAMILY_HANDLE, row);
  if (!type) return NULL;
  if (cs_handle_types[row]) /* making a type can run the collector, and that any code */
    Py_DECREF(type);
  else
    cs_handle_types[row] = type;
  return cs_handle_types[row];
}

PyTypeObject *cs_callback_type(uint16_t row) {
  if (CS_LIKELY(cs_callback_types[row] != NULL)) return cs_callback_types[row];
  const struct cs_callback *callback = &cs_callbacks[row];
  char what[512];
  snprintf(what, sizeof what, "Address of a function of type %s: from an int or a ctypes function, which it keeps alive.",
           CS_STR(callback->signature));
  char *doc = cs_type_doc(CS_STR(callback->name), what, callback->since);
  if (!doc) return NULL;
  PyTypeObject *type = make_type(CS_STR(callback->name), doc, callback_tp_new, callback_repr, callback_int, CS_FAMILY_CALLBACK, row);
  if (!type) return NULL;
  if (cs_callback_types[row])
    Py_DECREF(type);
  else
    cs_callback_types[row] = type;
  return cs_callback_types[row];
}

PyObject *cs_handle_new(uint16_t row, uint64_t value) {
  PyTypeObject *type = cs_handle_type(row);
  Handle *self = type ? allocate(type, row) : NULL;
  if (self) set_value(self, cs_handles[row].elem, value);
  return (PyObject *)self;
}

PyObject *cs_callback_new(uint16_t row, uint64_t value) {
  PyTypeObject *type = cs_callback_type(row);
  Handle *self = type ? allocate_callback(type, row) : NULL;
  if (self) self->value = value;
  return (PyObject *)self;
}

/* Is `name` the handle's own, or one of the equal classes of other packages? */
static bool accepts(const struct cs_handle *handle, const char *name) {
  if (strcmp(CS_STR(handle->name), name) == 0) return true;
  size_t length = strlen(name);
  for (const char *word = CS_STR(handle->accepts); *word;) {
    const char *end = strchr(word, ' ');
    size_t size = end ? (size_t)(end - word) : strlen(word);
    if (size == length && memcmp(word, name, length) == 0) return true;
    word += size + (end != NULL);
  }
  return false;
}

/* Text of a str attribute of a class; NULL where it has none, or with an exception. The string lives as long as *holder. */
static const char *text_attribute(PyObject *object, PyObject *name, PyObject **holder) {
  *holder = PyObject_GetAttr(object, name);
  if (!*holder) {
    if (PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
    return NULL;
  }
  if (!PyUnicode_Check(*holder)) return NULL;
  const char *text = PyUnicode_AsUTF8AndSize(*holder, NULL);
  if (!text && PyErr_ExceptionMatches(PyExc_UnicodeError)) PyErr_Clear(); /* no name of a handle class */
  return text;
}

int cs_is_foreign_handle(PyObject *object) {
  PyObject *type = (PyObject *)Py_TYPE(object), *holder;
  bool marked = text_attribute(type, name_cuda_handle, &holder) != NULL;
  Py_XDECREF(holder);
  if (marked || PyErr_Occurred()) return marked ? 1 : -1;
  /* The classes of cuda.bindings carry no mark; of those with getPtr(), handles are the ones that are numbers too. */
  const char *module = text_attribute(type, name_module, &holder);
  bool official = module && strncmp(module, "cuda.bindings.", 14) == 0;
  Py_XDECREF(holder);
  if (PyErr_Occurred()) return -1;
  return official && PyType_GetSlot(Py_TYPE(object), Py_nb_int) != NULL;
}

/* What a class of another package is. */
enum foreign { FOREIGN_ERROR = -2, FOREIGN_OTHER = -1 /* another handle class */, FOREIGN_NONE = 0, FOREIGN_SAME = 1 };

static enum foreign foreign_handle(const struct cs_handle *handle, PyObject *object) {
  PyObject *type = (PyObject *)Py_TYPE(object);
  PyObject *holder;
  enum foreign answer = FOREIGN_NONE;
  const char *name = text_attribute(type, name_cuda_handle, &holder);
  if (name) answer = accepts(handle, name) ? FOREIGN_SAME : FOREIGN_OTHER;
  Py_XDECREF(holder);
  if (name || PyErr_Occurred()) return name ? answer : FOREIGN_ERROR;
  /* The classes of cuda.bindings carry no mark: they are known by their module and name. */
  const char *module = text_attribute(type, name_module, &holder);
  bool official = module && strncmp(module, "cuda.bindings.", 14) == 0;
  Py_XDECREF(holder);
  if (!official) return PyErr_Occurred() ? FOREIGN_ERROR : FOREIGN_NONE;
  name = text_attribute(type, name_name, &holder);
  if (name) answer = accepts(handle, name) ? FOREIGN_SAME : FOREIGN_OTHER;
  Py_XDECREF(holder);
  return PyErr_Occurred() ? FOREIGN_ERROR : answer;
}

/* (version, handle) from __cuda_stream__: 1 and the value, 0 where the object has none, -1 with an exception. */
static int stream_protocol(const struct cs_where *where, PyObject *object, uint64_t *value) {
  PyObject *method = PyObject_GetAttr((PyObject *)Py_TYPE(object), name_cuda_stream);
  if (!method) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  Py_DECREF(method);
  PyObject *pair = PyObject_CallMethodObjArgs(object, name_cuda_stream, NULL);
  if (!pair) return -1;
  if (!PyTuple_Check(pair) || PyTuple_Size(pair) != 2) {
    Py_DECREF(pair);
    return cs_fail(PyExc_TypeError, where, "has a __cuda_stream__ that does not return (version, handle)");
  }
  long version = PyLong_AsLong(PyTuple_GetItem(pair, 0));
  if (version != 0) {
    Py_DECREF(pair);
    if (version == -1 && PyErr_Occurred()) return -1;
    return cs_fail(PyExc_TypeError, where, "speaks version %ld of __cuda_stream__; this release knows version 0", version);
  }
  int status = cs_store_int(where, CS_U64, PyTuple_GetItem(pair, 1), value);
  Py_DECREF(pair);
  return status < 0 ? -1 : 1;
}

int cs_handle_value(const struct cs_where *where, uint16_t row, uint8_t flags, PyObject *object, uint64_t *value) {
  const struct cs_handle *handle = &cs_handles[row];
  *value = 0;
  if (object == Py_None) return 0;
  if (Py_TYPE(object) == cs_handle_types[row]) {
    *value = ((Handle *)object)->value;
    return 0;
  }
  uint8_t elem = handle->elem == CS_PTR ? CS_U64 : handle->elem;
  if (PyLong_CheckExact(object)) return cs_store_int(where, elem, object, value);
  char expected[256];
  bool stream = (flags & CS_STREAM) || (handle->flags & CS_STREAM);
  enum foreign foreign = foreign_handle(handle, object);
  if (foreign == FOREIGN_ERROR) return -1;
  if (foreign == FOREIGN_NONE && stream) {
    int found = stream_protocol(where, object, value);
    if (found) return found < 0 ? -1 : 0;
  }
  if (foreign != FOREIGN_OTHER && ((handle->flags & CS_NUMBER) || !cs_is_enum_member(object))) {
    PyObject *number = PyNumber_Index(object);
    if (!number && foreign == FOREIGN_SAME && PyErr_ExceptionMatches(PyExc_TypeError)) {
      PyErr_Clear();
      number = PyNumber_Long(object); /* a handle of another package that has __int__ alone */
    }
    if (number) {
      int status = cs_store_int(where, elem, number, value);
      Py_DECREF(number);
      return status;
    }
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
  }
  snprintf(expected, sizeof expected, "%s, %sint or None", CS_STR(handle->name), stream ? "an object with __cuda_stream__, " : "");
  return cs_fail_type(where, expected, object);
}

int cs_callback_value(const struct cs_where *where, uint16_t row, PyObject *object, void **value, PyObject **keep) {
  *value = NULL;
  if (object == Py_None) return 0;
  if (Py_TYPE(object) == cs_callback_types[row] && cs_callback_types[row]) {
    *value = (void *)(uintptr_t)((Handle *)object)->value;
    *keep = Py_XNewRef(((Handle *)object)->keep); /* the function itself: a chain of callbacks would be freed recursively */
    return 0;
  }
  const char *name = CS_STR(cs_callbacks[row].name);
  char expected[256];
  snprintf(expected, sizeof expected, "%s, a ctypes function, int or None", name);
  if (cs_is_callback(object) || cs_is_handle(object) || cs_is_enum_member(object) || cs_is_record(object))
    return cs_fail_type(where, expected, object);
  if (PyLong_Check(object)) return cs_store_int(where, CS_U64, object, value);
  /* A ctypes function is a buffer that holds its address. */
  Py_buffer view;
  if (PyObject_CheckBuffer(object) && PyCallable_Check(object)) {
    if (PyObject_GetBuffer(object, &view, PyBUF_SIMPLE) < 0) return -1;
    bool fits = view.len == (Py_ssize_t)sizeof(void *);
    if (fits) memcpy(value, view.buf, sizeof(void *));
    PyBuffer_Release(&view);
    if (fits) {
      *keep = Py_NewRef(object);
      return 0;
    }
  }
  PyObject *holder;
  const char *foreign = text_attribute((PyObject *)Py_TYPE(object), name_cuda_handle, &holder);
  bool equal = foreign && strcmp(foreign, name) == 0;
  Py_XDECREF(holder);
  if (PyErr_Occurred()) return -1;
  if (!equal && !foreign) {
    const char *other = text_attribute((PyObject *)Py_TYPE(object), name_name, &holder);
    equal = other && strcmp(other, name) == 0;
    Py_XDECREF(holder);
    if (PyErr_Occurred()) return -1;
  }
  if (equal) {
    PyObject *number = PyNumber_Long(object);
    if (!number) return -1;
    int status = cs_store_int(where, CS_U64, number, value);
    Py_DECREF(number);
    if (status == 0) *keep = Py_NewRef(object);
    return status;
  }
  if (PyCallable_Check(object))
    return cs_fail(PyExc_TypeError, where, "must be %s, not a Python callable: wrap it with ctypes.CFUNCTYPE(…) and keep the result alive",
                   expected);
  return cs_fail_type(where, expected, object);
}
