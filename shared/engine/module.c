/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The extension module: everything that the Python side of a package asks the engine for.
 */
#include "capi.h"
#include "engine.h"

#include <stdio.h>

char *cs_qualified(const char *name) {
  size_t size = strlen(cs_library.module) + strlen(name) + 2;
  char *text = PyMem_Malloc(size);
  if (!text)
    PyErr_NoMemory();
  else
    snprintf(text, size, "%s.%s", cs_library.module, name);
  return text;
}

static const char *const stream_names[] = {"", "ptds", "ptsz"};

/* Appends formatted text to a str; NULL in, NULL out. Steals `text` and `more`. */
static PyObject *append(PyObject *text, PyObject *more) {
  PyObject *joined = text && more ? PyUnicode_Concat(text, more) : NULL;
  Py_XDECREF(text);
  Py_XDECREF(more);
  return joined;
}

static PyObject *majors_that_mean(const char *name, int row) {
  PyObject *text = PyUnicode_FromString("");
  int found = 0;
  for (uint16_t i = 0; text && i < cs_library.nscopes; i++)
    if (cs_scopes[i].major && !cs_scopes[i].per_thread && cs_names_function(i, name) == row)
      text = append(text, PyUnicode_FromFormat("%scu%d", found++ ? ", " : "", cs_scopes[i].major));
  return text;
}

/* "cuCtxCreate" where there are cuCtxCreate_v1, …: all ways to say what is meant. False where `name` is no such base. */
static bool raise_several_versions(const char *name) {
  PyObject *text = NULL;
  const char *newest_view = NULL;
  for (uint16_t i = 0; i < cs_library.nfuncs; i++) {
    const struct cs_func *func = &cs_funcs[i];
    char with_stream[256];
    snprintf(with_stream, sizeof with_stream, "%s%s%s", CS_STR(func->base), func->stream ? "_" : "", stream_names[func->stream]);
    if (func->plain || strcmp(with_stream, name) != 0) continue;
    if (!text) text = PyUnicode_FromFormat("%s has no name '%s': it has several versions, and which one is meant depends on the CUDA major. Take one of", cs_library.module, name);
    char release[16];
    cs_format_release(func->introduced, release);
    PyObject *majors = majors_that_mean(CS_STR(func->base), i);
    if (!majors) {
      Py_XDECREF(text);
      return true;
    }
    text = append(text, PyUnicode_FromFormat("\n  %s (since CUDA %s%s%U)", CS_STR(func->name), release,
                                             PyUnicode_GetLength(majors) ? "; meant by " : "", majors));
    Py_DECREF(majors);
    if (!text) return true;
  }
  if (!text) return false;
  for (uint16_t i = 0; i < cs_library.nscopes; i++)
    if (cs_scopes[i].major && !cs_scopes[i].per_thread) newest_view = CS_STR(cs_scopes[i].name);
  if (newest_view) text = append(text, PyUnicode_FromFormat("\nor a view, which reads names as one CUDA major does: %s.%s.%s", cs_library.module, newest_view, name));
  if (text) PyErr_SetObject(PyExc_AttributeError, text);
  Py_XDECREF(text);
  return true;
}

/* A name that only views have, an alias of a type say. False where no view has it. */
static bool raise_only_in_views(const char *name) {
  PyObject *text = NULL;
  for (uint16_t i = 1; i < cs_library.nscopes; i++) {
    if (cs_scopes[i].per_thread) continue;
    PyObject *object = cs_names_get(i, name);
    if (!object) {
      if (PyErr_Occurred()) {
        Py_XDECREF(text);
        return true;
      }
      continue;
    }
    if (!text) text = PyUnicode_FromFormat("%s has no name '%s': its meaning depends on the CUDA major. Views have it:", cs_library.module, name);
    PyObject *permanent = PyObject_GetAttrString(object, "__name__");
    if (!permanent) {
      PyErr_Clear();
      permanent = PyObject_Repr(object);
    }
    Py_DECREF(object);
    text = append(text, permanent ? PyUnicode_FromFormat("\n  %s.%s.%s is %U", cs_library.module, CS_STR(cs_scopes[i].name), name, permanent) : NULL);
    Py_XDECREF(permanent);
    if (!text) return true;
  }
  if (!text) return false;
  PyErr_SetObject(PyExc_AttributeError, text);
  Py_DECREF(text);
  return true;
}

static int scope_argument(const char *name) {
  int scope = cs_scope_find(name);
  if (scope < 0) PyErr_Format(PyExc_ValueError, "%s has no view '%s'", cs_library.module, name);
  return scope;
}

static PyObject *lookup(PyObject *module, PyObject *args) {
  (void)module;
  const char *scope_name;
  PyObject *wanted;
  if (!PyArg_ParseTuple(args, "sU:lookup", &scope_name, &wanted)) return NULL;
  int scope = scope_argument(scope_name);
  if (scope < 0) return NULL;
  Py_ssize_t size;
  const char *name = PyUnicode_AsUTF8AndSize(wanted, &size);
  if (!name && !PyErr_ExceptionMatches(PyExc_UnicodeError)) return NULL;
  PyErr_Clear(); /* a name that UTF-8 cannot write is one that nothing has */
  if (name && strlen(name) == (size_t)size) {
    PyObject *object = cs_names_get((uint16_t)scope, name);
    if (object || PyErr_Occurred()) return object;
    if (scope == 0 && (raise_several_versions(name) || raise_only_in_views(name))) return NULL;
  }
  return PyErr_Format(PyExc_AttributeError, "module '%s%s%s' has no attribute %R", cs_library.module, scope ? "." : "", scope_name, wanted);
}

static PyObject *names(PyObject *module, PyObject *args) {
  (void)module;
  const char *scope_name;
  if (!PyArg_ParseTuple(args, "s:names", &scope_name)) return NULL;
  int scope = scope_argument(scope_name);
  return scope < 0 ? NULL : cs_names_list((uint16_t)scope);
}

static PyObject *scopes(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  PyObject *list = PyList_New(cs_library.nscopes);
  for (uint16_t i = 0; list && i < cs_library.nscopes; i++) {
    PyObject *text = PyUnicode_FromString(CS_STR(cs_scopes[i].name));
    if (!text || PyList_SetItem(list, i, text) < 0) Py_CLEAR(list);
  }
  return list;
}

static const char *const kind_names[] = {"in", "in_record", "in_array", "in_handle_ref", "in_typed", "kernel_params", "option_values",
                                         "out", "out_record", "out_array", "out_borrowed", "out_typed", "out_typed_list", "out_size",
                                         "inout", "hidden"};
static const char *const elem_names[] = {"void", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f32",
                                         "f64", "char", "ptr", "cstr", "enum", "handle", "record", "callback"};

static PyObject *parameters(const struct cs_func *func) {
  PyObject *list = PyList_New(func->nparams);
  for (uint8_t i = 0; list && i < func->nparams; i++) {
    const struct cs_param *param = &cs_params[func->params + i];
    PyObject *item = Py_BuildValue("(ssss)", CS_STR(param->name), CS_STR(param->ctype), kind_names[param->kind], elem_names[param->elem]);
    if (!item || PyList_SetItem(list, i, item) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *functions(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  PyObject *list = PyList_New(cs_library.nfuncs);
  for (uint16_t i = 0; list && i < cs_library.nfuncs; i++) {
    const struct cs_func *func = &cs_funcs[i];
    PyObject *row = Py_BuildValue("{s:s,s:z,s:s,s:s,s:i,s:s,s:s,s:i,s:N,s:N,s:O,s:s}", "name", CS_STR(func->name), "plain",
                                  func->plain ? CS_STR(func->plain) : NULL, "symbol", CS_STR(func->symbol), "base", CS_STR(func->base),
                                  "version", func->version, "stream", stream_names[func->stream], "header", CS_STR(func->header),
                                  "introduced", func->introduced, "signature", cs_function_signature(func), "parameters", parameters(func),
                                  "keep_gil", func->flags & CS_KEEP_GIL ? Py_True : Py_False, "platform",
                                  func->flags & CS_WINDOWS_ONLY ? "windows" : func->flags & CS_LINUX_ONLY ? "linux" : "any");
    if (!row || PyList_SetItem(list, i, row) < 0) Py_CLEAR(list);
  }
  return list;
}

static PyObject *library(PyObject *module, PyObject *unused) {
  (void)module;
  (void)unused;
  return cs_library_info();
}

static PyObject *address(PyObject *module, PyObject *args) {
  (void)module;
  const char *name;
  if (!PyArg_ParseTuple(args, "s:address", &name)) return NULL;
  int row = cs_names_function(0, name);
  if (row < 0) return PyErr_Format(PyExc_ValueError, "'%s' is not the permanent name of a function", name);
  union {
    cs_address function;
    void *object;
  } both = {cs_find((uint16_t)row, true)};
  if (!both.function && PyErr_Occurred()) return NULL;
  return PyLong_FromVoidPtr(both.object);
}

static PyObject *capsules(PyObject *module, PyObject *args) {
  (void)module;
  const char *scope_name;
  int official;
  if (!PyArg_ParseTuple(args, "sp:capsules", &scope_name, &official)) return NULL;
  int scope = scope_argument(scope_name);
  if (scope < 0) return NULL;
  if (official && !scope && !cs_library.major)
    return PyErr_Format(PyExc_ValueError, "%s as such is of no CUDA major, and so spelled as none is", cs_library.module);
  return cs_capsules((uint16_t)scope, official);
}

static PyObject *set_finder(PyObject *module, PyObject *finder) {
  (void)module;
  PyObject *old = cs_finder;
  cs_finder = finder == Py_None ? NULL : Py_NewRef(finder);
  Py_XDECREF(old);
  Py_RETURN_NONE;
}

/* What the package itself raises, in the order of `raised`. */
static PyObject *own_errors[2];
static PyObject **const raised[] = {&cs_FunctionNotFoundError, &cs_LibraryNotFoundError};

/* A package that stands in for another one lets ours be caught as that one's errors are. */
static PyObject *raise_as(PyObject *module, PyObject *type) {
  (void)module;
  for (int i = 0; i < 2; i++) {
    int derived = PyObject_IsSubclass(type, own_errors[i]);
    if (derived < 0) return NULL;
    if (!derived) continue;
    PyObject *old = *raised[i];
    *raised[i] = Py_NewRef(type);
    Py_DECREF(old);
    Py_RETURN_NONE;
  }
  return PyErr_Format(PyExc_TypeError, "raise_as() argument must be a class derived from FunctionNotFoundError or %s, not %R", cs_library.not_found_error, type);
}

static PyObject *row_by_name(PyObject *module, PyObject *args) {
  (void)module;
  const char *name;
  if (!PyArg_ParseTuple(args, "s:_row", &name)) return NULL;
  int row = cs_names_function(0, name);
  if (row < 0) return PyErr_Format(PyExc_AttributeError, "%s has no function '%s'", cs_library.module, name);
  PyObject *function = cs_function_object((uint16_t)row);
  PyObject *self = function ? Py_XNewRef(PyCFunction_GetSelf(function)) : NULL;
  Py_XDECREF(function);
  return self;
}

static PyObject *size_of(PyObject *module, PyObject *type) {
  (void)module;
  for (uint16_t i = 0; i < cs_library.nrecords; i++)
    if ((PyObject *)cs_record_types[i] == type) return PyLong_FromLong(cs_records[i].size);
  for (uint16_t i = 0; i < cs_library.nhandles; i++)
    if ((PyObject *)cs_handle_types[i] == type) return PyLong_FromSize_t(cs_size(CS_HANDLE, i));
  for (uint16_t i = 0; i < cs_library.ncallbacks; i++)
    if ((PyObject *)cs_callback_types[i] == type) return PyLong_FromLong(sizeof(void *));
  return PyErr_Format(PyExc_TypeError, "%R is no class of a record, a handle or a callback of %s", type, cs_library.module);
}

static PyMethodDef methods[] = {
    {"lookup", lookup, METH_VARARGS, "lookup(scope, name)\n--\n\nThe object that a scope ('' for permanent names, 'cu12', 'cu12.per_thread') calls so."},
    {"names", names, METH_VARARGS, "names(scope)\n--\n\nEvery name of a scope, sorted."},
    {"scopes", scopes, METH_NOARGS, "scopes()\n--\n\nEvery scope: '' and the views."},
    {"functions", functions, METH_NOARGS, "functions()\n--\n\nA dict for each function: what the registry says of it."},
    {"library", library, METH_NOARGS, "library()\n--\n\nWhich library was loaded, its version, and what was tried."},
    {"address", address, METH_VARARGS, "address(name)\n--\n\nA function's address in the loaded library, 0 where it has none."},
    {"capsules", capsules, METH_VARARGS, "capsules(scope, official)\n--\n\nA dict for __pyx_capi__: every function of a scope, for other compiled modules, over permanent types or as the official module spells it."},
    {"set_finder", set_finder, METH_O, "set_finder(callable)\n--\n\nAsk it, at the first call, for the paths of the library to try, in order."},
    {"raise_as", raise_as, METH_O, "raise_as(type)\n--\n\nRaise this class, derived from one of the module's two exceptions, where that one would be raised."},
    {"sizeof", size_of, METH_O, "sizeof(type)\n--\n\nBytes that a record, a handle or a callback takes in C, by its class."},
    {"_member", cs_enum_from_driver, METH_VARARGS, NULL},
    {"_row", row_by_name, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static int add_exception(PyObject *module, PyObject **exception, const char *name, const char *doc) {
  if (!*exception) {
    char *qualified = cs_qualified(name);
    if (!qualified || !(*exception = PyErr_NewExceptionWithDoc(qualified, doc, PyExc_RuntimeError, NULL))) return -1;
    PyMem_Free(qualified);
  }
  return PyModule_AddObjectRef(module, name, *exception);
}

static bool ended;
static void at_end(void) { ended = true; }

static int execute(PyObject *module) {
  /* Types and slots are the process's: an interpreter beside the main one would share objects with it. */
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_Format(PyExc_ImportError, "%s works in the main interpreter only", cs_library.module);
    return -1;
  }
  /* For the same reason not in an interpreter that is made after the end of the first one. */
  static bool watched;
  if (ended) {
    PyErr_Format(PyExc_ImportError, "%s cannot be used again after Py_Finalize()", cs_library.module);
    return -1;
  }
  if (!watched) watched = Py_AtExit(at_end) == 0;
  if (cs_ints_init() < 0 || cs_symbols_init() < 0 || cs_handle_init() < 0 || cs_enum_init() < 0 || cs_record_init() < 0 || cs_kernel_init() < 0 ||
      cs_call_init() < 0 || cs_names_init() < 0)
    return -1;
  if (add_exception(module, &cs_FunctionNotFoundError, "FunctionNotFoundError", "The loaded library does not have the function that was called.") < 0 ||
      add_exception(module, &cs_LibraryNotFoundError, cs_library.not_found_error, "No library could be loaded.") < 0)
    return -1;
  for (int i = 0; i < 2; i++)
    if (!own_errors[i]) own_errors[i] = Py_NewRef(*raised[i]);
  if (cs_capi_init(module) < 0) return -1;
#ifdef _WIN32
  const char *file = cs_library.soname_windows;
#else
  const char *file = cs_library.soname;
#endif
  if (PyModule_AddStringConstant(module, "LIBRARY", file) < 0 ||
      PyModule_AddStringConstant(module, "PATH_VARIABLE", cs_library.path_variable) < 0)
    return -1;
  return PyModule_AddIntConstant(module, "RELEASE", cs_library.release);
}

PyMODINIT_FUNC PyInit__core(void) {
  static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)execute}, {0, NULL}};
  static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", "Symbols, types and names of a library, from the rows of its registry.", 0, methods, slots, NULL, NULL, NULL};
  return PyModuleDef_Init(&definition);
}
