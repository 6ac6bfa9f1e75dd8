#ifndef LULL_POOL_H
#define LULL_POOL_H

#include "runtime/lull_runtime.h"

// The values at the bottom of the stack of every coroutine in the pool, and the number of slots
// for values shared by calls, which are nil while unused.
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
