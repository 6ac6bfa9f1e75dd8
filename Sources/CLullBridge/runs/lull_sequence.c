// Functions called in order with the same arguments, as for the observers of a resource, without a
// transition between Swift and Lua for each.
#include "base/lull_stack.h"
#include "runs/lull_pool.h"
#include "runs/lull_thread.h"

// [-0, +1] Pushes the function at the sequence's position. Returns whether it still exists.
static int push_function(lua_State *thread, const lull_sequence *sequence) {
  LULL_EFFECT(thread, 0, 1);
  int64_t function = sequence->members[sequence->position].function;
  return lua_rawgeti(thread, LULL_AT_VALUES, (lua_Integer)function) != LUA_TNIL;
}

// [-n, +m] (unproved: the coroutine's, until it waits or ends) Calls the function at the top and
// the following ones in the coroutine, up to the first that Swift must handle. Returns the status
// of the last.
static int run_sequence(
  lull_runtime *runtime, lua_State *thread, lua_State *from, lull_sequence *sequence, int count,
  int *results) {
  const uint64_t changes = *runtime->changes;
  for (;;) {
    for (int i = 0; i < count; i++) lua_pushvalue(thread, LULL_AT_SHARED + i);
    runtime->wait_armed = 0;
    int status = lua_resume(thread, from, count, results);
    // An interruption or a limit is handled between two runs.
    if (status != LUA_OK || sequence->is_watched || *runtime->changes != changes
      || lua_gethook(thread) != NULL || sequence->position + 1 == sequence->count) {
      return status;
    }
    lua_settop(thread, LULL_BELOW_FUNCTION);
    sequence->position++;
    if (push_function(thread, sequence)) continue;
    // The next call detects that it is gone.
    sequence->position--;
    *results = LULL_BELOW_FUNCTION;
    return status;
  }
}

// [-0, +0]
void lull_start_sequence(
  lull_runtime *runtime, const lull_call *call, lull_sequence *sequence, lull_run *run) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  int32_t number;
  lua_State *thread = lull_thread_take(runtime, &number, run);
  if (thread == NULL) return;
  lua_settop(thread, LULL_AT_SHARED - 1);
  int has_arguments = lull_thread_push_arguments(runtime, thread, call);
  lua_settop(thread, LULL_BELOW_FUNCTION);
  if (!has_arguments || !push_function(thread, sequence)) {
    int status = has_arguments ? LULL_RUN_GONE : LULL_RUN_NO_MEMORY;
    lull_thread_give_back(runtime, thread, number, status, run);
    return;
  }
  lull_caller caller;
  lull_thread_enter(runtime, thread, number, &caller);
  int results = 0;
  int status = run_sequence(runtime, thread, caller.L, sequence, call->count, &results);
  lull_thread_leave(runtime, &caller, status, results, run);
}
