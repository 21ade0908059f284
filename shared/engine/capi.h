/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The function table for C and C++ consumers: what the capsule `<core>._C_API` points to.
 */
#ifndef CS_CAPI_H
#define CS_CAPI_H

#include "engine.h"

/* Frozen once released: it may grow at its end, and `size` says how far it goes. The headers that the package ships have it too, as
 * consumers see it (shared/codegen/emit/cheader_api_preamble.txt). */
struct cs_c_api {
  uint32_t size;    /* of this struct, in bytes */
  uint32_t release; /* CUDA_VERSION of the newest release whose functions are in the table */
  uint32_t count;   /* length of the table */
  uint32_t unused;
  /* The address of the function at a position of the table; NULL with an exception set where the loaded library lacks it or no
   * library is there. From any thread, with or without the GIL. A thread that Python does not know gets no exception, only NULL.
   * `name` and `introduced` (a CUDA_VERSION) are for the error, should the consumer's table be longer than this one. */
  cs_address (*resolve)(uint32_t position, const char *name, uint32_t introduced);
};

/* _generated/table.c: row in cs_funcs for each position of the table, or CS_NONE16 where this build has no such function. */
extern const uint16_t cs_table[];
extern const uint16_t cs_table_count;

int cs_capi_init(PyObject *module); /* adds the capsule */

#endif
