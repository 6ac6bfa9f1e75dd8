// The metatables of Lull objects: indexing, assignment and finalisation.
#include "calls/lull_objects.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_arguments.h"
#include "calls/lull_dispatch.h"
#include "values/lull_read.h"

// [-n, +1] __tostring, which also works for closed objects; upvalues: runtime, method index
static int object_tostring(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  const lull_method *method = &runtime->methods[lua_tointeger(L, lua_upvalueindex(2))];
  lull_check_open(runtime, L, method->name);
  if (lull_self_is(runtime, L, method)
    && ((const lull_object *)lua_touserdata(L, 1))->handle == 0) {
    lua_pushfstring(L, "%s(closed)", lull_kind_name(method->kind));
    return 1;
  }
  return LULL_COUNT(L, lull_trampoline(L));
}

// [-n, +1] __concat, with the object on either side; upvalues: runtime, method index
static int object_concat(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  lull_check_open(runtime, L, "concat");
  lua_settop(L, 2);
  int is_right = !lull_self_is(runtime, L, method);
  if (is_right) lua_insert(L, 1);
  lull_object *self = lull_self_check(runtime, L, method);
  // As for strings, numbers are converted to text.
  if (!lull_argument_fits(L, 2, 's') && !lua_isuserdata(L, 2)) {
    return luaL_error(L, "attempt to concatenate a %s value", luaL_typename(L, 2));
  }
  lua_pushboolean(L, is_right);
  return LULL_COUNT(L, lull_dispatch(runtime, L, index, self, 3, 1));
}

// [-n, +1] __eq, where the other object may be of another kind or closed; upvalues: runtime, method
// index
static int object_equal(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  int index = (int)lua_tointeger(L, lua_upvalueindex(2));
  const lull_method *method = &runtime->methods[index];
  lua_settop(L, 2);
  if (runtime->host == NULL || lull_userdata_kind(L, 1) != method->kind
    || lull_userdata_kind(L, 2) != method->kind
    || ((const lull_object *)lua_touserdata(L, 1))->handle == 0
    || ((const lull_object *)lua_touserdata(L, 2))->handle == 0) {
    lua_pushboolean(L, 0);
    return 1;
  }
  return LULL_COUNT(L, lull_dispatch(runtime, L, index, lua_touserdata(L, 1), 2, 1));
}

// [-0, +0] Raises the error for an unknown field, with a suggestion.
static int unknown_field(lull_runtime *runtime, lua_State *L, int kind) {
  LULL_EFFECT(L, 0, 0);
  const char *name = lull_kind_name(kind);
  if (lua_type(L, 2) != LUA_TSTRING) {
    return luaL_error(
      L, "%s %s has no field of type %s", lull_article(name), name, luaL_typename(L, 2));
  }
  const char *key = lua_tostring(L, 2);
  size_t mark = lull_arena_mark(runtime);
  const char *code = lull_host_suggest(runtime->host, kind, key);
  luaL_where(L, 1);
  lua_pushfstring(
    L, "%s %s has no field '%s'%s%s%s", lull_article(name), name, key, code ? " (did you mean '" : "",
    code ? code : "", code ? "'?)" : "");
  lull_arena_release(runtime, mark);
  lua_concat(L, 2);
  return lua_error(L);
}

// [-n, +1] __index; upvalues: runtime, fields, kind, index of the kind's own lookup or -1
static int object_index(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  lua_settop(L, 2);
  lua_pushvalue(L, 2);
  switch (lua_rawget(L, lua_upvalueindex(2))) {
    case LUA_TFUNCTION: return 1;
    case LUA_TNUMBER: {
      lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
      int index = (int)lua_tointeger(L, -1);
      lull_check_open(runtime, L, runtime->methods[index].name);
      lull_object *self = lull_self_check(runtime, L, &runtime->methods[index]);
      lua_settop(L, 1);
      return LULL_COUNT(L, lull_dispatch(runtime, L, index, self, 1, 1));
    }
    default: {
      lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
      int fallback = (int)lua_tointeger(L, lua_upvalueindex(4));
      lull_check_open(runtime, L, "index");
      lua_settop(L, 2);
      if (fallback < 0) return unknown_field(runtime, L, (int)lua_tointeger(L, lua_upvalueindex(3)));
      lull_object *self = lull_self_check(runtime, L, &runtime->methods[fallback]);
      return LULL_COUNT(L, lull_dispatch(runtime, L, fallback, self, 2, 1));
    }
  }
}

// [-n, +0] __newindex; upvalues: runtime, setters, kind, index of the kind's own assignment or -1,
// fields
static int object_newindex(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lull_check_open(runtime, L, "assignment");
  lua_settop(L, 3);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNUMBER) {
    int index = (int)lua_tointeger(L, -1);
    lua_pop(L, 1);
    lull_object *self = lull_self_check(runtime, L, &runtime->methods[index]);
    lua_remove(L, 2);
    return LULL_COUNT(L, lull_dispatch(runtime, L, index, self, 2, 1));
  }
  lua_pop(L, 1);
  int fallback = (int)lua_tointeger(L, lua_upvalueindex(4));
  if (fallback >= 0) {
    lull_object *self = lull_self_check(runtime, L, &runtime->methods[fallback]);
    return LULL_COUNT(L, lull_dispatch(runtime, L, fallback, self, 3, 1));
  }
  int kind = (int)lua_tointeger(L, lua_upvalueindex(3));
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(5)) != LUA_TNIL) {
    const char *name = lull_kind_name(kind);
    return luaL_error(
      L, "'%s' of %s %s is read-only", lua_tostring(L, 2), lull_article(name), name);
  }
  return unknown_field(runtime, L, kind);
}

// [-n, +0] __gc: queues the handle. Does not call into Swift, and may be called repeatedly.
static int object_gc(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  if (lull_userdata_kind(L, 1) == 0) return 0;
  lull_object *object = lua_touserdata(L, 1);
  if (object->handle != 0) {
    if (runtime->host != NULL) lull_queue_add(&runtime->swept, object->handle);
    object->handle = 0;
  }
  return 0;
}

// [-0, +0] Sets the closure of method `index` as a field of the table at the top.
void lull_set_closure(lua_State *L, const char *field, int index) {
  LULL_EFFECT(L, 0, 0);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushinteger(L, index);
  lua_CFunction function = strcmp(field, "__tostring") == 0 ? object_tostring
    : strcmp(field, "__concat") == 0                       ? object_concat
    : strcmp(field, "__eq") == 0                           ? object_equal
                                                           : lull_trampoline;
  lua_pushcclosure(L, function, 2);
  lua_setfield(L, -2, field);
}

// [-0, +0] Creates the metatable of every kind from the method table.
void lull_make_metatables(lull_runtime *runtime, lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  int methods[LULL_KIND_COUNT] = {0};
  int setters_of[LULL_KIND_COUNT] = {0};
  // The methods of a kind need not be contiguous, because extensions add functions of the module.
  int first[LULL_KIND_COUNT] = {0};
  int end[LULL_KIND_COUNT] = {0};
  for (int i = 0; i < runtime->method_count; i++) {
    const lull_method *method = &runtime->methods[i];
    (method->role == LULL_ROLE_SETTER ? setters_of : methods)[method->kind]++;
    if (end[method->kind] == 0) first[method->kind] = i;
    end[method->kind] = i + 1;
  }
  lull_registry_push(L, runtime->metatables);
  for (int kind = 1; kind < LULL_KIND_COUNT; kind++) {
    lua_createtable(L, 0, 8);
    int metatable = lua_gettop(L);
    runtime->metatable_of[kind] = lua_topointer(L, metatable);
    lua_pushinteger(L, kind);
    lua_rawsetp(L, metatable, &lull_kind_key);
    lua_pushstring(L, lull_kind_name(kind));
    lua_setfield(L, metatable, "__name");
    // Protected from changes by scripts.
    lua_pushboolean(L, 0);
    lua_setfield(L, metatable, "__metatable");
    lua_createtable(L, 0, methods[kind]);
    int fields = lua_gettop(L);
    lua_createtable(L, 0, setters_of[kind]);
    int setters = lua_gettop(L);
    int own_index = -1, own_newindex = -1;
    for (int i = first[kind]; i < end[kind]; i++) {
      const lull_method *method = &runtime->methods[i];
      if (method->kind != kind) continue;
      if (method->role == LULL_ROLE_GETTER) {
        lua_pushinteger(L, i);
        lua_setfield(L, fields, method->name);
      } else if (method->role == LULL_ROLE_SETTER) {
        lua_pushinteger(L, i);
        lua_setfield(L, setters, method->name);
      } else if (strcmp(method->name, "__index") == 0) {
        own_index = i;
      } else if (strcmp(method->name, "__newindex") == 0) {
        own_newindex = i;
      } else {
        lua_pushvalue(L, strncmp(method->name, "__", 2) == 0 ? metatable : fields);
        lull_set_closure(L, method->name, i);
        lua_pop(L, 1);
      }
    }
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lua_pushvalue(L, fields);
    lua_pushinteger(L, kind);
    lua_pushinteger(L, own_index);
    lua_pushcclosure(L, object_index, 4);
    lua_setfield(L, metatable, "__index");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lua_pushvalue(L, setters);
    lua_pushinteger(L, kind);
    lua_pushinteger(L, own_newindex);
    lua_pushvalue(L, fields);
    lua_pushcclosure(L, object_newindex, 5);
    lua_setfield(L, metatable, "__newindex");
    lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
    lua_pushcclosure(L, object_gc, 1);
    lua_setfield(L, metatable, "__gc");
    lua_settop(L, metatable);
    lua_rawseti(L, -2, kind);
  }
  lua_pop(L, 1);
}
