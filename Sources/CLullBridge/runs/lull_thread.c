// Swift → Lua: functions that may wait run in pooled coroutines, functions that must not wait in a
// protected call. A coroutine returns to the pool only if it ended without error.
#include "runs/lull_thread.h"

#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_limit.h"
#include "ending/lull_memory.h"
#include "runs/lull_closing.h"
#include "runs/lull_coroutine.h"
#include "runs/lull_failure.h"
#include "runs/lull_pool.h"
#include "values/lull_stored.h"
#include "values/lull_protect.h"
#include "values/lull_push.h"

// The limit on nested C levels, of which the interpreter has 200 and a coroutine takes one. Beyond
// it the interpreter would fail with a less clear message. Handlers get a little more room, so
// that they can handle the failure.
enum { LULL_MAX_DEPTH = 190, LULL_MAX_HANDLER_DEPTH = 194 };

// [-n, +m] table, arguments… plus the field's name as a light userdata at 1: calls table:field(…)
static int call_field(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  const char *name = lua_touserdata(L, 1);
  if (lua_getfield(L, 2, name) == LUA_TNIL) return 0;
  lua_replace(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, NULL);
  return LULL_COUNT(L, lua_gettop(L));
}

// [-n, +m] The continuation of call_field: returns the field's results.
static int field_returned(lua_State *L, int status, lua_KContext context) {
  LULL_CALLED(L, LULL_N, LULL_M);
  (void)status;
  (void)context;
  return LULL_COUNT(L, lua_gettop(L));
}

// [-n, +m] like call_field, for coroutines
static int call_field_waiting(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  const char *name = lua_touserdata(L, 1);
  if (lua_getfield(L, 2, name) == LUA_TNIL) return 0;
  lua_replace(L, 1);
  lua_callk(L, lua_gettop(L) - 1, LUA_MULTRET, 0, field_returned);
  return LULL_COUNT(L, field_returned(L, LUA_OK, 0));
}

typedef struct pushing {
  lull_runtime *runtime;
  lua_State *L;
  const lull_call *call;
  lull_aside aside;  // in lull_ask
  int is_gone;       // whether the function of lull_ask is gone
} pushing;

// [-1, +0] Pushes the arguments here, where errors are caught, and moves them to the coroutine.
static int push_arguments(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  pushing *context = lua_touserdata(L, 1);
  int count = lull_push_all(
    context->runtime, L, NULL, context->call->arguments, context->call->count);
  // luaL_checkstack would raise an error on a coroutine that is not running.
  if (!lua_checkstack(context->L, count)) return luaL_error(L, "too many arguments");
  lua_xmove(L, context->L, count);
  return 0;
}

// [-0, +1 or +0] Like lull_push_simple, onto the stack of a pooled coroutine.
static int push_argument(lull_runtime *runtime, lua_State *L, const lull_value *value) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (value->kind != LULL_OBJECT) return lull_push_simple(runtime, L, value);
  if (lua_rawgeti(L, LULL_AT_OBJECTS, lull_handle_slot(value->handle)) == LUA_TUSERDATA) {
    const lull_object *object = lua_touserdata(L, -1);
    if (object->handle == value->handle) return 1;
  }
  lua_pop(L, 1);
  return 0;
}

// [-0, +m] (unproved: an argument may be several values) Pushes the arguments onto the stack of a
// pooled coroutine. Returns 0, with nothing pushed, without memory.
int lull_thread_push_arguments(lull_runtime *runtime, lua_State *target, const lull_call *call) {
  int below = lua_gettop(target);
  int32_t i = 0;
  while (i < call->count && push_argument(runtime, target, &call->arguments[i])) i++;
  if (i == call->count) return 1;
  lua_settop(target, below);
  pushing context = {.runtime = runtime, .L = target, .call = call};
  return lull_protect(runtime, push_arguments, &context) == LUA_OK;
}

// [-0, +m] (unproved: an argument may be several values) Pushes function and arguments onto the
// stack of a pooled coroutine. Returns LULL_RUN_DONE if all were pushed.
static int push_call(
  lull_runtime *runtime, lua_State *target, const lull_call *call, lua_CFunction by_name,
  int *count) {
  // A stack always has room for LUA_MINSTACK values. (Lua 5.4 manual, section 4.1.1)
  if (call->count > LUA_MINSTACK - 10 && !lua_checkstack(target, call->count + 10)) {
    return LULL_RUN_NO_MEMORY;
  }
  if (call->method) {
    lua_pushcfunction(target, by_name);
    lua_pushlightuserdata(target, (void *)call->method);
  }
  if (lua_rawgeti(target, LULL_AT_VALUES, (lua_Integer)call->function) == LUA_TNIL) {
    return LULL_RUN_GONE;
  }
  if (!lull_thread_push_arguments(runtime, target, call)) return LULL_RUN_NO_MEMORY;
  // An argument may be several values.
  *count = lua_gettop(target) - LULL_BELOW_FUNCTION - 1;
  return LULL_RUN_DONE;
}

// [-0, +0] Prepares for resuming a coroutine; `caller` keeps the current state.
void lull_thread_enter(
  lull_runtime *runtime, lua_State *thread, int32_t number, lull_caller *caller) {
  LULL_EFFECT(thread, 0, 0);
  if (runtime->has_stretches && runtime->depth == 0) lull_stretch_begin(runtime);
  *caller = (lull_caller){
    .L = runtime->L, .nesting = runtime->nesting, .thread = runtime->current_thread,
    .answer_now = runtime->answer_now, .outer = runtime->callers};
  runtime->L = thread;
  runtime->current_thread = number;
  runtime->answer_now = NULL;
  runtime->nesting = NULL;
  runtime->callers = caller;
  runtime->wait_armed = 0;
  runtime->depth++;
  lull_memory_settle(runtime);
  if (runtime->passed_limit != LULL_LIMIT_NONE) lull_interrupt_arm(thread);
}

// Restores the previous state after the coroutine's last lua_resume returned with these results,
// and sets its outcome in `run`.
void lull_thread_leave(
  lull_runtime *runtime, const lull_caller *caller, int status, int results, lull_run *run) {
  lua_State *thread = runtime->L;
  int32_t number = runtime->current_thread;
  // Before any garbage is collected.
  int is_waiting = status == LUA_YIELD && runtime->wait_armed;
  runtime->wait_armed = 0;
  runtime->depth--;
  runtime->L = caller->L;
  runtime->nesting = caller->nesting;
  runtime->current_thread = caller->thread;
  runtime->callers = caller->outer;
  runtime->answer_now = caller->answer_now;
  run->is_interrupted = lull_interrupt_ends_run(runtime, thread);
  lull_interrupt_pass(runtime, thread);
  if (runtime->has_stretches && runtime->depth == 0) lull_stretch_end(runtime);
  // It may have ended because of a lack of memory.
  if (runtime->has_memory_limit && status > LUA_YIELD) lull_memory_check(runtime);

  run->L = thread;
  run->thread = number;
  run->is_protected_call = 0;
  run->result_count = results;
  if (status == LUA_OK) {
    run->status = LULL_RUN_DONE;
    run->result_count = results - LULL_BELOW_FUNCTION;
  } else if (is_waiting) {
    run->status = LULL_RUN_WAITING;
    runtime->waiting_threads++;
  } else {
    // A coroutine.yield outside of any coroutine created by the script is an error too.
    run->status = LULL_RUN_FAILED;
    if (status == LUA_YIELD) run->result_count = -1;
  }
}

// [-n, +m] (unproved: the coroutine's, until it waits or ends) Resumes the coroutine, a waiting
// one with the results of its wait, and sets its outcome.
static void resume(
  lull_runtime *runtime, lua_State *thread, int32_t number, int count, lull_resumption *resumption,
  lull_run *run) {
  lull_caller caller;
  lull_thread_enter(runtime, thread, number, &caller);
  lull_resumption *previous = runtime->resumption;
  runtime->resumption = resumption;
  int results = 0;
  // From the running state, never NULL, so that the count of nested C calls continues.
  int status = lua_resume(thread, caller.L, count, &results);
  runtime->resumption = previous;
  lull_thread_leave(runtime, &caller, status, results, run);
}

static void fail(lull_run *run, int status) {
  *run = (lull_run){.status = status};
}

// [-0, +0] Returns a coroutine for a call from Swift. If there can be none, returns NULL and the
// run has failed.
lua_State *lull_thread_take(lull_runtime *runtime, int32_t *number, lull_run *run) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (runtime->depth >= LULL_MAX_DEPTH || !lua_checkstack(L, 16)) {
    fail(run, LULL_RUN_TOO_DEEP);
    return NULL;
  }
  lua_State *thread = lull_pool_take(runtime, number);
  if (thread == NULL) fail(run, LULL_RUN_NO_MEMORY);
  return thread;
}

// [-n, +0] (unproved: as lull_pool_give) The call failed before its function ran.
void lull_thread_give_back(
  lull_runtime *runtime, lua_State *thread, int32_t number, int status, lull_run *run) {
  lull_pool_give(runtime, number, thread);
  fail(run, status);
}

int32_t lull_main_thread(const lull_runtime *runtime) { return runtime->main_thread; }

void lull_main_end(lull_runtime *runtime, int32_t previous) { runtime->main_thread = previous; }

// [-0, +0]
void lull_start(lull_runtime *runtime, const lull_call *call, lull_run *run) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  int32_t number;
  lua_State *thread = lull_thread_take(runtime, &number, run);
  if (thread == NULL) return;
  if (call->is_main) runtime->main_thread = number;
  int count = 0;
  int status = push_call(runtime, thread, call, call_field_waiting, &count);
  if (status != LULL_RUN_DONE) {
    lull_thread_give_back(runtime, thread, number, status, run);
    return;
  }
  resume(runtime, thread, number, count, NULL, run);
}

// [-0, +0]
void lull_resume(
  lull_runtime *runtime, int32_t number, const lull_value *values, int32_t count, int32_t raise,
  lull_run *run) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lua_State *thread = lull_thread_at(runtime, number);
  runtime->waiting_threads--;
  if (thread == NULL || lua_status(thread) != LUA_YIELD) {
    // The script has closed it, which is allowed.
    lull_pool_drop(runtime, number);
    fail(run, LULL_RUN_GONE);
    return;
  }
  lull_resumption resumption = {
    .thread = thread, .values = values, .count = count, .raise = raise};
  resume(runtime, thread, number, 0, &resumption, run);
}

// [-1, +m] Pushes function and arguments here, where errors are caught, and calls the function.
static int ask(lua_State *L) {
  LULL_CALLED(L, 1, LULL_M);
  pushing *context = lua_touserdata(L, 1);
  const lull_call *call = context->call;
  lua_settop(L, 0);
  if (call->method) {
    lua_pushcfunction(L, call_field);
    lua_pushlightuserdata(L, (void *)call->method);
  }
  lull_values_push(context->runtime, L, call->function);
  if (lua_isnil(L, -1)) {
    context->is_gone = 1;
    return 0;
  }
  lull_push_all(context->runtime, L, NULL, call->arguments, call->count);
  lull_hook_put_back(L, &context->aside);
  lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
  return LULL_COUNT(L, lua_gettop(L));
}

// [-0, +m]
void lull_ask(lull_runtime *runtime, const lull_call *call, const char *kind, lull_run *run) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, LULL_M);
  int limit = call->is_handler ? LULL_MAX_HANDLER_DEPTH : LULL_MAX_DEPTH;
  if (runtime->depth + 2 > limit || !lua_checkstack(L, 16)) {
    fail(run, LULL_RUN_TOO_DEEP);
    return;
  }
  int base = lua_gettop(L);
  int is_outermost = runtime->has_stretches && runtime->depth == 0;
  // Before anything is set, because garbage may be collected, whose finalisers are not part of
  // this call.
  if (is_outermost) lull_stretch_begin(runtime);
  pushing context = {.runtime = runtime, .L = L, .call = call};
  lua_pushcfunction(L, lull_failure_handler);
  lua_pushcfunction(L, ask);
  lua_pushlightuserdata(L, &context);
  const char *previous_answer = runtime->answer_now;
  runtime->answer_now = kind;
  // A protected call and the call inside it take two of the interpreter's 200 C levels.
  runtime->depth += 2;
  lull_memory_settle(runtime);
  // Until the arguments have been pushed.
  lull_hook_put_aside(L, &context.aside);
  if (runtime->passed_limit != LULL_LIMIT_NONE) lull_interrupt_arm(L);
  int status = lua_pcall(L, 1, LUA_MULTRET, base + 1);
  runtime->depth -= 2;
  runtime->answer_now = previous_answer;
  if (runtime->has_memory_limit && status != LUA_OK) lull_memory_check(runtime);
  int is_interrupted = lull_interrupt_ends_run(runtime, L);
  // Otherwise the calling code is interrupted too.
  if (runtime->depth == 0) lull_interrupt_rest(runtime, L);
  lull_hook_put_back(L, &context.aside);
  if (is_outermost) lull_stretch_end(runtime);
  if (context.is_gone) {
    lua_settop(L, base);
    fail(run, LULL_RUN_GONE);
    return;
  }
  lua_remove(L, base + 1);
  *run = (lull_run){
    .status = status == LUA_OK ? LULL_RUN_DONE : LULL_RUN_FAILED,
    .thread = base,
    .result_count = lua_gettop(L) - base,
    .is_protected_call = 1,
    .is_interrupted = is_interrupted,
    .L = L};
  (void)LULL_COUNT(L, run->result_count);
}

// [-0, +0]
int32_t lull_run_result_index(const lull_run *run, int32_t position) {
  lua_State *L = run->L;
  LULL_EFFECT(L, 0, 0);
  return lua_gettop(L) - run->result_count + 1 + position;
}

// [-0, +0]
void lull_run_result(const lull_run *run, int32_t position, lull_value *value) {
  *value = (lull_value){.kind = LULL_NIL};
  if (position >= run->result_count) return;
  lua_State *L = run->L;
  LULL_EFFECT(L, 0, 0);
  // Reading an object takes two slots of a stack that may be full of results.
  if (lua_checkstack(L, 4)) lull_read(L, lull_run_result_index(run, position), value);
}

// [-n, +0] (unproved: as lull_thread_reset) Closes the coroutine with its pending to-be-closed
// variables, after those it waits through. Errors of their handlers no longer change the outcome.
//
// The handlers must not wait. lua_resetthread calls them without a yieldable frame below, and both
// alternatives cost more than they gain. Unwinding a failed coroutine under a lua_pcallk at its
// bottom would add a protected call to every callback, and lose the stack for the traceback.
// Unwinding a cancelled one by an error would show the cancellation to every pcall on the way. The
// interpreter counts C levels per coroutine and therefore not across this call; Lull's own count
// does.
static void close_thread(lull_runtime *runtime, lua_State *thread, const char *kind) {
  const char *previous_answer = runtime->answer_now;
  runtime->answer_now = kind;
  runtime->depth++;
  lull_coroutine_close_inner(runtime, thread);
  lull_thread_close(runtime, thread);
  runtime->depth--;
  runtime->answer_now = previous_answer;
}

// [-n, +0]
void lull_run_end(lull_runtime *runtime, lull_run *run) {
  if (run->L == NULL) return;
  lua_State *L = runtime->L;
  LULL_EFFECT(L, run->is_protected_call ? run->result_count : 0, 0);
  if (run->is_protected_call) {
    lua_settop(run->L, run->thread);
  } else if (run->status == LULL_RUN_DONE) {
    lull_pool_give(runtime, run->thread, run->L);
  } else if (run->status == LULL_RUN_FAILED) {
    close_thread(runtime, run->L, "__close handler of a failed coroutine");
    lull_pool_drop(runtime, run->thread);
  }
  run->L = NULL;
}

// [-0, +0]
void lull_thread_cancel(lull_runtime *runtime, int32_t number) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lua_State *thread = lull_thread_at(runtime, number);
  runtime->waiting_threads--;
  if (thread && lua_status(thread) == LUA_YIELD) {
    close_thread(runtime, thread, "__close handler of a cancelled task");
  }
  lull_pool_drop(runtime, number);
}
