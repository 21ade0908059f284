/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A function: arguments in, typed call, results out.
 *
 * Arguments are converted in C order. What depends on another argument (a count, an attribute) waits for a second pass,
 * which most functions do not need.
 */
#include "engine.h"

#include <stdatomic.h>
#include <stdio.h>

/* What the fast path does with a parameter: kind and element in one number, worked out when the function is made. */
enum op {
  OP_GENERAL, /* an input that the fast path does not know */
  OP_HANDLE,  /* 64-bit handle */
  OP_HANDLE32,
  OP_I32,
  OP_U32,
  OP_U64,
  OP_PTR,
  OP_ENUM,
  OP_RECORD, /* address of a record */
  OP_ARRAY,
  OP_KERNEL_PARAMS,
  OP_OUT, /* and what the second pass sets */
  OP_OUT_HANDLE,
  OP_OUT_I32,
  OP_OUT_U64, /* and pointers */
  OP_OUT_RECORD,
  OP_HIDDEN
};

typedef struct {
  PyObject_HEAD
  const struct cs_func *row;
  const struct cs_param *params;
  cs_thunk thunk;
  _Atomic(cs_address) *slot;
  PyObject *success; /* (CUDA_SUCCESS,) */
  PyObject *good;    /* CUDA_SUCCESS; borrowed from its class, and NULL until the first success */
  PyObject *names[CS_MAX_PARAMS];   /* of the inputs, interned */
  uint8_t inputs[CS_MAX_PARAMS];    /* parameters that take a Python argument */
  uint8_t outputs[CS_MAX_PARAMS];
  uint8_t ops[CS_MAX_PARAMS];         /* enum op */
  uint8_t elems[CS_MAX_PARAMS];       /* of an integer, an enum or a handle the integer that C has for it; else as the row says */
  PyTypeObject *types[CS_MAX_PARAMS]; /* the class that an argument has as a rule; borrowed, they never go */
  uint8_t later[CS_MAX_PARAMS]; /* parameters that the second pass looks at, in its order */
  uint8_t ninputs, noutputs, nlater;
  bool copies_back, keeps;
  bool lasts; /* options that stay with the handle that comes back */
  PyMethodDef def;
} Function;

struct frame {
  union cs_arg args[CS_MAX_PARAMS];
  uint64_t out[CS_MAX_PARAMS];      /* what single outputs are written to */
  Py_ssize_t count[CS_MAX_PARAMS];  /* elements of arrays; bytes of typed outputs */
  PyObject *object[CS_MAX_PARAMS];  /* records that are outputs */
  PyObject *given[CS_MAX_PARAMS];   /* arguments that the second pass reads */
  union {
    const struct cs_typed_row *one, **list;
  } typed[CS_MAX_PARAMS]; /* of typed outputs */
  struct cs_arena arena;
};

static PyTypeObject *function_type;
static PyObject *module_name;

bool cs_is_input(uint8_t kind) { return kind <= CS_OPTION_VALUES || kind == CS_INOUT; }
bool cs_is_output(uint8_t kind) { return kind >= CS_OUT && kind <= CS_INOUT; }

static const char *display_name(const struct cs_func *row) { return CS_STR(row->plain ? row->plain : row->name); }

static struct cs_where place(const Function *self, const struct cs_param *param) {
  struct cs_where where = {display_name(self->row), CS_STR(param->name), -1, false};
  return where;
}

/* ---- which argument is which ---- */

static int wrong_number(Function *self, Py_ssize_t given) {
  char list[1024];
  size_t used = 0;
  list[0] = 0;
  for (uint8_t i = 0; i < self->ninputs && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", CS_STR(self->params[self->inputs[i]].name));
  PyErr_Format(PyExc_TypeError, "%s() takes %d argument%s (%s), but %zd %s given", display_name(self->row), self->ninputs,
               self->ninputs == 1 ? "" : "s", self->ninputs ? list : "none", given, given == 1 ? "was" : "were");
  return -1;
}

/* Positional and keyword arguments in the order of the inputs; what was left out is NULL. */
static int bind(Function *self, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames, PyObject **bound) {
  const char *name = display_name(self->row);
  if (nargs > self->ninputs) return wrong_number(self, nargs);
  for (uint8_t i = 0; i < self->ninputs; i++) bound[i] = i < nargs ? args[i] : NULL;
  Py_ssize_t nkw = kwnames ? PyTuple_Size(kwnames) : 0;
  for (Py_ssize_t k = 0; k < nkw; k++) {
    PyObject *key = PyTuple_GetItem(kwnames, k);
    uint8_t i = 0;
    while (i < self->ninputs && self->names[i] != key) i++; /* names in a call are interned too, as a rule */
    if (i == self->ninputs)
      for (i = 0; i < self->ninputs && PyUnicode_Compare(self->names[i], key) != 0; i++) {
      }
    if (i == self->ninputs) {
      PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", name, key);
      return -1;
    }
    if (bound[i]) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", name, key);
      return -1;
    }
    bound[i] = args[nargs + k];
  }
  for (uint8_t i = 0; i < self->ninputs; i++) {
    if (bound[i] || (self->params[self->inputs[i]].flags & CS_OPTIONAL)) continue;
    PyErr_Format(PyExc_TypeError, "%s() missing required argument '%U' (position %d of %d)", name, self->names[i], i + 1, self->ninputs);
    return -1;
  }
  return 0;
}

/* ---- in: first pass ---- */

/* A list or tuple of what arrays hold as a rule, plain ints, handles and members: converting them runs no code, so nothing can
 * change on the way and nothing has to be kept. False where there is something else, which the long way then looks at. */
static bool quick_array(Function *self, struct frame *frame, size_t i, PyObject *object) {
  bool tuple = PyTuple_CheckExact(object);
  if (!tuple && !PyList_CheckExact(object)) return false;
  PyObject *(*get)(PyObject *, Py_ssize_t) = tuple ? PyTuple_GetItem : PyList_GetItem;
  PyTypeObject *own = self->types[i];
  uint8_t elem = self->elems[i];
  bool handles = self->params[i].elem == CS_HANDLE;
  Py_ssize_t count = tuple ? PyTuple_Size(object) : PyList_Size(object);
  void *memory = cs_arena_take_small(&frame->arena, (size_t)(count ? count : 1) * (elem == CS_U64 ? 8 : 4));
  if (!memory) {
    PyErr_Clear(); /* said again on the long way */
    return false;
  }
  frame->args[i].ptr = memory;
  frame->count[i] = count;
  if (elem == CS_U64) {
    uint64_t *target = memory;
    for (Py_ssize_t k = 0; k < count; k++) {
      PyObject *item = get(object, k);
      if (cs_quick_u64(item, &target[k])) continue;
      if (!handles || Py_TYPE(item) != own) return false;
      target[k] = ((struct cs_handle_object *)item)->value;
    }
  } else {
    uint32_t *target = memory;
    for (Py_ssize_t k = 0; k < count; k++) {
      PyObject *item = get(object, k);
      int64_t number;
      if (!cs_plain_i64(item, &number)) {
        if (Py_TYPE(item) != own) return false;
        if (handles)
          number = elem == CS_U32 ? (int64_t)(uint32_t)((struct cs_handle_object *)item)->value : (int32_t)((struct cs_handle_object *)item)->value;
        else if (!cs_quick_i64(item, &number))
          return false;
      }
      if (elem == CS_U32 ? number != (uint32_t)number : number != (int32_t)number) return false;
      target[k] = (uint32_t)number;
    }
  }
  return true;
}

static int in_array(struct frame *frame, uint8_t i, const struct cs_param *param, const struct cs_where *given, PyObject *object) {
  struct cs_where where = *given;
  frame->args[i].ptr = NULL;
  frame->count[i] = -1; /* NULL: nothing to compare with a count */
  if (object == Py_None) return 0;
  size_t size = cs_size(param->elem, param->type);
  PyObject *items;
  bool lone = (param->flags & CS_ONE_OK) &&
              (cs_is_handle(object) || cs_is_record(object) || (PyLong_Check(object) && param->elem != CS_PTR));
  if (lone)
    items = PyTuple_Pack(1, object);
  else
    items = cs_sequence(&where, object, CS_STR(param->ctype), true);
  if (!items) return -1;
  Py_ssize_t count = PyTuple_Size(items);
  char *memory = cs_arena_take(&frame->arena, size * (size_t)(count ? count : 1));
  int status = memory ? 0 : -1;
  for (Py_ssize_t k = 0; k < count && status == 0; k++) {
    PyObject *keep = NULL, *item = PyTuple_GetItem(items, k);
    where.index = k;
    if (param->elem == CS_PTR) {
      void *address;
      status = cs_arena_pointer(&frame->arena, &where, item, (param->flags & CS_WRITABLE) != 0, &address);
      memcpy(memory + (size_t)k * size, &address, sizeof address);
    } else if (param->elem == CS_CSTR && PyBytes_CheckExact(item) &&
               PyBytes_AsStringAndSize(item, (char **)(void *)(memory + (size_t)k * size), NULL) == 0) {
      continue;
    } else {
      PyErr_Clear(); /* a NUL in a text: said again with its place */
      status = cs_store(&where, param->elem, param->type, param->flags & (uint8_t)~CS_WRITABLE, item, memory + (size_t)k * size, &keep);
      Py_XDECREF(keep); /* `items` has what it keeps */
    }
  }
  frame->args[i].ptr = memory;
  frame->count[i] = count;
  frame->given[i] = items; /* borrowed from the arena */
  if (status == 0) return cs_arena_keep(&frame->arena, items);
  Py_DECREF(items);
  return -1;
}

static int in_handle_ref(struct frame *frame, uint8_t i, const struct cs_param *param, const struct cs_where *where, PyObject *object) {
  if (object == Py_None) {
    frame->args[i].ptr = NULL;
    return 0;
  }
  if (Py_TYPE(object) == cs_handle_types[param->type]) {
    frame->args[i].ptr = &((struct cs_handle_object *)object)->value;
    return 0;
  }
  if (PyLong_CheckExact(object)) return cs_store_int(where, CS_U64, object, &frame->args[i].ptr);
  char expected[256];
  snprintf(expected, sizeof expected, "%s, the address of one or None", CS_STR(cs_handles[param->type].name));
  return cs_fail_type(where, expected, object);
}

static int in_pointer(struct frame *frame, uint8_t i, const struct cs_param *param, const struct cs_where *where, PyObject *object) {
  bool writable = (param->flags & CS_WRITABLE) != 0;
  frame->count[i] = -1; /* bytes of room: not known of an address */
  if (writable && PyBytes_Check(object)) {
    Py_ssize_t size = PyBytes_Size(object);
    if (param->flags & CS_BYTES_OK) {
      /* Programs of the official package give bytes to be written to. Those of one byte or none are shared by the whole process:
       * the call writes to memory that is thrown away. */
      frame->count[i] = size;
      frame->args[i].ptr = size > 1 ? PyBytes_AsString(object) : cs_arena_take_zeroed(&frame->arena, 16);
      return frame->args[i].ptr ? 0 : -1;
    }
    if (size == 0) writable = false; /* nothing is written to an empty buffer */
  }
  struct cs_views *before = frame->arena.views;
  if (cs_arena_pointer(&frame->arena, where, object, writable, &frame->args[i].ptr) < 0) return -1;
  if (frame->arena.views != before) frame->count[i] = cs_arena_last_size(&frame->arena);
  return 0;
}

/* Everything that the fast path of `call` does not do itself. */
CS_APART static int in_general(Function *self, struct frame *frame, uint8_t i, PyObject *object) {
  const struct cs_param *param = &self->params[i];
  struct cs_where where = place(self, param);
  PyObject *keep = NULL;
  union cs_arg *arg = &frame->args[i];
  switch (param->kind) {
  case CS_IN:
    switch (param->elem) {
    case CS_HANDLE: return cs_handle_value(&where, param->type, param->flags, object, &arg->u64);
    case CS_PTR: return in_pointer(frame, i, param, &where, object);
    case CS_CSTR:
      if (param->flags & CS_WRITABLE) return in_pointer(frame, i, param, &where, object);
      break;
    case CS_RECORD: return (arg->ptr = cs_record_data(&where, param->type, object)) ? 0 : -1;
    default: break;
    }
    arg->u64 = 0;
    if (cs_store(&where, param->elem, param->type, param->flags, object, arg, &keep) < 0) return -1;
    Py_XDECREF(keep); /* the caller has the argument */
    return 0;
  case CS_IN_RECORD:
    if (object == Py_None) {
      arg->ptr = NULL;
      return 0;
    }
    if ((arg->ptr = cs_record_data(&where, param->type, object))) return 0;
    PyErr_Clear();
    char expected[256];
    snprintf(expected, sizeof expected, "%s or None", CS_STR(cs_records[param->type].name));
    return cs_fail_type(&where, expected, object);
  case CS_IN_ARRAY: return in_array(frame, i, param, &where, object);
  case CS_IN_HANDLE_REF: return in_handle_ref(frame, i, param, &where, object);
  case CS_KERNEL_PARAMS: return cs_kernel_params(&where, object, &frame->arena, (void ***)&arg->ptr);
  case CS_INOUT:
    frame->out[i] = 0;
    arg->ptr = &frame->out[i];
    if (!object) return 0;
    if (object == Py_None) {
      arg->ptr = NULL;
      return 0;
    }
    if (cs_store(&where, param->elem, param->type, param->flags, object, &frame->out[i], &keep) < 0) return -1;
    Py_XDECREF(keep);
    return 0;
  default: /* CS_IN_TYPED, CS_OPTION_VALUES */ frame->given[i] = object; return 0;
  }
}

/* ---- in: second pass ---- */

/* The value of an integer parameter; -1 where it does not fit. */
static int64_t integer(Function *self, struct frame *frame, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  const union cs_arg *arg = &frame->args[i];
  union cs_arg stored;
  if (param->kind == CS_INOUT || param->kind == CS_OUT) {
    memcpy(&stored, &frame->out[i], sizeof stored);
    arg = &stored;
  }
  switch (self->elems[i]) {
  case CS_I8: return arg->i8;
  case CS_U8: return arg->u8;
  case CS_I16: return arg->i16;
  case CS_U16: return arg->u16;
  case CS_I32: return arg->i32;
  case CS_U32: return arg->u32;
  default: return arg->i64;
  }
}

static int check_count(Function *self, struct frame *frame, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  if (frame->count[i] < 0) return 0;
  if (param->flags & CS_FIXED) {
    if (frame->count[i] >= param->link) return 0;
    struct cs_where where = place(self, param);
    return cs_fail(PyExc_ValueError, &where, "holds %zd elements, and the call reads %d", frame->count[i], param->link);
  }
  int64_t need = integer(self, frame, param->link);
  uint64_t wanted = (uint64_t)need;
  if (param->link2 != CS_NONE8) {
    uint64_t divisor = (uint64_t)integer(self, frame, param->link2);
    if (!divisor) return 0;
    wanted = wanted / divisor + (wanted % divisor != 0);
  }
  if ((param->flags & CS_LESS_ONE) && wanted) wanted--;
  if (need < 0 && self->params[param->link].elem != CS_U64) return 0; /* the driver's to refuse */
  if ((uint64_t)frame->count[i] >= wanted) return 0;
  struct cs_where where = place(self, param);
  return cs_fail(PyExc_ValueError, &where, "holds %zd elements, but argument '%s' asks for %llu", frame->count[i],
                 CS_STR(self->params[param->link].name), (unsigned long long)wanted);
}

static void *zeroed(struct frame *frame, size_t size) {
  if (size > 16) return cs_arena_take_zeroed(&frame->arena, size);
  void *memory = cs_arena_take_small(&frame->arena, 16);
  return memory ? memset(memory, 0, 16) : NULL;
}

/* Asks the function that tells how many bytes or elements a parameter takes. Its arguments are this call's up to that parameter,
 * and the size behind them. 0 or -1 with an exception; *status is what the function answered. */
static int ask_size(struct frame *frame, uint8_t i, const struct cs_param *param, uint64_t *size, int *status) {
  const struct cs_func *sizer = &cs_funcs[param->type];
  union cs_arg args[CS_MAX_PARAMS];
  cs_address address = cs_resolve(param->type);
  if (!address) return -1;
  memcpy(args, frame->args, i * sizeof *args);
  *size = 0;
  args[i].ptr = size;
  Py_BEGIN_ALLOW_THREADS
  *status = cs_thunks[sizer->thunk](address, args);
  Py_END_ALLOW_THREADS
  return 0;
}

static bool is_sized(const struct cs_param *param) {
  return (param->flags & CS_SIZED) && (param->kind == CS_OUT_ARRAY || (param->kind == CS_IN && param->elem == CS_PTR));
}

/* A buffer that another function tells the size of: it has to have that much room. */
static int check_room(Function *self, struct frame *frame, uint8_t i, int *status) {
  const struct cs_param *param = &self->params[i];
  uint64_t size;
  if (!frame->args[i].ptr || frame->count[i] < 0) return 0;
  if (ask_size(frame, i, param, &size, status) < 0) return -1;
  if (*status != cs_library.result_success) return 0;
  if (frame->count[i] == 0 && size <= 1) { /* an empty log is written all the same, with its NUL */
    frame->args[i].ptr = zeroed(frame, size + 16);
    return frame->args[i].ptr ? 0 : -1;
  }
  if (size <= (uint64_t)frame->count[i]) return 0;
  struct cs_where where = place(self, param);
  return cs_fail(PyExc_ValueError, &where, "has room for %zd bytes, and the call writes %llu", frame->count[i], (unsigned long long)size);
}

static int out_array(Function *self, struct frame *frame, uint8_t i, int *status) {
  const struct cs_param *param = &self->params[i];
  int64_t count;
  if (is_sized(param)) {
    uint64_t told;
    if (ask_size(frame, i, param, &told, status) < 0) return -1;
    count = *status == cs_library.result_success ? (int64_t)told : 0;
  } else {
    count = param->flags & CS_FIXED ? param->link : integer(self, frame, param->link);
  }
  size_t size = cs_size(param->elem, param->type);
  frame->args[i].ptr = NULL;
  frame->count[i] = 0;
  if (count == 0 && (param->flags & CS_NULL_IF_ZERO)) return 0;
  if (count < 0 || (uint64_t)count > (uint64_t)PY_SSIZE_T_MAX / 4 / (size ? size : 1)) {
    struct cs_where where = place(self, is_sized(param) ? param : &self->params[param->link]);
    return cs_fail(PyExc_ValueError, &where, count < 0 && !is_sized(param) && self->elems[param->link] != CS_U64 ? "must not be negative" : "asks for more elements than memory can hold");
  }
  frame->count[i] = (Py_ssize_t)count;
  return (frame->args[i].ptr = zeroed(frame, size * (size_t)count)) ? 0 : -1;
}

/* The row that tells the type of the value that the attribute stands for; NULL with ValueError. */
static const struct cs_typed_row *typed_row(Function *self, const struct cs_param *param, int32_t attribute) {
  const struct cs_typed_row *row = cs_typed_find(param->typed, attribute);
  if (row) return row;
  const struct cs_param *link = &self->params[param->link];
  struct cs_where where = place(self, link);
  PyObject *member = link->elem == CS_ENUM ? cs_enum_member(link->type, attribute) : PyLong_FromLong(attribute);
  PyObject *text = member ? PyObject_Repr(member) : NULL;
  const char *shown = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  if (shown) cs_fail(PyExc_ValueError, &where, "is %s, and this release does not know what type its value has", shown);
  Py_XDECREF(member);
  Py_XDECREF(text);
  return NULL;
}

static size_t typed_size(const struct cs_typed_row *row, int64_t bytes) {
  return row->count ? cs_size(row->elem, row->type) * row->count : (size_t)bytes;
}

static int in_typed(Function *self, struct frame *frame, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  struct cs_where where = place(self, param);
  PyObject *object = frame->given[i];
  const struct cs_typed_row *row = typed_row(self, param, (int32_t)integer(self, frame, param->link));
  if (!row) return -1;
  frame->args[i].ptr = NULL;
  frame->count[i] = (Py_ssize_t)typed_size(row, 0);
  if (row->elem == CS_PTR && (row->flags & CS_TYPED_BY_VALUE)) {
    bool writable = (row->flags & CS_TYPED_WRITABLE) != 0;
    return cs_arena_pointer(&frame->arena, &where, object, writable, &frame->args[i].ptr);
  }
  if (row->elem == CS_CHAR && row->count != 1) { /* text or bytes of a fixed room */
    Py_buffer view;
    if (object == Py_None) return 0;
    if (PyUnicode_Check(object)) return cs_fail(PyExc_TypeError, &where, "must be bytes or None, not str: encode it, b\"…\" or text.encode()");
    if (!PyObject_CheckBuffer(object)) return cs_fail_type(&where, "bytes or None", object);
    if (cs_buffer(&where, object, false, &view) < 0) return -1;
    size_t room = row->count ? row->count : (size_t)view.len + 1;
    char *memory = (size_t)view.len < room ? zeroed(frame, room) : NULL;
    if (memory) memcpy(memory, view.buf, (size_t)view.len);
    else if ((size_t)view.len >= room)
      cs_fail(PyExc_ValueError, &where, "must be shorter than %zu bytes, not %zd", room, view.len);
    frame->args[i].ptr = memory;
    frame->count[i] = (Py_ssize_t)room;
    PyBuffer_Release(&view);
    return memory ? 0 : -1;
  }
  if (row->count != 1) {
    PyObject *items = cs_sequence(&where, object, "values", false);
    if (!items) return -1;
    Py_ssize_t count = PyTuple_Size(items);
    size_t size = cs_size(row->elem, row->type);
    char *memory = zeroed(frame, size * (size_t)(row->count ? row->count : count));
    int status = memory ? 0 : -1;
    if (row->count && count != row->count)
      status = cs_fail(PyExc_ValueError, &where, "must hold %d values, not %zd", row->count, count);
    for (Py_ssize_t k = 0; k < count && status == 0; k++) {
      PyObject *keep = NULL;
      where.index = k;
      status = cs_store(&where, row->elem, row->type, 0, PyTuple_GetItem(items, k), memory + (size_t)k * size, &keep);
      Py_XDECREF(keep);
    }
    frame->args[i].ptr = memory;
    frame->count[i] = (Py_ssize_t)(size * (size_t)(row->count ? row->count : count));
    if (status == 0) return cs_arena_keep(&frame->arena, items);
    Py_DECREF(items);
    return -1;
  }
  void *target = row->flags & CS_TYPED_BY_VALUE ? (void *)&frame->args[i] : zeroed(frame, cs_size(row->elem, row->type));
  if (!target) return -1;
  PyObject *keep = NULL;
  if (cs_store(&where, row->elem, row->type, 0, object, target, &keep) < 0) return -1;
  Py_XDECREF(keep);
  if (!(row->flags & CS_TYPED_BY_VALUE)) frame->args[i].ptr = target;
  return 0;
}

static int out_typed(Function *self, struct frame *frame, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  const struct cs_typed_row *row = typed_row(self, param, (int32_t)integer(self, frame, param->link));
  if (!row) return -1;
  int64_t bytes = param->link2 == CS_NONE8 ? 0 : integer(self, frame, param->link2);
  if (bytes < 0 || bytes > INT32_MAX) {
    struct cs_where where = place(self, &self->params[param->link2]);
    return cs_fail(PyExc_ValueError, &where, "asks for more bytes than a value can have");
  }
  size_t room = typed_size(row, bytes);
  frame->typed[i].one = row;
  frame->count[i] = (Py_ssize_t)room;
  if ((size_t)bytes > room) room = (size_t)bytes; /* the driver believes the size that it was told */
  return (frame->args[i].ptr = zeroed(frame, room)) ? 0 : -1;
}

static int out_typed_list(Function *self, struct frame *frame, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  const int32_t *attributes = frame->args[param->link].ptr;
  Py_ssize_t count = attributes ? frame->count[param->link] : 0;
  const size_t *sizes = param->link2 == CS_NONE8 ? NULL : frame->args[param->link2].ptr;
  frame->count[i] = count;
  void **pointers = zeroed(frame, sizeof(void *) * (size_t)count);
  const struct cs_typed_row **rows = zeroed(frame, sizeof *rows * (size_t)count);
  if (!pointers || !rows) return -1;
  if (sizes && frame->count[param->link2] < count) {
    struct cs_where where = place(self, &self->params[param->link2]);
    return cs_fail(PyExc_ValueError, &where, "holds %zd elements, but there are %zd attributes", frame->count[param->link2], count);
  }
  for (Py_ssize_t k = 0; k < count; k++) {
    const struct cs_typed_row *row = rows[k] = typed_row(self, param, attributes[k]);
    if (!row) return -1;
    size_t told = sizes ? sizes[k] : 0, room = typed_size(row, (int64_t)told);
    if (told > INT32_MAX) {
      struct cs_where where = place(self, &self->params[param->link2]);
      where.index = k;
      return cs_fail(PyExc_ValueError, &where, "asks for more bytes than a value can have");
    }
    if (!(pointers[k] = zeroed(frame, told > room ? told : room))) return -1;
  }
  frame->args[i].ptr = pointers;
  frame->typed[i].list = rows;
  return 0;
}

static int option_values(Function *self, struct frame *frame, uint8_t i, struct cs_arena *lasting) {
  const struct cs_param *param = &self->params[i];
  struct cs_where where = place(self, param);
  const int32_t *options = param->link == CS_NONE8 ? NULL : frame->args[param->link].ptr;
  int64_t count = param->link2 == CS_NONE8 ? (options ? frame->count[param->link] : 0) : integer(self, frame, param->link2);
  if (options && count > frame->count[param->link]) count = frame->count[param->link]; /* its own check has raised already */
  if (!options && frame->given[i] != Py_None && count)
    return cs_fail(PyExc_ValueError, &where, "has values, but argument '%s' is None",
                   param->link == CS_NONE8 ? "options" : CS_STR(self->params[param->link].name));
  struct cs_arena *arena = param->flags & CS_KEEP ? lasting : &frame->arena;
  return cs_option_values(&where, frame->given[i], param->typed, options, (Py_ssize_t)count, arena, (void ***)&frame->args[i].ptr);
}

/* *status: what a function that was asked for a size answered; where it failed, the call does not go on. */
static int second_pass(Function *self, struct frame *frame, struct cs_arena *lasting, int *status_of_size) {
  for (uint8_t n = 0; n < self->nlater; n++) {
    uint8_t i = self->later[n];
    int status = 0;
    switch (self->params[i].kind) {
    case CS_IN_ARRAY: status = check_count(self, frame, i); break;
    case CS_IN_TYPED: status = in_typed(self, frame, i); break;
    case CS_OPTION_VALUES: status = option_values(self, frame, i, lasting); break;
    case CS_OUT_ARRAY: status = out_array(self, frame, i, status_of_size); break;
    case CS_IN: status = check_room(self, frame, i, status_of_size); break;
    case CS_OUT_TYPED: status = out_typed(self, frame, i); break;
    case CS_OUT_TYPED_LIST: status = out_typed_list(self, frame, i); break;
    default: /* CS_OUT_SIZE */
      frame->out[i] = (uint64_t)frame->count[self->params[i].link];
      frame->args[i].ptr = &frame->out[i];
    }
    if (status < 0) return -1;
  }
  return 0;
}

/* ---- out ---- */

static PyObject *typed_result(const struct cs_typed_row *row, const void *data, size_t bytes) {
  if (row->elem == CS_CHAR) {
    size_t length = bytes;
    if (row->flags & CS_TYPED_BYTES) {
      const char *end = memchr(data, 0, bytes);
      if (end) length = (size_t)(end - (const char *)data);
    }
    return PyBytes_FromStringAndSize(data, (Py_ssize_t)length);
  }
  if (row->count == 1) return cs_load(row->elem, row->type, data);
  return cs_load_list(row->elem, row->type, data, (Py_ssize_t)(bytes / cs_size(row->elem, row->type)));
}

static PyObject *result(Function *self, struct frame *frame, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  switch (param->kind) {
  case CS_OUT_RECORD: {
    PyObject *record = frame->object[i];
    frame->object[i] = NULL;
    return record;
  }
  case CS_INOUT:
    if (!frame->args[i].ptr) Py_RETURN_NONE;
    return cs_load(param->elem, param->type, &frame->out[i]);
  case CS_OUT_ARRAY: {
    Py_ssize_t count = frame->count[i];
    if (!(param->flags & CS_FIXED) && !is_sized(param) && self->params[param->link].kind == CS_INOUT) {
      int64_t told = integer(self, frame, param->link);
      if (told >= 0 && told < count) count = (Py_ssize_t)told;
    }
    return cs_load_list(param->elem, param->type, frame->args[i].ptr, count);
  }
  case CS_OUT_BORROWED: {
    const void *array = (const void *)(uintptr_t)frame->out[i];
    int64_t count = array ? integer(self, frame, param->link) : 0;
    if (count < 0 || count > INT32_MAX) {
      PyErr_Format(PyExc_ValueError, "%s(): the driver returned an impossible count for '%s'", display_name(self->row), CS_STR(param->name));
      return NULL;
    }
    return cs_load_list(param->elem, param->type, array, (Py_ssize_t)count);
  }
  case CS_OUT_TYPED: return typed_result(frame->typed[i].one, frame->args[i].ptr, (size_t)frame->count[i]);
  case CS_OUT_TYPED_LIST: {
    PyObject *list = PyList_New(frame->count[i]);
    const size_t *sizes = param->link2 == CS_NONE8 ? NULL : frame->args[param->link2].ptr;
    void **pointers = frame->args[i].ptr;
    for (Py_ssize_t k = 0; list && k < frame->count[i]; k++) {
      const struct cs_typed_row *row = frame->typed[i].list[k];
      PyObject *item = typed_result(row, pointers[k], typed_size(row, sizes ? (int64_t)sizes[k] : 0));
      if (!item || PyList_SetItem(list, k, item) < 0) Py_CLEAR(list);
    }
    return list;
  }
  case CS_OUT_SIZE: return PyLong_FromUnsignedLongLong(frame->out[i]);
  default: return cs_load(param->elem, param->type, &frame->out[i]);
  }
}

/* The driver has written elements of arrays that the caller gave: the objects show it. */
static void copy_back(Function *self, struct frame *frame) {
  for (uint8_t n = 0; n < self->ninputs; n++) {
    uint8_t i = self->inputs[n];
    const struct cs_param *param = &self->params[i];
    if (param->kind != CS_IN_ARRAY || param->elem != CS_RECORD || !(param->flags & CS_WRITABLE) || !frame->args[i].ptr) continue;
    size_t size = cs_records[param->type].size;
    for (Py_ssize_t k = 0; k < frame->count[i]; k++) {
      struct cs_record_object *record = (struct cs_record_object *)PyTuple_GetItem(frame->given[i], k);
      memcpy(record->data, (char *)frame->args[i].ptr + (size_t)k * size, size);
    }
  }
}

/* One output and a success: what nearly all functions that give something give. */
static PyObject *one_result(Function *self, struct frame *frame) {
  uint8_t i = self->outputs[0];
  PyObject *value;
  switch (self->ops[i]) {
  case OP_OUT_HANDLE: value = cs_handle_of(self->types[i], self->params[i].type, frame->out[i]); break;
  case OP_OUT_I32: value = PyLong_FromLong((int32_t)frame->out[i]); break;
  case OP_OUT_U64: value = PyLong_FromUnsignedLongLong(frame->out[i]); break;
  case OP_OUT_RECORD:
    value = frame->object[i];
    frame->object[i] = NULL;
    break;
  default: value = result(self, frame, i);
  }
  if (!value) return NULL;
  PyObject *tuple = PyTuple_Pack(2, self->good, value);
  Py_DECREF(value);
  return tuple;
}

static PyObject *results(Function *self, struct frame *frame, int status) {
  if (CS_LIKELY(status == cs_library.result_success && self->noutputs == 1 && self->good)) return one_result(self, frame);
  PyObject *code = cs_enum_member(self->row->result, status);
  if (!code) return NULL;
  if (status == cs_library.result_success) self->good = code; /* its class has a reference too, for ever */
  if (!self->noutputs) {
    PyObject *tuple = PyTuple_Pack(1, code);
    Py_DECREF(code);
    if (tuple && status == cs_library.result_success && !self->success) self->success = Py_NewRef(tuple);
    return tuple;
  }
  PyObject *tuple = PyTuple_New(1 + self->noutputs);
  if (!tuple) {
    Py_DECREF(code);
    return NULL;
  }
  PyTuple_SetItem(tuple, 0, code); /* cannot fail: the tuple is new and has the room */
  bool good = status == cs_library.result_success || (self->row->flags & CS_OUTPUTS_ON_ERROR);
  for (uint8_t n = 0; n < self->noutputs; n++) {
    PyObject *value = good ? result(self, frame, self->outputs[n]) : Py_NewRef(Py_None);
    if (!value) {
      Py_DECREF(tuple);
      return NULL;
    }
    PyTuple_SetItem(tuple, 1 + n, value);
  }
  return tuple;
}

/* What was asked of a driver with options lives as long as the handle that came back. */
static int attach(Function *self, struct cs_arena *lasting, PyObject *tuple) {
  if (!lasting->chunks && !lasting->keep) return 0;
  for (uint8_t n = 0; n < self->noutputs; n++) {
    if (self->params[self->outputs[n]].elem != CS_HANDLE) continue;
    PyObject *object = PyTuple_GetItem(tuple, 1 + n);
    if (!cs_is_handle(object)) return 0; /* None: the call failed */
    PyObject *owner = cs_arena_to_object(lasting);
    if (!owner) return -1;
    PyObject *old = ((struct cs_handle_object *)object)->keep;
    ((struct cs_handle_object *)object)->keep = owner;
    Py_XDECREF(old);
    return 0;
  }
  return 0;
}

/* A text that the library reads later, from where it lay at the call, lives as long as the handle that is the first argument. Who
 * has that handle as an int keeps the text himself. */
static int keep_with_handle(const Function *self, PyObject *const *given) {
  if (!cs_is_handle(given[0])) return 0;
  struct cs_handle_object *handle = (struct cs_handle_object *)given[0];
  for (uint8_t n = 1; n < self->ninputs; n++) {
    const struct cs_param *param = &self->params[self->inputs[n]];
    if (param->kind != CS_IN || !(param->flags & CS_KEEP)) continue;
    PyObject *list = handle->keep && PyList_Check(handle->keep) ? Py_NewRef(handle->keep) : PyList_New(0);
    int status = list ? PyList_Append(list, given[n]) : -1;
    if (status == 0 && list != handle->keep) {
      if (handle->keep) status = PyList_Append(list, handle->keep);
      if (status == 0) {
        Py_XDECREF(handle->keep);
        handle->keep = Py_NewRef(list);
      }
    }
    Py_XDECREF(list);
    if (status < 0) return -1;
  }
  return 0;
}

static PyObject *call(PyObject *self_object, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames) {
  Function *self = (Function *)self_object;
  PyObject *bound[CS_MAX_PARAMS];
  if (CS_UNLIKELY(kwnames || nargs != self->ninputs)) {
    if (bind(self, args, nargs, kwnames, bound) < 0) return NULL;
    args = bound;
  }
  cs_address address = atomic_load_explicit(self->slot, memory_order_acquire);
  if (CS_UNLIKELY(!address)) {
    address = cs_resolve((uint16_t)(self->row - cs_funcs));
    if (!address) return NULL;
  }

  PyObject *const *given = args;
  struct frame frame;
  cs_arena_init(&frame.arena, false);
  struct cs_arena *lasting = NULL; /* for CS_KEEP */
  const size_t nparams = self->row->nparams;
  uint8_t nrecords = 0, records[CS_MAX_PARAMS]; /* parameters with a new record, to let go of on failure */
  PyObject *tuple = NULL;
  int status;
  union cs_arg *arg = frame.args;
  for (size_t i = 0; i < nparams; i++, arg++) {
    PyObject *object;
    int64_t number;
    switch (self->ops[i]) {
    case OP_HANDLE:
      object = *args++;
      if (CS_LIKELY(Py_TYPE(object) == self->types[i])) {
        arg->u64 = ((struct cs_handle_object *)object)->value;
        continue;
      }
      if (object == Py_None) {
        arg->u64 = 0;
        continue;
      }
      if (cs_quick_u64(object, &arg->u64)) continue;
      break;
    case OP_HANDLE32:
      object = *args++;
      if (CS_LIKELY(Py_TYPE(object) == self->types[i])) {
        arg->u64 = ((struct cs_handle_object *)object)->value;
        continue;
      }
      if (cs_plain_i64(object, &number) &&
          (cs_handles[self->params[i].type].elem == CS_I32 ? number == (int32_t)number : number == (uint32_t)number)) {
        arg->i64 = number;
        continue;
      }
      break;
    case OP_I32:
      object = *args++;
      if (cs_plain_i64(object, &number) && number == (int32_t)number) {
        arg->i64 = number;
        continue;
      }
      break;
    case OP_U32:
      object = *args++;
      if (cs_plain_i64(object, &number) && number == (uint32_t)number) {
        arg->i64 = number;
        continue;
      }
      break;
    case OP_KERNEL_PARAMS:
    case OP_PTR:
      object = *args++;
      if (object == Py_None) {
        arg->u64 = 0;
        continue;
      }
      if (cs_quick_u64(object, &arg->u64)) continue;
      if (cs_is_handle(object)) { /* its value, as cs_pointer has it */
        arg->u64 = ((struct cs_handle_object *)object)->value;
        continue;
      }
      break;
    case OP_U64:
      object = *args++;
      if (cs_quick_u64(object, &arg->u64)) continue;
      break;
    case OP_ENUM:
      object = *args++;
      if ((cs_small_int(object, &number) ||
           ((Py_TYPE(object) == self->types[i] || PyLong_CheckExact(object)) && cs_quick_i64(object, &number))) &&
          number == (int32_t)number) {
        arg->i64 = number;
        continue;
      }
      break;
    case OP_RECORD:
      object = *args++;
      if (CS_LIKELY(Py_TYPE(object) == self->types[i])) {
        arg->ptr = ((struct cs_record_object *)object)->data;
        continue;
      }
      break;
    case OP_ARRAY:
      object = *args++;
      if (quick_array(self, &frame, i, object)) continue;
      break;
    case OP_OUT:
    case OP_OUT_HANDLE:
    case OP_OUT_I32:
    case OP_OUT_U64:
      frame.out[i] = 0;
      arg->ptr = &frame.out[i];
      continue;
    case OP_OUT_RECORD:
      frame.object[i] = cs_record_new(self->params[i].type);
      if (!frame.object[i]) goto done;
      records[nrecords++] = (uint8_t)i;
      arg->ptr = ((struct cs_record_object *)frame.object[i])->data;
      continue;
    case OP_HIDDEN: arg->u64 = 0; continue;
    default: object = *args++;
    }
    if (CS_UNLIKELY(in_general(self, &frame, (uint8_t)i, object) < 0)) goto done;
  }
  if (self->nlater) {
    if (self->lasts) {
      if (!(lasting = PyMem_Malloc(offsetof(struct cs_arena, space)))) {
        PyErr_NoMemory();
        goto done;
      }
      cs_arena_init(lasting, true);
    }
    status = cs_library.result_success;
    if (second_pass(self, &frame, lasting, &status) < 0) goto done;
    if (status != cs_library.result_success) {
      tuple = results(self, &frame, status);
      goto done;
    }
  }

  if (CS_UNLIKELY(self->keeps) && keep_with_handle(self, given) < 0) goto done;
  if (self->row->flags & CS_KEEP_GIL) {
    status = self->thunk(address, frame.args);
  } else {
    PyThreadState *state = PyEval_SaveThread();
    status = self->thunk(address, frame.args);
    PyEval_RestoreThread(state);
  }

  if (CS_LIKELY(status == cs_library.result_success && self->success)) {
    tuple = Py_NewRef(self->success);
    if (self->copies_back) copy_back(self, &frame);
  } else {
    if (self->copies_back) copy_back(self, &frame);
    tuple = results(self, &frame, status);
    if (tuple && lasting && attach(self, lasting, tuple) < 0) Py_CLEAR(tuple);
  }
done:
  if (CS_UNLIKELY(nrecords))
    for (uint8_t n = 0; n < nrecords; n++) Py_XDECREF(frame.object[records[n]]);
  if (CS_UNLIKELY(lasting != NULL)) {
    cs_arena_release(lasting);
    PyMem_Free(lasting);
  }
  if (CS_UNLIKELY(frame.arena.chunks || frame.arena.keep || frame.arena.views)) cs_arena_release(&frame.arena);
  return tuple;
}

/* ---- function objects ---- */

static void function_dealloc(PyObject *object) {
  Function *self = (Function *)object;
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(self->success);
  for (uint8_t i = 0; i < self->ninputs; i++) Py_XDECREF(self->names[i]);
  PyMem_Free((void *)(uintptr_t)self->def.ml_doc);
  PyObject_Free(object);
  Py_DECREF(type);
}

/* A built-in pickles as an attribute of its self: the row has one attribute of that kind, the function. */
static PyObject *function_getattro(PyObject *object, PyObject *name) {
  Function *self = (Function *)object;
  if (PyUnicode_CompareWithASCIIString(name, self->def.ml_name) == 0) return cs_function_object((uint16_t)(self->row - cs_funcs));
  return PyObject_GenericGetAttr(object, name);
}

static PyObject *function_reduce(PyObject *object, PyObject *unused) {
  (void)unused;
  PyObject *core = PyImport_ImportModule(cs_library.core);
  if (!core) return NULL;
  PyObject *row = PyObject_GetAttrString(core, "_row");
  Py_DECREF(core);
  return row ? Py_BuildValue("(N(s))", row, CS_STR(((Function *)object)->row->name)) : NULL;
}

static PyObject *function_repr(PyObject *object) {
  return PyUnicode_FromFormat("<row of %s>", display_name(((Function *)object)->row));
}

int cs_call_init(void) {
  if (function_type) return 0;
  static PyMethodDef methods[] = {{"__reduce__", function_reduce, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, "The row of a function: what the C API says of it."},
      {Py_tp_dealloc, (void *)function_dealloc},
      {Py_tp_getattro, (void *)function_getattro},
      {Py_tp_repr, (void *)function_repr},
      {Py_tp_methods, methods},
      {0, NULL},
  };
  char *name = cs_qualified("_Row");
  if (!name) return -1;
  PyType_Spec spec = {name, sizeof(Function), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  module_name = PyUnicode_InternFromString(cs_library.module);
  function_type = module_name ? (PyTypeObject *)PyType_FromSpec(&spec) : NULL;
  return function_type ? 0 : -1;
}

/* When the second pass looks at a parameter: counts are checked first, and sizes are known last. 0: not at all. */
static uint8_t turn(const struct cs_param *param) {
  switch (param->kind) {
  case CS_IN_ARRAY: return param->link != CS_NONE8 ? 1 : 0;
  case CS_IN: return is_sized(param) ? 2 : 0;
  case CS_IN_TYPED:
  case CS_OPTION_VALUES:
  case CS_OUT_ARRAY:
  case CS_OUT_TYPED:
  case CS_OUT_TYPED_LIST: return 2;
  case CS_OUT_SIZE: return 3;
  default: return 0;
  }
}

static uint8_t integer_of(const struct cs_param *param) {
  switch (param->elem) {
  case CS_ENUM: return cs_enums[param->type].elem;
  case CS_HANDLE: return cs_handles[param->type].elem == CS_PTR ? CS_U64 : cs_handles[param->type].elem;
  default: return param->elem;
  }
}

static enum op op_of(const struct cs_param *param) {
  switch (param->kind) {
  case CS_IN:
    switch (param->elem) {
    case CS_HANDLE:
      switch (cs_handles[param->type].elem) {
      case CS_U8: return OP_GENERAL;
      case CS_I32:
      case CS_U32: return OP_HANDLE32;
      default: return OP_HANDLE;
      }
    case CS_I32: return OP_I32;
    case CS_U32: return OP_U32;
    case CS_U64: return OP_U64;
    case CS_PTR: return is_sized(param) ? OP_GENERAL : OP_PTR;
    case CS_ENUM: return cs_enums[param->type].elem == CS_I32 ? OP_ENUM : OP_GENERAL;
    default: return OP_GENERAL;
    }
  case CS_IN_RECORD: return OP_RECORD;
  case CS_IN_ARRAY: {
    uint8_t elem = integer_of(param);
    return elem == CS_I32 || elem == CS_U32 || elem == CS_U64 ? OP_ARRAY : OP_GENERAL;
  }
  case CS_KERNEL_PARAMS: return OP_KERNEL_PARAMS;
  case CS_OUT:
    switch (param->elem) {
    case CS_HANDLE: return OP_OUT_HANDLE;
    case CS_I32: return OP_OUT_I32;
    case CS_U64:
    case CS_PTR: return OP_OUT_U64;
    default: return OP_OUT;
    }
  case CS_OUT_RECORD: return OP_OUT_RECORD;
  case CS_HIDDEN: return OP_HIDDEN;
  default: return cs_is_input(param->kind) ? OP_GENERAL : OP_OUT;
  }
}

/* The class that an argument is compared with first, made now, so that a call only compares. */
static int expect(Function *self, uint8_t i) {
  const struct cs_param *param = &self->params[i];
  self->elems[i] = integer_of(param);
  self->ops[i] = (uint8_t)op_of(param);
  switch (self->ops[i]) {
  case OP_HANDLE:
  case OP_HANDLE32:
  case OP_OUT_HANDLE: self->types[i] = cs_handle_type(param->type); break;
  case OP_ENUM: self->types[i] = cs_enum_type(param->type); break;
  case OP_RECORD: self->types[i] = cs_record_type(param->type); break;
  case OP_ARRAY:
    if (param->elem != CS_HANDLE && param->elem != CS_ENUM) return 0;
    self->types[i] = param->elem == CS_HANDLE ? cs_handle_type(param->type) : cs_enum_type(param->type);
    break;
  default: return 0;
  }
  return self->types[i] ? 0 : -1;
}

PyObject *cs_function_new(uint16_t row) {
  const struct cs_func *func = &cs_funcs[row];
  Function *self = PyObject_New(Function, function_type);
  if (!self) return NULL;
  memset((char *)self + offsetof(Function, row), 0, sizeof *self - offsetof(Function, row));
  self->row = func;
  self->params = &cs_params[func->params];
  self->thunk = cs_thunks[func->thunk];
  self->slot = &cs_slots[row];
  for (uint8_t i = 0; i < func->nparams; i++) {
    const struct cs_param *param = &self->params[i];
    if (cs_is_input(param->kind)) {
      PyObject *name = PyUnicode_InternFromString(CS_STR(param->name));
      if (!name) goto failed;
      self->names[self->ninputs] = name;
      self->inputs[self->ninputs++] = i;
    }
    if (cs_is_output(param->kind)) self->outputs[self->noutputs++] = i;
    if (param->kind == CS_OPTION_VALUES && (param->flags & CS_KEEP)) self->lasts = true;
    if (param->kind == CS_IN_ARRAY && param->elem == CS_RECORD && (param->flags & CS_WRITABLE)) self->copies_back = true;
    if (param->kind == CS_IN && param->elem == CS_CSTR && (param->flags & CS_KEEP)) self->keeps = true;
    if (expect(self, i) < 0) goto failed;
  }
  for (uint8_t when = 1; when <= 3; when++)
    for (uint8_t i = 0; i < func->nparams; i++)
      if (turn(&self->params[i]) == when) self->later[self->nlater++] = i;
  self->def.ml_name = display_name(func);
  self->def.ml_meth = (PyCFunction)(void (*)(void))call;
  self->def.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  self->def.ml_doc = cs_function_doc(row);
  if (!self->def.ml_doc) goto failed;
  PyObject *function = PyCFunction_NewEx(&self->def, (PyObject *)self, module_name);
  Py_DECREF(self);
  return function;
failed:
  Py_DECREF(self);
  return NULL;
}
