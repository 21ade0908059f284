/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The floor: what a careful hand writes for a dozen calls. One C function a call, METH_FASTCALL, CPython's own API with
 * its macros and not the limited one, a cached tuple for a bare success, the GIL released where the driver may block.
 * It checks types and ranges, but has no keywords, no enums, and a message for every error of its kind.
 *
 * raw() and through() time the driver's functions without Python: the line that nobody gets below.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>
#include <time.h>

typedef struct {
  PyObject_HEAD
  uint64_t value;
} Handle;

typedef struct {
  PyObject_HEAD
  unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
  void *hStream, *attrs;
  unsigned numAttrs;
} Config;

typedef struct {
  PyObject_HEAD
  _Alignas(64) char data[128 + 64];
} Map;

static PyTypeObject Handle_type, Config_type, Map_type;
static PyObject *zero, *success, *type_int, *type_float, *type_long, *type_pointer;

static struct {
  int (*driver_get_version)(int *);
  int (*device_get_attribute)(int *, int, int);
  int (*stream_query)(void *);
  int (*ctx_get_current)(void **);
  int (*mem_alloc)(uint64_t *, size_t);
  int (*mem_free)(uint64_t);
  int (*event_record)(void *, void *);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  int (*memcpy_async)(uint64_t, uint64_t, size_t, void *);
  int (*pointer_get_attribute)(void *, int, uint64_t);
  int (*pointer_get_attributes)(unsigned, int *, void **, uint64_t);
  int (*encode_tiled)(void *, int, unsigned, void *, const uint64_t *, const uint64_t *, const unsigned *, const unsigned *, int, int, int, int);
  int (*graph_add_empty)(void **, void *, void *const *, size_t);
  int (*graph_destroy_node)(void *);
} api;

/* ---- in ---- */

/* Most numbers are small: CPython has them in one digit, and shows it to those who do not keep to the limited API. */
static inline int small(PyObject *object, Py_ssize_t *value) {
  if (!PyLong_CheckExact(object)) return 0;
#if PY_VERSION_HEX >= 0x030C0000
  if (!PyUnstable_Long_IsCompact((PyLongObject *)object)) return 0;
  *value = PyUnstable_Long_CompactValue((PyLongObject *)object);
#else
  Py_ssize_t size = Py_SIZE(object);
  if (size < -1 || size > 1) return 0;
  *value = size * (Py_ssize_t)((PyLongObject *)object)->ob_digit[0];
#endif
  return 1;
}

static int handle(PyObject *object, void *target) {
  uint64_t value;
  if (Py_IS_TYPE(object, &Handle_type)) {
    value = ((Handle *)object)->value;
  } else if (object == Py_None) {
    value = 0;
  } else {
    value = PyLong_AsUnsignedLongLong(object);
    if (value == (uint64_t)-1 && PyErr_Occurred()) return -1;
  }
  memcpy(target, &value, sizeof value);
  return 0;
}

static int unsigned32(PyObject *object, unsigned *target) {
  Py_ssize_t few;
  if (small(object, &few) && few >= 0) {
    *target = (unsigned)few;
    return 0;
  }
  unsigned long value = PyLong_AsUnsignedLong(object);
  if (value > UINT32_MAX) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_OverflowError, "too large for an unsigned int");
    return -1;
  }
  *target = (unsigned)value;
  return 0;
}

static int signed32(PyObject *object, int *target) {
  Py_ssize_t few;
  if (small(object, &few)) {
    *target = (int)few; /* a digit has 30 bits */
    return 0;
  }
  long value = PyLong_AsLong(object);
  if (value != (int)value || (value == -1 && PyErr_Occurred())) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_OverflowError, "too large for an int");
    return -1;
  }
  *target = (int)value;
  return 0;
}

static int size(PyObject *object, size_t *target) {
  *target = PyLong_AsSize_t(object);
  return *target == (size_t)-1 && PyErr_Occurred() ? -1 : 0;
}

static int arguments(Py_ssize_t given, Py_ssize_t wanted) {
  if (given == wanted) return 0;
  PyErr_Format(PyExc_TypeError, "takes %zd arguments, not %zd", wanted, given);
  return -1;
}

/* ---- out ---- */

static PyObject *new_handle(uint64_t value) {
  Handle *self = PyObject_New(Handle, &Handle_type);
  if (self) self->value = value;
  return (PyObject *)self;
}

static PyObject *status(int code) {
  if (code == 0) return Py_NewRef(success);
  return Py_BuildValue("(i)", code);
}

static PyObject *with(int code, PyObject *value) {
  if (!value) return NULL;
  PyObject *first = code ? PyLong_FromLong(code) : Py_NewRef(zero), *tuple = first ? PyTuple_New(2) : NULL;
  if (!tuple) {
    Py_XDECREF(first);
    Py_DECREF(value);
    return NULL;
  }
  PyTuple_SET_ITEM(tuple, 0, first);
  PyTuple_SET_ITEM(tuple, 1, value);
  return tuple;
}

#define CALL(code, call)       \
  int code;                    \
  Py_BEGIN_ALLOW_THREADS;      \
  code = call;                 \
  Py_END_ALLOW_THREADS
#define FUNCTION(name) static PyObject *name(PyObject *self, PyObject *const *args, Py_ssize_t nargs)

/* ---- calls ---- */

FUNCTION(cuDriverGetVersion) {
  int version;
  if (arguments(nargs, 0) < 0) return NULL;
  int code = api.driver_get_version(&version); /* reads constant state: the GIL is kept, as ours does */
  return with(code, code ? Py_NewRef(Py_None) : PyLong_FromLong(version));
}

FUNCTION(cuDeviceGetAttribute) {
  int attribute, device, value;
  if (arguments(nargs, 2) < 0 || signed32(args[0], &attribute) < 0 || signed32(args[1], &device) < 0) return NULL;
  CALL(code, api.device_get_attribute(&value, attribute, device));
  return with(code, code ? Py_NewRef(Py_None) : PyLong_FromLong(value));
}

FUNCTION(cuStreamQuery) {
  void *stream;
  if (arguments(nargs, 1) < 0 || handle(args[0], &stream) < 0) return NULL;
  CALL(code, api.stream_query(stream));
  return status(code);
}

FUNCTION(cuCtxGetCurrent) {
  void *context;
  if (arguments(nargs, 0) < 0) return NULL;
  int code = api.ctx_get_current(&context); /* reads state of the thread */
  return with(code, code ? Py_NewRef(Py_None) : new_handle((uint64_t)(uintptr_t)context));
}

FUNCTION(cuMemAlloc) {
  size_t bytes;
  uint64_t address;
  if (arguments(nargs, 1) < 0 || size(args[0], &bytes) < 0) return NULL;
  CALL(code, api.mem_alloc(&address, bytes));
  return with(code, code ? Py_NewRef(Py_None) : new_handle(address));
}

FUNCTION(cuMemFree) {
  uint64_t address;
  if (arguments(nargs, 1) < 0 || handle(args[0], &address) < 0) return NULL;
  CALL(code, api.mem_free(address));
  return status(code);
}

FUNCTION(cuEventRecord) {
  void *event, *stream;
  if (arguments(nargs, 2) < 0 || handle(args[0], &event) < 0 || handle(args[1], &stream) < 0) return NULL;
  CALL(code, api.event_record(event, stream));
  return status(code);
}

FUNCTION(cuMemcpyDtoDAsync) {
  uint64_t to, from;
  size_t bytes;
  void *stream;
  if (arguments(nargs, 4) < 0 || handle(args[0], &to) < 0 || handle(args[1], &from) < 0 || size(args[2], &bytes) < 0 || handle(args[3], &stream) < 0)
    return NULL;
  CALL(code, api.memcpy_async(to, from, bytes, stream));
  return status(code);
}

/* Room for parameters on the stack; more of them come from the heap. */
enum { FEW = 32 };

static int pack(PyObject *pair, void ***parameters, void **few, uint64_t *few_words, void **memory) {
  if (!PyTuple_CheckExact(pair) || PyTuple_GET_SIZE(pair) != 2) {
    PyErr_SetString(PyExc_TypeError, "parameters must be None, int or (values, types)");
    return -1;
  }
  PyObject *values = PyTuple_GET_ITEM(pair, 0), *types = PyTuple_GET_ITEM(pair, 1);
  if (!PyTuple_CheckExact(values) || !PyTuple_CheckExact(types) || PyTuple_GET_SIZE(values) != PyTuple_GET_SIZE(types)) {
    PyErr_SetString(PyExc_TypeError, "values and types must be tuples of one length");
    return -1;
  }
  Py_ssize_t count = PyTuple_GET_SIZE(values);
  void **pointers = few;
  uint64_t *words = few_words;
  if (count > FEW) {
    if (!(*memory = PyMem_Malloc((size_t)count * 16))) {
      PyErr_NoMemory();
      return -1;
    }
    pointers = *memory;
    words = (uint64_t *)(pointers + count);
  }
  for (Py_ssize_t i = 0; i < count; i++) {
    PyObject *value = PyTuple_GET_ITEM(values, i), *type = PyTuple_GET_ITEM(types, i);
    pointers[i] = &words[i];
    if (type == type_int) {
      if (signed32(value, (int *)&words[i]) < 0) return -1;
    } else if (type == type_long) {
      int64_t wide = PyLong_AsLong(value);
      if (wide == -1 && PyErr_Occurred()) return -1;
      words[i] = (uint64_t)wide;
    } else if (type == type_pointer) {
      if (handle(value, &words[i]) < 0) return -1;
    } else if (type == type_float) {
      double wide = PyFloat_AsDouble(value);
      if (wide == -1.0 && PyErr_Occurred()) return -1;
      float narrow = (float)wide;
      memcpy(&words[i], &narrow, sizeof narrow);
    } else if (type == Py_None && Py_IS_TYPE(value, &Handle_type)) {
      words[i] = ((Handle *)value)->value;
    } else {
      PyErr_SetString(PyExc_TypeError, "unknown type of a parameter");
      return -1;
    }
  }
  *parameters = pointers;
  return 0;
}

FUNCTION(cuLaunchKernel) {
  void *function, *stream, **parameters = NULL, **extra, *memory = NULL, *few[FEW];
  uint64_t words[FEW];
  unsigned n[7];
  if (arguments(nargs, 11) < 0 || handle(args[0], &function) < 0) return NULL;
  for (int i = 0; i < 7; i++)
    if (unsigned32(args[1 + i], &n[i]) < 0) return NULL;
  if (handle(args[8], &stream) < 0 || handle(args[10], &extra) < 0) return NULL;
  PyObject *given = args[9];
  if (PyLong_CheckExact(given)) {
    if (!(parameters = PyLong_AsVoidPtr(given)) && PyErr_Occurred()) return NULL;
  } else if (given != Py_None && pack(given, &parameters, few, words, &memory) < 0) {
    PyMem_Free(memory);
    return NULL;
  }
  CALL(code, api.launch(function, n[0], n[1], n[2], n[3], n[4], n[5], n[6], stream, parameters, extra));
  PyMem_Free(memory);
  return status(code);
}

FUNCTION(cuPointerGetAttribute) {
  int attribute;
  uint64_t address;
  unsigned value = 0; /* of the attribute that is asked for here: a type, 4 bytes */
  if (arguments(nargs, 2) < 0 || signed32(args[0], &attribute) < 0 || handle(args[1], &address) < 0) return NULL;
  CALL(code, api.pointer_get_attribute(&value, attribute, address));
  return with(code, code ? Py_NewRef(Py_None) : PyLong_FromUnsignedLong(value));
}

FUNCTION(cuPointerGetAttributes) {
  unsigned count;
  uint64_t address, values[16] = {0};
  int attributes[16];
  void *pointers[16];
  if (arguments(nargs, 3) < 0 || unsigned32(args[0], &count) < 0 || handle(args[2], &address) < 0) return NULL;
  if (!PyList_CheckExact(args[1]) || count > 16 || PyList_GET_SIZE(args[1]) < (Py_ssize_t)count) {
    PyErr_SetString(PyExc_ValueError, "attributes must be a list of at most 16");
    return NULL;
  }
  for (unsigned i = 0; i < count; i++) {
    if (signed32(PyList_GET_ITEM(args[1], i), &attributes[i]) < 0) return NULL;
    pointers[i] = &values[i];
  }
  CALL(code, api.pointer_get_attributes(count, attributes, pointers, address));
  if (code) return with(code, Py_NewRef(Py_None));
  PyObject *list = PyList_New(count);
  for (unsigned i = 0; list && i < count; i++) {
    PyObject *item = PyLong_FromUnsignedLongLong(values[i]);
    if (!item) {
      Py_CLEAR(list);
      break;
    }
    PyList_SET_ITEM(list, i, item);
  }
  return with(code, list);
}

static int numbers(PyObject *list, unsigned count, uint64_t *wide, unsigned *narrow) {
  if (!PyList_CheckExact(list) || PyList_GET_SIZE(list) < (Py_ssize_t)count) {
    PyErr_SetString(PyExc_ValueError, "must be a list with a number a dimension");
    return -1;
  }
  for (unsigned i = 0; i < count; i++) {
    PyObject *item = PyList_GET_ITEM(list, i);
    if (wide ? handle(item, &wide[i]) : unsigned32(item, &narrow[i])) return -1;
  }
  return 0;
}

FUNCTION(cuTensorMapEncodeTiled) {
  int type, modes[4];
  unsigned rank, box[5], steps[5];
  uint64_t dimensions[5], strides[5] = {0};
  void *address;
  if (arguments(nargs, 11) < 0 || signed32(args[0], &type) < 0 || unsigned32(args[1], &rank) < 0 || handle(args[2], &address) < 0) return NULL;
  if (rank < 1 || rank > 5) {
    PyErr_SetString(PyExc_ValueError, "a rank is 1 to 5");
    return NULL;
  }
  if (numbers(args[3], rank, dimensions, NULL) < 0 || numbers(args[4], rank - 1, strides, NULL) < 0 || numbers(args[5], rank, NULL, box) < 0 ||
      numbers(args[6], rank, NULL, steps) < 0)
    return NULL;
  for (int i = 0; i < 4; i++)
    if (signed32(args[7 + i], &modes[i]) < 0) return NULL;
  Map *map = PyObject_New(Map, &Map_type);
  if (!map) return NULL;
  void *data = (void *)(((uintptr_t)map->data + 63) & ~(uintptr_t)63);
  memset(data, 0, 128);
  CALL(code, api.encode_tiled(data, type, rank, address, dimensions, strides, box, steps, modes[0], modes[1], modes[2], modes[3]));
  return with(code, (PyObject *)map);
}

FUNCTION(cuGraphAddEmptyNode) {
  void *node, *graph;
  size_t count;
  if (arguments(nargs, 3) < 0 || handle(args[0], &graph) < 0 || size(args[2], &count) < 0) return NULL;
  if (args[1] != Py_None || count) {
    PyErr_SetString(PyExc_ValueError, "dependencies are not written here");
    return NULL;
  }
  CALL(code, api.graph_add_empty(&node, graph, NULL, 0));
  return with(code, code ? Py_NewRef(Py_None) : new_handle((uint64_t)(uintptr_t)node));
}

FUNCTION(cuGraphDestroyNode) {
  void *node;
  if (arguments(nargs, 1) < 0 || handle(args[0], &node) < 0) return NULL;
  CALL(code, api.graph_destroy_node(node));
  return status(code);
}

/* ---- types ---- */

static PyObject *handle_new(PyTypeObject *type, PyObject *args, PyObject *kwargs) {
  uint64_t value = 0;
  if (kwargs || !PyTuple_Check(args) || PyTuple_GET_SIZE(args) > 1) {
    PyErr_SetString(PyExc_TypeError, "takes one number");
    return NULL;
  }
  if (PyTuple_GET_SIZE(args) && handle(PyTuple_GET_ITEM(args, 0), &value) < 0) return NULL;
  return new_handle(value);
}

static PyObject *handle_int(PyObject *self) { return PyLong_FromUnsignedLongLong(((Handle *)self)->value); }
static PyNumberMethods handle_number = {.nb_int = handle_int, .nb_index = handle_int};
static PyTypeObject Handle_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.Handle", .tp_basicsize = sizeof(Handle), .tp_flags = Py_TPFLAGS_DEFAULT,
                                   .tp_new = handle_new, .tp_as_number = &handle_number};

static PyMemberDef config_members[] = {
    {"gridDimX", T_UINT, offsetof(Config, gridDimX), 0, NULL},
    {"gridDimY", T_UINT, offsetof(Config, gridDimY), 0, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyTypeObject Config_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.CUlaunchConfig", .tp_basicsize = sizeof(Config),
                                   .tp_flags = Py_TPFLAGS_DEFAULT, .tp_new = PyType_GenericNew, .tp_members = config_members};
static PyTypeObject Map_type = {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "floor.CUtensorMap", .tp_basicsize = sizeof(Map), .tp_flags = Py_TPFLAGS_DEFAULT};

/* ---- without Python ---- */

static struct {
  void *stream, *event, *graph, *function, **parameters, *map;
  uint64_t to, from;
} world;

static int raw_version(void) { int v; return api.driver_get_version(&v); }
static int raw_attribute(void) { int v; return api.device_get_attribute(&v, 1, 0); }
static int raw_query(void) { return api.stream_query(world.stream); }
static int raw_context(void) { void *v; return api.ctx_get_current(&v); }
static int raw_alloc(void) { uint64_t v; return api.mem_alloc(&v, 256) || api.mem_free(v); }
static int raw_event(void) { return api.event_record(world.event, world.stream); }
static int raw_launch(void) { return api.launch(world.function, 1, 1, 1, 1, 1, 1, 0, world.stream, world.parameters, NULL); }
static int raw_copy(void) { return api.memcpy_async(world.to, world.from, 4, world.stream); }
static int raw_pointer(void) { unsigned v; return api.pointer_get_attribute(&v, 2, world.to); }
static int raw_pointers(void) {
  uint64_t values[3];
  int attributes[3] = {2, 3, 7};
  void *pointers[3] = {&values[0], &values[1], &values[2]};
  return api.pointer_get_attributes(3, attributes, pointers, world.to);
}
static int raw_map(void) {
  _Alignas(64) char data[128];
  const uint64_t dimensions[2] = {64, 64}, strides[1] = {256};
  const unsigned box[2] = {32, 32}, steps[2] = {1, 1};
  return api.encode_tiled(data, 7, 2, (void *)(uintptr_t)world.to, dimensions, strides, box, steps, 0, 0, 0, 0);
}
static int raw_node(void) { void *v; return api.graph_add_empty(&v, world.graph, NULL, 0) || api.graph_destroy_node(v); }

static const struct {
  const char *name;
  int (*call)(void);
} raws[] = {{"version", raw_version}, {"attribute", raw_attribute}, {"query", raw_query}, {"context", raw_context}, {"alloc", raw_alloc},
            {"event", raw_event}, {"launch", raw_launch}, {"copy", raw_copy}, {"pointer", raw_pointer}, {"pointers", raw_pointers},
            {"map", raw_map}, {"node", raw_node}, {NULL, NULL}};

static clockid_t clock_used = CLOCK_MONOTONIC;

static double now(void) {
  struct timespec time;
  clock_gettime(clock_used, &time);
  return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* raw(name, n, function, parameters) -> seconds: n calls, kernels with the packed parameters. */
static PyObject *raw(PyObject *self, PyObject *args) {
  const char *name;
  Py_ssize_t count;
  unsigned long long function = 0, parameters = 0;
  if (!PyArg_ParseTuple(args, "sn|KK", &name, &count, &function, &parameters)) return NULL;
  world.function = (void *)(uintptr_t)function;
  world.parameters = (void **)(uintptr_t)parameters;
  for (int i = 0; raws[i].name; i++) {
    if (strcmp(raws[i].name, name) != 0) continue;
    int (*volatile call)(void) = raws[i].call;
    int failed = 0;
    double start = now();
    for (Py_ssize_t k = 0; k < count; k++) failed |= call();
    double seconds = now() - start;
    if (failed) return PyErr_Format(PyExc_RuntimeError, "%s failed", name);
    return PyFloat_FromDouble(seconds);
  }
  return PyErr_Format(PyExc_ValueError, "no raw loop '%s'", name);
}

/* repeat(address, n, arguments) -> seconds: n calls of any function of at most eight integers and pointers, and a status. */
static PyObject *repeat(PyObject *self, PyObject *args) {
  unsigned long long address, a[8] = {0};
  Py_ssize_t count;
  PyObject *given;
  if (!PyArg_ParseTuple(args, "KnO!", &address, &count, &PyTuple_Type, &given)) return NULL;
  Py_ssize_t size = PyTuple_GET_SIZE(given);
  if (size > 8) return PyErr_Format(PyExc_ValueError, "at most 8 arguments, not %zd", size);
  for (Py_ssize_t i = 0; i < size; i++) a[i] = PyLong_AsUnsignedLongLongMask(PyTuple_GET_ITEM(given, i));
  if (PyErr_Occurred()) return NULL;
  int (*few)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
  int (*many)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
  few = (int (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(uintptr_t)address;
  many = (int (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t))(uintptr_t)address;
  int failed = 0;
  double start = now();
  if (size <= 6)
    for (Py_ssize_t k = 0; k < count; k++) failed |= few(a[0], a[1], a[2], a[3], a[4], a[5]);
  else
    for (Py_ssize_t k = 0; k < count; k++) failed |= many(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
  double seconds = now() - start;
  if (failed) return PyErr_Format(PyExc_RuntimeError, "the call failed with %d", failed);
  return PyFloat_FromDouble(seconds);
}

/* through(target, n) -> seconds: n stream queries through a capsule's function, or the driver's own for None, as Cython
 * calls what it has cimported: load the pointer, call, compare with the exception value. */
static PyObject *through(PyObject *self, PyObject *args) {
  PyObject *target;
  Py_ssize_t count;
  if (!PyArg_ParseTuple(args, "On", &target, &count)) return NULL;
  static int (*volatile entry)(void *);
  if (target == Py_None) {
    entry = api.stream_query;
  } else {
    void *pointer = PyCapsule_GetPointer(target, PyCapsule_GetName(target));
    if (!pointer) return NULL;
    memcpy((void *)&entry, &pointer, sizeof pointer);
  }
  int code = 0;
  Py_BEGIN_ALLOW_THREADS;
  entry(world.stream); /* the first call looks the symbol up */
  Py_END_ALLOW_THREADS;
  double start = now();
  for (Py_ssize_t k = 0; k < count; k++) {
    code = entry(world.stream);
    if (__builtin_expect(code == 500, 0)) break;
  }
  double seconds = now() - start;
  if (code) return PyErr_Format(PyExc_RuntimeError, "a query failed with %d", code);
  return PyFloat_FromDouble(seconds);
}

/* of_thread(flag): from now on count the time of this thread alone, not what passes. */
static PyObject *of_thread(PyObject *self, PyObject *flag) {
  int truth = PyObject_IsTrue(flag);
  if (truth < 0) return NULL;
  clock_used = truth ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
  Py_RETURN_NONE;
}

/* counted(loop, n): loop(n), in a function of a name that a profiler can be told of. */
__attribute__((noinline)) PyObject *floor_counted(PyObject *loop, Py_ssize_t count) { return PyObject_CallFunction(loop, "n", count); }

static PyObject *counted(PyObject *self, PyObject *args) {
  PyObject *loop;
  Py_ssize_t count;
  return PyArg_ParseTuple(args, "On", &loop, &count) ? floor_counted(loop, count) : NULL;
}

static PyObject *configure(PyObject *self, PyObject *args) {
  unsigned long long stream, event, graph, to, from;
  if (!PyArg_ParseTuple(args, "KKKKK", &stream, &event, &graph, &to, &from)) return NULL;
  world.stream = (void *)(uintptr_t)stream;
  world.event = (void *)(uintptr_t)event;
  world.graph = (void *)(uintptr_t)graph;
  world.to = to;
  world.from = from;
  Py_RETURN_NONE;
}

static PyObject *load(PyObject *self, PyObject *path) {
  const char *text = PyUnicode_AsUTF8(path);
  void *library = text ? dlopen(text, RTLD_NOW) : NULL;
  if (!library) return text ? PyErr_Format(PyExc_OSError, "%s", dlerror()) : NULL;
  static const struct {
    const char *symbol;
    void *slot;
  } wanted[] = {
      {"cuDriverGetVersion", &api.driver_get_version}, {"cuDeviceGetAttribute", &api.device_get_attribute},
      {"cuStreamQuery", &api.stream_query}, {"cuCtxGetCurrent", &api.ctx_get_current},
      {"cuMemAlloc_v2", &api.mem_alloc}, {"cuMemFree_v2", &api.mem_free},
      {"cuEventRecord", &api.event_record}, {"cuLaunchKernel", &api.launch},
      {"cuMemcpyDtoDAsync_v2", &api.memcpy_async}, {"cuPointerGetAttribute", &api.pointer_get_attribute},
      {"cuPointerGetAttributes", &api.pointer_get_attributes}, {"cuTensorMapEncodeTiled", &api.encode_tiled},
      {"cuGraphAddEmptyNode", &api.graph_add_empty}, {"cuGraphDestroyNode", &api.graph_destroy_node},
  };
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    void *address = dlsym(library, wanted[i].symbol);
    if (!address) return PyErr_Format(PyExc_OSError, "%s has no %s", text, wanted[i].symbol);
    memcpy(wanted[i].slot, &address, sizeof address);
  }
  Py_RETURN_NONE;
}

#define ENTRY(name) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL, NULL}
static PyMethodDef methods[] = {
    ENTRY(cuDriverGetVersion), ENTRY(cuDeviceGetAttribute), ENTRY(cuStreamQuery), ENTRY(cuCtxGetCurrent), ENTRY(cuMemAlloc), ENTRY(cuMemFree),
    ENTRY(cuEventRecord), ENTRY(cuLaunchKernel), ENTRY(cuMemcpyDtoDAsync), ENTRY(cuPointerGetAttribute), ENTRY(cuPointerGetAttributes),
    ENTRY(cuTensorMapEncodeTiled), ENTRY(cuGraphAddEmptyNode), ENTRY(cuGraphDestroyNode),
    {"load", load, METH_O, NULL}, {"of_thread", of_thread, METH_O, NULL}, {"repeat", repeat, METH_VARARGS, NULL}, {"counted", counted, METH_VARARGS, NULL}, {"configure", configure, METH_VARARGS, NULL}, {"raw", raw, METH_VARARGS, NULL}, {"through", through, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "floor", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_floor(void) {
  static const struct {
    const char *name;
    PyObject **slot;
  } types[] = {{"c_int", &type_int}, {"c_float", &type_float}, {"c_long", &type_long}, {"c_void_p", &type_pointer}};
  PyObject *ctypes = PyImport_ImportModule("ctypes");
  for (size_t i = 0; ctypes && i < 4; i++)
    if (!(*types[i].slot = PyObject_GetAttrString(ctypes, types[i].name))) return NULL;
  if (!ctypes || PyType_Ready(&Handle_type) < 0 || PyType_Ready(&Config_type) < 0 || PyType_Ready(&Map_type) < 0) return NULL;
  Py_DECREF(ctypes);
  zero = PyLong_FromLong(0);
  success = zero ? PyTuple_Pack(1, zero) : NULL;
  PyObject *module = success ? PyModule_Create(&definition) : NULL;
  if (!module) return NULL;
  if (PyModule_AddObjectRef(module, "Handle", (PyObject *)&Handle_type) < 0 || PyModule_AddObjectRef(module, "CUlaunchConfig", (PyObject *)&Config_type) < 0)
    return NULL;
  return module;
}
