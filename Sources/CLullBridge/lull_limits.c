// Ending code that does not end by itself: Ctrl-C, os.exit and limits raise in the coroutine that runs
// now, and again at its every instruction until it is gone, then in the one that runs it. What no hook
// reaches is the watchdog's.
#include "lull_internal.h"

#include <lull_ledger.h>
#include <string.h>

// Frames searched for handlers of xpcall: the interpreter finds a frame by walking to it.
enum { LULL_SEARCHED_FRAMES = 2000 };

// What there may be beyond the limit of memory once it has been passed, to say so.
enum { LULL_REPORT_RESERVE = 4 * 1024 * 1024 };

// How many instructions are counted at once: the hook is called that seldom, but what a coroutine runs
// after its last call of it goes uncounted.
enum { LULL_INSTRUCTION_STEP = 100 };

// [-0, +0] the runtime of this state; NULL before it is there
static lull_runtime *runtime_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lull_runtime *runtime = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return runtime;
}

// [-1, +1] a message handler that leaves the error alone
static int same_error(lua_State *L) {
  lua_settop(L, 1);
  return 1;
}

// [-0, +0] An error raised in a hook is handed to its handler while hooks are off, so a handler of the
// script's could run for ever: those of this coroutine's xpcalls are replaced.
static void silence_handlers(lull_runtime *runtime, lua_State *L) {
  lua_Debug frame;
  for (int level = 0; level < LULL_SEARCHED_FRAMES && lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "f", &frame);
    int is_xpcall = runtime->xpcall && lua_tocfunction(L, -1) == runtime->xpcall;
    lua_pop(L, 1);
    if (!is_xpcall) continue;
    lua_pushcfunction(L, same_error);
    if (lua_setlocal(L, &frame, 2) == NULL) lua_pop(L, 1);
  }
}

// [-0, +1] "x.lua:3: " of the innermost Lua function, or ""
static void push_place(lua_State *L) {
  lua_Debug frame;
  for (int level = 0; level < LULL_SEARCHED_FRAMES && lua_getstack(L, level, &frame); level++) {
    lua_getinfo(L, "Sl", &frame);
    if (frame.currentline > 0) {
      lua_pushfstring(L, "%s:%d: ", frame.short_src, frame.currentline);
      return;
    }
  }
  lua_pushliteral(L, "");
}

// [-0, +0] raises; stays set
void lull_interrupt_hook(lua_State *L, lua_Debug *info) {
  (void)info;
  lull_runtime *runtime = runtime_of(L);
  if (runtime == NULL) {
    lua_sethook(L, NULL, 0, 0);
    luaL_error(L, "interrupted!");
    return;
  }
  silence_handlers(runtime, L);
  if (runtime->passed_limit == LULL_LIMIT_NONE) luaL_error(L, "interrupted!");
  push_place(L);
  lua_pushstring(L, runtime->limit_texts[runtime->passed_limit]);
  lua_concat(L, 2);
  lua_error(L);
}

// [-0, +0] safe in a signal handler
void lull_interrupt_arm(lua_State *L) {
  int events = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  lua_sethook(L, lull_interrupt_hook, events, 1);
}

// [-0, +0] counts what this coroutine runs
static void count_hook(lua_State *L, lua_Debug *info) {
  lull_runtime *runtime = runtime_of(L);
  if (runtime == NULL) return;
  runtime->instructions_left -= runtime->instruction_step;
  if (runtime->instructions_left > 0) return;
  lull_limit_pass(runtime, LULL_LIMIT_INSTRUCTIONS);
  lull_interrupt_arm(L);
  lull_interrupt_hook(L, info);
}

// [-0, +0] Lets C code do its work on a coroutine that is interrupted; 1 if it is to be armed again.
int lull_interrupt_pause(lua_State *L) {
  if (lua_gethook(L) != lull_interrupt_hook) return 0;
  lua_sethook(L, NULL, 0, 0);
  return 1;
}

// [-0, +0] the hook a coroutine has while nothing interrupts it
static void set_own_hook(lull_runtime *runtime, lua_State *L) {
  if (runtime->instruction_step > 0) {
    lua_sethook(L, count_hook, LUA_MASKCOUNT, runtime->instruction_step);
  } else {
    lua_sethook(L, NULL, 0, 0);
  }
}

// [-0, +0] looks at what is held once the code that runs is between two instructions
static void memory_hook(lua_State *L, lua_Debug *info) {
  lull_runtime *runtime = runtime_of(L);
  if (runtime == NULL) return;
  set_own_hook(runtime, L);
  lull_memory_check(runtime);
  if (lua_gethook(L) == lull_interrupt_hook) lull_interrupt_hook(L, info);
}

// [-0, +0] Has lull_memory_check called by the code that runs now; callable by the allocator.
void lull_memory_check_soon(lull_runtime *runtime) {
  if (lua_gethook(runtime->L) == lull_interrupt_hook) return;
  lua_sethook(runtime->L, memory_hook, LUA_MASKCOUNT | LUA_MASKLINE, 1);
}

// [-0, +0] for a coroutine that is new or taken from the pool
void lull_interrupt_rest(lull_runtime *runtime, lua_State *L) {
  lua_Hook hook = lua_gethook(L);
  if (hook == lull_interrupt_hook || hook == memory_hook) set_own_hook(runtime, L);
}

// [-0, +0] `from`, which runtime->L ran, has ended or waits: what interrupted it goes on here.
void lull_interrupt_pass(lull_runtime *runtime, lua_State *from) {
  lua_Hook hook = lua_gethook(from);
  lull_interrupt_rest(runtime, from);
  // A main state at depth 0 drives the loop, and sees to the interruption when that returns.
  if (hook == lull_interrupt_hook && runtime->depth > 0) lull_interrupt_arm(runtime->L);
}

// [-0, +0] nothing that runs now is interrupted any more
void lull_interrupt_clear(lull_runtime *runtime) {
  lull_interrupt_rest(runtime, runtime->L);
  lull_interrupt_rest(runtime, runtime->main);
  for (const lull_nesting *inner = runtime->nesting; inner; inner = inner->outer) {
    lull_interrupt_rest(runtime, inner->L);
  }
}

// [-0, +0] safe in a signal handler and in the allocator
void lull_limit_pass(lull_runtime *runtime, int32_t limit) {
  if (runtime->passed_limit != LULL_LIMIT_NONE) return;
  runtime->passed_limit = limit;
  if (limit == LULL_LIMIT_MEMORY) lull_ledger_reserve(LULL_REPORT_RESERVE);
  if (lull_runtime_runs(runtime)) lull_interrupt_arm(runtime->L);
  lull_signals_wake();
  lull_watchdog_expect_end(LULL_EXIT_SCRIPT_ERROR, limit);
}

int32_t lull_limit_passed(const lull_runtime *runtime) { return runtime->passed_limit; }

// [-0, +0]
void lull_line_begin(lull_runtime *runtime, double seconds, int64_t instructions) {
  if (seconds > 0) lull_alarm_set(LULL_ALARM_LINE, seconds);
  if (instructions > 0) runtime->instructions_left = instructions;
}

// [-0, +0]
void lull_line_end(lull_runtime *runtime) {
  lull_alarm_set(LULL_ALARM_LINE, 0);
  runtime->instructions_left = INT64_MAX;
  // Memory is the session's, and does not come back.
  if (runtime->passed_limit == LULL_LIMIT_NONE || runtime->passed_limit == LULL_LIMIT_MEMORY) return;
  runtime->passed_limit = LULL_LIMIT_NONE;
  if (lull_signals_pending() == 0) lull_watchdog_relax();
  lull_interrupt_clear(runtime);
}

// [-n, +0] instead of debug.sethook
static int refuse_hook(lua_State *L) {
  return luaL_error(L, "debug.sethook is not available with --max-instructions");
}

// [-1, +0] protected part of lull_limits_set
static int refuse_hooks(lua_State *L) {
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_DBLIBNAME) != LUA_TTABLE) return 0;
  lua_pushcfunction(L, refuse_hook);
  lua_setfield(L, -2, "sethook");
  return 0;
}

// [-0, +0]
int32_t lull_limits_set(lull_runtime *runtime, const lull_limits *limits) {
  for (int limit = 1; limit < LULL_LIMIT_COUNT; limit++) {
    const char *text = limits->texts[limit];
    if (text == NULL) continue;
    strncpy(runtime->limit_texts[limit], text, LULL_LIMIT_TEXT - 1);
    lull_watchdog_say(limit, text);
  }
  if (limits->memory > 0 && !lull_memory_limit(runtime, limits->memory)) return 1;
  if (limits->instructions > 0) {
    // Of a small number every part counts.
    int64_t step = limits->instructions / 10;
    runtime->instruction_step =
      step < 1 ? 1 : step > LULL_INSTRUCTION_STEP ? LULL_INSTRUCTION_STEP : (int32_t)step;
    runtime->instructions_left = limits->instructions;
    // Coroutines get the hook of whoever makes them. (Lua 5.4 manual, lua_newthread)
    set_own_hook(runtime, runtime->main);
    if (lull_protect(runtime, refuse_hooks, runtime) != LUA_OK) return 1;
  }
  if (limits->seconds > 0 && !lull_watchdog_limit_time(limits->seconds)) return 1;
  return 0;
}
