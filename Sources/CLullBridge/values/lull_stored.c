// Queries about values and objects that Swift refers to by number.
#include "values/lull_stored.h"

#include "base/lull_stack.h"

// [-0, +0]
int32_t lull_value_is_alive(lull_runtime *runtime, int64_t id) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 3)) return 1;
  lull_values_push(runtime, L, id);
  int alive = !lua_isnil(L, -1);
  lua_pop(L, 1);
  return alive;
}

// [-0, +0] Assigning nil adds no entry, so this allocates nothing.
int32_t lull_value_forget(lull_runtime *runtime, int64_t id) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 2)) return 0;
  lull_registry_push(L, runtime->values);
  int was_kept = lua_rawgeti(L, -1, (lua_Integer)id) != LUA_TNIL;
  lua_pop(L, 1);
  lua_pushnil(L);
  lua_rawseti(L, -2, (lua_Integer)id);
  lua_pop(L, 1);
  return was_kept;
}

// [-0, +0]
uintptr_t lull_value_identity(lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  return (uintptr_t)lua_topointer(L, index);
}

// [-0, +0]
int32_t lull_value_is(lull_runtime *runtime, int64_t id, lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 3)) return 0;
  index = lua_absindex(L, index);
  lull_values_push(runtime, L, id);
  int same = lua_rawequal(L, -1, index);
  lua_pop(L, 1);
  return same;
}

// [-0, +0]
int32_t lull_object_exists(lull_runtime *runtime, uint64_t handle) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 2)) return 1;
  if (!lull_push_existing(runtime, L, handle)) return 0;
  lua_pop(L, 1);
  return 1;
}
