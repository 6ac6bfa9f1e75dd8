#ifndef LULL_TRACEBACK_H
#define LULL_TRACEBACK_H

#include "runtime/lull_runtime.h"

// Collects the stacks of `target` and of the coroutines that resumed it. May raise for lack of
// memory.
void lull_trace(
  lull_runtime *runtime, lua_State *L, lua_State *target, int level, lull_failure *failure);

#endif
