// Protected calls of functions that may raise, for code that must not.
#include "values/lull_protect.h"

#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"

// [-0, +0] Runs `function` with `context` as its only argument. Returns the status of lua_pcall.
int lull_protect(lull_runtime *runtime, lua_CFunction function, void *context) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 16)) return LUA_ERRMEM;
  int is_interrupted = lull_interrupt_pause(L);
  lull_aside aside;
  lull_hook_put_aside(L, &aside);
  lua_pushcfunction(L, function);
  lua_pushlightuserdata(L, context);
  int status = lua_pcall(L, 1, 0, 0);
  if (status != LUA_OK) lua_pop(L, 1);
  lull_hook_put_back(L, &aside);
  if (is_interrupted) lull_interrupt_arm(L);
  return status;
}
