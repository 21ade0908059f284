/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One value between Python and C, for every element.
 */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>

struct cs_family_slot cs_family_slots[CS_FAMILY_SLOTS];
static uint32_t nfamily;

int cs_family_add(PyTypeObject *type, enum cs_family family, uint16_t row) {
  if (nfamily >= CS_FAMILY_SLOTS / 2) {
    PyErr_SetString(PyExc_RuntimeError, "more types than the engine has room for");
    return -1;
  }
  Py_INCREF((PyObject *)type); /* an address in the table must never be another type's */
  uint32_t slot = cs_pointer_hash(type, 11);
  while (cs_family_slots[slot].type) slot = (slot + 1) % CS_FAMILY_SLOTS;
  cs_family_slots[slot].family = (uint16_t)family;
  cs_family_slots[slot].row = row;
  cs_family_slots[slot].type = type;
  nfamily++;
  return 0;
}

uint64_t cs_small_start, cs_small_count;

int cs_ints_init(void) {
  if (cs_small_start) return 0;
  for (long value = CS_SMALL_LOW; value < 2048; value++) {
    PyObject *object = PyLong_FromLong(value);
    if (!object) return -1;
    uint64_t address = (uint64_t)(uintptr_t)object;
    if (!cs_small_start) cs_small_start = address;
    if (address != cs_small_start + (cs_small_count << CS_SMALL_STRIDE_BITS)) {
      Py_DECREF(object);
      break;
    }
    cs_small_count++; /* the reference is kept: the address stays that of this number */
  }
  return 0;
}

int cs_fail(PyObject *type, const struct cs_where *where, const char *text, ...) {
  char what[512], place[256];
  va_list arguments;
  va_start(arguments, text);
  vsnprintf(what, sizeof what, text, arguments);
  va_end(arguments);
  if (where->index >= 0)
    snprintf(place, sizeof place, where->field ? "%s.%s[%zd]" : "%s(): argument '%s'[%zd]", where->owner, where->name, where->index);
  else
    snprintf(place, sizeof place, where->field ? "%s.%s" : "%s(): argument '%s'", where->owner, where->name);
  PyErr_Format(type, "%s %s", place, what);
  return -1;
}

int cs_fail_type(const struct cs_where *where, const char *expected, PyObject *got) {
  PyObject *name = PyType_GetName(Py_TYPE(got));
  if (!name) return -1;
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  PyObject *module = NULL;
  const char *from = NULL;
  /* A class of another package that has the name of ours: only the module tells which one is meant. */
  if (text && strncmp(expected, text, strlen(text)) == 0 && (module = PyObject_GetAttrString((PyObject *)Py_TYPE(got), "__module__")))
    from = PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
  PyErr_Clear();
  if (text)
    cs_fail(PyExc_TypeError, where, "must be %s, not %s%s%s", expected, from ? from : "", from ? "." : "", got == Py_None ? "None" : text);
  Py_XDECREF(module);
  Py_DECREF(name);
  return -1;
}

size_t cs_size(uint8_t elem, uint16_t type) {
  switch (elem) {
  case CS_I8:
  case CS_U8:
  case CS_CHAR: return 1;
  case CS_I16:
  case CS_U16: return 2;
  case CS_I32:
  case CS_U32:
  case CS_F32:
  case CS_ENUM: return 4;
  case CS_HANDLE: return cs_size(cs_handles[type].elem, 0);
  case CS_RECORD: return cs_records[type].size;
  case CS_VOID: return 0;
  default: return 8;
  }
}

const struct cs_range cs_ranges[] = {
    [CS_I8] = {"-128 to 127", INT8_MIN, INT8_MAX},
    [CS_U8] = {"0 to 255", 0, UINT8_MAX},
    [CS_I16] = {"-32768 to 32767", INT16_MIN, INT16_MAX},
    [CS_U16] = {"0 to 65535", 0, UINT16_MAX},
    [CS_I32] = {"-2147483648 to 2147483647", INT32_MIN, INT32_MAX},
    [CS_U32] = {"0 to 4294967295", 0, UINT32_MAX},
    [CS_I64] = {"-9223372036854775808 to 9223372036854775807", INT64_MIN, INT64_MAX},
    [CS_U64] = {"0 to 18446744073709551615", 0, UINT64_MAX},
};

static int out_of_range(const struct cs_where *where, uint8_t elem, PyObject *object) {
  PyErr_Clear();
  PyObject *text = PyNumber_ToBase(object, 10); /* of the number, not of a subclass that has a text of its own */
  if (!text) {
    if (!PyErr_ExceptionMatches(PyExc_ValueError)) return -1;
    PyErr_Clear(); /* thousands of digits, which Python does not write */
    return cs_fail(PyExc_OverflowError, where, "must be an int from %s, not one of that size", cs_ranges[elem].text);
  }
  Py_ssize_t size;
  const char *digits = PyUnicode_AsUTF8AndSize(text, &size);
  if (digits) {
    if (size <= 60)
      cs_fail(PyExc_OverflowError, where, "must be an int from %s, not %s", cs_ranges[elem].text, digits);
    else
      cs_fail(PyExc_OverflowError, where, "must be an int from %s, not a number of %zd digits", cs_ranges[elem].text, size);
  }
  Py_DECREF(text);
  return -1;
}

/* The value as 64 bits; 0, or -1 with an exception. */
static int get_int(const struct cs_where *where, uint8_t elem, PyObject *number, uint64_t *bits) {
  if (elem == CS_U64) {
    if (CS_LIKELY(cs_quick_u64(number, bits))) return 0;
    unsigned long long value = PyLong_AsUnsignedLongLong(number);
    if (CS_UNLIKELY(value == (unsigned long long)-1 && PyErr_Occurred())) {
      if (PyErr_ExceptionMatches(PyExc_OverflowError)) return out_of_range(where, elem, number);
      return -1;
    }
    *bits = value;
    return 0;
  }
  long long value = PyLong_AsLongLong(number);
  if (CS_UNLIKELY(value == -1 && PyErr_Occurred())) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) return out_of_range(where, elem, number);
    return -1;
  }
  if (CS_UNLIKELY(value < cs_ranges[elem].low || (value > 0 && (uint64_t)value > cs_ranges[elem].high)))
    return out_of_range(where, elem, number);
  *bits = (uint64_t)value;
  return 0;
}

int cs_store_int(const struct cs_where *where, uint8_t elem, PyObject *object, void *target) {
  uint64_t bits;
  if (CS_LIKELY(PyLong_Check(object))) {
    if (get_int(where, elem, object, &bits) < 0) return -1;
  } else {
    if (!PyIndex_Check(object)) return cs_fail_type(where, "int", object);
    PyObject *number = PyNumber_Index(object);
    if (!number) return -1; /* its own error says best why */
    int status = get_int(where, elem, number, &bits);
    Py_DECREF(number);
    if (status < 0) return -1;
  }
  switch (elem) {
  case CS_I8:
  case CS_U8: {
    uint8_t narrow = (uint8_t)bits;
    memcpy(target, &narrow, 1);
    break;
  }
  case CS_I16:
  case CS_U16: {
    uint16_t narrow = (uint16_t)bits;
    memcpy(target, &narrow, 2);
    break;
  }
  case CS_I32:
  case CS_U32: {
    uint32_t narrow = (uint32_t)bits;
    memcpy(target, &narrow, 4);
    break;
  }
  default: memcpy(target, &bits, 8);
  }
  return 0;
}

static int store_float(const struct cs_where *where, uint8_t elem, PyObject *object, void *target) {
  if (!PyFloat_Check(object) && !PyIndex_Check(object) && !PyType_GetSlot(Py_TYPE(object), Py_nb_float))
    return cs_fail_type(where, "float", object);
  double value = PyFloat_AsDouble(object);
  if (CS_UNLIKELY(value == -1.0 && PyErr_Occurred())) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
      PyErr_Clear();
      return cs_fail(PyExc_OverflowError, where, "is too large for a C float or double");
    }
    return -1;
  }
  if (elem == CS_F64) {
    memcpy(target, &value, sizeof value);
    return 0;
  }
  /* Infinity and NaN travel; a finite number that no float holds does not become infinity in silence. */
  bool finite = value - value == 0.0;
  if (finite && (value >= 3.4028235677973366e38 || value <= -3.4028235677973366e38))
    return cs_fail(PyExc_OverflowError, where, "is too large for a C float");
  float narrow = (float)value;
  memcpy(target, &narrow, sizeof narrow);
  return 0;
}

int cs_pointer(const struct cs_where *where, PyObject *object, void **address) {
  if (object == Py_None) {
    *address = NULL;
    return 1;
  }
  if (PyLong_CheckExact(object)) return cs_store_int(where, CS_U64, object, address) < 0 ? -1 : 1;
  if (cs_is_handle(object)) {
    /* What a void * of C is given of a handle is its value; getPtr() is for who wants its address. */
    *address = (void *)(uintptr_t)((struct cs_handle_object *)object)->value;
    return 1;
  }
  if (cs_is_record(object)) {
    *address = ((struct cs_record_object *)object)->data;
    return 1;
  }
  if (PyObject_CheckBuffer(object)) return 0;
  int foreign = cs_is_foreign_handle(object);
  if (foreign < 0) return -1;
  if (foreign) {
    PyObject *number = PyNumber_Long(object);
    int status = number ? cs_store_int(where, CS_U64, number, address) : -1;
    Py_XDECREF(number);
    return status < 0 ? -1 : 1;
  }
  if (cs_is_enum_member(object)) return cs_fail_type(where, "int, None, a buffer or an object with getPtr()", object);
  PyObject *method = PyObject_GetAttrString(object, "getPtr");
  if (method) {
    PyObject *result = PyObject_CallNoArgs(method);
    Py_DECREF(method);
    if (!result) return -1;
    int status = cs_store_int(where, CS_U64, result, address);
    Py_DECREF(result);
    return status < 0 ? -1 : 1;
  }
  if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
  PyErr_Clear();
  PyObject *number = PyUnicode_Check(object) ? NULL : PyNumber_Index(object);
  if (number) {
    int status = cs_store_int(where, CS_U64, number, address);
    Py_DECREF(number);
    return status < 0 ? -1 : 1;
  }
  if (PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
  }
  return cs_fail_type(where, "int, None, a buffer or an object with getPtr()", object);
}

int cs_buffer(const struct cs_where *where, PyObject *object, bool writable, Py_buffer *view) {
  if (PyObject_GetBuffer(object, view, PyBUF_ANY_CONTIGUOUS | (writable ? PyBUF_WRITABLE : 0)) == 0) return 0;
  if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_TypeError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError))
    return -1;
  PyErr_Clear();
  Py_buffer any;
  bool exports = PyObject_GetBuffer(object, &any, PyBUF_FULL_RO) == 0;
  if (!exports) {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *text = value ? PyObject_Str(value) : NULL;
    const char *reason = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    if (!reason) PyErr_Clear();
    cs_fail(PyExc_BufferError, where, "is a buffer that cannot be read: %s", reason ? reason : "no reason given");
    Py_XDECREF(text);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(trace);
    return -1;
  }
  bool readonly = any.readonly != 0;
  PyBuffer_Release(&any);
  if (writable && readonly)
    return cs_fail(PyExc_BufferError, where, "is written by the call: it must be a writable buffer, and this one is read-only");
  return cs_fail(PyExc_BufferError, where, "must be a contiguous buffer");
}

static int store_bytes(const struct cs_where *where, PyObject *object, char **target, PyObject **keep) {
  *target = NULL;
  if (object == Py_None) return 0;
  if (!PyBytes_Check(object)) {
    if (PyUnicode_Check(object)) return cs_fail(PyExc_TypeError, where, "must be bytes or None, not str: encode it, b\"…\" or text.encode()");
    return cs_fail_type(where, "bytes or None", object);
  }
  char *text;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(object, &text, &size) < 0) return -1;
  if (memchr(text, 0, (size_t)size)) return cs_fail(PyExc_ValueError, where, "must not hold a NUL byte");
  *target = text;
  if (keep) *keep = Py_NewRef(object);
  return 0;
}

int cs_store(const struct cs_where *where, uint8_t elem, uint16_t type, uint8_t flags, PyObject *object, void *target,
             PyObject **keep) {
  switch (elem) {
  case CS_ENUM: {
    int32_t value;
    if (cs_enum_value(where, type, object, &value) < 0) return -1;
    memcpy(target, &value, sizeof value);
    return 0;
  }
  case CS_HANDLE: {
    uint64_t value;
    if (cs_handle_value(where, type, flags, object, &value) < 0) return -1;
    memcpy(target, &value, cs_size(elem, type));
    return 0;
  }
  case CS_F32:
  case CS_F64: return store_float(where, elem, object, target);
  case CS_CHAR: {
    char *text;
    if (PyBytes_Check(object) && PyBytes_Size(object) == 1) {
      text = PyBytes_AsString(object);
      memcpy(target, text, 1);
      return 0;
    }
    return cs_store_int(where, CS_I8, object, target);
  }
  case CS_PTR: {
    void *address;
    int found = cs_pointer(where, object, &address);
    if (found < 0) return -1;
    if (found == 0) {
      /* A memoryview pins the buffer, so that what the pointer leads to cannot move. The address is asked of it, and not of
       * the object, which may answer with another buffer each time. */
      Py_buffer view;
      PyObject *memory = PyMemoryView_FromObject(object);
      if (!memory) {
        if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_TypeError) &&
            !PyErr_ExceptionMatches(PyExc_ValueError))
          return -1;
        PyErr_Clear();
        if (cs_buffer(where, object, false, &view) == 0) {
          PyBuffer_Release(&view);
          cs_fail(PyExc_BufferError, where, "must be a buffer that a memoryview can hold");
        }
        return -1;
      }
      if (cs_buffer(where, memory, (flags & CS_WRITABLE) != 0, &view) < 0) {
        Py_DECREF(memory);
        return -1;
      }
      address = view.buf;
      PyBuffer_Release(&view);
      *keep = memory;
    } else if (!PyLong_CheckExact(object) && object != Py_None) {
      *keep = Py_NewRef(object);
    }
    memcpy(target, &address, sizeof address);
    return 0;
  }
  case CS_CSTR: {
    char *text;
    if (store_bytes(where, object, &text, keep) < 0) return -1;
    memcpy(target, &text, sizeof text);
    return 0;
  }
  case CS_CALLBACK: {
    void *address;
    if (cs_callback_value(where, type, object, &address, keep) < 0) return -1;
    memcpy(target, &address, sizeof address);
    return 0;
  }
  case CS_RECORD: {
    char *data = cs_record_data(where, type, object);
    if (!data) return -1;
    memmove(target, data, cs_records[type].size); /* a record may be given to itself */
    return 0;
  }
  case CS_VOID: return cs_fail(PyExc_TypeError, where, "has no type that Python can give");
  default: return cs_store_int(where, elem, object, target);
  }
}

PyObject *cs_load(uint8_t elem, uint16_t type, const void *source) {
#define LOAD(ctype, make)                                                                                              \
  {                                                                                                                    \
    ctype value;                                                                                                       \
    memcpy(&value, source, sizeof value);                                                                              \
    return make;                                                                                                       \
  }
  switch (elem) {
  case CS_I8:
  case CS_CHAR: LOAD(int8_t, PyLong_FromLong(value))
  case CS_U8: LOAD(uint8_t, PyLong_FromLong(value))
  case CS_I16: LOAD(int16_t, PyLong_FromLong(value))
  case CS_U16: LOAD(uint16_t, PyLong_FromLong(value))
  case CS_I32: LOAD(int32_t, PyLong_FromLong(value))
  case CS_U32: LOAD(uint32_t, PyLong_FromUnsignedLong(value))
  case CS_I64: LOAD(int64_t, PyLong_FromLongLong(value))
  case CS_U64: LOAD(uint64_t, PyLong_FromUnsignedLongLong(value))
  case CS_F32: LOAD(float, PyFloat_FromDouble((double)value))
  case CS_F64: LOAD(double, PyFloat_FromDouble(value))
  case CS_PTR: LOAD(void *, PyLong_FromVoidPtr(value))
  case CS_CSTR: LOAD(const char *, value ? PyBytes_FromString(value) : Py_NewRef(Py_None))
  case CS_ENUM:
    if (cs_enums[type].elem == CS_U32) LOAD(uint32_t, cs_enum_member(type, value))
    LOAD(int32_t, cs_enum_member(type, value))
  case CS_HANDLE: {
    uint64_t value = 0;
    memcpy(&value, source, cs_size(elem, type));
    return cs_handle_new(type, value);
  }
  case CS_CALLBACK: LOAD(uint64_t, cs_callback_new(type, value))
  case CS_RECORD: {
    PyObject *record = cs_record_new(type);
    if (record) memcpy(((struct cs_record_object *)record)->data, source, cs_records[type].size);
    return record;
  }
  default: Py_RETURN_NONE;
  }
#undef LOAD
}

PyObject *cs_load_list(uint8_t elem, uint16_t type, const void *source, Py_ssize_t count) {
  if (elem == CS_CHAR) return PyBytes_FromStringAndSize(source, count);
  PyObject *list = PyList_New(count);
  if (!list) return NULL;
  size_t size = cs_size(elem, type);
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *item = cs_load(elem, type, (const char *)source + (size_t)i * size);
    if (!item || PyList_SetItem(list, i, item) < 0) {
      Py_DECREF(list);
      return NULL;
    }
  }
  return list;
}

PyObject *cs_sequence(const struct cs_where *where, PyObject *object, const char *of, bool or_none) {
  if (PyTuple_CheckExact(object)) return Py_NewRef(object);
  if (PyList_CheckExact(object)) return PyList_AsTuple(object); /* converting an element can run code that changes the list */
  if (PySequence_Check(object) && !PyUnicode_Check(object) && !PyBytes_Check(object)) return PySequence_Tuple(object);
  char expected[256];
  if (strncmp(of, "const ", 6) == 0) of += 6;
  size_t size = strlen(of);
  if (size > 2 && strcmp(of + size - 2, " *") == 0) size -= 2; /* of C's pointer to elements, the element */
  snprintf(expected, sizeof expected, "a sequence of %.*s%s", (int)size, of, or_none ? " or None" : "");
  cs_fail_type(where, expected, object);
  return NULL;
}
