// Lull's coroutine.resume, wrap, close, status, running and isyieldable. They are the stock
// functions, except that a wait of Lull's inside a coroutine created by the script suspends the
// enclosing Lull coroutine through it: when the inner one yields because it waits, these functions
// yield too, and resume it when the wait is over.
//
// No record is kept of which coroutine waits through which. A suspended coroutine whose innermost
// function is one of these waits, and that function knows which coroutine it resumed.
#include "runs/lull_coroutine.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_dispatch.h"
#include "ending/lull_interrupt.h"
#include "runs/lull_closing.h"
#include "runs/lull_failure.h"
#include "runs/lull_pool.h"
#include "values/lull_protect.h"

// The outcome of a coroutine that did not return results: its error is at its own top; it waits;
// or it was not resumed, and the reason is at the top of the caller.
enum { INNER_FAILED = -1, INNER_WAITS = -2, INNER_REFUSED = -3 };

static int resume_function(lua_State *L);
static int wrapped_function(lua_State *L);
static const char *status_name(lull_runtime *runtime, lua_State *L, lua_State *co);

// [-0, +0] Returns the C function in which a coroutine is suspended, NULL for a Lua function or
// none.
static lua_CFunction innermost_function(lua_State *co, lua_Debug *info) {
  LULL_EFFECT(co, 0, 0);
  if (lua_status(co) != LUA_YIELD || !lua_getstack(co, 0, info) || !lua_checkstack(co, 1)) {
    return NULL;
  }
  lua_getinfo(co, "f", info);
  lua_CFunction function = lua_tocfunction(co, -1);
  lua_pop(co, 1);
  return function;
}

// [-0, +0] Returns whether the coroutine waits for Lull, directly or through others.
static int is_waiting(lua_State *co) {
  LULL_EFFECT(co, 0, 0);
  lua_Debug info;
  lua_CFunction function = innermost_function(co, &info);
  return function == lull_trampoline || function == lull_bound_trampoline
    || function == resume_function || function == wrapped_function;
}

// [-0, +0] Returns the coroutine that a waiting one waits through, or NULL.
static lua_State *inner_of(lua_State *co) {
  LULL_EFFECT(co, 0, 0);
  lua_Debug info;
  lua_CFunction function = innermost_function(co, &info);
  lua_State *inner = NULL;
  if (function == resume_function) {
    if (lua_getlocal(co, &info, 1)) {
      inner = lua_tothread(co, -1);
      lua_pop(co, 1);
    }
  } else if (function == wrapped_function) {
    lua_getinfo(co, "f", &info);
    if (lua_getupvalue(co, -1, 2)) {
      inner = lua_tothread(co, -1);
      lua_pop(co, 1);
    }
    lua_pop(co, 1);
  }
  return inner;
}

// [-0, +0]
void lull_coroutine_close_inner(lull_runtime *runtime, lua_State *thread) {
  LULL_EFFECT(thread, 0, 0);
  lua_State *inner = inner_of(thread);
  if (inner == NULL) return;
  lull_coroutine_close_inner(runtime, inner);
  lull_thread_close(runtime, inner);
}

// [-0, +0] Returns whether the coroutine is one of Lull's.
static int is_own(lull_runtime *runtime, lua_State *L, lua_State *co) {
  LULL_EFFECT(L, 0, 0);
  lull_registry_push(L, runtime->threads);
  lua_pushthread(co);
  if (co != L) lua_xmove(co, L, 1);
  lua_rawget(L, -2);
  int own = !lua_isnil(L, -1);
  lua_pop(L, 2);
  return own;
}

// [-0, +0] of L; resumes the coroutine. Returns the number of results on its stack, or the reason
// why there are none.
static int run_inner(lull_runtime *runtime, lua_State *L, lua_State *co, int count) {
  LULL_EFFECT(L, 0, 0);
  lua_State *previous = runtime->L;
  lull_nesting nesting = {.L = co, .outer = runtime->nesting};
  runtime->nesting = &nesting;
  runtime->L = co;
  runtime->depth++;
  int results = 0;
  int status = lua_resume(co, L, count, &results);
  runtime->depth--;
  runtime->L = previous;
  runtime->nesting = nesting.outer;
  lull_interrupt_pass(runtime, co);
  if (status == LUA_YIELD && runtime->wait_armed) return INNER_WAITS;
  if (status != LUA_OK && status != LUA_YIELD) return INNER_FAILED;
  return results;
}

// [-n, +0] (unproved: as lull_thread_reset) Closes the variables of a coroutine, whose handlers
// can't wait here.
static int reset(lull_runtime *runtime, lua_State *co) {
  const char *previous = runtime->answer_now;
  runtime->answer_now = "__close handler of a coroutine";
  int is_interrupted;
  int status = lull_thread_reset(runtime, co, &is_interrupted);
  runtime->answer_now = previous;
  return status;
}

// [-0, +m] Moves the results or the error from the coroutine after a run; returns INNER_FAILED for
// an error.
static int take_results(lua_State *L, lua_State *co, int count) {
  LULL_EFFECT(L, 0, LULL_M);
  if (count == INNER_REFUSED) return INNER_FAILED;
  if (count == INNER_FAILED) {
    lua_xmove(co, L, 1);
    (void)LULL_COUNT(L, 1);
    return INNER_FAILED;
  }
  if (!lua_checkstack(L, count + 1)) {
    lua_pop(co, count);
    lua_pushliteral(L, "too many results to resume");
    (void)LULL_COUNT(L, 1);
    return INNER_FAILED;
  }
  lua_xmove(co, L, count);
  return LULL_COUNT(L, count);
}

// [-n, +0 or +1] of L; resumes with the arguments at its top. If that is refused, the reason is
// pushed.
static int begin_inner(lull_runtime *runtime, lua_State *L, lua_State *co, int count) {
  LULL_EFFECT_EITHER(L, count, 0, 1);
  // Checked here, because lua_resume creates its messages on a state where a lack of memory is not
  // caught.
  const char *status = status_name(runtime, L, co);
  if (strcmp(status, "suspended") != 0) {
    lua_pop(L, count);
    lua_pushfstring(
      L, "cannot resume %s coroutine%s", strcmp(status, "dead") == 0 ? status : "non-suspended",
      is_waiting(co) ? " (it waits for Lull)" : "");
    return INNER_REFUSED;
  }
  if (!lua_checkstack(co, count)) {
    lua_pop(L, count);
    lua_pushliteral(L, "too many arguments to resume");
    return INNER_REFUSED;
  }
  lua_xmove(L, co, count);
  return run_inner(runtime, L, co, count);
}

// [-0, +0] Returns whether L is being resumed because its wait is over. Then the results of the
// wait are passed on to `co`.
static int pass_resumption(lull_runtime *runtime, lua_State *L, lua_State *co) {
  LULL_EFFECT(L, 0, 0);
  lull_resumption *resumption = runtime->resumption;
  if (resumption == NULL || resumption->thread != L) return 0;
  resumption->thread = co;
  return 1;
}

static int continue_resume(lua_State *L, int status, lua_KContext context);
static int continue_wrapped(lua_State *L, int status, lua_KContext context);

// [-n, +m] Returns the results of coroutine.resume for a run with that outcome.
static int finish_resume(lull_runtime *runtime, lua_State *L, lua_State *co, int count) {
  LULL_CALLED(L, LULL_N, LULL_M);
  if (count == INNER_WAITS) {
    lua_settop(L, 1);
    return lua_yieldk(L, 0, (lua_KContext)runtime, continue_resume);
  }
  int has_failed = count == INNER_FAILED;
  count = take_results(L, co, count);
  // Only now, because a finaliser that runs meanwhile may close the coroutine, and remove its
  // error.
  if (has_failed) lull_failure_note(runtime, L, co);
  lua_pushboolean(L, count != INNER_FAILED);
  if (count == INNER_FAILED) count = 1;
  lua_insert(L, -(count + 1));
  return LULL_COUNT(L, count + 1);
}

// [-n, +m] A wait inside the coroutine is over, or a script resumes a waiting coroutine, which has
// no effect.
static int continue_resume(lua_State *L, int status, lua_KContext context) {
  LULL_CALLED(L, LULL_N, LULL_M);
  (void)status;
  lull_runtime *runtime = (lull_runtime *)context;
  lua_settop(L, 1);
  lua_State *co = lua_tothread(L, 1);
  if (!pass_resumption(runtime, L, co)) return lua_yieldk(L, 0, context, continue_resume);
  return LULL_COUNT(L, finish_resume(runtime, L, co, run_inner(runtime, L, co, 0)));
}

// [-0, +0] Returns the coroutine at `index`. Raises an error for any other value.
static lua_State *check_coroutine(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  lua_State *co = lua_tothread(L, index);
  luaL_argexpected(L, co, index, "coroutine");
  return co;
}

// [-n, +m] coroutine.resume; upvalue: runtime
static int resume_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_State *co = check_coroutine(L, 1);
  return LULL_COUNT(L, finish_resume(runtime, L, co, begin_inner(runtime, L, co, lua_gettop(L) - 1)));
}

// [-n, +m] Returns the results of a wrapped coroutine, or raises its error with the caller's
// position.
static int finish_wrapped(lull_runtime *runtime, lua_State *L, lua_State *co, int count) {
  LULL_CALLED(L, LULL_N, LULL_M);
  if (count == INNER_WAITS) {
    lua_settop(L, 0);
    return lua_yieldk(L, 0, (lua_KContext)runtime, continue_wrapped);
  }
  int has_failed = count == INNER_FAILED;
  count = take_results(L, co, count);
  if (has_failed) {
    // Only now, because a finaliser that runs meanwhile may close the coroutine, and remove its
    // error.
    lull_failure_note(runtime, L, co);
    int status = lua_status(co);
    // Closes its to-be-closed variables, whose errors replace its own.
    if (status != LUA_OK && status != LUA_YIELD) {
      lua_xmove(L, co, 1);
      reset(runtime, co);
      lua_xmove(co, L, 1);
    }
  }
  if (count != INNER_FAILED) return LULL_COUNT(L, count);
  if (lua_type(L, -1) == LUA_TSTRING) {
    luaL_where(L, 1);
    lua_insert(L, -2);
    lua_concat(L, 2);
  }
  return lua_error(L);
}

// [-n, +m] like continue_resume
static int continue_wrapped(lua_State *L, int status, lua_KContext context) {
  LULL_CALLED(L, LULL_N, LULL_M);
  (void)status;
  lull_runtime *runtime = (lull_runtime *)context;
  lua_settop(L, 0);
  lua_State *co = lua_tothread(L, lua_upvalueindex(2));
  if (!pass_resumption(runtime, L, co)) return lua_yieldk(L, 0, context, continue_wrapped);
  return LULL_COUNT(L, finish_wrapped(runtime, L, co, run_inner(runtime, L, co, 0)));
}

// [-n, +m] the function returned by coroutine.wrap; upvalues: runtime, coroutine
static int wrapped_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_State *co = lua_tothread(L, lua_upvalueindex(2));
  return LULL_COUNT(L, finish_wrapped(runtime, L, co, begin_inner(runtime, L, co, lua_gettop(L))));
}

// [-n, +1] coroutine.wrap; upvalue: runtime
static int wrap_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, wrapped_function, 2);
  return 1;
}

// [-0, +0] Returns the status as coroutine.status names it.
static const char *status_name(lull_runtime *runtime, lua_State *L, lua_State *co) {
  LULL_EFFECT(L, 0, 0);
  if (L == co) return "running";
  lua_Debug info;
  switch (lua_status(co)) {
    case LUA_YIELD:
      // For the script it is like a coroutine that has resumed another.
      return is_waiting(co) && !is_own(runtime, L, co) ? "normal" : "suspended";
    case LUA_OK:
      if (lua_getstack(co, 0, &info)) return "normal";
      // A Lull coroutine whose results are being read, or whose arguments are being pushed.
      return lua_gettop(co) == 0 || is_own(runtime, L, co) ? "dead" : "suspended";
    default: return "dead";
  }
}

// [-n, +0] coroutine.yield; upvalue: runtime. A Lull coroutine has no resumer to yield to, so this
// is an ordinary error, as in the main chunk of the stock interpreter.
static int yield_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int is_inner = runtime->nesting && runtime->nesting->L == L;
  if (!is_inner && runtime->current_thread != 0 && is_own(runtime, L, L)) {
    return luaL_error(
      L, "attempt to yield from outside a coroutine (to wait, use await, lull.sleep or lull.spawn)");
  }
  return lua_yield(L, lua_gettop(L));
}

// [-n, +1] coroutine.status; upvalue: runtime
static int status_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_pushstring(L, status_name(runtime, L, check_coroutine(L, 1)));
  return 1;
}

// [-n, +2] coroutine.running; upvalue: runtime. The main chunk of the command runs in a coroutine,
// but scripts see it as the main one, as in a stock interpreter.
static int running_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int is_main = lua_pushthread(L);
  int is_main_chunk = runtime->main_thread != 0 && runtime->current_thread == runtime->main_thread
    && L == lull_thread_at(runtime, runtime->main_thread);
  lua_pushboolean(L, is_main || is_main_chunk);
  return 2;
}

// [-n, +1] coroutine.isyieldable; upvalue: runtime. A Lull coroutine has no resumer to yield to.
static int isyieldable_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_State *co = lua_isnone(L, 1) ? L : check_coroutine(L, 1);
  lua_pushboolean(L, lua_isyieldable(co) && !is_own(runtime, L, co));
  return 1;
}

// [-n, +2 or +1] coroutine.close; upvalue: runtime
static int close_function(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 2, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_State *co = check_coroutine(L, 1);
  const char *name = status_name(runtime, L, co);
  if (strcmp(name, "suspended") != 0 && strcmp(name, "dead") != 0) {
    return luaL_error(
      L, "cannot close a %s coroutine%s", name,
      is_waiting(co) ? " (it waits for Lull: cancel the task it waits in)" : "");
  }
  // A Lull coroutine that has ended belongs to the pool, or is about to, and its error has yet to
  // be read.
  int is_ended = lua_status(co) != LUA_YIELD && is_own(runtime, L, co);
  if (!is_ended) lull_coroutine_close_inner(runtime, co);
  if (is_ended || reset(runtime, co) == LUA_OK) {
    lua_pushboolean(L, 1);
    return 1;
  }
  lua_pushboolean(L, 0);
  lua_xmove(co, L, 1);
  return 2;
}

// [-0, +0] Sets the functions in the table at the top; upvalue of each: the runtime
void lull_open_coroutine(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  static const luaL_Reg functions[] = {
    {"resume", resume_function}, {"wrap", wrap_function}, {"status", status_function},
    {"close", close_function},   {"yield", yield_function},
    {"running", running_function}, {"isyieldable", isyieldable_function}, {NULL, NULL}};
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_COLIBNAME) == LUA_TTABLE) {
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    luaL_setfuncs(L, functions, 1);
  }
  lua_pop(L, 2);
}

// [-0, +0] Returns the innermost state that can't be suspended, NULL if all can.
static lua_State *blocked_state(lull_runtime *runtime, lua_State *L, lua_State *own) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_isyieldable(L)) return L;
  for (const lull_nesting *inner = runtime->nesting; inner; inner = inner->outer) {
    lua_State *enclosing = inner->outer ? inner->outer->L : own;
    if (!lua_isyieldable(enclosing)) return enclosing;
  }
  return NULL;
}

// [-0, +0] Returns whether a finaliser runs on this state. Blocking in one would hold up the
// collector or the end of the program.
static int is_in_finaliser(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_Debug info;
  for (int level = 0; lua_getstack(L, level, &info); level++) {
    if (lua_getinfo(L, "n", &info) && info.name && strcmp(info.name, "__gc") == 0
      && strcmp(info.namewhat, "metamethod") == 0) {
      return 1;
    }
  }
  return 0;
}

// [-0, +0]
int32_t lull_wait_mode(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  if (runtime->answer_now != NULL) return LULL_WAIT_ANSWER_NOW;
  if (runtime->current_thread == 0) {
    // Nothing can be suspended here, so the loop runs inside the call, even in a coroutine. It
    // can't run inside itself, nor in a finaliser, where lua_gc has no effect. (Lua 5.4 manual,
    // lua_gc)
    if (runtime->blocked || lua_gc(L, LUA_GCISRUNNING) < 0 || is_in_finaliser(L)) {
      return LULL_WAIT_NOT_YIELDABLE;
    }
    for (const lull_nesting *inner = runtime->nesting; inner; inner = inner->outer) {
      if (is_in_finaliser(inner->outer ? inner->outer->L : runtime->main)) {
        return LULL_WAIT_NOT_YIELDABLE;
      }
    }
    return LULL_WAIT_BLOCK;
  }
  lua_State *own = lull_thread_at(runtime, runtime->current_thread);
  if (own == NULL || L != (runtime->nesting ? runtime->nesting->L : own)) return LULL_WAIT_FOREIGN;
  return blocked_state(runtime, L, own) ? LULL_WAIT_NOT_YIELDABLE : LULL_WAIT_YIELD;
}

// [-0, +1] Pushes the name of the function at the top in a loaded module, such as table.sort; nil
// if it is in none.
static void push_library_name(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  int function = lua_gettop(L);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_pushnil(L);
  while (lua_next(L, function + 1)) {
    if (lua_type(L, -2) == LUA_TSTRING && lua_istable(L, -1)) {
      lua_pushnil(L);
      while (lua_next(L, -2)) {
        if (lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, function)) {
          const char *module = lua_tostring(L, -4);
          const char *name = lua_tostring(L, -2);
          if (strcmp(module, LUA_GNAME) == 0) {
            lua_pushstring(L, name);
          } else {
            lua_pushfstring(L, "%s.%s", module, name);
          }
          lua_replace(L, function + 1);
          lua_settop(L, function + 1);
          return;
        }
        lua_pop(L, 1);
      }
    }
    lua_pop(L, 1);
  }
  lua_pushnil(L);
  lua_replace(L, function + 1);
}

// C functions that can be suspended.
static int can_be_suspended(const char *name) {
  return strcmp(name, "pcall") == 0 || strcmp(name, "xpcall") == 0 || strcmp(name, "dofile") == 0
    || strncmp(name, "coroutine.", 10) == 0;
}

typedef struct placing {
  lull_runtime *runtime;
  lua_State *blocked;
  const char *place;
} placing;

// [-1, +0] Copies the name of the function that can't be suspended into the arena.
static int find_place(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  placing *context = lua_touserdata(L, 1);
  lua_Debug info;
  // A C function without a name is called by the one to name, like the comparison function of
  // table.sort.
  int is_in_unnamed = 0;
  for (int level = 0; lua_getstack(context->blocked, level, &info); level++) {
    lua_getinfo(context->blocked, "nS", &info);
    const char *name = NULL;
    lua_settop(L, 1);
    if (info.name && strcmp(info.name, "__gc") == 0 && strcmp(info.namewhat, "metamethod") == 0) {
      name = "__gc";
    } else if (strcmp(info.what, "C") == 0) {
      // luaL_checkstack would raise an error on a state that is not running.
      if (!lua_checkstack(context->blocked, 1)) return 0;
      lua_getinfo(context->blocked, "f", &info);
      if (context->blocked != L) lua_xmove(context->blocked, L, 1);
      lua_CFunction function = lua_tocfunction(L, -1);
      if (function == lull_trampoline || function == lull_bound_trampoline
        || function == resume_function || function == wrapped_function || function == find_place) {
        continue;
      }
      push_library_name(L);
      name = lua_tostring(L, -1);
      if (name && can_be_suspended(name)) continue;
      if (name == NULL) name = info.name;
      is_in_unnamed = name == NULL;
    } else if (is_in_unnamed) {
      name = "a C function";
    }
    if (name == NULL) continue;
    char *copy = lull_arena_allocate(context->runtime, strlen(name) + 1);
    if (copy == NULL) return 0;
    context->place = strcpy(copy, name);
    return 0;
  }
  if (is_in_unnamed) context->place = "a C function";
  return 0;
}

// [-0, +0]
const char *lull_wait_place(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_State *own =
    runtime->current_thread ? lull_thread_at(runtime, runtime->current_thread) : runtime->main;
  lua_State *blocked = own ? blocked_state(runtime, L, own) : NULL;
  placing context = {.runtime = runtime, .blocked = blocked ? blocked : L};
  lull_protect(runtime, find_place, &context);
  return context.place ? context.place : "";
}
