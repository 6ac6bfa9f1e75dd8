#ifndef LULL_THREAD_H
#define LULL_THREAD_H

#include "runtime/lull_runtime.h"

lua_State *lull_thread_take(lull_runtime *runtime, int32_t *number, lull_run *run);
void lull_thread_give_back(
  lull_runtime *runtime, lua_State *thread, int32_t number, int status, lull_run *run);
int lull_thread_push_arguments(lull_runtime *runtime, lua_State *target, const lull_call *call);
void lull_thread_enter(
  lull_runtime *runtime, lua_State *thread, int32_t number, lull_caller *caller);
void lull_thread_leave(
  lull_runtime *runtime, const lull_caller *caller, int status, int results, lull_run *run);

#endif
