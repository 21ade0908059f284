/* SPDX-FileCopyrightText: 2026 The cuda-driver-stable authors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Signatures and docstrings, written from the rows when somebody asks.
 */
#include "engine.h"

#include <stdarg.h>
#include <stdio.h>

/* Text that grows; `data` is NULL once memory ran out. */
struct text {
  char *data;
  size_t used, size;
};

static void add(struct text *text, const char *format, ...) CS_PRINTF(2, 3);

static void add(struct text *text, const char *format, ...) {
  if (!text->data) return;
  for (;;) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->data + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t)length < text->size - text->used) {
      text->used += (size_t)length;
      return;
    }
    size_t size = text->size * 2 + (length > 0 ? (size_t)length : 0);
    char *data = length < 0 ? NULL : PyMem_Realloc(text->data, size);
    if (!data) {
      PyMem_Free(text->data);
      text->data = NULL;
      PyErr_NoMemory();
      return;
    }
    text->data = data;
    text->size = size;
  }
}

static struct text start(void) {
  struct text text = {PyMem_Malloc(1024), 0, 1024};
  if (!text.data)
    PyErr_NoMemory();
  else
    text.data[0] = 0;
  return text;
}

void cs_format_release(uint16_t number, char out[16]) { snprintf(out, 16, "%u.%u", number / 1000u, number % 1000u / 10u); }

/* `name` may be several with spaces between, of which the first is meant. */
static void add_prototype(struct text *text, const struct cs_func *func, const char *name) {
  add(text, "%s %.*s(", CS_STR(cs_enums[func->result].name), (int)strcspn(name, " "), name);
  for (uint8_t i = 0; i < func->nparams; i++) {
    const struct cs_param *param = &cs_params[func->params + i];
    const char *type = CS_STR(param->ctype);
    size_t length = strlen(type);
    add(text, "%s%s%s%s", i ? ", " : "", type, length && type[length - 1] == '*' ? "" : " ", CS_STR(param->name));
  }
  add(text, func->nparams ? ")" : "void)");
}

PyObject *cs_function_signature(const struct cs_func *func) {
  struct text text = start();
  add_prototype(&text, func, CS_STR(func->symbol));
  if (!text.data) return NULL;
  PyObject *result = PyUnicode_FromString(text.data);
  PyMem_Free(text.data);
  return result;
}

static const char *element_text(const struct cs_param *param) {
  switch (param->elem) {
  case CS_ENUM: return CS_STR(cs_enums[param->type].name);
  case CS_HANDLE: return CS_STR(cs_handles[param->type].name);
  case CS_RECORD: return CS_STR(cs_records[param->type].name);
  case CS_CALLBACK: return CS_STR(cs_callbacks[param->type].name);
  case CS_F32:
  case CS_F64: return "float";
  case CS_CSTR:
  case CS_CHAR: return "bytes";
  case CS_PTR: return "address";
  default: return "int";
  }
}

static void add_parameter(struct text *text, const struct cs_param *param) {
  const char *element = element_text(param);
  add(text, "\n%s : %s (%s)\n    ", CS_STR(param->name), CS_STR(param->ctype), cs_is_input(param->kind) ? "in" : "out");
  switch (param->kind) {
  case CS_IN_ARRAY: add(text, "Sequence of %s, or None for NULL.", element); break;
  case CS_IN_RECORD: add(text, "%s, or None for NULL; the driver may read and write it.", element); break;
  case CS_IN_HANDLE_REF: add(text, "%s, whose value the driver may change, or an address.", element); break;
  case CS_IN_TYPED: add(text, "Value; its type depends on the attribute."); break;
  case CS_KERNEL_PARAMS:
    add(text, "None, the address of a void **, a buffer of addresses, (values, ctypes types), or values that bring their types.");
    break;
  case CS_OPTION_VALUES: add(text, "Sequence of values, one an option; types depend on the option."); break;
  case CS_INOUT: add(text, "%s, given and returned%s.", element, param->flags & CS_OPTIONAL ? "; 0 where left out" : ""); break;
  case CS_OUT_ARRAY:
  case CS_OUT_BORROWED: add(text, param->elem == CS_CHAR ? "bytes." : "List of %s.", element); break;
  case CS_OUT_TYPED: add(text, "Value; its type depends on the attribute."); break;
  case CS_OUT_TYPED_LIST: add(text, "List of values; their types depend on the attributes."); break;
  case CS_OUT_SIZE: add(text, "int, in bytes."); break;
  default:
    if (param->kind == CS_IN && param->elem == CS_PTR)
      add(text, "Address: int, None, buffer%s, ctypes object or object with getPtr().", param->flags & CS_WRITABLE ? " (writable)" : "");
    else if (param->kind == CS_IN && param->elem == CS_HANDLE)
      add(text, "%s, int or None%s.", element, param->flags & CS_STREAM ? ", or an object with __cuda_stream__" : "");
    else
      add(text, "%s.", element);
  }
}

char *cs_function_doc(uint16_t row) {
  const struct cs_func *func = &cs_funcs[row];
  const char *name = func->plain ? CS_STR(func->plain) : CS_STR(func->name);
  struct text text = start();
  add(&text, "%s(", name);
  bool first = true;
  for (uint8_t i = 0; i < func->nparams; i++) {
    const struct cs_param *param = &cs_params[func->params + i];
    if (!cs_is_input(param->kind)) continue;
    add(&text, "%s%s%s", first ? "" : ", ", CS_STR(param->name), param->flags & CS_OPTIONAL ? "=0" : "");
    first = false;
  }
  add(&text, ")\n--\n\n");
  add_prototype(&text, func, CS_STR(func->symbol));
  add(&text, "\n\nParameters\n----------");
  bool some = false;
  for (uint8_t i = 0; i < func->nparams; i++) {
    const struct cs_param *param = &cs_params[func->params + i];
    if (!cs_is_input(param->kind)) continue;
    add_parameter(&text, param);
    some = true;
  }
  if (!some) add(&text, "\nNone.");
  add(&text, "\n\nReturns\n-------\nA tuple: %s", CS_STR(cs_enums[func->result].name));
  bool outputs = false;
  for (uint8_t i = 0; i < func->nparams; i++) {
    const struct cs_param *param = &cs_params[func->params + i];
    if (!cs_is_output(param->kind)) continue;
    add(&text, ", %s", CS_STR(param->name));
    outputs = true;
  }
  if (!outputs)
    add(&text, ".");
  else
    add(&text, func->flags & CS_OUTPUTS_ON_ERROR ? "; outputs are there also where the call fails." : "; outputs are None where the call fails.");
  for (uint8_t i = 0; i < func->nparams; i++) {
    const struct cs_param *param = &cs_params[func->params + i];
    if (cs_is_output(param->kind) && !cs_is_input(param->kind)) add_parameter(&text, param);
  }
  char release[16];
  cs_format_release(func->introduced, release);
  add(&text,
      "\n\nRaises\n------\nTypeError, OverflowError, ValueError or BufferError for an argument that C could not take;\n"
      "FunctionNotFoundError where the installed library is older than CUDA %s.\n\n"
      "Symbol %s, introduced with CUDA %s%s%s.\nSource: %s\n",
      release, CS_STR(func->symbol), release, func->header ? ", declared in " : "", func->header ? CS_STR(func->header) : "",
      cs_library.docs_url);
  return text.data;
}

char *cs_type_doc(const char *name, const char *what, uint16_t since) {
  struct text text = start();
  char release[16];
  cs_format_release(since, release);
  add(&text, "%s: %s Seen since CUDA %s.", name, what, release);
  return text.data;
}
