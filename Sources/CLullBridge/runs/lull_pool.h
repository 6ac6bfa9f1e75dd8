#ifndef LULL_POOL_H
#define LULL_POOL_H

#include "runtime/lull_runtime.h"

// What lies at the bottom of the stack of every coroutine of the pool, and how much room there is for
// what calls share: nil while it is not used.
enum {
  LULL_AT_OBJECTS = 1,
  LULL_AT_VALUES,
  LULL_AT_SHARED,
  LULL_BELOW_FUNCTION = LULL_AT_SHARED + LULL_MAX_SHARED - 1
};

lua_State *lull_thread_at(lull_runtime *runtime, int32_t number);
lua_State *lull_pool_take(lull_runtime *runtime, int32_t *number);
void lull_pool_give(lull_runtime *runtime, int32_t number, lua_State *thread);
void lull_pool_drop(lull_runtime *runtime, int32_t number);

#endif
