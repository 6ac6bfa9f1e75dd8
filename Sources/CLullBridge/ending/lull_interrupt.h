// Hooks that raise errors in the running code.
#ifndef LULL_INTERRUPT_H
#define LULL_INTERRUPT_H

#include "runtime/lull_runtime.h"

// A debug hook of the script, suspended while Lull's own functions run. Otherwise it would be
// called for calls that the script does not make, and could call Lull in the middle of one.
typedef struct lull_aside {
  lua_Hook hook;  // NULL: none was set, or it is restored
  int mask;
  int count;
} lull_aside;

// Only hooks of calls and returns are suspended: C functions do not call the others.
void lull_hook_put_aside(lua_State *L, lull_aside *aside);
// Does nothing if the hook was already restored, or another one has been set.
void lull_hook_put_back(lua_State *L, lull_aside *aside);

void lull_interrupt_arm(lua_State *L);
// Whether an error raised in this coroutine ends the run, as opposed to an error of the script.
int lull_interrupt_ends_run(lull_runtime *runtime, lua_State *L);
int lull_interrupt_pause(lua_State *L);
void lull_interrupt_rest(lull_runtime *runtime, lua_State *L);
void lull_interrupt_pass(lull_runtime *runtime, lua_State *from);
void lull_interrupt_clear(lull_runtime *runtime);
// Count the work of the running C function in instructions. If it must end, the first one returns
// true, and the next instruction is interrupted; the second one raises an error.
int lull_interrupt_is_due(lua_State *L, int64_t instructions);
void lull_interrupt_count(lua_State *L, int64_t instructions);
// Sets the hook that a coroutine has while it is not interrupted, as the instruction limit
// requires.
void lull_interrupt_set_own_hook(lull_runtime *runtime, lua_State *L);
// Makes the running code call lull_memory_check. May be called by the allocator.
void lull_interrupt_check_memory(lull_runtime *runtime);

// The clock for stretches, in nanoseconds.
int64_t lull_stretch_clock(void);

#endif
