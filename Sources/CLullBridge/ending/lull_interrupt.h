// Hooks that raise in the code that runs now.
#ifndef LULL_INTERRUPT_H
#define LULL_INTERRUPT_H

#include "runtime/lull_runtime.h"

void lull_interrupt_arm(lua_State *L);
int lull_interrupt_pause(lua_State *L);
void lull_interrupt_rest(lull_runtime *runtime, lua_State *L);
void lull_interrupt_pass(lull_runtime *runtime, lua_State *from);
void lull_interrupt_clear(lull_runtime *runtime);
// The hook a coroutine has while nothing interrupts it, as the limit of instructions wants it.
void lull_interrupt_set_own_hook(lull_runtime *runtime, lua_State *L);
// Has lull_memory_check called by the code that runs now; callable by the allocator.
void lull_interrupt_check_memory(lull_runtime *runtime);

// The time that stretches are measured by, in nanoseconds.
int64_t lull_stretch_clock(void);

#endif
