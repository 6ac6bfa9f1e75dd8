// Closing coroutines: runs the handlers of their to-be-closed variables and reports errors of
// those.
#include "runs/lull_closing.h"

#include "ending/lull_interrupt.h"
#include "runs/lull_failure.h"

// [-n, +0] (unproved: whatever the coroutine has, and an error instead) Closes the variables of a
// coroutine, unless a limit was exceeded. Returns the status of lua_resetthread, and whether an
// interruption has ended it.
int lull_thread_reset(lull_runtime *runtime, lua_State *thread, int *is_interrupted) {
  *is_interrupted = 0;
  if (runtime->passed_limit != LULL_LIMIT_NONE) return LUA_OK;
  lua_State *previous = runtime->L;
  runtime->L = thread;
  int status = lua_resetthread(thread);
  runtime->L = previous;
  *is_interrupted = lull_interrupt_ends_run(runtime, thread);
  lull_interrupt_pass(runtime, thread);
  return status;
}

// [-n, +0] (unproved: as above) Does the same for a coroutine without a receiver for its errors:
// an error of a handler is reported.
void lull_thread_close(lull_runtime *runtime, lua_State *thread) {
  // A failed coroutine has its own error at its top, which was already reported.
  int has_failed = lua_status(thread) != LUA_YIELD && lua_gettop(thread) > 0;
  const void *known = has_failed ? lua_topointer(thread, -1) : NULL;
  int is_interrupted;
  if (lull_thread_reset(runtime, thread, &is_interrupted) == LUA_OK || lua_gettop(thread) == 0) return;
  if (has_failed && lua_topointer(thread, -1) == known) return;
  lull_failure_report(runtime, thread, runtime->answer_now, is_interrupted);
}
