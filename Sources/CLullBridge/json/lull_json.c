// JSON text from tables and documents, and back. The module's `json` table.
#include "json/lull_json.h"

#include <lull_ledger.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lull_keys.h"
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
  size_t room;  // what the script's limit leaves for the text
  int lacks_room;
  char *bytes;
  size_t length;
  size_t capacity;
  int failed;
  int pretty;
  int depth;
  char *problem;
  size_t problem_size;
  char path[160];
  size_t path_length;
  lull_json_secret *secrets;
  size_t secret_count;
} writer;

static void write_bytes(writer *w, const char *bytes, size_t length) {
  if (w->failed) return;
  if (w->length + length > w->capacity) {
    size_t capacity = w->capacity ? w->capacity * 2 : 256;
    while (capacity < w->length + length) capacity *= 2;
    if (w->length + length > LULL_LARGEST_JSON) {
      w->failed = 1;
      snprintf(w->problem, w->problem_size, "the text would be larger than 1 GB");
      return;
    }
    w->lacks_room = capacity > w->room;
    char *larger = w->lacks_room ? NULL : realloc(w->bytes, capacity);
    if (larger == NULL) {
      w->failed = 1;
      snprintf(w->problem, w->problem_size, "not enough memory");
      return;
    }
    w->bytes = larger;
    w->capacity = capacity;
  }
  memcpy(w->bytes + w->length, bytes, length);
  w->length += length;
}

static void fail(writer *w, const char *text) {
  if (w->failed) return;
  w->failed = 1;
  snprintf(
    w->problem, w->problem_size, "%s at %s", text, w->path_length ? w->path : "the top level");
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
  if (w->failed) return;
  w->path_length = before;
  w->path[before] = 0;
}

// The length of the well-formed UTF-8 sequence at `text`, 0 if there is none (RFC 3629, section 4).
static size_t utf8_sequence(const unsigned char *text, size_t left) {
  unsigned char first = text[0];
  if (first < 0x80) return 1;
  size_t length = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3
    : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
  if (length == 0 || left < length) return 0;
  for (size_t i = 1; i < length; i++) {
    if ((text[i] & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && text[1] < 0xA0) return 0;
  if (first == 0xED && text[1] > 0x9F) return 0;
  if (first == 0xF0 && text[1] < 0x90) return 0;
  if (first == 0xF4 && text[1] > 0x8F) return 0;
  return length;
}

static void write_string(writer *w, const char *text, size_t length) {
  write_bytes(w, "\"", 1);
  size_t start = 0;
  for (size_t i = 0; i < length;) {
    unsigned char c = (unsigned char)text[i];
    size_t sequence = utf8_sequence((const unsigned char *)text + i, length - i);
    if (sequence == 0) {
      fail(w, "a string is not valid UTF-8");
      return;
    }
    if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f) {
      i += sequence;
      continue;
    }
    write_bytes(w, text + start, i - start);
    char escape[8];
    switch (c) {
      case '"': write_bytes(w, "\\\"", 2); break;
      case '\\': write_bytes(w, "\\\\", 2); break;
      case '\b': write_bytes(w, "\\b", 2); break;
      case '\f': write_bytes(w, "\\f", 2); break;
      case '\n': write_bytes(w, "\\n", 2); break;
      case '\r': write_bytes(w, "\\r", 2); break;
      case '\t': write_bytes(w, "\\t", 2); break;
      case 0x7f: write_bytes(w, "\x7f", 1); break;
      default:
        snprintf(escape, sizeof(escape), "\\u%04x", c);
        write_bytes(w, escape, 6);
    }
    start = ++i;
  }
  write_bytes(w, text + start, length - start);
  write_bytes(w, "\"", 1);
}

static void write_number(writer *w, double number) {
  if (isnan(number) || isinf(number)) {
    fail(w, "a number is not finite");
    return;
  }
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, number);
    if (strtod(text, NULL) == number) break;
  }
  // The decimal point of the C locale, whatever the script has set.
  int is_float = 0;
  for (char *c = text; *c; c++) {
    if (*c == ',') *c = '.';
    if (*c == '.' || *c == 'e') is_float = 1;
  }
  write_bytes(w, text, strlen(text));
  if (!is_float) write_bytes(w, ".0", 2);
}

static void write_integer(writer *w, int64_t number) {
  char text[32];
  int size = snprintf(text, sizeof(text), "%lld", (long long)number);
  write_bytes(w, text, (size_t)size);
}

static void new_line(writer *w) {
  if (!w->pretty) return;
  write_bytes(w, "\n", 1);
  for (int i = 0; i < w->depth; i++) write_bytes(w, "  ", 2);
}

// Whether one level more is allowed; else that fails. A cycle of tables nests without end, and what is
// nested deeper could not be read back.
static int can_nest(writer *w) {
  if (w->depth < CSJ_MAX_DEPTH) return 1;
  fail(w, "tables nest too deeply, or in a cycle,");
  return 0;
}

static void write_value(writer *w, int index);

// Straight from the tape: each key once, at its first place, with its last value.
static void write_tape(writer *w, csj_view view, size_t index) {
  if (w->failed) return;
  switch (csj_type_at(view, index)) {
    case CSJ_NULL: write_bytes(w, "null", 4); return;
    case CSJ_FALSE: write_bytes(w, "false", 5); return;
    case CSJ_TRUE: write_bytes(w, "true", 4); return;
    case CSJ_INT: write_integer(w, csj_int_at(view, index)); return;
    case CSJ_DOUBLE: write_number(w, csj_double_at(view, index)); return;
    case CSJ_STRING: {
      size_t length;
      const char *text = csj_string_at(view, index, &length);
      write_string(w, text, length);
      return;
    }
    case CSJ_ARRAY: {
      if (!can_nest(w)) return;
      write_bytes(w, "[", 1);
      w->depth++;
      size_t first = csj_first(view, index), end = csj_end(view, index);
      for (size_t element = first; element < end; element = csj_after(view, element)) {
        if (element > first) write_bytes(w, ",", 1);
        new_line(w);
        write_tape(w, view, element);
      }
      w->depth--;
      if (first < end) new_line(w);
      write_bytes(w, "]", 1);
      return;
    }
    case CSJ_OBJECT: {
      if (!can_nest(w)) return;
      size_t count = csj_count(view, index);
      csj_pair *members = malloc((count + 1) * sizeof(csj_pair));
      if (members == NULL) {
        fail(w, "not enough memory");
        return;
      }
      count = csj_pairs(view, index, members);
      write_bytes(w, "{", 1);
      w->depth++;
      for (size_t i = 0; i < count; i++) {
        if (i > 0) write_bytes(w, ",", 1);
        new_line(w);
        write_tape(w, view, members[i].key);
        write_bytes(w, w->pretty ? ": " : ":", w->pretty ? 2 : 1);
        write_tape(w, view, members[i].value);
      }
      w->depth--;
      if (count > 0) new_line(w);
      write_bytes(w, "}", 1);
      free(members);
      return;
    }
  }
}

// [-0, +0] whether the table's keys are 1…n, with n in `length`
static int is_sequence(lua_State *L, int index, size_t *length) {
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

static void write_array(writer *w, int index, size_t length) {
  lua_State *L = w->L;
  write_bytes(w, "[", 1);
  w->depth++;
  for (size_t i = 1; i <= length && !w->failed; i++) {
    if (i > 1) write_bytes(w, ",", 1);
    new_line(w);
    char position[24];
    int size = snprintf(position, sizeof(position), "[%zu]", i);
    size_t before = enter(w, "", position, (size_t)size);
    lua_rawgeti(L, index, (lua_Integer)i);
    write_value(w, lua_gettop(L));
    lua_pop(L, 1);
    leave(w, before);
  }
  w->depth--;
  if (length > 0) new_line(w);
  write_bytes(w, "]", 1);
}

// [-0, +0] whether the table also has the integer that is written like that key
static int has_integer(const writer *w, int index, const char *key, size_t length) {
  lua_State *L = w->L;
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

static void write_object(writer *w, int index) {
  lua_State *L = w->L;
  int first = 1;
  int top = lua_gettop(L);
  write_bytes(w, "{", 1);
  w->depth++;
  lua_pushnil(L);
  while (!w->failed && lua_next(L, index)) {
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
    if (!first) write_bytes(w, ",", 1);
    first = 0;
    new_line(w);
    size_t before = enter(w, w->path_length ? "." : "", key, length);
    if (key != number && has_integer(w, index, key, length)) {
      fail(w, "an integer and a string are the same key");
    }
    write_string(w, key, length);
    write_bytes(w, w->pretty ? ": " : ":", w->pretty ? 2 : 1);
    write_value(w, lua_gettop(L));
    lua_pop(L, 1);
    leave(w, before);
  }
  // A failure leaves the key of the entry it stopped at.
  lua_settop(L, top);
  w->depth--;
  if (!first) new_line(w);
  write_bytes(w, "}", 1);
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
    size_t start = w->length + 1;
    write_string(w, mask, length);
    if (!w->failed) {
      w->secrets[w->secret_count++] =
        (lull_json_secret){.start = start, .end = w->length - 1, .handle = handle};
    }
  }
  lull_arena_release(runtime, mark);
}

// [-0, +0]
static void write_value(writer *w, int index) {
  lua_State *L = w->L;
  if (w->failed) return;
  lull_value value;
  lull_read(L, index, &value);
  switch (value.kind) {
    case LULL_NIL: fail(w, "there is a nil"); return;
    case LULL_NULL: write_bytes(w, "null", 4); return;
    case LULL_BOOLEAN:
      write_bytes(w, value.integer ? "true" : "false", value.integer ? 4 : 5);
      return;
    case LULL_INTEGER: write_integer(w, value.integer); return;
    case LULL_NUMBER: write_number(w, value.number); return;
    case LULL_STRING: write_string(w, value.pointer, (size_t)value.extra); return;
    case LULL_TABLE: {
      if (!can_nest(w)) return;
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
        write_tape(w, csj_document_view(document), place);
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
  lull_runtime *runtime = lull_state_runtime(L);
  writer w = {
    .L = L, .room = runtime ? lull_memory_room(runtime) : SIZE_MAX, .pretty = pretty,
    .problem = result->problem, .problem_size = sizeof(result->problem)};
  result->problem[0] = 0;
  if (!lua_checkstack(L, 16)) {
    fail(&w, "the Lua stack is full");
  } else {
    write_value(&w, lua_absindex(L, index));
  }
  result->lacks_room = w.lacks_room;
  result->secrets = NULL;
  result->secret_count = 0;
  if (w.failed) {
    free(w.bytes);
    free(w.secrets);
    result->bytes = NULL;
    result->length = 0;
    return 1;
  }
  result->secrets = w.secrets;
  result->secret_count = w.secret_count;
  result->bytes = w.bytes;
  result->length = w.length;
  return 0;
}

// [-0, +1] raises unless the options table at `index` holds nothing but `pretty`
static int wants_pretty(lua_State *L, int index) {
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

// [-1, +0]
static int owner_gc(lua_State *L) {
  struct csj_document **owner = lua_touserdata(L, 1);
  if (owner && *owner) {
    csj_free(*owner);
    *owner = NULL;
  }
  return 0;
}

// [-1, +0]
static int text_gc(lua_State *L) {
  char **owner = lua_touserdata(L, 1);
  if (owner) {
    free(*owner);
    *owner = NULL;
  }
  return 0;
}

// [-1, +1] lull.array(table): marks it as a JSON array
static int array(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  lull_push_array_metatable(L);
  lua_setmetatable(L, 1);
  return 1;
}

// [-0, +0] fills `json` and `array` of the module table at the top
void lull_open_json(lua_State *L, lull_runtime *runtime) {
  (void)runtime;
  static const luaL_Reg comparing[] = {
    {"at", lull_json_at}, {"equal", lull_json_equal}, {NULL, NULL}};
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
