// Looking up values by ID and userdata by handle. Inlined, because every value that is pushed uses
// these functions.
#ifndef LULL_STORED_H
#define LULL_STORED_H

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "runtime/lull_runtime.h"

// [-0, +1] Pushes values[id], or nil if it is gone.
static inline void lull_values_push(lull_runtime *runtime, lua_State *L, int64_t id) {
  LULL_EFFECT(L, 0, 1);
  lull_registry_push(L, runtime->values);
  lua_rawgeti(L, -1, (lua_Integer)id);
  lua_replace(L, -2);
}

// The slot is the low half of a handle.
static inline lua_Integer lull_handle_slot(uint64_t handle) {
  return (lua_Integer)(handle & 0xffffffffu);
}

// [-0, +1 or +0] Pushes the userdata of a handle, if it has one. Returns whether it was pushed.
static inline int lull_push_existing(lull_runtime *runtime, lua_State *L, uint64_t handle) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  lull_registry_push(L, runtime->objects);
  if (lua_rawgeti(L, -1, lull_handle_slot(handle)) == LUA_TUSERDATA) {
    const lull_object *object = lua_touserdata(L, -1);
    if (object->handle == handle) {
      lua_replace(L, -2);
      return 1;
    }
  }
  lua_pop(L, 2);
  return 0;
}

#endif
