// Keeps Lua values alive: stored IDs, anchors, pins. All functions that store run protected.
#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"
#include "values/lull_stored.h"
#include "values/lull_protect.h"
#include "values/lull_push.h"
#include "values/lull_tables.h"

typedef struct anchoring {
  lull_runtime *runtime;
  const void *document;
  int64_t id;
  int64_t key;
  uint64_t handle;
  const lull_value *object;
} anchoring;

// [-n, +0] Like lull_protect, for a function on the stack with that many arguments.
static int call_protected(lua_State *L, int count) {
  LULL_EFFECT(L, count + 1, 0);
  lull_aside aside;
  lull_hook_put_aside(L, &aside);
  int status = lua_pcall(L, count, 0, 0);
  if (status != LUA_OK) lua_pop(L, 1);
  lull_hook_put_back(L, &aside);
  return status;
}

// [-2, +0] values[id] = the second argument
static int keep(lua_State *L) {
  LULL_CALLED(L, 2, 0);
  anchoring *context = lua_touserdata(L, 1);
  lull_registry_push(L, context->runtime->values);
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  return 0;
}

// [-0, +0]
int32_t lull_value_keep(lull_runtime *runtime, lua_State *L, int32_t index, int64_t id) {
  LULL_EFFECT(L, 0, 0);
  anchoring context = {.runtime = runtime, .id = id};
  lua_State *running = runtime->L;
  index = lua_absindex(L, index);
  if (!lua_checkstack(L, 2) || !lua_checkstack(running, 16)) return LUA_ERRMEM;
  lua_pushcfunction(running, keep);
  lua_pushlightuserdata(running, &context);
  lua_pushvalue(L, index);
  if (L != running) lua_xmove(L, running, 1);
  return call_protected(running, 2);
}

// [-0, +0] Lets the object at the top hold the value below it without a table, if it holds nothing
// else, or only something under this key. Most requests hold one function, their hook. Returns
// whether it does; never raises.
static int hold_alone(lua_State *L, int64_t key) {
  LULL_EFFECT(L, 0, 0);
  lull_object *object = lua_touserdata(L, -1);
  if (object->only_key != key) {
    if (object->only_key != 0) return 0;
    int is_free = lua_getiuservalue(L, -1, LULL_UV_ANCHORS) == LUA_TNIL;
    lua_pop(L, 1);
    if (!is_free) return 0;
  }
  lua_pushvalue(L, -2);
  lua_setiuservalue(L, -2, LULL_UV_ANCHORS);
  object->only_key = key;
  return 1;
}

// [-0, +1] Pushes the anchor table of the object at the top, created if missing. A value that it
// held without a table moves there.
static void push_anchor_table(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  lull_object *object = lua_touserdata(L, -1);
  if (lua_getiuservalue(L, -1, LULL_UV_ANCHORS) == LUA_TTABLE && object->only_key == 0) return;
  lua_pop(L, 1);
  lua_newtable(L);
  // Checked only now, because a finaliser may have anchored something to the object, and created
  // the table.
  if (lua_getiuservalue(L, -2, LULL_UV_ANCHORS) == LUA_TTABLE && object->only_key == 0) {
    lua_replace(L, -2);
    return;
  }
  if (object->only_key != 0) {
    lua_rawseti(L, -2, (lua_Integer)object->only_key);
  } else {
    lua_pop(L, 1);
  }
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, -3, LULL_UV_ANCHORS);
  object->only_key = 0;
}

// [-0, +0] Anchors the value stored under the ID to the object.
static void attach_to_object(lua_State *L, const anchoring *context) {
  LULL_EFFECT(L, 0, 0);
  int top = lua_gettop(L);
  // The value is pushed first, because an allocation may collect a value that only the weak table
  // holds.
  lull_values_push(context->runtime, L, context->id);
  if (lull_push_existing(context->runtime, L, context->handle) && !hold_alone(L, context->key)) {
    push_anchor_table(L);
    lua_pushvalue(L, top + 1);
    lua_rawseti(L, -2, (lua_Integer)context->key);
  }
  lua_settop(L, top);
}

// [-1, +0]
static int anchor_to_object(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  attach_to_object(L, lua_touserdata(L, 1));
  return 0;
}

// [-0, +0]
int32_t lull_value_anchor_to_object(
  lull_runtime *runtime, uint64_t handle, int64_t key, int64_t id) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 6)) return LUA_ERRMEM;
  // An operation that needs no memory needs no protected call.
  lull_values_push(runtime, L, id);
  int is_open = lull_push_existing(runtime, L, handle);
  int is_held = is_open && hold_alone(L, key);
  lua_pop(L, is_open ? 2 : 1);
  if (!is_open || is_held) return LUA_OK;
  anchoring context = {.runtime = runtime, .handle = handle, .key = key, .id = id};
  return lull_protect(runtime, anchor_to_object, &context);
}

// A release must not fail for lack of memory: it makes no call, and assigning nil adds no entry.

// [-1, +0] Sets table[key] = nil in the table at the top.
static void let_go(lua_State *L, lua_Integer key) {
  LULL_EFFECT(L, 1, 0);
  lua_pushnil(L);
  lua_rawseti(L, -2, key);
  lua_pop(L, 1);
}

// [-0, +0]
void lull_value_release_from_object(lull_runtime *runtime, uint64_t handle, int64_t key) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 4) || !lull_push_existing(runtime, L, handle)) return;
  lull_object *object = lua_touserdata(L, -1);
  int type = lua_getiuservalue(L, -1, LULL_UV_ANCHORS);
  if (object->only_key == key) {
    object->only_key = 0;
    lua_pop(L, 1);
    lua_pushnil(L);
    lua_setiuservalue(L, -2, LULL_UV_ANCHORS);
  } else if (object->only_key == 0 && type == LUA_TTABLE) {
    let_go(L, (lua_Integer)key);
  } else {
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

// [-n, +0] __gc of an owner's anchors: the owner has died. Values that only it held are pinned, so
// that their observers can be notified; upvalue: the runtime. Does not call into Swift.
static int owner_died(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  if (runtime->host == NULL || !lua_istable(L, 1)) return 0;
  lull_registry_push(L, runtime->values);
  lull_registry_push(L, runtime->pins);
  lua_pushnil(L);
  while (lua_next(L, 1)) {
    lua_Integer id = lua_tointeger(L, -2);
    // Resurrected values were removed from the weak table before their finalisers ran.
    lua_pushvalue(L, -1);
    lua_rawseti(L, 2, id);
    lua_rawseti(L, 3, id);
    runtime->pin_count++;
    lull_queue_add(&runtime->orphans, (uint64_t)id);
  }
  return 0;
}

// [-0, +1] Pushes a new table of anchors.
static void push_anchors(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushcclosure(L, owner_died, 1);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
}

// [-1, +0] key: the owner's ID
static int anchor_to_owner(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  anchoring *context = lua_touserdata(L, 1);
  enum { ANCHORS = 2, OWNER, VALUE, HELD };
  lull_registry_push(L, context->runtime->anchors);
  lull_values_push(context->runtime, L, context->key);
  if (lua_isnil(L, OWNER)) return 0;
  // The value is pushed first, because an allocation may collect a value that only the weak table
  // holds.
  lull_values_push(context->runtime, L, context->id);
  lua_pushvalue(L, OWNER);
  if (lua_rawget(L, ANCHORS) != LUA_TTABLE) {
    lua_pop(L, 1);
    push_anchors(L);
    // Checked only now, because a finaliser may have anchored something to the owner, and created
    // the table.
    lua_pushvalue(L, OWNER);
    if (lua_rawget(L, ANCHORS) == LUA_TTABLE) {
      lua_replace(L, HELD);
    } else {
      lua_pop(L, 1);
      lua_pushvalue(L, OWNER);
      lua_pushvalue(L, HELD);
      lua_rawset(L, ANCHORS);
    }
  }
  lua_pushvalue(L, VALUE);
  lua_rawseti(L, HELD, (lua_Integer)context->id);
  return 0;
}

int32_t lull_value_anchor_to_owner(lull_runtime *runtime, int64_t owner, int64_t id) {
  anchoring context = {.runtime = runtime, .key = owner, .id = id};
  return lull_protect(runtime, anchor_to_owner, &context);
}

// [-0, +0]
void lull_value_release_from_owner(lull_runtime *runtime, int64_t owner, int64_t id) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 4)) return;
  lull_registry_push(L, runtime->anchors);
  lull_values_push(runtime, L, owner);
  if (lua_rawget(L, -2) == LUA_TTABLE) {
    let_go(L, (lua_Integer)id);
  } else {
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
}

// [-1, +0]
static int pin(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  anchoring *context = lua_touserdata(L, 1);
  lull_registry_push(L, context->runtime->pins);
  lull_values_push(context->runtime, L, context->id);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  return 0;
}

int32_t lull_value_pin(lull_runtime *runtime, int64_t id) {
  anchoring context = {.runtime = runtime, .id = id};
  int status = lull_protect(runtime, pin, &context);
  if (status == LUA_OK) runtime->pin_count++;
  return status;
}

// [-0, +0]
void lull_value_unpin(lull_runtime *runtime, int64_t id) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 2)) return;
  lull_registry_push(L, runtime->pins);
  let_go(L, (lua_Integer)id);
  runtime->pin_count--;
}

// [-n, +0] values[id] = a table of the arguments after the context, with their count
static int pack(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  anchoring *context = lua_touserdata(L, 1);
  int count = lua_gettop(L) - 1;
  lull_registry_push(L, context->runtime->values);
  lua_createtable(L, count, 1);
  for (int i = 1; i <= count; i++) {
    lua_pushvalue(L, i + 1);
    lua_rawseti(L, -2, i);
  }
  lua_pushinteger(L, count);
  lua_setfield(L, -2, "n");
  lua_pushvalue(L, -1);
  lua_rawseti(L, -3, (lua_Integer)context->id);
  lull_registry_push(L, context->runtime->pins);
  lua_insert(L, -2);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  return 0;
}

// [-0, +0]
int32_t lull_value_pack(
  lull_runtime *runtime, lua_State *L, int32_t first, int32_t last, int64_t id) {
  LULL_EFFECT(L, 0, 0);
  anchoring context = {.runtime = runtime, .id = id};
  lua_State *running = runtime->L;
  int count = last >= first ? last - first + 1 : 0;
  if (!lua_checkstack(L, 2) || !lua_checkstack(running, count + 16)) return LUA_ERRMEM;
  lua_pushcfunction(running, pack);
  lua_pushlightuserdata(running, &context);
  for (int32_t index = first; index <= last; index++) {
    lua_pushvalue(L, index);
    if (L != running) lua_xmove(L, running, 1);
  }
  int status = call_protected(running, count + 1);
  if (status == LUA_OK) runtime->pin_count++;
  return status;
}

typedef struct bundling {
  lull_runtime *runtime;
  const int64_t *ids;
  int32_t count;
  int64_t id;
} bundling;

// [-1, +0] values[id] and pins[id] = a list of the values of all IDs
static int bundle(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  bundling *context = lua_touserdata(L, 1);
  // The values are pushed first, because an allocation may collect values that only the weak table
  // holds.
  luaL_checkstack(L, context->count + 8, "too many values");
  for (int32_t i = 0; i < context->count; i++) {
    lull_values_push(context->runtime, L, context->ids[i]);
  }
  lua_createtable(L, context->count, 0);
  int list = lua_gettop(L);
  for (int32_t i = 0; i < context->count; i++) {
    lua_pushvalue(L, 2 + i);
    lua_rawseti(L, list, i + 1);
  }
  lull_registry_push(L, context->runtime->values);
  lua_pushvalue(L, list);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  lull_registry_push(L, context->runtime->pins);
  lua_pushvalue(L, list);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  return 0;
}

int32_t lull_value_bundle(
  lull_runtime *runtime, const int64_t *ids, int32_t count, int64_t id) {
  bundling context = {.runtime = runtime, .ids = ids, .count = count, .id = id};
  int status = lull_protect(runtime, bundle, &context);
  if (status == LUA_OK) runtime->pin_count++;
  return status;
}

typedef struct setting {
  lull_runtime *runtime;
  int64_t id;
  int64_t position;
} setting;

// [-2, +0] the value is the second argument
static int set_element(lua_State *L) {
  LULL_CALLED(L, 2, 0);
  setting *context = lua_touserdata(L, 1);
  lull_values_push(context->runtime, L, context->id);
  if (!lua_istable(L, -1)) return 0;
  lua_pushvalue(L, 2);
  lua_rawseti(L, -2, (lua_Integer)context->position);
  return 0;
}

// [-0, +0]
int32_t lull_value_set_element(
  lull_runtime *runtime, lua_State *L, int32_t index, int32_t exists, int64_t id, int64_t position) {
  LULL_EFFECT(L, 0, 0);
  lua_State *running = runtime->L;
  setting context = {.runtime = runtime, .id = id, .position = position};
  if (!lua_checkstack(L, 1) || !lua_checkstack(running, 8)) return LUA_ERRMEM;
  lua_pushcfunction(running, set_element);
  lua_pushlightuserdata(running, &context);
  if (exists) {
    lua_pushvalue(L, index);
    if (L != running) lua_xmove(L, running, 1);
  } else {
    lua_pushnil(running);
  }
  return call_protected(running, 2);
}

// [-1, +0] Builds the tables first, so that they are on the stack while their anchor is created.
static int build_document(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  anchoring *context = lua_touserdata(L, 1);
  lull_push_document(context->runtime, L, context->document, context->id);
  attach_to_object(L, context);
  return 0;
}

int32_t lull_document_build(
  lull_runtime *runtime, const void *document, int64_t id, uint64_t handle, int64_t key) {
  anchoring context = {
    .runtime = runtime, .document = document, .id = id, .handle = handle, .key = key};
  // The replaced tables are released first, so that the collector does not traverse them again.
  lull_value_release_from_object(runtime, handle, key);
  return lull_protect(runtime, build_document, &context);
}

// [-1, +0]
static int pin_object(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  anchoring *context = lua_touserdata(L, 1);
  lull_registry_push(L, context->runtime->pinned_objects);
  lull_push_all(context->runtime, L, NULL, context->object, 1);
  // Not the requested handle, because the userdata may have got a new one.
  lull_object *object = lua_touserdata(L, -1);
  if (object == NULL) return luaL_error(L, "this object is closed");
  lua_rawseti(L, -2, lull_handle_slot(object->handle));
  return 0;
}

int32_t lull_object_pin(lull_runtime *runtime, const lull_value *object) {
  anchoring context = {.runtime = runtime, .object = object};
  int status = lull_protect(runtime, pin_object, &context);
  if (status == LUA_OK) runtime->pin_count++;
  return status;
}

// [-0, +0]
void lull_object_unpin(lull_runtime *runtime, uint64_t handle) {
  lua_State *L = runtime->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 3)) return;
  lull_registry_push(L, runtime->pinned_objects);
  int is_pinned = lua_rawgeti(L, -1, lull_handle_slot(handle)) != LUA_TNIL;
  lua_pop(L, 1);
  let_go(L, lull_handle_slot(handle));
  if (is_pinned) runtime->pin_count--;
}

