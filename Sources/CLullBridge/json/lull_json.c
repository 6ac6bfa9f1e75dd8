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
#include "ending/lull_interrupt.h"
#include "ending/lull_limit.h"
#include "ending/lull_memory.h"
#include "json/lull_equal.h"
#include "json/lull_pointer.h"
#include "values/lull_document.h"
#include "values/lull_integer.h"
#include "values/lull_marks.h"
#include "values/lull_tables.h"

// --- Encoding: uses only calls that neither raise nor allocate in Lua, so Swift may call it ---

// The maximum length of a text. One table that is referenced in many places could exceed it.
enum { LULL_LARGEST_JSON = 1 << 30 };

// The maximum number of keys of one object on the stack at a time.
enum { LULL_KEYS_AT_ONCE = 1 << 16 };

// A key of an object being written.
typedef struct member_key {
  const char *name;  // NULL for a 64-bit integer
  size_t length;
  lua_Integer integer;
  int is_large;  // whether `name` has the digits of an integer beyond 64 bits
  size_t place;  // in the document, SIZE_MAX for a key that is not in it
  size_t step;   // the number of its `lua_next` step
  size_t rank;   // the rank of the key of the step with this number
} member_key;

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
  member_key *keys;  // of the objects being written, the innermost last
  size_t key_count;
  size_t key_capacity;
} writer;

static void fail(writer *w, const char *text) {
  if (w->failed) return;
  w->failed = 1;
  snprintf(
    w->problem, w->problem_size, "%s at %s", text, w->path_length ? w->path : "the top level");
}

// Returns whether there was no error. Reports an error of the text writer once.
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

// Extends the path of the value being written. Returns the length to restore.
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

// [-0, +0] Returns whether the table's keys are 1…n, with n in `length`.
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

// [-0, +0] Returns whether the table also has the integer with the same text as that key.
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

// Makes room for another key; 0 without memory.
static int reserve_key(writer *w) {
  if (w->key_count < w->key_capacity) return 1;
  size_t capacity = w->key_capacity ? 2 * w->key_capacity : 32;
  member_key *more = realloc(w->keys, capacity * sizeof(*more));
  if (more == NULL) {
    fail(w, "not enough memory");
    return 0;
  }
  w->keys = more;
  w->key_capacity = capacity;
  return 1;
}

static int compare_bytes(const member_key *a, const member_key *b) {
  size_t shared = a->length < b->length ? a->length : b->length;
  int order = memcmp(a->name, b->name, shared);
  return order ? order : (a->length > b->length) - (a->length < b->length);
}

// Compares integers by value, of which at least one is beyond 64 bits.
static int compare_large(const member_key *a, const member_key *b) {
  if (!a->is_large) return *b->name == '-' ? 1 : -1;
  if (!b->is_large) return *a->name == '-' ? -1 : 1;
  int order = csj_compare_digits(a->name, a->length, b->name, b->length);
  // The same number with other digits is a different key.
  return order ? order : compare_bytes(a, b);
}

// The order of members: by place in the document, then integers by value, then names by bytes.
// (REQ-14)
static int compare_keys(const void *left, const void *right) {
  const member_key *a = left, *b = right;
  if (a->place != b->place) return a->place < b->place ? -1 : 1;
  int a_is_text = a->name && !a->is_large, b_is_text = b->name && !b->is_large;
  if (a_is_text && b_is_text) return compare_bytes(a, b);
  if (a_is_text || b_is_text) return a_is_text ? 1 : -1;
  if (a->is_large || b->is_large) return compare_large(a, b);
  return (a->integer > b->integer) - (a->integer < b->integer);
}

// Compares by name; of two equal names the first in the document comes first.
static int compare_names(const void *left, const void *right) {
  const member_key *a = left, *b = right;
  int order = compare_bytes(a, b);
  return order ? order : (a->place > b->place) - (a->place < b->place);
}

// [-0, +0] Sets the place of each of the last `count` keys, those of the table at `index`, in the
// document that the table was copied from.
static void place_keys(writer *w, int index, size_t count) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  if (count < 2 || !lull_push_key_order(L, index)) return;
  size_t first = w->key_count, length = lua_rawlen(L, -1);
  for (size_t i = 0; i < length && reserve_key(w); i++) {
    member_key *key = &w->keys[w->key_count++];
    *key = (member_key){.place = i};
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    // The list keeps the string alive.
    key->name = lua_tolstring(L, -1, &key->length);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  member_key *ordered = w->keys + first, *keys = ordered - count;
  size_t ordered_count = w->key_count - first;
  w->key_count = first;
  qsort(ordered, ordered_count, sizeof(*ordered), compare_names);
  for (size_t i = 0; i < count; i++) {
    if (keys[i].name == NULL || keys[i].is_large) continue;
    size_t low = 0, high = ordered_count;
    while (low < high) {
      size_t middle = low + (high - low) / 2;
      if (compare_bytes(&ordered[middle], &keys[i]) < 0) low = middle + 1;
      else high = middle;
    }
    if (low < ordered_count && compare_bytes(&ordered[low], &keys[i]) == 0) {
      keys[i].place = ordered[low].place;
    }
  }
}

// Reports an error if a string key has the digits of an integer key beyond 64 bits. The keys are
// sorted.
static void check_large(writer *w, const member_key *keys, size_t count) {
  for (size_t i = 0; i < count; i++) {
    member_key key = keys[i];
    if (key.name == NULL || key.is_large || key.length < 19) continue;
    key.is_large = 1;
    key.place = SIZE_MAX;
    if (bsearch(&key, keys, count, sizeof(*keys), compare_keys) == NULL) continue;
    size_t before = enter(w, w->path_length ? "." : "", key.name, key.length);
    fail(w, "an integer and a string are the same key");
    leave(w, before);
    return;
  }
}

// [-0, +0] Records the keys of the table at `index` in the order in which they are written, and
// for each `lua_next` step the rank of its key. Returns their number.
static size_t note_keys(writer *w, int index) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  size_t first = w->key_count;
  int top = lua_gettop(L), has_large = 0;
  lua_pushnil(L);
  while (is_fine(w) && lua_next(L, index)) {
    lua_pop(L, 1);
    if (!reserve_key(w)) break;
    member_key *key = &w->keys[w->key_count];
    *key = (member_key){.place = SIZE_MAX, .step = w->key_count - first};
    w->key_count++;
    if (lua_type(L, -1) == LUA_TSTRING) {
      // The table keeps the string alive: nothing that could remove it runs in between.
      key->name = lua_tolstring(L, -1, &key->length);
    } else if (lua_isinteger(L, -1)) {
      key->integer = lua_tointeger(L, -1);
    } else {
      // For one beyond 64 bits its digits, which its userdata keeps alive.
      key->name = lull_integer_at(L, -1, &key->length);
      key->is_large = key->name != NULL;
      has_large |= key->is_large;
      if (!key->is_large) fail(w, "a key is neither a string nor an integer");
    }
  }
  lua_settop(L, top);
  size_t count = w->key_count - first;
  if (!is_fine(w)) return count;
  place_keys(w, index, count);
  member_key *keys = w->keys + first;
  qsort(keys, count, sizeof(*keys), compare_keys);
  for (size_t rank = 0; rank < count; rank++) keys[keys[rank].step].rank = rank;
  if (has_large) check_large(w, keys, count);
  return count;
}

// [-0, +0] Writes the member of the table at `index` whose key is recorded at `noted` and at the
// top.
static void write_member(writer *w, int index, size_t noted) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  // A copy, because the array of keys may move while the value is written.
  member_key key = w->keys[noted];
  char number[32];
  int is_string = key.name != NULL && !key.is_large;
  if (key.name == NULL) {
    key.length = (size_t)snprintf(number, sizeof(number), LUA_INTEGER_FMT, key.integer);
    key.name = number;
  }
  size_t before = enter(w, w->path_length ? "." : "", key.name, key.length);
  if (is_string && has_integer(w, index, key.name, key.length)) {
    fail(w, "an integer and a string are the same key");
  }
  csj_write_key(&w->text, key.name, key.length, 0);
  lua_pushvalue(L, -1);
  lua_rawget(L, index);
  write_value(w, lua_gettop(L));
  lua_pop(L, 1);
  leave(w, before);
}

// [-0, +n] Pushes `count` keys in order of rank, from rank `start` on.
static void push_keys(writer *w, int index, size_t first, size_t start, size_t count) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, count);
  int base = lua_gettop(L);
  lua_settop(L, base + (int)count);
  lua_pushnil(L);
  for (size_t step = first; lua_next(L, index); step++) {
    size_t rank = w->keys[step].rank;
    if (rank >= start && rank - start < count) {
      lua_pushvalue(L, -2);
      lua_replace(L, base + 1 + (int)(rank - start));
    }
    lua_pop(L, 1);
  }
}

// [-0, +0] Strings can't be pushed here, because that may allocate. So the keys stay on the stack
// while their members are written, a part at a time.
static void write_object(writer *w, int index) {
  lua_State *L = w->L;
  LULL_EFFECT(L, 0, 0);
  int top = lua_gettop(L);
  size_t first = w->key_count, count = note_keys(w, index);
  csj_write_begin(&w->text, '{');
  for (size_t start = 0; start < count && is_fine(w); start += LULL_KEYS_AT_ONCE) {
    size_t some = count - start < LULL_KEYS_AT_ONCE ? count - start : LULL_KEYS_AT_ONCE;
    if (!lua_checkstack(L, (int)some + 8)) {
      fail(w, "the Lua stack is full");
      break;
    }
    push_keys(w, index, first, start, some);
    for (size_t i = 0; i < some && is_fine(w); i++) {
      lua_pushvalue(L, top + 1 + (int)i);
      write_member(w, index, first + start + i);
      lua_pop(L, 1);
    }
    lua_settop(L, top);
  }
  w->key_count = first;
  csj_write_end(&w->text, '}');
}

// Writes the mask of a secret as a string, and records its place.
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
  // A table referenced in several places is written each time.
  if (lull_interrupt_is_due(L, 8)) {
    fail(w, "the script has passed a limit, or was interrupted");
    return;
  }
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
    case LULL_DIGITS: csj_write_raw(&w->text, value.pointer, (size_t)value.extra); return;
    case LULL_STRING:
      csj_write_string(&w->text, value.pointer, (size_t)value.extra, 0);
      return;
    case LULL_TABLE: {
      // A cycle of tables has no end.
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
  free(w.keys);
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

// [-0, +0] Reads `pretty` from the options table at `index`. Raises an error for any other option.
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
  // Owned by a userdata while it is converted to a string, which may raise.
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

// [-n, +1 or +2] lull.json.decode(text): returns the value, or nil and an error message
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
  // The approximate memory needed while parsing a document.
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

// [-n, +1] lull.json.type(value): returns the JSON type that `encode` would write; nil if the
// value has no JSON form. The contents of tables are not checked.
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
    case LULL_INTEGER:
    case LULL_DIGITS: name = "number"; break;
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

// [-0, +0] Sets `json` and `array` in the module table at the top.
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
