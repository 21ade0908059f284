/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A name in a scope -> the object.
 */
#include "engine.h"

static PyObject **functions;  /* one a function row, made on first access */
static PyObject **enum_views; /* one a row of cs_enum_views */
static uint16_t nenum_views;

int cs_names_init(void) {
  if (functions) return 0;
  for (uint32_t i = 0; i < cs_library.nscopes; i++)
    for (uint32_t k = 0; k < cs_scopes[i].count; k++) {
      const struct cs_scope_name *name = &cs_scope_names[cs_scopes[i].first + k];
      if (name->kind == CS_NAME_ENUM_VIEW && name->ref >= nenum_views) nenum_views = (uint16_t)(name->ref + 1);
    }
  functions = PyMem_Calloc(cs_library.nfuncs + 1u, sizeof *functions);
  enum_views = PyMem_Calloc(nenum_views + 1u, sizeof *enum_views);
  if (functions && enum_views) return 0;
  PyErr_NoMemory();
  return -1;
}

int cs_scope_find(const char *name) {
  for (uint16_t i = 0; i < cs_library.nscopes; i++)
    if (strcmp(CS_STR(cs_scopes[i].name), name) == 0) return i;
  return -1;
}

/* What `name` means in the scope: false where it means nothing. */
static bool find(uint16_t scope, const char *name, uint8_t *kind, uint16_t *ref) {
  uint32_t low = cs_scopes[scope].first, high = low + cs_scopes[scope].count;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int order = strcmp(CS_STR(cs_scope_names[middle].name), name);
    if (order == 0) {
      *kind = cs_scope_names[middle].kind;
      *ref = cs_scope_names[middle].ref;
      return true;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  low = 0;
  high = cs_library.nnames;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    int order = strcmp(CS_STR(cs_names[middle].name), name);
    if (order == 0) {
      *kind = cs_names[middle].kind;
      *ref = cs_names[middle].ref;
      return (cs_names[middle].scopes >> scope & 1) != 0;
    }
    if (order < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

/* The first scope that has a view of an enum: cu12 before cu12.per_thread. */
static const char *scope_of_view(uint16_t ref) {
  for (uint16_t i = 0; i < cs_library.nscopes; i++)
    for (uint32_t k = 0; k < cs_scopes[i].count; k++) {
      const struct cs_scope_name *name = &cs_scope_names[cs_scopes[i].first + k];
      if (name->kind == CS_NAME_ENUM_VIEW && name->ref == ref) return CS_STR(cs_scopes[i].name);
    }
  return "";
}

PyObject *cs_function_object(uint16_t row) {
  if (!functions[row]) {
    PyObject *made = cs_function_new(row);
    if (!made) return NULL;
    if (functions[row]) /* another thread was first */
      Py_DECREF(made);
    else
      functions[row] = made;
  }
  return Py_NewRef(functions[row]);
}

static PyObject *constant(uint16_t row) {
  const struct cs_constant *value = &cs_constants[row];
  switch (value->elem) {
  case CS_U64: return PyLong_FromUnsignedLongLong((unsigned long long)value->value);
  case CS_CSTR: return PyBytes_FromString(CS_STR((cs_str)value->value));
  case CS_F64: return cs_load(CS_F64, 0, &value->value);
  default: return PyLong_FromLongLong(value->value);
  }
}

PyObject *cs_names_get(uint16_t scope, const char *name) {
  uint8_t kind;
  uint16_t ref;
  if (!find(scope, name, &kind, &ref)) return NULL;
  switch (kind) {
  case CS_NAME_FUNCTION: return cs_function_object(ref);
  case CS_NAME_ENUM: return Py_XNewRef((PyObject *)cs_enum_type(ref));
  case CS_NAME_ENUM_VIEW:
    if (!enum_views[ref]) {
      PyObject *made = cs_enum_view_type(ref, scope_of_view(ref));
      if (enum_views[ref])
        Py_XDECREF(made);
      else
        enum_views[ref] = made;
    }
    return Py_XNewRef(enum_views[ref]);
  case CS_NAME_ENUMERATOR: return cs_enum_member(cs_enumerators[ref].owner, cs_enumerators[ref].value);
  case CS_NAME_MEMBER: return cs_enum_member(cs_enum_view_members[ref].owner, cs_enum_view_members[ref].value);
  case CS_NAME_HANDLE: return Py_XNewRef((PyObject *)cs_handle_type(ref));
  case CS_NAME_CALLBACK: return Py_XNewRef((PyObject *)cs_callback_type(ref));
  case CS_NAME_RECORD: return Py_XNewRef((PyObject *)cs_record_type(ref));
  default: return constant(ref);
  }
}

int cs_names_function(uint16_t scope, const char *name) {
  uint8_t kind;
  uint16_t ref;
  return find(scope, name, &kind, &ref) && kind == CS_NAME_FUNCTION ? ref : -1;
}

PyObject *cs_names_list(uint16_t scope) {
  PyObject *list = PyList_New(0);
  const struct cs_scope_name *own = &cs_scope_names[cs_scopes[scope].first], *end = own + cs_scopes[scope].count;
  uint16_t shared = 0;
  /* Both tables ascend: merge them. A name in both is the scope's own. */
  while (list && (own < end || shared < cs_library.nnames)) {
    const char *name;
    int order = own == end ? 1 : shared == cs_library.nnames ? -1 : strcmp(CS_STR(own->name), CS_STR(cs_names[shared].name));
    if (order <= 0) {
      name = CS_STR(own->name);
      own++;
      if (order == 0) shared++;
    } else {
      const struct cs_name *row = &cs_names[shared++];
      if (!(row->scopes >> scope & 1)) continue;
      name = CS_STR(row->name);
    }
    PyObject *text = PyUnicode_FromString(name);
    if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
    Py_XDECREF(text);
  }
  return list;
}
