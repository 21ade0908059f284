/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Capsules for other compiled modules: Cython looks for a function in a module's `__pyx_capi__`, a dict of capsules that
 * are called as the function's prototype is spelled, and refuses one with another spelling.
 */
#include "engine.h"

#include <stdatomic.h>

cs_address cs_capsule_resolve(uint16_t row, _Atomic(cs_address) *target) {
  cs_address address = cs_resolve_anywhere(row);
  if (address) atomic_store_explicit(target, address, memory_order_release);
  return address;
}

void cs_capsule_absent(const char *name, uint16_t introduced) {
  if (!Py_IsInitialized()) return;
  PyGILState_STATE state = PyGILState_Ensure();
  char release[16];
  cs_format_release(introduced, release);
  if (!PyErr_Occurred()) PyErr_Format(cs_FunctionNotFoundError, "%s was introduced with CUDA %s, and no library of CUDA %d has it.", name, release, cs_library.major);
  PyGILState_Release(state);
}

static int add_address(PyObject *capsules, const char *name, cs_address function, cs_str signature) {
  union {
    cs_address function;
    void *object;
  } both = {function};
  PyObject *capsule = PyCapsule_New(both.object, cs_capsule_strings + signature, NULL);
  int status = capsule ? PyDict_SetItemString(capsules, name, capsule) : -1;
  Py_XDECREF(capsule);
  return status;
}

/* Nothing where the header of a major has no such function and so no spelling for it. */
static int add_capsule(PyObject *capsules, const char *name, uint16_t row, const cs_str *signatures) {
  return signatures[row] ? add_address(capsules, name, cs_entries[row], signatures[row]) : 0;
}

/* Symbols with a version in their name that the header of a major declares and gives no public name any more. */
static int add_explicit(PyObject *capsules, const cs_str *signatures) {
  for (uint16_t row = 0; row < cs_library.nfuncs; row++) {
    const struct cs_func *func = &cs_funcs[row];
    if (!signatures[row] || func->version == 1 || strcmp(CS_STR(func->name), CS_STR(func->symbol)) != 0) continue;
    PyObject *name = PyUnicode_FromString(CS_STR(func->name));
    int there = name ? PyDict_Contains(capsules, name) : -1;
    Py_XDECREF(name);
    if (there < 0 || (!there && add_capsule(capsules, CS_STR(func->name), row, signatures) < 0)) return -1;
  }
  return 0;
}

static int add_extras(PyObject *capsules) {
  for (uint16_t i = 0; i < cs_extras_count; i++)
    if (add_address(capsules, cs_extras[i].name, cs_extras[i].function, cs_extras[i].spelling) < 0) return -1;
  return 0;
}

/* Of a library that breaks at majors every scope is of the one major. Else scope 0 is the module, and views follow in the order of their
 * spellings, some with a per-thread twin behind them. */
static const cs_str *spellings(uint16_t scope) {
  uint16_t view = 0;
  for (uint16_t i = 2; i <= scope && !cs_library.major; i++) view += !cs_scopes[i].per_thread;
  return cs_spellings + (size_t)view * cs_library.nfuncs;
}

PyObject *cs_capsules(uint16_t scope, bool official) {
  const cs_str *signatures = official ? spellings(scope) : cs_signatures;
  PyObject *capsules = PyDict_New();
  int status = capsules ? 0 : -1;
  for (uint16_t i = 0; status == 0 && i < cs_library.nnames; i++) {
    const struct cs_name *name = &cs_names[i];
    if (name->kind == CS_NAME_FUNCTION && name->scopes >> scope & 1)
      status = add_capsule(capsules, CS_STR(name->name), name->ref, signatures);
  }
  for (uint32_t i = 0; status == 0 && i < cs_scopes[scope].count; i++) {
    const struct cs_scope_name *name = &cs_scope_names[cs_scopes[scope].first + i];
    if (name->kind == CS_NAME_FUNCTION) status = add_capsule(capsules, CS_STR(name->name), name->ref, signatures);
  }
  if (status == 0 && official) status = add_explicit(capsules, signatures);
  if (status == 0 && official) status = add_extras(capsules);
  if (status < 0) Py_CLEAR(capsules);
  return capsules;
}
