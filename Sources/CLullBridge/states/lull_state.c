// States, and opening the module in them: the runtime, its registry tables, and their end.
#include "states/lull_state.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_dispatch.h"
#include "calls/lull_objects.h"
#include "ending/lull_memory.h"
#include "ending/lull_signal.h"
#include "runs/lull_coroutine.h"
#include "states/lull_module.h"
#include "states/lull_modules.h"

const char *lull_lua_release(void) { return LUA_RELEASE; }

// [-0, +1] Pushes a new table, with a weak mode if given.
static void push_weak_table(lua_State *L, const char *mode) {
  LULL_EFFECT(L, 0, 1);
  lua_newtable(L);
  if (mode) {
    lua_createtable(L, 0, 1);
    lua_pushstring(L, mode);
    lua_setfield(L, -2, "__mode");
    lua_setmetatable(L, -2);
  }
}

// [-0, +0] Returns a reference to a new table.
static int table_reference(lua_State *L, const char *mode) {
  LULL_EFFECT(L, 0, 0);
  push_weak_table(L, mode);
  return luaL_ref(L, LUA_REGISTRYINDEX);
}

// [-n, +0] __gc of the runtime, which is created first and finalised last.
static int runtime_gc(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  lull_runtime *runtime = lua_touserdata(L, 1);
  if (runtime && runtime->host) {
    void *host = runtime->host;
    runtime->host = NULL;
    lull_host_close(host);
  }
  if (runtime) {
    lull_signals_forget(runtime);
    lull_memory_attach(L, NULL);
    lull_runtime_free(runtime);
  }
  return 0;
}

// [-n, +1] tostring(lull.null)
static int null_tostring(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_pushliteral(L, "null");
  return 1;
}

// Implemented in Swift (LullModule), for interpreters that do not belong to Lull: creates a host
// for this thread and attaches it, like lull_host_attach. Programs preload their host and need not
// contain it.
__attribute__((weak)) void *lull_library_attach(lull_runtime *runtime);

// [-0, +1 or +0] Pushes the module table, if the module has been opened. Raises an error if that
// has failed.
static int push_module(lua_State *L) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key) != LUA_TUSERDATA) {
    lua_pop(L, 1);
    return 0;
  }
  // There is no module, because opening it failed when the host already existed.
  if (lua_getiuservalue(L, -1, 1) == LUA_TNIL) {
    return luaL_error(L, "lull: not enough memory to open it");
  }
  lua_replace(L, -2);
  return 1;
}

// [-0, +1] The protected part of luaopen_lull.
static int open_module(lua_State *L) {
  LULL_CALLED(L, 0, 1);
  // A hook may have opened it in the meantime.
  if (push_module(L)) return 1;
  lull_runtime *runtime = lua_newuserdatauv(L, sizeof(lull_runtime), 1);
  memset(runtime, 0, sizeof(*runtime));
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  runtime->main = lua_tothread(L, -1);
  lua_pop(L, 1);
  runtime->L = L;
  runtime->bound_method = lull_bound_trampoline;
  lull_memory_attach(L, runtime);
  if (lua_getglobal(L, "xpcall") == LUA_TFUNCTION) runtime->xpcall = lua_tocfunction(L, -1);
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, runtime_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);

  runtime->values = table_reference(L, "v");
  runtime->objects = table_reference(L, "v");
  runtime->pins = table_reference(L, NULL);
  runtime->pinned_objects = table_reference(L, NULL);
  runtime->anchors = table_reference(L, "k");
  runtime->threads = table_reference(L, NULL);
  runtime->metatables = table_reference(L, NULL);

  lua_newuserdatauv(L, 0, 0);
  lua_createtable(L, 0, 2);
  lua_pushcfunction(L, null_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pushliteral(L, "null");
  lua_setfield(L, -2, "__name");
  lua_setmetatable(L, -2);
  runtime->null = luaL_ref(L, LUA_REGISTRYINDEX);

  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);

  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_host_key) == LUA_TLIGHTUSERDATA) {
    runtime->host = lua_touserdata(L, -1);
  }
  lua_pop(L, 1);
  // The host attaches itself to the runtime and creates its parts.
  void *host = NULL;
  if (runtime->host) {
    host = lull_host_attach(runtime->host, runtime);
  } else if (lull_library_attach) {
    host = lull_library_attach(runtime);
  }
  runtime->host = host;
  if (host == NULL) {
    // The next require tries again.
    lua_pushnil(L);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lull_memory_attach(L, NULL);
    return luaL_error(L, "lull: the event loop could not be made");
  }
  runtime->methods = lull_host_methods(host, &runtime->method_count);
  lull_make_metatables(runtime, L);
  lull_make_module(runtime, L);
  lull_open_coroutine(L);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, -3, 1);
  // A state that blocks in lull.run or await runs on its own L; between calls, on the main one.
  runtime->L = runtime->main;
  return 1;
}

// [-n, +1] Returns the module table. Calling it again in the same state returns the same table.
int luaopen_lull(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  if (push_module(L)) return 1;
  // A finaliser that requires the module meanwhile would create another one, so finalisers are
  // disabled until it exists.
  int collects = lua_gc(L, LUA_GCISRUNNING) == 1;
  if (collects) lua_gc(L, LUA_GCSTOP);
  lua_pushcfunction(L, open_module);
  int status = lua_pcall(L, 0, 1, 0);
  if (collects) lua_gc(L, LUA_GCRESTART);
  if (status != LUA_OK) return lua_error(L);
  return 1;
}

// [-0, +0]
static int open_libraries(lua_State *L) {
  LULL_CALLED(L, 0, 0);
  luaL_openlibs(L);
  return 0;
}

// [-0, +0] (unproved: the state is new)
lua_State *lull_state_new(void) {
  lua_State *L = lull_memory_new_state();
  if (L == NULL) return NULL;
  lua_pushcfunction(L, open_libraries);
  if (lua_pcall(L, 0, 0, 0) != LUA_OK) {
    lull_state_close(L);
    return NULL;
  }
  return L;
}

// [-1, +0] The protected part of lull_state_preload.
static int preload(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  void *host = lua_touserdata(L, 1);
  lua_pushlightuserdata(L, host);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_host_key);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_PRELOAD_TABLE);
  lua_pushcfunction(L, luaopen_lull);
  lua_setfield(L, -2, "lull");
  lua_pushcfunction(L, luaopen_lull_test);
  lua_setfield(L, -2, "lull.test");
  return 0;
}

// [-0, +0]
int32_t lull_state_preload(lua_State *L, void *host) {
  LULL_EFFECT(L, 0, 0);
  lua_pushcfunction(L, preload);
  lua_pushlightuserdata(L, host);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// [-1, +0] The protected part of lull_state_require.
static int require_module(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  int set_global = lua_toboolean(L, 1);
  luaL_requiref(L, "lull", luaopen_lull, set_global);
  return 0;
}

// [-0, +0]
int32_t lull_state_require(lua_State *L, int32_t set_global) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 4)) return 1;
  lua_pushcfunction(L, require_module);
  lua_pushboolean(L, set_global);
  // No object created here is garbage.
  lua_gc(L, LUA_GCSTOP);
  int status = lua_pcall(L, 1, 0, 0);
  lua_gc(L, LUA_GCRESTART);
  if (status == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// [-0, +0] Raises no error: finalisers run protected (Lua 5.4 manual, lua_gc).
void lull_runtime_collect(lull_runtime *runtime, int32_t kilobytes) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  lua_gc(L, LUA_GCSTEP, (int)kilobytes);
}

// [-0, +0]
int32_t lull_runtime_collect_all(lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  return lua_gc(L, LUA_GCCOLLECT) == 0;
}

// [-0, +0]
int64_t lull_runtime_lua_bytes(const lull_runtime *runtime) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  return (int64_t)lua_gc(L, LUA_GCCOUNT) * 1024 + lua_gc(L, LUA_GCCOUNTB);
}
