// The allocator of Lull's states, and its limit.
#ifndef LULL_MEMORY_H
#define LULL_MEMORY_H

#include "runtime/lull_runtime.h"

lua_State *lull_memory_new_state(void);
void lull_memory_attach(lua_State *L, lull_runtime *runtime);
int lull_memory_limit(lull_runtime *runtime, int64_t bytes);
// Limits only Lua and its objects, regardless of the rest of the process; 0 in a state that does
// not belong to Lull.
int lull_memory_limit_own(lull_runtime *runtime, int64_t bytes);
int lull_memory_recover(lull_runtime *runtime);
size_t lull_memory_room(const lull_runtime *runtime);
void lull_memory_settle(lull_runtime *runtime);
int lull_memory_admits(lull_runtime *runtime, size_t size);

#endif
