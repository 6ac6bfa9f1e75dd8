// Integers beyond 64 bits and numbers beyond floats: immutable values that hold their digits.
#ifndef LULL_INTEGER_H
#define LULL_INTEGER_H

#include <csimdjson.h>

#include "base/lull_base.h"
#include "base/lull_stack.h"

// [-0, +0] Prepares a state for them.
void lull_open_integers(lua_State *L);
// [-0, +1] Pushes the value with these digits; may raise (memory).
void lull_push_integer(lua_State *L, const char *digits, size_t length);
// [-0, +0] Returns the NUL-terminated digits of the value at `index`; NULL for anything else.
const char *lull_integer_at(lua_State *L, int index, size_t *length);

// [-0, +1] Pushes the number at `index` of a document, which is CSJ_DOUBLE: a float, or a value
// with digits; may raise (memory).
static inline void lull_push_double(lua_State *L, csj_view tape, size_t index) {
  LULL_EFFECT(L, 0, 1);
  if (!csj_is_large(tape, index)) {
    lua_pushnumber(L, csj_double_at(tape, index));
    return;
  }
  char buffer[CSJ_DIGITS_SIZE];
  size_t length;
  const char *digits = csj_digits_at(tape, index, buffer, &length);
  lull_push_integer(L, digits, length);
}

#endif
