/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 */
#include "cuda_driver_stable_api.h"

#include <pthread.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif
/* calls.c */
PyObject *launch(PyObject *module, PyObject *args);
PyObject *launch_extended(PyObject *module, PyObject *args);
PyObject *advise(PyObject *module, PyObject *args);
PyObject *open_handle(PyObject *module, PyObject *args);
PyObject *clean_up(PyObject *module, PyObject *unused);
#ifdef __cplusplus
}
#endif
