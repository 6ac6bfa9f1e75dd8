// Setting the limits of a script, and of a session's line.
#include <string.h>

#include "base/lull_stack.h"
#include "counted/lull_counted.h"
#include "ending/lull_alarm.h"
#include "ending/lull_interrupt.h"
#include "ending/lull_memory.h"
#include "ending/lull_watchdog.h"
#include "values/lull_protect.h"

// The number of instructions counted at once, between two calls of the hook. Instructions after a
// coroutine's last call of the hook are not counted.
enum { LULL_INSTRUCTION_STEP = 100 };

void lull_line_begin(lull_runtime *runtime, double seconds, int64_t instructions) {
  if (seconds > 0) lull_alarm_set(LULL_ALARM_LINE, seconds);
  if (instructions > 0) runtime->instructions_left = instructions;
}

void lull_line_end(lull_runtime *runtime) {
  lull_alarm_set(LULL_ALARM_LINE, 0);
  runtime->instructions_left = INT64_MAX;
  // The memory limit is the session's, and can't be reset.
  if (runtime->passed_limit == LULL_LIMIT_NONE || runtime->passed_limit == LULL_LIMIT_MEMORY) return;
  runtime->passed_limit = LULL_LIMIT_NONE;
  if (lull_signals_pending() == 0) lull_watchdog_relax();
  lull_interrupt_clear(runtime);
}

// [-n, +0] replaces debug.sethook
static int refuse_hook(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  return luaL_error(L, "debug.sethook is not available with --max-instructions");
}

// [-1, +0] The protected part of lull_limits_set.
static int refuse_hooks(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_DBLIBNAME) != LUA_TTABLE) return 0;
  lua_pushcfunction(L, refuse_hook);
  lua_setfield(L, -2, "sethook");
  return 0;
}

// [-1, +0] The protected part of lull_functions_count.
static int count_functions(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  lull_count_functions(L);
  return 0;
}

int32_t lull_functions_count(lull_runtime *runtime) {
  return lull_protect(runtime, count_functions, runtime) != LUA_OK;
}

int32_t lull_stretches_set(lull_runtime *runtime, const lull_limits *limits) {
  for (int limit = 1; limit < LULL_LIMIT_COUNT; limit++) {
    const char *text = limits->texts[limit];
    if (text) strncpy(runtime->limit_texts[limit], text, LULL_LIMIT_TEXT - 1);
  }
  if (limits->memory > 0 && !lull_memory_limit_own(runtime, limits->memory)) return 1;
  runtime->has_stretches = 1;
  runtime->stretch_instructions = limits->instructions;
  double seconds = limits->seconds < 1e9 ? limits->seconds : 1e9;
  runtime->stretch_time = seconds > 0 ? (int64_t)(seconds * 1e9) + 1 : 0;
  if (limits->instructions <= 0 && seconds <= 0) return 0;
  runtime->instruction_step = LULL_INSTRUCTION_STEP;
  runtime->instructions_left = INT64_MAX;
  // As in `lull_limits_set`.
  lull_interrupt_set_own_hook(runtime, runtime->main);
  return lull_protect(runtime, refuse_hooks, runtime) == LUA_OK ? 0 : 1;
}

int32_t lull_stretches_alarm(lull_runtime *runtime, double seconds, const char *text) {
  strncpy(runtime->limit_texts[LULL_LIMIT_TIME], text, LULL_LIMIT_TEXT - 1);
  lull_watchdog_say(LULL_LIMIT_TIME, text);
  lull_alarms_open();
  // Checks whether there are alarms.
  if (!lull_alarm_set(LULL_ALARM_LINE, seconds)) return 1;
  lull_alarm_set(LULL_ALARM_LINE, 0);
  runtime->has_stretches = 1;
  runtime->stretch_alarm = seconds;
  return 0;
}

int32_t lull_limits_set(lull_runtime *runtime, const lull_limits *limits) {
  for (int limit = 1; limit < LULL_LIMIT_COUNT; limit++) {
    const char *text = limits->texts[limit];
    if (text == NULL) continue;
    strncpy(runtime->limit_texts[limit], text, LULL_LIMIT_TEXT - 1);
    lull_watchdog_say(limit, text);
  }
  if (limits->memory > 0 && !lull_memory_limit(runtime, limits->memory)) return 1;
  if (limits->instructions > 0) {
    // For a small limit the step is smaller.
    int64_t step = limits->instructions / 10;
    runtime->instruction_step =
      step < 1 ? 1 : step > LULL_INSTRUCTION_STEP ? LULL_INSTRUCTION_STEP : (int32_t)step;
    runtime->instructions_left = limits->instructions;
    // A new coroutine inherits the hook of its creator. (Lua 5.4 manual, lua_newthread)
    lull_interrupt_set_own_hook(runtime, runtime->main);
    if (lull_protect(runtime, refuse_hooks, runtime) != LUA_OK) return 1;
  }
  if (limits->seconds > 0 && !lull_watchdog_limit_time(limits->seconds)) return 1;
  return 0;
}
