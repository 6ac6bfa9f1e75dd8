// Describes why a run of Lua code failed: the raised value as text, and its traceback.
#include "runs/lull_failure.h"

#include <string.h>

#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"
#include "runs/lull_traceback.h"
#include "values/lull_protect.h"

// [-1, +1] The message handler of lull_ask; returns { value, frames, their count }. The frames are
// in the arena, below a mark set before the call.
int lull_failure_handler(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  lull_runtime *runtime = lull_state_runtime(L);
  lull_failure failure = {.frame_count = 0};
  if (runtime) lull_trace(runtime, L, L, 1, &failure);
  lua_createtable(L, 3, 0);
  lua_pushvalue(L, 1);
  lua_rawseti(L, -2, 1);
  lua_pushlightuserdata(L, (void *)failure.frames);
  lua_rawseti(L, -2, 2);
  lua_pushinteger(L, failure.frame_count);
  lua_rawseti(L, -2, 3);
  return 1;
}

// [-0, +0] Copies the string at `index` into the arena.
const char *lull_copied(lull_runtime *runtime, lua_State *L, int index, size_t *length) {
  LULL_EFFECT(L, 0, 0);
  const char *text = lua_tolstring(L, index, length);
  char *copy = text ? lull_arena_allocate(runtime, *length + 1) : NULL;
  if (copy == NULL) {
    *length = 0;
    return "";
  }
  memcpy(copy, text, *length);
  copy[*length] = 0;
  return copy;
}

typedef struct describing {
  lull_runtime *runtime;
  lull_run *run;
  lull_failure *failure;
} describing;

// [-1, +1]
static int own_text(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  luaL_tolstring(L, 1, NULL);
  return 1;
}

// [-0, +1] Pushes the text of the raised value at the top, as the stock interpreter shows it.
// After a limit no script code is called.
static void push_message(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  if (!lua_isstring(L, -1)) {
    if (runtime->passed_limit != LULL_LIMIT_NONE
      || luaL_getmetafield(L, -1, "__tostring") == LUA_TNIL) {
      lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, -1));
      return;
    }
    lua_pop(L, 1);
    lua_pushcfunction(L, own_text);
    lua_pushvalue(L, -2);
    if (lua_pcall(L, 1, 1, 0) == LUA_OK) return;
    lua_pop(L, 1);
    lua_pushfstring(L, "(error object is a %s value whose __tostring raises)", luaL_typename(L, -1));
    return;
  }
  luaL_tolstring(L, -1, NULL);
}

// [-1, +0] Fills the failure: value, message, and the stack of the dead coroutine.
static int describe(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  describing *context = lua_touserdata(L, 1);
  lull_run *run = context->run;
  lull_failure *failure = context->failure;
  if (run->result_count < 0) {
    lua_pushliteral(
      L, "attempt to yield from outside a coroutine (to wait, use await, lull.sleep or lull.spawn)");
  } else {
    if (!lua_checkstack(run->L, 2)) return luaL_error(L, "not enough memory");
    lua_pushvalue(run->L, -1);
    if (run->L != L) lua_xmove(run->L, L, 1);
  }
  lull_read(L, -1, &failure->value);
  push_message(context->runtime, L);
  failure->message = lull_copied(context->runtime, L, -1, &failure->message_length);
  lua_pop(L, 2);
  lull_trace(context->runtime, L, run->L, 0, failure);
  return 0;
}

// [-2, +0] Like describe, with the raised value as the second argument of a protected call.
static int describe_value(lua_State *L) {
  LULL_CALLED(L, 2, 0);
  describing *context = lua_touserdata(L, 1);
  lull_failure *failure = context->failure;
  lua_rawgeti(L, 2, 1);
  lull_read(L, -1, &failure->value);
  push_message(context->runtime, L);
  failure->message = lull_copied(context->runtime, L, -1, &failure->message_length);
  lua_rawgeti(L, 2, 2);
  failure->frames = lua_touserdata(L, -1);
  lua_rawgeti(L, 2, 3);
  failure->frame_count = (int32_t)lua_tointeger(L, -1);
  return 0;
}

// [-0, +0] Fills the failure; 0 if it could not be described.
static int describe_run(lull_runtime *runtime, lull_run *run, lull_failure *failure) {
  describing context = {.runtime = runtime, .run = run, .failure = failure};
  if (run->is_protected_call) {
    lua_State *L = run->L;
    LULL_EFFECT(L, 0, 0);
    if (!lua_checkstack(L, 8)) return 0;
    if (!lua_istable(L, -1)) {
      // The message handler itself failed: the value is its error.
      if (lua_type(L, -1) == LUA_TSTRING) {
        failure->message = lull_copied(runtime, L, -1, &failure->message_length);
      }
      return 1;
    }
    lua_pushcfunction(L, describe_value);
    lua_pushlightuserdata(L, &context);
    lua_pushvalue(L, -3);
    int is_interrupted = lull_interrupt_pause(L);
    int status = lua_pcall(L, 2, 0, 0);
    if (status != LUA_OK) lua_pop(L, 1);
    if (is_interrupted) lull_interrupt_arm(L);
    return status == LUA_OK;
  }
  return lull_protect(runtime, describe, &context) == LUA_OK;
}

void lull_run_failure(lull_runtime *runtime, lull_run *run, lull_failure *failure) {
  *failure = (lull_failure){.frame_count = 0, .is_interruption = run->is_interrupted};
  // A __tostring of the script may run. It can be interrupted like any other code, and must not
  // wait.
  const char *previous_answer = runtime->answer_now;
  runtime->answer_now = "__tostring";
  runtime->depth++;
  int is_described = describe_run(runtime, run, failure);
  runtime->depth--;
  runtime->answer_now = previous_answer;
  if (runtime->depth == 0) lull_interrupt_rest(runtime, runtime->L);
  if (is_described && failure->message) return;
  if (lull_signals_pending()) failure->is_interruption = 1;
  const char *text = failure->is_interruption ? "interrupted!" : "not enough memory";
  failure->message = text;
  failure->message_length = strlen(text);
}

// [-0, +0]
int32_t lull_failure_keep(lull_runtime *runtime, const lull_run *run, int64_t id) {
  lua_State *L = run->L;
  if (L == NULL) return LUA_ERRMEM;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 4)) return LUA_ERRMEM;
  if (run->is_protected_call) {
    if (!lua_istable(L, -1)) return LUA_ERRRUN;
    lua_rawgeti(L, -1, 1);
  } else {
    lua_pushvalue(L, -1);
  }
  int status = lull_value_keep(runtime, L, lua_gettop(L), id);
  if (status == LUA_OK) status = lull_value_pin(runtime, id);
  lua_pop(L, 1);
  return status;
}

// [-0, +0] Tells Swift where a coroutine created by the script has failed, whose error propagates
// to the one that resumed it: it is at the top of L.
void lull_failure_note(lull_runtime *runtime, lua_State *L, lua_State *co) {
  LULL_EFFECT(L, 0, 0);
  if (runtime->host == NULL || lua_type(L, -1) != LUA_TSTRING) return;
  lull_failure failure = {.frame_count = 0};
  failure.message = lua_tolstring(L, -1, &failure.message_length);
  // The first traceback of an error that propagates through several coroutines already has all of
  // them.
  if (lull_host_knows_failure(runtime->host, failure.message, failure.message_length)) return;
  size_t mark = lull_arena_mark(runtime);
  lull_trace(runtime, L, co, 0, &failure);
  lull_host_note_failure(runtime->host, &failure);
  lull_arena_release(runtime, mark);
}

typedef struct closing {
  lull_runtime *runtime;
  lua_State *thread;
  lull_failure *failure;
} closing;

// [-1, +0] Describes the error at the top of the closed coroutine.
static int describe_close(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  closing *context = lua_touserdata(L, 1);
  if (!lua_checkstack(context->thread, 1)) return 0;
  lua_pushvalue(context->thread, -1);
  if (context->thread != L) lua_xmove(context->thread, L, 1);
  lull_read(L, -1, &context->failure->value);
  push_message(context->runtime, L);
  lull_failure *failure = context->failure;
  failure->message = lull_copied(context->runtime, L, -1, &failure->message_length);
  return 0;
}

// [-0, +0]
void lull_failure_report(
  lull_runtime *runtime, lua_State *thread, const char *place, int is_interruption) {
  LULL_EFFECT(thread, 0, 0);
  if (runtime->host == NULL) return;
  size_t mark = lull_arena_mark(runtime);
  lull_failure failure = {.frame_count = 0, .is_interruption = is_interruption};
  closing context = {.runtime = runtime, .thread = thread, .failure = &failure};
  const char *previous_answer = runtime->answer_now;
  runtime->answer_now = "__tostring";
  runtime->depth++;
  int status = lull_protect(runtime, describe_close, &context);
  runtime->depth--;
  runtime->answer_now = previous_answer;
  if (runtime->depth == 0) lull_interrupt_rest(runtime, runtime->L);
  if (status == LUA_OK && failure.message) {
    lull_host_report(runtime->host, &failure, place ? place : "__close handler");
  }
  lull_arena_release(runtime, mark);
}
