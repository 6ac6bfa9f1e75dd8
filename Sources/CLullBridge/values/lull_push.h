#ifndef LULL_PUSH_H
#define LULL_PUSH_H

#include "runtime/lull_runtime.h"

int lull_push_simple(lull_runtime *runtime, lua_State *L, const lull_value *value);
void lull_push(lull_runtime *runtime, lua_State *L, lua_State *from, const lull_value *value);
int lull_push_all(
  lull_runtime *runtime, lua_State *L, lua_State *from, const lull_value *values, int32_t count);

#endif
