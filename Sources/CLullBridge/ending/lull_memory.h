// The allocator of states of ours, and the limit it keeps to.
#ifndef LULL_MEMORY_H
#define LULL_MEMORY_H

#include "runtime/lull_runtime.h"

lua_State *lull_memory_new_state(void);
void lull_memory_attach(lua_State *L, lull_runtime *runtime);
int lull_memory_limit(lull_runtime *runtime, int64_t bytes);
size_t lull_memory_room(const lull_runtime *runtime);
void lull_memory_settle(lull_runtime *runtime);
int lull_memory_admits(lull_runtime *runtime, size_t size);

#endif
