/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Enums: int subclasses with one object a value, made on first access.
 */
#include "engine.h"

#include <stdio.h>

#define MAX_DENSE 1024

struct enum_state {
  PyTypeObject *type;
  PyObject **members; /* by enumerator row; rows of one value share one object */
  PyObject **dense;   /* borrowed: members by value from 0, or NULL; in time unnamed ones too */
  int64_t ndense;
  PyObject *unknown; /* dict: value -> unnamed member */
};

static struct enum_state *states;
PyTypeObject **cs_enum_types;
static PyObject *meta_type; /* the class of enum classes */
static PyObject *base_type; /* the base of enum classes */
static newfunc int_new;

static int row_of_type(PyTypeObject *type) {
  uint16_t row = cs_family_row(type, CS_FAMILY_ENUM);
  return row == CS_NONE16 ? -1 : row;
}

/* The row of an enum class or of a view's class, which has the enum class as its base. -1 with an exception. */
static int row_of_class(PyObject *cls) {
  int row = row_of_type((PyTypeObject *)cls);
  if (row >= 0) return row;
  PyObject *base = PyObject_GetAttrString(cls, "__base__");
  if (!base) return -1;
  row = row_of_type((PyTypeObject *)base);
  Py_DECREF(base);
  if (row < 0) PyErr_SetString(PyExc_TypeError, "not an enum class of this library");
  return row;
}

static const struct cs_enumerator *find(uint16_t row, int64_t value) {
  const struct cs_enum *type = &cs_enums[row];
  uint16_t low = type->first, high = (uint16_t)(type->first + type->count);
  while (low < high) {
    uint16_t middle = (uint16_t)((low + high) / 2);
    if (cs_enumerators[middle].value < value)
      low = (uint16_t)(middle + 1);
    else
      high = middle;
  }
  if (low < type->first + type->count && cs_enumerators[low].value == value) return &cs_enumerators[low];
  return NULL;
}

static PyObject *raw_member(PyTypeObject *type, int64_t value) {
  PyObject *args = Py_BuildValue("(L)", (long long)value);
  if (!args) return NULL;
  PyObject *member = int_new(type, args, NULL);
  Py_DECREF(args);
  return member;
}

static PyObject *unknown_member(struct enum_state *state, int64_t value) {
  PyObject *key = PyLong_FromLongLong(value);
  if (!key) return NULL;
  if (!state->unknown && !(state->unknown = PyDict_New())) {
    Py_DECREF(key);
    return NULL;
  }
  PyObject *member = PyDict_GetItemWithError(state->unknown, key);
  if (member) {
    Py_INCREF(member);
  } else if (!PyErr_Occurred() && (member = raw_member(state->type, value))) {
    if (PyDict_SetItem(state->unknown, key, member) < 0) Py_CLEAR(member);
  }
  Py_DECREF(key);
  return member;
}

PyObject *cs_enum_member(uint16_t row, int64_t value) {
  struct enum_state *state = &states[row];
  if (CS_UNLIKELY(!state->type) && !cs_enum_type(row)) return NULL;
  if (CS_LIKELY(value >= 0 && value < state->ndense && state->dense[value])) return Py_NewRef(state->dense[value]);
  const struct cs_enumerator *found = find(row, value);
  if (found) return Py_NewRef(state->members[found - cs_enumerators - cs_enums[row].first]);
  PyObject *member = unknown_member(state, value);
  if (member && value >= 0 && value < state->ndense) state->dense[value] = member; /* `unknown` has it, for ever */
  return member;
}

int cs_enum_value(const struct cs_where *where, uint16_t row, PyObject *object, int32_t *value) {
  uint8_t elem = cs_enums[row].elem;
  PyTypeObject *type = Py_TYPE(object);
  if (CS_LIKELY(type == cs_enum_types[row] || PyLong_CheckExact(object))) return cs_store_int(where, elem, object, value);
  const char *name = CS_STR(cs_enums[row].name);
  char expected[256];
  snprintf(expected, sizeof expected, "%s or int", name);
  if (cs_is_enum_member(object) || cs_is_handle(object) || cs_is_callback(object) || PyBool_Check(object))
    return cs_fail_type(where, expected, object);
  if (PyLong_Check(object)) {
    /* An int subclass from elsewhere: another library's enum is a mistake unless it is the one of that name. */
    PyObject *other = PyObject_GetAttrString((PyObject *)type, "__members__");
    if (!other) {
      PyErr_Clear();
    } else {
      Py_DECREF(other);
      PyObject *text = PyType_GetName(type);
      if (!text) return -1;
      bool same = PyUnicode_CompareWithASCIIString(text, name) == 0;
      Py_DECREF(text);
      if (!same) return cs_fail_type(where, expected, object);
    }
    return cs_store_int(where, elem, object, value);
  }
  PyObject *number = PyNumber_Index(object);
  if (!number) {
    if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
    PyErr_Clear();
    return cs_fail_type(where, expected, object);
  }
  int status = cs_store_int(where, elem, number, value);
  Py_DECREF(number);
  return status;
}

/* ---- members ---- */

static const struct cs_enumerator *enumerator_of(PyObject *member, int *row) {
  *row = row_of_type(Py_TYPE(member));
  if (*row < 0) return NULL;
  long long value = PyLong_AsLongLong(member);
  if (value == -1 && PyErr_Occurred()) return NULL;
  return find((uint16_t)*row, value);
}

static PyObject *member_name(PyObject *self, void *closure) {
  (void)closure;
  int row;
  const struct cs_enumerator *found = enumerator_of(self, &row);
  if (found) return PyUnicode_FromString(CS_STR(found->name));
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

static PyObject *member_value(PyObject *self, void *closure) {
  (void)closure;
  long long value = PyLong_AsLongLong(self);
  if (value == -1 && PyErr_Occurred()) return NULL;
  return PyLong_FromLongLong(value);
}

static PyObject *member_repr(PyObject *self) {
  int row;
  const struct cs_enumerator *found = enumerator_of(self, &row);
  if (PyErr_Occurred()) return NULL;
  long long value = PyLong_AsLongLong(self);
  char digits[32];
  snprintf(digits, sizeof digits, "%lld", value);
  const char *type = row >= 0 ? CS_STR(cs_enums[row].name) : "enum";
  if (found) return PyUnicode_FromFormat("<%s.%s: %s>", type, CS_STR(found->name), digits);
  return PyUnicode_FromFormat("<%s: %s (unknown)>", type, digits);
}

static PyObject *member_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  PyObject *given;
  if (kwargs && PyDict_Size(kwargs)) {
    PyErr_SetString(PyExc_TypeError, "an enum class takes no keyword arguments");
    return NULL;
  }
  if (CS_LIKELY(PyTuple_Size(args) == 1))
    given = PyTuple_GetItem(args, 0);
  else if (!PyArg_ParseTuple(args, "O", &given))
    return NULL;
  int row = row_of_class((PyObject *)type);
  if (row < 0) return NULL;
  const char *name = CS_STR(cs_enums[row].name);
  if (Py_TYPE(given) == states[row].type) return Py_NewRef(given);
  PyObject *number = PyNumber_Index(given);
  if (!number) return NULL;
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
  Py_DECREF(number);
  if (value == -1 && !overflow && PyErr_Occurred()) return NULL;
  const struct cs_enumerator *found = overflow ? NULL : find((uint16_t)row, value);
  if (!found) {
    PyErr_Format(PyExc_ValueError, "%R is not a value of %s", given, name);
    return NULL;
  }
  return cs_enum_member((uint16_t)row, value);
}

/* Pickling of a value that this registry does not know must not fail: it came from a driver. */
PyObject *cs_enum_from_driver(PyObject *module, PyObject *args) {
  (void)module;
  PyObject *cls;
  long long value;
  if (!PyArg_ParseTuple(args, "O!L:_member", &PyType_Type, &cls, &value)) return NULL;
  int row = row_of_class(cls);
  return row < 0 ? NULL : cs_enum_member((uint16_t)row, value);
}

static PyObject *member_reduce(PyObject *self, PyObject *unused) {
  (void)unused;
  PyObject *core = PyImport_ImportModule(cs_library.core);
  if (!core) return NULL;
  PyObject *make = PyObject_GetAttrString(core, "_member");
  Py_DECREF(core);
  if (!make) return NULL;
  return Py_BuildValue("(N(ON))", make, (PyObject *)Py_TYPE(self), member_value(self, NULL));
}

static PyGetSetDef member_getset[] = {
    {"name", member_name, NULL, "The enumerator's name, None for a value that this release does not know.", NULL},
    {"value", member_value, NULL, "The value as a plain int.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyMethodDef member_methods[] = {
    {"__reduce__", member_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot base_slots[] = {
    {Py_tp_doc, "An enumeration of a C API: an int with a name; one object a value."},
    {Py_tp_new, (void *)member_new},
    {Py_tp_repr, (void *)member_repr},
    {Py_tp_str, (void *)member_repr},
    {Py_tp_getset, member_getset},
    {Py_tp_methods, member_methods},
    {0, NULL},
};

/* ---- classes ---- */

/* Members in order of value, one an object. */
static PyObject *class_members(PyObject *cls) {
  int row = row_of_class(cls);
  if (row < 0) return NULL;
  const struct cs_enum *type = &cs_enums[row];
  PyObject *list = PyList_New(0);
  if (!list) return NULL;
  PyObject *last = NULL;
  for (uint16_t i = 0; i < type->count; i++) {
    PyObject *member = states[row].members[i];
    if (member != last && PyList_Append(list, member) < 0) {
      Py_DECREF(list);
      return NULL;
    }
    last = member;
  }
  return list;
}

static PyObject *class_iter(PyObject *cls) {
  PyObject *list = class_members(cls);
  if (!list) return NULL;
  PyObject *iterator = PyObject_GetIter(list);
  Py_DECREF(list);
  return iterator;
}

static Py_ssize_t class_length(PyObject *cls) {
  PyObject *list = class_members(cls);
  if (!list) return -1;
  Py_ssize_t length = PyList_Size(list);
  Py_DECREF(list);
  return length;
}

static int class_contains(PyObject *cls, PyObject *value) {
  int row = row_of_class(cls);
  if (row < 0) return -1;
  if (!PyLong_Check(value)) return 0;
  if (cs_is_enum_member(value) && Py_TYPE(value) != states[row].type) return 0;
  int overflow;
  long long number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (number == -1 && !overflow && PyErr_Occurred()) return -1;
  return !overflow && find((uint16_t)row, number) != NULL;
}

static PyObject *class_dict(PyObject *cls, void *closure) {
  (void)closure;
  int row = row_of_class(cls);
  if (row < 0) return NULL;
  const struct cs_enum *type = &cs_enums[row];
  PyObject *dict = PyDict_New();
  if (!dict) return NULL;
  for (uint16_t i = 0; i < type->count; i++) {
    const char *name = CS_STR(cs_enumerators[type->first + i].name);
    PyObject *member = PyObject_GetAttrString(cls, name); /* a view's class may say otherwise */
    if (!member || PyDict_SetItemString(dict, name, member) < 0) {
      Py_XDECREF(member);
      Py_DECREF(dict);
      return NULL;
    }
    Py_DECREF(member);
  }
  PyObject *proxy = PyDictProxy_New(dict);
  Py_DECREF(dict);
  return proxy;
}

static PyObject *class_item(PyObject *cls, PyObject *key) {
  PyObject *members = class_dict(cls, NULL);
  if (!members) return NULL;
  PyObject *member = PyObject_GetItem(members, key);
  Py_DECREF(members);
  return member;
}

/* A view's class has the members of the enum class, so they are its instances too. */
static PyObject *class_instancecheck(PyObject *cls, PyObject *object) {
  int row = row_of_class(cls);
  if (row >= 0) return PyBool_FromLong(Py_TYPE(object) == states[row].type);
  PyErr_Clear(); /* a class that somebody else made of this metaclass */
  return PyObject_CallMethod((PyObject *)&PyType_Type, "__instancecheck__", "(OO)", cls, object);
}

static PyMethodDef class_methods[] = {
    {"__instancecheck__", class_instancecheck, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef class_getset[] = {
    {"__members__", class_dict, NULL, "Every name, in order of value, with its member.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot meta_slots[] = {
    {Py_tp_doc, "The class of enum classes: iteration, in, len() and [name]."},
    {Py_tp_iter, (void *)class_iter},
    {Py_mp_length, (void *)class_length},
    {Py_mp_subscript, (void *)class_item},
    {Py_sq_contains, (void *)class_contains},
    {Py_tp_getset, class_getset},
    {Py_tp_methods, class_methods},
    {0, NULL},
};

int cs_enum_init(void) {
  if (states) return 0;
  int_new = (newfunc)PyType_GetSlot(&PyLong_Type, Py_tp_new);
  char *meta_name = cs_qualified("EnumType"), *base_name = cs_qualified("Enum");
  if (!meta_name || !base_name) return -1;
  PyType_Spec meta_spec = {meta_name, 0, 0, Py_TPFLAGS_DEFAULT, meta_slots};
  PyType_Spec base_spec = {base_name, 0, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, base_slots};
  meta_type = PyType_FromSpecWithBases(&meta_spec, (PyObject *)&PyType_Type);
  base_type = meta_type ? PyType_FromSpecWithBases(&base_spec, (PyObject *)&PyLong_Type) : NULL;
  if (!base_type) {
    cs_no_type();
    return -1;
  }
  states = PyMem_Calloc(cs_library.nenums + 1u, sizeof *states);
  cs_enum_types = PyMem_Calloc(cs_library.nenums + 1u, sizeof *cs_enum_types);
  if (!states || !cs_enum_types) {
    PyErr_NoMemory();
    return -1;
  }
  return 0;
}

static PyObject *make_class(const char *name, const char *module, PyObject *base, uint16_t since) {
  char *doc = cs_type_doc(name, "An enumeration; members are ints with a name.", since);
  if (!doc) return NULL;
  PyObject *cls = PyObject_CallFunction(meta_type, "s(O){s:s,s:s,s:()}", name, base, "__module__", module, "__doc__", doc,
                                        "__slots__");
  PyMem_Free(doc);
  return cls;
}

static int fill(struct enum_state *state, const struct cs_enum *type) {
  int64_t ndense = 0;
  for (uint16_t i = 0; i < type->count; i++) {
    const struct cs_enumerator *row = &cs_enumerators[type->first + i];
    if (i && row[-1].value == row->value)
      state->members[i] = Py_NewRef(state->members[i - 1]);
    else if (!(state->members[i] = raw_member(state->type, row->value)))
      return -1;
    if (PyObject_SetAttrString((PyObject *)state->type, CS_STR(row->name), state->members[i]) < 0) return -1;
    if (row->value >= 0 && row->value < MAX_DENSE) ndense = row->value + 1;
  }
  if (!(state->dense = PyMem_Calloc((size_t)ndense + 1, sizeof *state->dense))) {
    PyErr_NoMemory();
    return -1;
  }
  for (uint16_t i = 0; i < type->count; i++) {
    int64_t value = cs_enumerators[type->first + i].value;
    if (value >= 0 && value < ndense) state->dense[value] = state->members[i];
  }
  state->ndense = ndense;
  return 0;
}

PyTypeObject *cs_enum_type(uint16_t row) {
  if (CS_LIKELY(states[row].type != NULL)) return states[row].type;
  const struct cs_enum *type = &cs_enums[row];
  struct enum_state made = {0};
  made.members = PyMem_Calloc(type->count + 1u, sizeof *made.members);
  if (!made.members) {
    PyErr_NoMemory();
    return NULL;
  }
  made.type = (PyTypeObject *)make_class(CS_STR(type->name), cs_library.module, base_type, type->since);
  if (!made.type || fill(&made, type) < 0 || states[row].type) {
    /* Failed, or another thread was first while this one ran Python code. */
    for (uint16_t i = 0; i < type->count; i++) Py_XDECREF(made.members[i]);
    PyMem_Free(made.members);
    PyMem_Free(made.dense);
    Py_XDECREF((PyObject *)made.type);
    return states[row].type;
  }
  if (cs_family_add(made.type, CS_FAMILY_ENUM, row) < 0) return NULL;
  states[row] = made;
  cs_enum_types[row] = made.type;
  return made.type;
}

PyObject *cs_enum_view_type(uint16_t view, const char *scope) {
  const struct cs_enum_view *row = &cs_enum_views[view];
  PyTypeObject *base = cs_enum_type(row->owner);
  if (!base) return NULL;
  char *module = cs_qualified(scope); /* where pickle finds it */
  if (!module) return NULL;
  PyObject *cls = make_class(CS_STR(cs_enums[row->owner].name), module, (PyObject *)base, cs_enums[row->owner].since);
  PyMem_Free(module);
  for (uint16_t i = 0; cls && i < row->count; i++) {
    const struct cs_enum_view_member *member = &cs_enum_view_members[row->first + i];
    PyObject *value = cs_enum_member(row->owner, member->value);
    if (!value || PyObject_SetAttrString(cls, CS_STR(member->name), value) < 0) Py_CLEAR(cls);
    Py_XDECREF(value);
  }
  return cls;
}
