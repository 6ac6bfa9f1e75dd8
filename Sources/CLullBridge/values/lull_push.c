// Pushes values from Swift onto a Lua stack.
#include "values/lull_push.h"

#include "base/lull_stack.h"
#include "values/lull_document.h"
#include "values/lull_integer.h"
#include "values/lull_stored.h"
#include "values/lull_readonly.h"
#include "values/lull_tables.h"

// Returns whether the value is a numbered string.
static int is_constant(const lull_value *value) {
  return value->aux > 0 && value->aux < LULL_CONSTANT_COUNT;
}

// Returns whether the value is a numbered string that was pushed before.
static int is_made_constant(const lull_runtime *runtime, const lull_value *value) {
  return is_constant(value) && runtime->constants[value->aux] != 0;
}

// [-0, +1 or +0] Pushes the value if that needs no allocation. Returns whether it was pushed.
// Never raises.
int lull_push_simple(lull_runtime *runtime, lua_State *L, const lull_value *value) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  switch (value->kind) {
    case LULL_NIL: lua_pushnil(L); return 1;
    case LULL_BOOLEAN: lua_pushboolean(L, value->integer != 0); return 1;
    case LULL_INTEGER: lua_pushinteger(L, (lua_Integer)value->integer); return 1;
    case LULL_NUMBER: lua_pushnumber(L, value->number); return 1;
    case LULL_NULL: lull_registry_push(L, runtime->null); return 1;
    case LULL_REF: lull_values_push(runtime, L, value->integer); return 1;
    case LULL_ELEMENT:
      lull_values_push(runtime, L, value->integer);
      if (lua_istable(L, -1)) {
        lua_rawgeti(L, -1, (lua_Integer)value->extra);
        lua_replace(L, -2);
      }
      return 1;
    case LULL_OBJECT: return lull_push_existing(runtime, L, value->handle);
    case LULL_STRING:
      if (!is_made_constant(runtime, value)) return 0;
      lull_registry_push(L, runtime->constants[value->aux]);
      return 1;
    default: return 0;
  }
}

// [-0, +1] Pushes a new userdata for a handle, with its service as user value, or nil if there is
// no such object; may raise (memory).
static void push_new_object(lull_runtime *runtime, lua_State *L, const lull_value *value) {
  LULL_EFFECT(L, 0, 1);
  // The value to hold is pushed first, because an allocation may collect a value that only the
  // weak table holds.
  lull_values_push(runtime, L, value->anchor);
  int anchored = lua_gettop(L), service = anchored + 1;
  if (value->extra != 0) {
    lull_value of = {.kind = LULL_OBJECT, .aux = LULL_KIND_SERVICE, .handle = value->extra};
    lull_push(runtime, L, NULL, &of);
  } else {
    lua_pushnil(L);
  }
  lull_object *object = lua_newuserdatauv(L, sizeof(lull_object), LULL_UV_COUNT);
  // A finaliser that ran in the meantime may have pushed the object. From here on none runs until
  // it is registered.
  if (lull_push_existing(runtime, L, value->handle)) {
    lua_replace(L, anchored);
    lua_settop(L, anchored);
    return;
  }
  object->handle = 0;
  object->kind = value->aux;
  object->answer_changes = 0;
  object->only_key = 0;
  lull_registry_push(L, runtime->metatables);
  lua_rawgeti(L, -1, value->aux);
  lua_setmetatable(L, -3);
  lua_pop(L, 1);
  // From here on the userdata releases the handle, even if an error is raised.
  object->handle = runtime->host ? lull_host_claim(runtime->host, value->handle) : 0;
  if (object->handle == 0) {
    lua_settop(L, anchored);
    lua_pushnil(L);
    lua_replace(L, anchored);
    return;
  }
  lua_pushvalue(L, service);
  lua_setiuservalue(L, -2, LULL_UV_SERVICE);
  if (value->anchor != 0) {
    lua_pushvalue(L, anchored);
    lua_setiuservalue(L, -2, LULL_UV_ANCHORS);
    object->only_key = value->anchor;
  }
  lull_registry_push(L, runtime->objects);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, lull_handle_slot(object->handle));
  lua_pop(L, 1);
  lua_replace(L, anchored);
  lua_settop(L, anchored);
}

// [-0, +1] Pushes any value; may raise (memory). `from` is the stack that LULL_STACK refers to.
void lull_push(lull_runtime *runtime, lua_State *L, lua_State *from, const lull_value *value) {
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 8, "too many values");
  if (lull_push_simple(runtime, L, value)) return;
  switch (value->kind) {
    case LULL_STRING:
      lua_pushlstring(L, value->pointer ? value->pointer : "", (size_t)value->extra);
      // A finaliser may have pushed the same string in the meantime.
      if (is_constant(value) && runtime->constants[value->aux] == 0) {
        lua_pushvalue(L, -1);
        runtime->constants[value->aux] = luaL_ref(L, LUA_REGISTRYINDEX);
      }
      return;
    case LULL_DIGITS: lull_push_integer(L, value->pointer, (size_t)value->extra); return;
    case LULL_OBJECT: push_new_object(runtime, L, value); return;
    case LULL_STACK:
      lua_pushvalue(from ? from : L, (int)value->integer);
      if (from && from != L) lua_xmove(from, L, 1);
      return;
    case LULL_JSON:
      lull_push_document(runtime, L, value->pointer, (int64_t)value->extra);
      return;
    case LULL_VIEW:
      // Swift holds the document during the call; the view gets its own share.
      lull_push_view(
        runtime, L, (struct csj_document *)value->pointer, (int64_t)value->extra);
      return;
    case LULL_LIST: {
      const lull_value *elements = value->pointer;
      lua_createtable(L, (int)value->extra, 0);
      for (uint64_t i = 0; i < value->extra; i++) {
        lull_push(runtime, L, from, &elements[i]);
        lua_rawseti(L, -2, (lua_Integer)i + 1);
      }
      return;
    }
    case LULL_MAP: {
      const lull_value *elements = value->pointer;
      lua_createtable(L, 0, (int)value->extra);
      for (uint64_t i = 0; i < value->extra; i++) {
        lull_push(runtime, L, from, &elements[2 * i]);
        lull_push(runtime, L, from, &elements[2 * i + 1]);
        lua_rawset(L, -3);
      }
      if (value->aux) lull_wrap_read_only(L);
      return;
    }
    case LULL_NEXT:
      lua_getglobal(L, "next");
      return;
    case LULL_METHOD: {
      lull_value object = {
        .kind = LULL_OBJECT, .aux = runtime->methods[value->aux].kind, .handle = value->handle,
        .extra = value->extra};
      lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
      lua_pushinteger(L, value->aux);
      lull_push(runtime, L, from, &object);
      lua_pushcclosure(L, runtime->bound_method, 3);
      return;
    }
    default: lua_pushnil(L); return;
  }
}

// Records the handles among values that are about to be pushed. If pushing raises an error, the
// record remains, and Swift releases the handles that were not pushed. Without memory for the
// record, a handle may remain until the state closes.
static void promise(lull_runtime *runtime, const lull_value *values, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    const lull_value *value = &values[i];
    switch (value->kind) {
      case LULL_SPREAD:
      case LULL_LIST: promise(runtime, value->pointer, value->extra); break;
      case LULL_MAP: promise(runtime, value->pointer, 2 * value->extra); break;
      case LULL_OBJECT:
      case LULL_METHOD:
        lull_queue_add(&runtime->promised, value->handle);
        if (value->extra != 0) lull_queue_add(&runtime->promised, value->extra);
        break;
      default: break;
    }
  }
}

// [-0, +m] Pushes all values, with packed tables unpacked, and returns their number. May raise
// (memory).
int lull_push_all(
  lull_runtime *runtime, lua_State *L, lua_State *from, const lull_value *values, int32_t count) {
  LULL_EFFECT(L, 0, LULL_M);
  size_t first_promise = runtime->promised.count;
  promise(runtime, values, (uint64_t)count);
  size_t end_of_promises = runtime->promised.count;
  uint64_t takes = runtime->promised_takes;
  int pushed = 0;
  for (int32_t i = 0; i < count; i++) {
    if (values[i].kind == LULL_UNPACK) {
      lull_values_push(runtime, L, values[i].integer);
      if (!lua_istable(L, -1)) {
        lua_pop(L, 1);
        continue;
      }
      int table = lua_gettop(L);
      lua_getfield(L, table, "n");
      int length = (int)lua_tointeger(L, -1);
      lua_pop(L, 1);
      luaL_checkstack(L, length, "too many results");
      for (int k = 1; k <= length; k++) lua_rawgeti(L, table, k);
      lua_remove(L, table);
      pushed += length;
    } else if (values[i].kind == LULL_SPREAD) {
      const lull_value *several = values[i].pointer;
      for (uint64_t k = 0; k < values[i].extra; k++) lull_push(runtime, L, from, &several[k]);
      pushed += (int)values[i].extra;
    } else {
      lull_push(runtime, L, from, &values[i]);
      pushed++;
    }
  }
  // A finaliser that runs the loop, which can't always be prevented, has already released them.
  if (runtime->promised_takes == takes) {
    // They are followed by those of finalisers that failed in the meantime.
    lull_queue_remove(&runtime->promised, first_promise, end_of_promises);
  }
  return LULL_COUNT(L, pushed);
}
