// The command's preparations in a state before a script runs: its arguments, its modules, and
// os.exit.
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "calls/lull_dispatch.h"
#include "values/lull_protect.h"

typedef struct wording {
  const char *words;
  int32_t count;
  int32_t first;
  const char *path;
  const char *cpath;
} wording;

// [-1, +0]
static int set_arg(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  wording *context = lua_touserdata(L, 1);
  lua_createtable(L, context->count, 1);
  const char *word = context->words;
  for (int32_t i = 0; i < context->count; i++, word += strlen(word) + 1) {
    lua_pushstring(L, word);
    lua_rawseti(L, -2, context->first + i);
  }
  lua_setglobal(L, "arg");
  return 0;
}

// [-0, +0]
int32_t lull_set_arg(lua_State *L, const char *words, int32_t count, int32_t first) {
  LULL_EFFECT(L, 0, 0);
  wording context = {.words = words, .count = count, .first = first};
  lua_pushcfunction(L, set_arg);
  lua_pushlightuserdata(L, &context);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// [-0, +0] Prepends `templates` to the string in package[field].
static void prepend(lua_State *L, const char *field, const char *templates) {
  LULL_EFFECT(L, 0, 0);
  lua_getfield(L, -1, field);
  const char *known = lua_tostring(L, -1);
  lua_pushfstring(L, "%s;%s", templates, known ? known : "");
  lua_setfield(L, -3, field);
  lua_pop(L, 1);
}

// [-1, +0]
static int prepend_path(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  wording *context = lua_touserdata(L, 1);
  if (lua_getglobal(L, "package") != LUA_TTABLE) return 0;
  prepend(L, "path", context->path);
  prepend(L, "cpath", context->cpath);
  return 0;
}

// [-0, +0]
int32_t lull_prepend_path(lua_State *L, const char *path, const char *cpath) {
  LULL_EFFECT(L, 0, 0);
  wording context = {.path = path, .cpath = cpath};
  lua_pushcfunction(L, prepend_path);
  lua_pushlightuserdata(L, &context);
  if (lua_pcall(L, 1, 0, 0) == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// [-1, +0]
static int replace_exit(lua_State *L) {
  LULL_CALLED(L, 1, 0);
  lull_runtime *runtime = lua_touserdata(L, 1);
  if (lua_getglobal(L, "os") != LUA_TTABLE) return 0;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushinteger(L, runtime->exit_method);
  lua_pushcclosure(L, lull_trampoline, 2);
  lua_setfield(L, -2, "exit");
  return 0;
}

int32_t lull_replace_exit(lull_runtime *runtime, int32_t method) {
  runtime->exit_method = method;
  return lull_protect(runtime, replace_exit, runtime);
}
