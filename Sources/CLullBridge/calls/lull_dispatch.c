// Lua → Swift: every method, property and function of the API is called through here.
//
// The order is always the same: check self and arguments (this may raise, because no Swift frame
// is active), call Swift, and only after it has returned push results, raise or yield.
#define _POSIX_C_SOURCE 200809L
#include "calls/lull_dispatch.h"

#include <time.h>

#include "base/lull_stack.h"
#include "calls/lull_arguments.h"
#include "ending/lull_memory.h"
#include "values/lull_push.h"

// [-n, +m] The continuation of a wait: the values of the resumption are its results. A script may
// resume a waiting Lull coroutine itself. That has no effect, and the coroutine continues to wait.
static int continue_wait(lua_State *L, int status, lua_KContext context) {
  LULL_CALLED(L, LULL_N, LULL_M);
  (void)status;
  lull_runtime *runtime = (lull_runtime *)context;
  const lull_resumption *resumption = runtime->resumption;
  if (resumption == NULL || resumption->thread != L) {
    lua_settop(L, 0);
    return lua_yieldk(L, 0, context, continue_wait);
  }
  runtime->resumption = NULL;
  int count = lull_push_all(runtime, L, NULL, resumption->values, resumption->count);
  if (resumption->raise) {
    lua_settop(L, lua_gettop(L) - count + 1);
    return lua_error(L);
  }
  return LULL_COUNT(L, count);
}

// [-0, +0] Ends the process as the script itself would. Raises an error if that is not possible.
static int exit_by_lua(lua_State *L, lua_Integer code) {
  LULL_EFFECT(L, 0, 0);
  luaL_checkstack(L, 4, "no room for os.exit");
  if (lua_getglobal(L, "os") == LUA_TTABLE && lua_getfield(L, -1, "exit") == LUA_TFUNCTION) {
    lua_pushinteger(L, code);
    lua_call(L, 1, 0);
  }
  return luaL_error(L, "cannot exit: os.exit is not there, or has returned");
}

// The maximum lag of the coarse clock in seconds, which is more than one tick of any kernel. The
// coarse clock costs a tenth of the exact one.
static const double coarse_lag = 0.05;

static double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void remember_answer(
  const lull_runtime *runtime, int index, lull_object *self, double until) {
  self->answer_method = index;
  self->answer_since = wall_clock();
  self->answer_until = until - coarse_lag;
  self->answer_changes = *runtime->changes;
}

// Returns whether the method is known to still return nil without other effects in Swift. If the
// clock was set back, the result is not known. (LOAD-40)
static int answers_alike(const lull_runtime *runtime, int index, const lull_object *self) {
  if (self->answer_changes != *runtime->changes || self->answer_method != index) return 0;
  double now = wall_clock();
  return now >= self->answer_since && now < self->answer_until;
}

// [-0, +0] Returns whether there is enough memory for Swift to copy its string arguments.
static int admits_strings(lull_runtime *runtime, lua_State *L, int count) {
  LULL_EFFECT(L, 0, 0);
  size_t size = 0;
  for (int index = 1; index <= count; index++) {
    if (lua_type(L, index) == LUA_TSTRING) size += lua_rawlen(L, index);
  }
  return lull_memory_admits(runtime, size);
}

// [-0, +m] Calls Swift and performs its response; `self` is the object at 1, or NULL. `levels` is
// the number of Lua C calls that led here and are not counted by a callback's own depth.
int lull_dispatch(
  lull_runtime *runtime, lua_State *L, int index, lull_object *self, int count, int levels) {
  LULL_EFFECT(L, 0, LULL_M);
  lull_frame frame;
  frame.L = L;
  frame.argument_count = count;
  frame.result_count = 0;
  frame.error_argument = 0;
  frame.outcome = LULL_RETURN;
  frame.answer_until = 0;
  int decoded = count < LULL_MAX_ARGUMENTS ? count : LULL_MAX_ARGUMENTS;
  int read = 0;
  if (self) {
    frame.arguments[read++] =
      (lull_value){.kind = LULL_OBJECT, .aux = self->kind, .handle = self->handle};
  }
  for (; read < decoded; read++) lull_read(L, read + 1, &frame.arguments[read]);

  lua_State *previous = runtime->L;
  runtime->L = L;
  runtime->nil_method = -1;
  if (runtime->swept.count > 0) lull_runtime_sweep(runtime);
  if (runtime->has_memory_limit) {
    lull_memory_check(runtime);
    if (!admits_strings(runtime, L, count)) {
      runtime->L = previous;
      return luaL_error(L, "not enough memory");
    }
  }
  size_t mark = runtime->arena.top;
  runtime->depth += levels;
  int outcome = lull_host_call(runtime->host, index, &frame);
  lull_memory_settle(runtime);
  runtime->depth -= levels;
  runtime->L = previous;

  // Swift has returned: from here on Lua may raise.
  switch (outcome) {
    case LULL_RETURN: {
      if (frame.answer_until > 0 && self) remember_answer(runtime, index, self, frame.answer_until);
      if (frame.result_count == 1 && frame.results[0].kind == LULL_NIL) runtime->nil_method = index;
      if (frame.result_count == 1 && lull_push_simple(runtime, L, &frame.results[0])) {
        lull_arena_drop(&runtime->arena, mark);
        return LULL_COUNT(L, 1);
      }
      int pushed = lull_push_all(runtime, L, L, frame.results, frame.result_count);
      lull_arena_drop(&runtime->arena, mark);
      return LULL_COUNT(L, pushed);
    }
    case LULL_WAIT:
      lull_arena_drop(&runtime->arena, mark);
      runtime->wait_armed = 1;
      return lua_yieldk(L, 0, (lua_KContext)runtime, continue_wait);
    case LULL_EXIT:
      lull_arena_drop(&runtime->arena, mark);
      return exit_by_lua(L, (lua_Integer)frame.results[0].integer);
    case LULL_RAISE_ARGUMENT: {
      lull_push(runtime, L, L, &frame.results[0]);
      lull_arena_drop(&runtime->arena, mark);
      return lull_argument_error(
        L, &runtime->methods[index], frame.error_argument, lua_tostring(L, -1));
    }
    case LULL_RAISE:
      luaL_where(L, 1);
      lull_push(runtime, L, L, &frame.results[0]);
      lull_arena_drop(&runtime->arena, mark);
      lua_concat(L, 2);
      return lua_error(L);
    default:
      lull_push_all(runtime, L, L, frame.results, 1);
      lull_arena_drop(&runtime->arena, mark);
      return lua_error(L);
  }
}

// [-n, +m] upvalues: runtime, method index
int lull_trampoline(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  if (runtime->host == NULL) return lull_closed_error(L, method);
  int top = lua_gettop(L);
  if (method->kind == LULL_KIND_MODULE) {
    lull_arguments_check(runtime, L, method, 1, top);
    return LULL_COUNT(L, lull_dispatch(runtime, L, index, NULL, lua_gettop(L), 0));
  }
  lull_object *self = lull_self_check(runtime, L, method);
  lull_arguments_check(runtime, L, method, 2, top);
  if (answers_alike(runtime, index, self)) {
    runtime->nil_method = index;
    lua_pushnil(L);
    return LULL_COUNT(L, 1);
  }
  return LULL_COUNT(L, lull_dispatch(runtime, L, index, self, lua_gettop(L), 0));
}

// [-n, +m] upvalues: runtime, method index, the object
int lull_bound_trampoline(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  lull_check_open(runtime, L, method->name);
  lull_arguments_check(runtime, L, method, 1, lua_gettop(L));
  lua_pushvalue(L, lua_upvalueindex(3));
  lua_insert(L, 1);
  lull_object *self = lull_self_check(runtime, L, method);
  return LULL_COUNT(L, lull_dispatch(runtime, L, index, self, lua_gettop(L), 0));
}

