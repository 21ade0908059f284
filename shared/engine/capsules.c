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

static int add_capsule(PyObject *capsules, const char *name, uint16_t row, cs_str signature) {
  union {
    cs_address function;
    void *object;
  } both = {cs_entries[row]};
  PyObject *capsule = PyCapsule_New(both.object, cs_capsule_strings + signature, NULL);
  int status = capsule ? PyDict_SetItemString(capsules, name, capsule) : -1;
  Py_XDECREF(capsule);
  return status;
}

/* Symbols with a version in their name that the header of a major declares and gives no public name any more. */
static int add_explicit(PyObject *capsules, const cs_str *signatures) {
  for (uint16_t row = 0; row < cs_library.nfuncs; row++) {
    const struct cs_func *func = &cs_funcs[row];
    if (!signatures[row] || func->version == 1 || strcmp(CS_STR(func->name), CS_STR(func->symbol)) != 0) continue;
    PyObject *name = PyUnicode_FromString(CS_STR(func->name));
    int there = name ? PyDict_Contains(capsules, name) : -1;
    Py_XDECREF(name);
    if (there < 0 || (!there && add_capsule(capsules, CS_STR(func->name), row, signatures[row]) < 0)) return -1;
  }
  return 0;
}

PyObject *cs_capsules(uint16_t scope) {
  /* Scope 0 is the module; views follow, each with its per-thread twin, in the order of their spellings. */
  const cs_str *signatures = scope ? cs_spellings + (size_t)((scope - 1) / 2) * cs_library.nfuncs : cs_signatures;
  PyObject *capsules = PyDict_New();
  int status = capsules ? 0 : -1;
  for (uint16_t i = 0; status == 0 && i < cs_library.nnames; i++) {
    const struct cs_name *name = &cs_names[i];
    if (name->kind == CS_NAME_FUNCTION && name->scopes >> scope & 1)
      status = add_capsule(capsules, CS_STR(name->name), name->ref, signatures[name->ref]);
  }
  for (uint32_t i = 0; status == 0 && i < cs_scopes[scope].count; i++) {
    const struct cs_scope_name *name = &cs_scope_names[cs_scopes[scope].first + i];
    if (name->kind == CS_NAME_FUNCTION) status = add_capsule(capsules, CS_STR(name->name), name->ref, signatures[name->ref]);
  }
  if (status == 0 && scope) status = add_explicit(capsules, signatures);
  if (status < 0) Py_CLEAR(capsules);
  return capsules;
}
