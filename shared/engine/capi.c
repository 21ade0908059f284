/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The function table for C and C++ consumers. It is a table of permanent numbers and not of addresses: a consumer keeps the address that it
 * was given in a variable of its own, so that a call costs it one load, and no layout but that of one small struct is frozen.
 */
#include "capi.h"

#include <stdio.h>

static void raise_unknown(const char *name, uint32_t introduced) {
  char needed[16], has[16];
  cs_format_release((uint16_t)introduced, needed);
  cs_format_release(cs_library.release, has);
  PyErr_Format(cs_FunctionNotFoundError,
               "%s was introduced with CUDA %s, and the installed %s has the functions up to CUDA %s. Install a newer one.", name, needed,
               cs_library.module, has);
}

static cs_address resolve(uint32_t position, const char *name, uint32_t introduced) {
  uint16_t row = position < cs_table_count ? cs_table[position] : CS_NONE16;
  if (CS_LIKELY(row != CS_NONE16)) {
    /* What was resolved before, or is in a library that was loaded before, needs neither the GIL nor a thread state. */
    cs_address address = cs_find(row, false);
    return address ? address : cs_resolve_anywhere(row);
  }
  if (!Py_IsInitialized()) return NULL;
  PyGILState_STATE state = PyGILState_Ensure();
  if (!PyErr_Occurred()) raise_unknown(name, introduced);
  PyGILState_Release(state);
  return NULL;
}

int cs_capi_init(PyObject *module) {
  static struct cs_c_api api = {.size = sizeof api, .resolve = resolve};
  static char name[128]; /* a capsule does not copy it */
  api.release = cs_library.release;
  api.count = cs_table_count;
  snprintf(name, sizeof name, "%s._C_API", cs_library.core);
  PyObject *capsule = PyCapsule_New(&api, name, NULL);
  int result = capsule ? PyModule_AddObjectRef(module, "_C_API", capsule) : -1;
  Py_XDECREF(capsule);
  return result;
}
