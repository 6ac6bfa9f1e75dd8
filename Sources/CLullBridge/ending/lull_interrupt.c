// Ends running code: Ctrl-C, os.exit and limits raise an error in the coroutine that runs now,
// again at every instruction until it has ended, and then in the coroutine that resumed it. Code
// that hooks do not reach is left to the watchdog.
#define _GNU_SOURCE
#include "ending/lull_interrupt.h"

#include <time.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_limit.h"

// The number of frames searched for handlers of xpcall. The interpreter finds a frame by walking
// to it.
enum { LULL_SEARCHED_FRAMES = 2000 };

// [-0, +0] Returns the runtime of this state; NULL before it exists.
static lull_runtime *runtime_of(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lull_runtime *runtime = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return runtime;
}

// [-1, +1] A message handler that returns the error unchanged.
static int same_error(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  lua_settop(L, 1);
  return 1;
}

// [-0, +0] Replaces the message handlers of this coroutine's xpcalls. An error raised in a hook is
// passed to its handler while hooks are off, so a script's handler could run for ever.
static void silence_handlers(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
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

// [-0, +1] Pushes the place of the innermost Lua function, such as "x.lua:3: ", or "".
static void push_place(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
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

// [-0, +0] Raises an error, and stays set.
static void interrupt_hook(lua_State *L, lua_Debug *info) {
  LULL_EFFECT(L, 0, 0);
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

// [-0, +0] (unproved: also in signal handlers, when the stack may be in the middle of a change)
void lull_interrupt_arm(lua_State *L) {
  int events = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT;
  lua_sethook(L, interrupt_hook, events, 1);
}

// Returns whether the running stretch has used its time.
static int is_too_long(const lull_runtime *runtime) {
  return runtime->stretch_end != 0 && lull_stretch_clock() >= runtime->stretch_end;
}

int64_t lull_stretch_clock(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Counts instructions. Returns whether they exceed a limit.
static int passes_limit(lull_runtime *runtime, int64_t instructions) {
  if (runtime->instruction_step == 0) return 0;
  runtime->instructions_left -= instructions;
  int too_long = is_too_long(runtime);
  if (runtime->instructions_left > 0 && !too_long) return 0;
  lull_limit_pass(runtime, too_long ? LULL_LIMIT_TIME : LULL_LIMIT_INSTRUCTIONS);
  return 1;
}

// [-0, +0] Counts the instructions of this coroutine.
static void count_hook(lua_State *L, lua_Debug *info) {
  LULL_EFFECT(L, 0, 0);
  lull_runtime *runtime = runtime_of(L);
  if (runtime == NULL || !passes_limit(runtime, runtime->instruction_step)) return;
  lull_interrupt_arm(L);
  interrupt_hook(L, info);
}

// [-0, +0] Raises the pending interruption of this coroutine inside a C function. Message handlers
// in C run undisturbed, as after a hook. The next instruction is interrupted again.
static void raise_interruption(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_sethook(L, interrupt_hook, LUA_MASKLINE | LUA_MASKCOUNT, 1);
  interrupt_hook(L, NULL);
}

// [-0, +0] Counts the work of a C function in instructions. Returns whether it must end, without
// raising an error.
int lull_interrupt_is_due(lua_State *L, int64_t instructions) {
  LULL_EFFECT(L, 0, 0);
  lua_Hook hook = lua_gethook(L);
  // A coroutine that is counted or interrupted has a hook.
  if (hook == NULL) return 0;
  if (hook == interrupt_hook) return 1;
  lull_runtime *runtime = runtime_of(L);
  return runtime != NULL && passes_limit(runtime, instructions);
}

// [-0, +0] Counts the work of a C function in instructions. Raises an error if it must end.
void lull_interrupt_count(lua_State *L, int64_t instructions) {
  LULL_EFFECT(L, 0, 0);
  if (lull_interrupt_is_due(L, instructions)) raise_interruption(L);
}

// Code outside of the interpreter is interrupted when the interpreter continues.
void lull_limits_count(lull_runtime *runtime, int64_t instructions) {
  if (lull_runtime_runs(runtime)) passes_limit(runtime, instructions);
}

// [-0, +0]
void lull_hook_put_aside(lua_State *L, lull_aside *aside) {
  LULL_EFFECT(L, 0, 0);
  lua_Hook hook = lua_gethook(L);
  aside->hook = NULL;
  if (hook == NULL || hook == interrupt_hook) return;
  int mask = lua_gethookmask(L);
  if ((mask & (LUA_MASKCALL | LUA_MASKRET)) == 0) return;
  *aside = (lull_aside){.hook = hook, .mask = mask, .count = lua_gethookcount(L)};
  lua_sethook(L, NULL, 0, 0);
}

// [-0, +0]
void lull_hook_put_back(lua_State *L, lull_aside *aside) {
  LULL_EFFECT(L, 0, 0);
  if (aside->hook == NULL || lua_gethook(L) != NULL) return;
  lua_sethook(L, aside->hook, aside->mask, aside->count);
  aside->hook = NULL;
}

// [-0, +0] Returns whether this coroutine is interrupted to end the run. If only a stretch has
// exceeded its limit, the stretch fails and the run continues.
int lull_interrupt_ends_run(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  if (lua_gethook(L) != interrupt_hook) return 0;
  return !runtime->has_stretches || runtime->passed_limit == LULL_LIMIT_NONE;
}

// [-0, +0] Lets C code work on an interrupted coroutine. Returns 1 if it must be armed again
// afterwards.
int lull_interrupt_pause(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  if (lua_gethook(L) != interrupt_hook) return 0;
  lua_sethook(L, NULL, 0, 0);
  return 1;
}

// [-0, +0] Sets the hook that a coroutine has while it is not interrupted.
void lull_interrupt_set_own_hook(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  if (runtime->instruction_step > 0) {
    lua_sethook(L, count_hook, LUA_MASKCOUNT, runtime->instruction_step);
  } else {
    lua_sethook(L, NULL, 0, 0);
  }
}

// [-0, +0] Checks the memory between two instructions.
static void memory_hook(lua_State *L, lua_Debug *info) {
  LULL_EFFECT(L, 0, 0);
  lull_runtime *runtime = runtime_of(L);
  if (runtime == NULL) return;
  lull_interrupt_set_own_hook(runtime, L);
  lull_memory_check(runtime);
  if (lua_gethook(L) == interrupt_hook) interrupt_hook(L, info);
}

// [-0, +0] (unproved: in the allocator, when the stack may be in the middle of a change)
void lull_interrupt_check_memory(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  if (lua_gethook(L) == interrupt_hook) return;
  lua_sethook(L, memory_hook, LUA_MASKCOUNT | LUA_MASKLINE, 1);
}

// [-0, +0] Prepares a coroutine that is new or from the pool.
void lull_interrupt_rest(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_Hook hook = lua_gethook(L);
  if (hook == interrupt_hook || hook == memory_hook) lull_interrupt_set_own_hook(runtime, L);
}

// [-0, +0] `from`, which runtime->L resumed, has ended or waits: its interruption continues here.
void lull_interrupt_pass(lull_runtime *runtime, lua_State *from) {
  LULL_EFFECT(from, 0, 0);
  lua_Hook hook = lua_gethook(from);
  lull_interrupt_rest(runtime, from);
  // A main state at depth 0 drives the loop, and handles the interruption when the loop returns.
  if (hook == interrupt_hook && runtime->depth > 0) lull_interrupt_arm(runtime->L);
}

// Removes the interruption from all running code.
void lull_interrupt_clear(lull_runtime *runtime) {
  lull_interrupt_rest(runtime, runtime->L);
  lull_interrupt_rest(runtime, runtime->main);
  for (const lull_nesting *inner = runtime->nesting; inner; inner = inner->outer) {
    lull_interrupt_rest(runtime, inner->L);
  }
}

// [-0, +0]
void lull_state_interrupt(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lull_interrupt_arm(L);
}

void lull_thread_interrupt(lull_runtime *runtime) {
  if (lull_runtime_runs(runtime)) lull_interrupt_arm(runtime->L);
}
