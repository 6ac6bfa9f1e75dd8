// JSON text from tables and documents, and back. The module's `json` table.
#include "json/lull_json.h"

#include <csj_writer.h>
#include <lull_ledger.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_limit.h"
#include "ending/lull_memory.h"
#include "json/lull_equal.h"
#include "json/lull_pointer.h"
#include "values/lull_document.h"
#include "values/lull_marks.h"
#include "values/lull_tables.h"

// --- Encoding: uses only calls that neither raise nor allocate in Lua, so Swift may call it ---

// A text that is longer serves nobody; one table that is at many places can make it.
enum { LULL_LARGEST_JSON = 1 << 30 };

typedef struct writer {
  lua_State *L;
  csj_writer text;
  int failed;
  char *problem;
  size_t problem_size;
  char path[160];
  size_t path_length;
  lull_json_secret *secrets;
  size_t secret_count;
} writer;

static void fail(writer *w, const char *text) {
  if (w->failed) return;
  w->failed = 1;
  snprintf(
    w->problem, w->problem_size, "%s at %s", text, w->path_length ? w->path : "the top level");
}

// Whether nothing has gone wrong. What has, in the text, is told once.
static int is_fine(writer *w) {
  if (w->failed || w->text.problem == CSJ_WRITER_FINE) return !w->failed;
  switch (w->text.problem) {
    case CSJ_WRITER_INVALID_UTF8: fail(w, "a string is not valid UTF-8"); break;
    case CSJ_WRITER_TOO_DEEP: fail(w, "tables nest too deeply, or in a cycle,"); break;
    case CSJ_WRITER_TOO_LARGE:
      snprintf(w->problem, w->problem_size, "the text would be larger than 1 GB");
      break;
    default: snprintf(w->problem, w->problem_size, "not enough memory");
  }
  w->failed = 1;
  return 0;
}

// Extends the path of the value being written; returns the length to go back to.
static size_t enter(writer *w, const char *separator, const char *name, size_t length) {
  size_t before = w->path_length;
  int written = snprintf(
    w->path + before, sizeof(w->path) - before, "%s%.*s", separator, (int)(length > 60 ? 60 : length),
    name);
  if (written > 0) w->path_length += (size_t)written;
  if (w->path_length >= sizeof(w->path)) w->path_length = sizeof(w->path) - 1;
  return before;
}

static void leave(writer *w, size_t before) {
  if (!is_fine(w)) return;
  w->path_length = before;
  w->path[before] = 0;
}

static void write_value(writer *w, int index);

// [-0, +0] whether the table's keys are 1…n, with n in `length`
static int is_sequence(lua_State *L, int index, size_t *length) {
  LULL_EFFECT(L, 0, 0);
  size_t count = 0;
  *length = lua_rawlen(L, index);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    lua_pop(L, 1);
    if (!lua_isinteger(L, -1) || lua_tointeger(L, -1) < 1
      || (lua_Unsigned)lua_tointeger(L, -1) > *length) {
      lua_pop(L, 1);
      return 0;
    }
    count++;
  }
  return count == *length;
}

// [-0, +0]
static void write_array(writer *w, int index, size_t length) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  csj_write_begin(&w->text, '[');
  for (size_t i = 1; i <= length && is_fine(w); i++) {
    char position[24];
    int size = snprintf(position, sizeof(position), "[%zu]", i);
    size_t before = enter(w, "", position, (size_t)size);
    lua_rawgeti(L, index, (lua_Integer)i);
    write_value(w, lua_gettop(L));
    lua_pop(L, 1);
    leave(w, before);
  }
  csj_write_end(&w->text, ']');
}

// [-0, +0] whether the table also has the integer that is written like that key
static int has_integer(const writer *w, int index, const char *key, size_t length) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  char number[32];
  if (length == 0 || length >= sizeof(number) || (*key != '-' && (*key < '0' || *key > '9'))) {
    return 0;
  }
  // A number needs no memory.
  if (lua_stringtonumber(L, key) != length + 1) return 0;
  int same = 0;
  if (lua_isinteger(L, -1)) {
    lua_Integer integer = lua_tointeger(L, -1);
    snprintf(number, sizeof(number), LUA_INTEGER_FMT, integer);
    if (strcmp(number, key) == 0) {
      same = lua_rawgeti(L, index, integer) != LUA_TNIL;
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
  return same;
}

// [-0, +0]
static void write_object(writer *w, int index) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  int top = lua_gettop(L);
  csj_write_begin(&w->text, '{');
  lua_pushnil(L);
  while (is_fine(w) && lua_next(L, index)) {
    char number[32];
    const char *key;
    size_t length;
    if (lua_type(L, -2) == LUA_TSTRING) {
      key = lua_tolstring(L, -2, &length);
    } else if (lua_isinteger(L, -2)) {
      length = (size_t)snprintf(number, sizeof(number), LUA_INTEGER_FMT, lua_tointeger(L, -2));
      key = number;
    } else {
      fail(w, "a key is neither a string nor an integer");
      break;
    }
    size_t before = enter(w, w->path_length ? "." : "", key, length);
    if (key != number && has_integer(w, index, key, length)) {
      fail(w, "an integer and a string are the same key");
    }
    csj_write_key(&w->text, key, length, 0);
    write_value(w, lua_gettop(L));
    lua_pop(L, 1);
    leave(w, before);
  }
  // A failure leaves the key of the entry it stopped at.
  lua_settop(L, top);
  csj_write_end(&w->text, '}');
}

// The mask of a secret as a string, and a note of where it stands.
static void write_secret(writer *w, uint64_t handle) {
  lull_runtime *runtime = lull_state_runtime(w->L);
  if (runtime == NULL || runtime->host == NULL) {
    fail(w, "lull is closed");
    return;
  }
  size_t mark = lull_arena_mark(runtime);
  size_t length = 0;
  const char *mask = lull_host_secret_mask(runtime->host, handle, &length);
  lull_json_secret *more = realloc(w->secrets, (w->secret_count + 1) * sizeof(*more));
  if (more) w->secrets = more;
  if (mask == NULL || more == NULL) {
    fail(w, mask ? "not enough memory" : "a Secret is closed");
  } else {
    size_t start = csj_write_string(&w->text, mask, length, 0);
    if (is_fine(w)) {
      w->secrets[w->secret_count++] =
        (lull_json_secret){.start = start, .end = w->text.length - 1, .handle = handle};
    }
  }
  lull_arena_release(runtime, mark);
}

// [-0, +0]
static void write_value(writer *w, int index) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  if (!is_fine(w)) return;
  lull_value value;
  lull_read(L, index, &value);
  switch (value.kind) {
    case LULL_NIL: fail(w, "there is a nil"); return;
    case LULL_NULL: csj_write_null(&w->text); return;
    case LULL_BOOLEAN: csj_write_bool(&w->text, value.integer != 0); return;
    case LULL_INTEGER: csj_write_int(&w->text, value.integer); return;
    case LULL_NUMBER:
      if (isfinite(value.number)) csj_write_double(&w->text, value.number);
      else fail(w, "a number is not finite");
      return;
    case LULL_STRING:
      csj_write_string(&w->text, value.pointer, (size_t)value.extra, 0);
      return;
    case LULL_TABLE: {
      // A cycle of tables nests without end.
      if (!csj_writer_can_nest(&w->text)) return;
      if (!lua_checkstack(L, 8)) {
        fail(w, "the Lua stack is full");
        return;
      }
      size_t length;
      int sequence = is_sequence(L, index, &length);
      if (lull_is_array(L, index) || (sequence && length > 0)) {
        if (!sequence) {
          fail(w, "an array has keys that are not 1, 2, 3, …");
          return;
        }
        write_array(w, index, length);
      } else {
        write_object(w, index);
      }
      return;
    }
    default: {
      const struct csj_document *document;
      size_t place;
      if (lull_view_at(L, index, &document, &place)) {
        csj_write_value(&w->text, csj_document_view(document), place, NULL, NULL);
        return;
      }
      if (value.kind == LULL_OBJECT && value.aux == LULL_KIND_SECRET) {
        write_secret(w, value.handle);
        return;
      }
      char text[64];
      snprintf(text, sizeof(text), "a %s has no JSON form", luaL_typename(L, index));
      fail(w, text);
    }
  }
}

// [-0, +0]
int32_t lull_json_encode(lua_State *L, int32_t index, int32_t pretty, lull_json_result *result) {
  LULL_EFFECT(L, 0, 0);
  lull_runtime *runtime = lull_state_runtime(L);
  writer w = {.L = L, .problem = result->problem, .problem_size = sizeof(result->problem)};
  w.text = csj_writer_make(
    pretty, CSJ_PRINTF_DIGITS, LULL_LARGEST_JSON, runtime ? lull_memory_room(runtime) : SIZE_MAX);
  result->problem[0] = 0;
  if (!lua_checkstack(L, 16)) {
    fail(&w, "the Lua stack is full");
  } else {
    write_value(&w, lua_absindex(L, index));
  }
  int failed = !is_fine(&w);
  result->lacks_room = w.text.problem == CSJ_WRITER_NO_ROOM;
  result->secrets = NULL;
  result->secret_count = 0;
  if (failed) {
    csj_writer_release(&w.text);
    free(w.secrets);
    result->bytes = NULL;
    result->length = 0;
    return 1;
  }
  result->secrets = w.secrets;
  result->secret_count = w.secret_count;
  result->bytes = csj_writer_take(&w.text, &result->length);
  return 0;
}

// [-0, +0] raises unless the options table at `index` holds nothing but `pretty`
static int wants_pretty(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (lua_isnoneornil(L, index)) return 0;
  luaL_checktype(L, index, LUA_TTABLE);
  lua_pushnil(L);
  while (lua_next(L, index)) {
    if (lua_type(L, -2) != LUA_TSTRING || strcmp(lua_tostring(L, -2), "pretty") != 0) {
      lua_pushvalue(L, -2);
      luaL_error(L, "unknown setting '%s' (did you mean 'pretty'?)", luaL_tolstring(L, -1, NULL));
    }
    lua_pop(L, 1);
  }
  lua_getfield(L, index, "pretty");
  int pretty = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return pretty;
}

// [-n, +1] lull.json.encode(value [, options])
static int json_encode(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checkany(L, 1);
  lua_settop(L, 2);
  int pretty = wants_pretty(L, 2);
  // Owned by a userdata while it becomes a string, which may raise.
  char **owner = lua_newuserdatauv(L, sizeof(*owner), 0);
  *owner = NULL;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_setmetatable(L, -2);
  lull_json_result result;
  int status = lull_json_encode(L, 1, pretty, &result);
  if (status != 0 && result.lacks_room) {
    lull_runtime *runtime = lull_state_runtime(L);
    lua_gc(L, LUA_GCCOLLECT);
    lull_memory_check(runtime);
    status = lull_json_encode(L, 1, pretty, &result);
    if (status != 0 && result.lacks_room) lull_limit_pass(runtime, LULL_LIMIT_MEMORY);
  }
  if (status != 0) {
    return luaL_error(L, "cannot encode as JSON: %s", result.problem);
  }
  free(result.secrets);
  *owner = result.bytes;
  lua_pushlstring(L, result.bytes, result.length);
  *owner = NULL;
  free(result.bytes);
  return 1;
}

// [-n, +1 or +2] lull.json.decode(text): the value, or nil and what is wrong
static int json_decode(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 1, 2);
  size_t length;
  const char *text = luaL_checklstring(L, 1, &length);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  // Owned by a userdata while tables are built, which may raise.
  struct csj_document **owner = lua_newuserdatauv(L, sizeof(*owner), 0);
  *owner = NULL;
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_setmetatable(L, -2);
  csj_error error;
  // About what a document takes while it is made.
  if (!lull_ledger_may(8 * length)) lua_gc(L, LUA_GCCOLLECT);
  *owner = csj_parse((const uint8_t *)text, length, &error);
  if (*owner == NULL) {
    lull_memory_settle(runtime);
    lua_pushnil(L);
    if (error.offset >= 0) {
      lua_pushfstring(L, "%s (at byte %d)", error.message, (int)error.offset + 1);
    } else {
      lua_pushstring(L, error.message);
    }
    return 2;
  }
  lull_push_json(L, runtime, *owner, CSJ_ROOT);
  csj_free(*owner);
  *owner = NULL;
  return 1;
}

// [-n, +0]
static int owner_gc(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  struct csj_document **owner = lua_touserdata(L, 1);
  if (owner && *owner) {
    csj_free(*owner);
    *owner = NULL;
  }
  return 0;
}

// [-n, +0]
static int text_gc(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  char **owner = lua_touserdata(L, 1);
  if (owner) {
    free(*owner);
    *owner = NULL;
  }
  return 0;
}

// [-n, +1] lull.json.type(value): what it is in JSON, as `encode` has it; nil for what has no form there.
// Tables are looked at, not into.
static int json_type(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checkany(L, 1);
  lua_settop(L, 1);
  lull_value value;
  lull_read(L, 1, &value);
  const char *name = NULL;
  switch (value.kind) {
    case LULL_NULL: name = "null"; break;
    case LULL_BOOLEAN: name = "boolean"; break;
    case LULL_INTEGER: name = "number"; break;
    case LULL_NUMBER: name = isfinite(value.number) ? "number" : NULL; break;
    case LULL_STRING: name = "string"; break;
    case LULL_TABLE: {
      size_t length;
      int sequence = is_sequence(L, 1, &length);
      name = lull_is_array(L, 1) || (sequence && length > 0) ? "array" : "object";
      break;
    }
    default: {
      const struct csj_document *document;
      size_t place;
      if (lull_view_at(L, 1, &document, &place)) {
        name = csj_type_at(csj_document_view(document), place) == CSJ_ARRAY ? "array" : "object";
      }
    }
  }
  lua_pushstring(L, name);
  return 1;
}

// [-n, +1] lull.array(table): marks it as a JSON array
static int array(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lull_push_array_metatable(L);
  lua_setmetatable(L, 1);
  return 1;
}

// [-0, +0] fills `json` and `array` of the module table at the top
void lull_open_json(lua_State *L, lull_runtime *runtime) {
  LULL_EFFECT(L, 0, 0);
  (void)runtime;
  static const luaL_Reg comparing[] = {
    {"at", lull_json_at}, {"equal", lull_json_equal}, {"type", json_type}, {NULL, NULL}};
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, text_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushcclosure(L, json_encode, 1);
  lua_setfield(L, -2, "encode");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, owner_gc);
  lua_setfield(L, -2, "__gc");
  lua_pushcclosure(L, json_decode, 2);
  lua_setfield(L, -2, "decode");
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  luaL_setfuncs(L, comparing, 1);
  lull_open_documents(L, lull_json_equal);
  lua_setfield(L, -2, "json");
  lua_pushcfunction(L, array);
  lua_setfield(L, -2, "array");
}
