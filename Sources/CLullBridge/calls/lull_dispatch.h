#ifndef LULL_DISPATCH_H
#define LULL_DISPATCH_H

#include "runtime/lull_runtime.h"

int lull_dispatch(
  lull_runtime *runtime, lua_State *L, int index, lull_object *self, int count, int levels);
int lull_trampoline(lua_State *L);
int lull_bound_trampoline(lua_State *L);

#endif
