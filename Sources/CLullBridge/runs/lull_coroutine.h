#ifndef LULL_COROUTINE_H
#define LULL_COROUTINE_H

#include "runtime/lull_runtime.h"

// Closes the coroutines that a waiting coroutine waits through, the innermost first.
void lull_coroutine_close_inner(lull_runtime *runtime, lua_State *thread);
// Replaces the functions of the table `coroutine` that resume coroutines or return their status.
void lull_open_coroutine(lua_State *L);

#endif
