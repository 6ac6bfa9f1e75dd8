// The functions of `lull.list`: written in Lua, compiled when the first of them is called, and
// called through C functions, so that they look and fail like all other functions of the module.
#include "calls/lull_list.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_scripts.h"
#include "base/lull_stack.h"
#include "values/lull_stored.h"
#include "values/lull_protect.h"

static const char *const names[] = {
  "average", "count", "count_by", "entries", "filter", "first",  "flatten", "group_by", "join", "keys",
  "last",    "map",   "max",      "min",     "pick",   "reverse", "sort_by", "sum",     "unique", "values"};
enum { LULL_LIST_COUNT = sizeof(names) / sizeof(names[0]) };

// Indices of the values shared by the functions of one table.
enum {
  SHARED_FUNCTIONS = 1,  // the functions, once the source has run
  SHARED_PREFIX,         // the prefix of names in messages
  SHARED_HOOKS           // the functions called with results
};

static int call_function(lua_State *L);

// [-0, +0] Returns whether that level is one of these functions, or a function of the source.
static int is_own(lua_State *L, lua_Debug *info) {
  LULL_EFFECT(L, 0, 0);
  lua_getinfo(L, "Slf", info);
  int is_call = lua_tocfunction(L, -1) == call_function;
  lua_pop(L, 1);
  return is_call || strcmp(info->source, LULL_LIST_CHUNK) == 0;
}

// [-1, +0] Raises a message with the position of the caller of these functions.
static int raise_at_caller(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  lua_settop(L, 1);
  lua_Debug info;
  int level = 1;
  while (lua_getstack(L, level, &info)) {
    if (!is_own(L, &info)) {
      if (info.currentline > 0) {
        lua_pushfstring(L, "%s:%d: ", info.short_src, info.currentline);
        lua_insert(L, 1);
        lua_concat(L, 2);
      }
      break;
    }
    level++;
  }
  return lua_error(L);
}

// [-2, +0] Records the use of a field named by the caller: whether it exists, and names separated
// by NUL. The place is the Lua line that led to the call, through any C functions.
static int note_field(lua_State *L) {
  LULL_CALLED(L, 2, 0);
  size_t length;
  int is_there = lua_toboolean(L, 1);
  const char *words = luaL_checklstring(L, 2, &length);
  lull_runtime *runtime = lull_state_runtime(L);
  lua_Debug info;
  int has_place = 0;
  for (int level = 1; !has_place && lua_getstack(L, level, &info); level++) {
    has_place = !is_own(L, &info) && info.currentline > 0;
  }
  if (runtime && runtime->host) {
    lull_host_list_field(
      runtime->host, has_place ? info.short_src : "lull.list", has_place ? info.currentline : 0,
      is_there, words, length);
  }
  lua_settop(L, 0);
  return 0;
}

// [-1, +1] Pushes whether a null of that name may have been omitted from content.
static int is_omitted(lua_State *L) {
  LULL_CALLED(L, 1, 1);
  lua_pushboolean(L, lull_is_omitted_name(L, luaL_checkstring(L, 1)));
  lua_replace(L, 1);
  return 1;
}

// [-0, +1] Pushes the functions of the source, which is run first if needed; upvalue 1: the shared
// values.
static void push_functions(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  if (lua_rawgeti(L, lua_upvalueindex(1), SHARED_FUNCTIONS) == LUA_TTABLE) return;
  lua_pop(L, 1);
  size_t length;
  const char *text = lull_script_text(LULL_SCRIPT_LIST, &length);
  if (luaL_loadbufferx(L, text, length, LULL_LIST_CHUNK, "t") != LUA_OK) lua_error(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  // The module table.
  lua_getiuservalue(L, -1, 1);
  lua_remove(L, -2);
  lua_pushcfunction(L, raise_at_caller);
  lua_rawgeti(L, lua_upvalueindex(1), SHARED_PREFIX);
  lua_rawgeti(L, lua_upvalueindex(1), SHARED_HOOKS);
  lua_pushcfunction(L, note_field);
  lua_pushcfunction(L, is_omitted);
  lua_call(L, 6, 1);
  lua_pushvalue(L, -1);
  lua_rawseti(L, lua_upvalueindex(1), SHARED_FUNCTIONS);
}

// [-n, +m] The continuation of call_function: all values are results.
static int returned(lua_State *L, int status, lua_KContext context) {
  LULL_CALLED(L, LULL_N, LULL_M);
  (void)status;
  (void)context;
  return LULL_COUNT(L, lua_gettop(L));
}

// [-n, +m] upvalues: the shared values, the name
static int call_function(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  int count = lua_gettop(L);
  luaL_checkstack(L, 8, "too many arguments");
  push_functions(L);
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_rawget(L, -2);
  lua_replace(L, -2);
  lua_insert(L, 1);
  lua_callk(L, count, LUA_MULTRET, 0, returned);
  return LULL_COUNT(L, returned(L, LUA_OK, 0));
}

// [-2, +1] Pushes a table of these functions. At the top: the prefix of names in messages, and
// hooks or nil.
static void push_list(lua_State *L) {
  LULL_EFFECT(L, 2, 1);
  lua_createtable(L, SHARED_HOOKS, 0);
  lua_insert(L, -3);
  lua_rawseti(L, -3, SHARED_HOOKS);
  lua_rawseti(L, -2, SHARED_PREFIX);
  lua_createtable(L, 0, LULL_LIST_COUNT);
  for (int i = 0; i < LULL_LIST_COUNT; i++) {
    lua_pushvalue(L, -2);
    lua_pushstring(L, names[i]);
    lua_pushcclosure(L, call_function, 2);
    lua_setfield(L, -2, names[i]);
  }
  lua_remove(L, -2);
}

// [-0, +0] Sets `list` in the module table at the top.
void lull_list_open(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_pushliteral(L, "lull.list.");
  lua_pushnil(L);
  push_list(L);
  lua_setfield(L, -2, "list");
}

// [-n, +1] Returns a table of these functions, with names without prefix in messages; argument:
// hooks
static int make_bare(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lua_pushliteral(L, "");
  lua_insert(L, 1);
  push_list(L);
  return 1;
}

typedef struct making {
  lull_runtime *runtime;
  int64_t id;
} making;

// [-1, +0]
static int keep_maker(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  const making *context = lua_touserdata(L, 1);
  lua_pushcfunction(L, make_bare);
  lull_registry_push(L, context->runtime->values);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  lull_registry_push(L, context->runtime->pins);
  lua_pushvalue(L, -3);
  lua_rawseti(L, -2, (lua_Integer)context->id);
  context->runtime->pin_count++;
  return 0;
}

int32_t lull_list_keep_maker(lull_runtime *runtime, int64_t id) {
  making context = {.runtime = runtime, .id = id};
  return lull_protect(runtime, keep_maker, &context);
}
