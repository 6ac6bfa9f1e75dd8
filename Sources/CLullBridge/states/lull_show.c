// Support for showing values to users: their own text, and the names of Lull functions. Nothing
// here raises. Script code runs only in `__tostring` and `__name`.
#include <string.h>

#include "base/lull_stack.h"
#include "calls/lull_dispatch.h"
#include "ending/lull_interrupt.h"
#include "values/lull_document.h"
#include "values/lull_stored.h"
#include "values/lull_marks.h"

typedef struct showing {
  lull_runtime *runtime;
  const char *text;
  size_t length;
} showing;

// [-0, +0] Copies the string at the top into the arena.
static void keep_text(lua_State *L, showing *context) {
  LULL_EFFECT(L, 0, 0);
  size_t length;
  const char *text = lua_tolstring(L, -1, &length);
  char *copy = text ? lull_arena_allocate(context->runtime, length + 1) : NULL;
  if (copy == NULL) return;
  memcpy(copy, text, length);
  copy[length] = 0;
  context->text = copy;
  context->length = length;
}

// [-2, +0] value, context
static int own_text(lua_State *L) {
  LULL_CALLED(L, 2, 0);
  showing *context = lua_touserdata(L, 2);
  luaL_tolstring(L, 1, NULL);
  keep_text(L, context);
  return 0;
}

// [-0, +0]
const char *lull_text_of(lull_runtime *runtime, lua_State *L, int32_t index, size_t *length) {
  LULL_EFFECT(L, 0, 0);
  showing context = {.runtime = runtime, .text = NULL, .length = 0};
  *length = 0;
  // After an interruption no script code is called.
  if (lull_signals_pending() || runtime->passed_limit != LULL_LIMIT_NONE) return NULL;
  if (!lua_checkstack(L, 8)) return NULL;
  index = lua_absindex(L, index);
  lua_pushcfunction(L, own_text);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, &context);
  const char *previous = runtime->answer_now;
  lua_State *running = runtime->L;
  runtime->answer_now = "__tostring";
  runtime->L = L;
  runtime->depth++;
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) lua_pop(L, 1);
  runtime->depth--;
  runtime->L = running;
  runtime->answer_now = previous;
  // A coroutine that has ended returns to the pool, so its interruption must not affect the next
  // run.
  if (runtime->depth == 0 || L != running) lull_interrupt_rest(runtime, L);
  *length = context.length;
  return context.text;
}

// [-0, +0] Returns whether the script has set a metamethod with that name, without calling
// anything.
int32_t lull_has_metafield(lua_State *L, int32_t index, const char *name) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 4) || lull_is_plain_object(L, index)) return 0;
  if (!lua_getmetatable(L, index)) return 0;
  lua_pushstring(L, name);
  int found = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return found;
}

// [-0, +0]
int64_t lull_length(lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  return (int64_t)lua_rawlen(L, index);
}

// [-0, +1]
void lull_push_element(lua_State *L, int32_t table, int64_t position, lull_value *value) {
  LULL_EFFECT(L, 0, 1);
  lua_rawgeti(L, table, (lua_Integer)position);
  lull_read(L, -1, value);
}

// [-n, +0]
void lull_pop(lua_State *L, int32_t count) {
  LULL_EFFECT(L, count, 0);
  lua_pop(L, count);
}

// [-0, +1 or +0]
int32_t lull_push_kept(lull_runtime *runtime, lua_State *L, int64_t id) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (!lua_checkstack(L, 8)) return 0;
  lull_values_push(runtime, L, id);
  return 1;
}

// [-0, +0]
int32_t lull_is_json_array(lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  return lua_checkstack(L, 6) && lull_is_array(L, index);
}

// [-0, +0]
struct csj_document *lull_document_at(lua_State *L, int32_t index, uint64_t *place) {
  const struct csj_document *document;
  size_t found;
  if (!lua_checkstack(L, 4) || !lull_view_at(L, index, &document, &found)) return NULL;
  *place = found;
  // Sharing changes only its number of owners.
  return (struct csj_document *)document;
}

// [-0, +0]
int32_t lull_function_method(lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  lua_CFunction function = lua_tocfunction(L, index);
  if ((function != lull_trampoline && function != lull_bound_trampoline) || !lua_checkstack(L, 1)) {
    return -1;
  }
  if (lua_getupvalue(L, index, 2) == NULL) return -1;
  int32_t method = (int32_t)lua_tointeger(L, -1);
  lua_pop(L, 1);
  return method;
}

// [-0, +0]
int32_t lull_bound_object(lua_State *L, int32_t index, lull_value *object) {
  LULL_EFFECT(L, 0, 0);
  if (lua_tocfunction(L, index) != lull_bound_trampoline) return 0;
  if (lua_getupvalue(L, index, 3) == NULL) return 0;
  lull_read(L, -1, object);
  lua_pop(L, 1);
  return object->kind == LULL_OBJECT;
}

// [-0, +0] Returns the name of the value at `index` in the table at the top, or NULL. The name is
// valid while the table holds it.
static const char *name_in_table(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  int table = lua_gettop(L);
  lua_pushnil(L);
  while (lua_next(L, table)) {
    if (lua_type(L, -2) == LUA_TSTRING && lua_rawequal(L, -1, index)) {
      const char *name = lua_tostring(L, -2);
      lua_settop(L, table);
      return name;
    }
    lua_pop(L, 1);
  }
  return NULL;
}

// [-2, +0] value, context: copies a name such as "lull.json.encode", if there is one
static int module_name(lua_State *L) {
  LULL_CALLED(L, 2, 0);
  showing *context = lua_touserdata(L, 2);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "lull") != LUA_TTABLE) return 0;
  int module = lua_gettop(L);
  const char *name = lua_rawequal(L, module, 1) ? "" : name_in_table(L, 1);
  if (name) {
    lua_pushfstring(L, name[0] ? "lull.%s" : "lull", name);
    keep_text(L, context);
    return 0;
  }
  lua_pushnil(L);
  while (lua_next(L, module)) {
    if (lua_istable(L, -1) && lua_type(L, -2) == LUA_TSTRING && (name = name_in_table(L, 1))) {
      lua_pushfstring(L, "lull.%s.%s", lua_tostring(L, -2), name);
      keep_text(L, context);
      return 0;
    }
    lua_pop(L, 1);
  }
  return 0;
}

// [-0, +0]
const char *lull_module_name(lull_runtime *runtime, lua_State *L, int32_t index) {
  LULL_EFFECT(L, 0, 0);
  showing context = {.runtime = runtime, .text = NULL, .length = 0};
  if (!lua_checkstack(L, 8)) return NULL;
  index = lua_absindex(L, index);
  lua_pushcfunction(L, module_name);
  lua_pushvalue(L, index);
  lua_pushlightuserdata(L, &context);
  if (lua_pcall(L, 2, 0, 0) != LUA_OK) lua_pop(L, 1);
  return context.text;
}
