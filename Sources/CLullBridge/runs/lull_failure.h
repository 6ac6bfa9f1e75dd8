#ifndef LULL_FAILURE_H
#define LULL_FAILURE_H

#include "runtime/lull_runtime.h"

int lull_failure_handler(lua_State *L);
// Makes Swift report the error at the top of a coroutine that was closed.
void lull_failure_report(
  lull_runtime *runtime, lua_State *thread, const char *place, int is_interruption);
void lull_failure_note(lull_runtime *runtime, lua_State *L, lua_State *co);
const char *lull_copied(lull_runtime *runtime, lua_State *L, int index, size_t *length);

#endif
