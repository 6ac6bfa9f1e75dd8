// Builds plain Lua tables from a document's tape.
#include "values/lull_tables.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "values/lull_inspect.h"
#include "values/lull_integer.h"
#include "values/lull_stored.h"
#include "values/lull_order.h"

// Documents with fewer words of tape are too small for the optimizations for large ones.
enum { LULL_LARGE_TAPE = 512 };

// Recent short strings, kept on the stack. Keys are repeated with every element of an array, and
// so are many values. Finding a string here is several times cheaper than letting Lua intern it
// again.
enum { LULL_KNOWN_STRINGS = 64, LULL_LONGEST_KNOWN = 40 };

typedef struct known_string {
  const char *text;
  size_t length;
} known_string;

typedef struct known_strings {
  int first;  // the stack position of the first one
  known_string strings[LULL_KNOWN_STRINGS];
} known_strings;

// Records of an array mostly have the same keys. This is the number of recent key orders that are
// compared before a new list of keys is created.
enum { LULL_KNOWN_ORDERS = 4 };

typedef struct builder {
  lua_State *L;
  csj_view tape;
  int null;  // the stack positions of lull.null and of the metatables of arrays and objects
  int arrays;
  int objects;
  int orders;  // of the table of key orders, 0 if not needed; followed by recent orders
  int next_order;
  int omits_nulls;
  int omitted;  // the position of the table with the names of these nulls
  known_strings *keys;  // NULL for a small document, like `values`
  known_strings *values;
} builder;

// [-0, +0] Sets `__tostring` for JSON tables in the metatable at the top: their contents.
static void set_text(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_pushcfunction(L, lull_inspect);
  lua_setfield(L, -2, "__tostring");
}

// [-0, +1] Pushes the metatable of JSON objects, which changes only how they print.
void lull_push_object_metatable(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_shown_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 1);
  set_text(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_shown_key);
}

// [-0, +1] Pushes the metatable that marks a table as a JSON array, so that an empty one encodes
// as [].
void lull_push_array_metatable(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_array_key) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 2);
  lua_pushliteral(L, "JSONArray");
  lua_setfield(L, -2, "__name");
  set_text(L);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_array_key);
}

// [-0, +1] Pushes the string with that many bytes.
static void push_string(
  lua_State *L, known_strings *known, const char *text, size_t length) {
  LULL_EFFECT(L, 0, 1);
  if (known == NULL || length - 1 >= LULL_LONGEST_KNOWN) {
    lua_pushlstring(L, text, length);
    return;
  }
  // The slot is derived from a few of its bytes.
  const unsigned char *bytes = (const unsigned char *)text;
  unsigned mixed =
    (unsigned)length + bytes[0] * 5u + bytes[length / 2] * 17u + bytes[length - 1] * 3u;
  unsigned place = mixed % LULL_KNOWN_STRINGS;
  known_string *string = &known->strings[place];
  int stack = known->first + (int)place;
  if (string->length == length && memcmp(string->text, text, length) == 0) {
    lua_pushvalue(L, stack);
    return;
  }
  lua_pushlstring(L, text, length);
  lua_copy(L, -1, stack);
  *string = (known_string){.text = text, .length = length};
}

static void push_container(builder *b, size_t index);

// [-0, +0] Returns whether the list at `order` has the keys of the object at `index`, in order.
static int is_order(builder *b, int order, size_t index) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 0);
  if (!lua_istable(L, order)) return 0;
  size_t end = csj_end(b->tape, index), child = csj_first(b->tape, index);
  lua_Integer count = 0;
  while (child < end) {
    size_t length, known;
    const char *key = csj_string_at(b->tape, child, &length);
    lua_rawgeti(L, order, ++count);
    const char *other = lua_tolstring(L, -1, &known);
    int is_same = other && known == length && memcmp(key, other, length) == 0;
    lua_pop(L, 1);
    if (!is_same) return 0;
    child = csj_after(b->tape, child + 1);
  }
  return lua_rawlen(L, order) == (size_t)count;
}

// [-0, +0] Stores the key order of the object at `index`, whose table is at the top.
static void keep_order(builder *b, size_t index) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 0);
  int order = 0;
  for (int i = 1; i <= LULL_KNOWN_ORDERS && order == 0; i++) {
    if (is_order(b, b->orders + i, index)) order = b->orders + i;
  }
  if (order == 0) {
    size_t end = csj_end(b->tape, index), child = csj_first(b->tape, index);
    lua_createtable(L, (int)csj_count(b->tape, index), 0);
    for (lua_Integer position = 1; child < end; position++) {
      size_t length;
      const char *key = csj_string_at(b->tape, child, &length);
      lua_pushlstring(L, key, length);
      lua_rawseti(L, -2, position);
      child = csj_after(b->tape, child + 1);
    }
    b->next_order = b->next_order % LULL_KNOWN_ORDERS + 1;
    order = b->orders + b->next_order;
    lua_replace(L, order);
  }
  lua_pushvalue(L, -1);
  lua_pushvalue(L, order);
  lua_rawset(L, b->orders);
}

// Returns whether the value is a null that is to be omitted.
static inline int is_omitted(const builder *b, size_t index) {
  return b->omits_nulls && csj_type_at(b->tape, index) == CSJ_NULL;
}

// The maximum number of names stored; beyond it, any name counts as omitted.
enum { LULL_OMITTED_NAMES = 1000 };

// [-0, +0] Records that the member whose name is at the top is omitted.
static void note_omitted(const builder *b) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 0);
  lua_pushvalue(L, -1);
  if (lua_rawget(L, b->omitted) == LUA_TNIL) {
    lua_Integer count = (lua_Integer)lua_rawlen(L, b->omitted);
    if (count < LULL_OMITTED_NAMES) {
      lua_pushvalue(L, -2);
      lua_pushboolean(L, 1);
      lua_rawset(L, b->omitted);
      // The list part counts them.
      lua_pushboolean(L, 1);
      lua_rawseti(L, b->omitted, count + 1);
    }
  }
  lua_pop(L, 1);
}

// [-0, +0] Returns whether a table may have been made without a null of that name.
int32_t lull_is_omitted_name(lua_State *L, const char *name) {
  LULL_EFFECT(L, 0, 0);
  if (!lua_checkstack(L, 3)) return 1;
  int32_t is_omitted_name = 0;
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_omitted_key) == LUA_TTABLE) {
    lua_pushstring(L, name);
    is_omitted_name =
      lua_rawget(L, -2) != LUA_TNIL || lua_rawlen(L, -2) >= LULL_OMITTED_NAMES;
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return is_omitted_name;
}

// [-0, +1] Pushes the value at `index` of the tape as plain Lua values.
static inline void push_value(builder *b, csj_view tape, size_t index) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 1);
  switch (csj_type_at(tape, index)) {
    case CSJ_NULL: lua_pushvalue(L, b->null); return;
    case CSJ_FALSE: lua_pushboolean(L, 0); return;
    case CSJ_TRUE: lua_pushboolean(L, 1); return;
    case CSJ_INT: lua_pushinteger(L, csj_int_at(tape, index)); return;
    case CSJ_DOUBLE: lull_push_double(L, tape, index); return;
    case CSJ_STRING: {
      size_t length;
      const char *text = csj_string_at(tape, index, &length);
      push_string(L, b->values, text, length);
      return;
    }
    case CSJ_ARRAY:
    case CSJ_OBJECT: push_container(b, index); return;
  }
}

// [-0, +1] Pushes the array or object at `index`. The parser limits the depth of documents.
static void push_container(builder *b, size_t index) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 1);
  csj_view tape = b->tape;
  luaL_checkstack(L, 8, "JSON nested too deeply");
  size_t end = csj_end(tape, index);
  size_t child = csj_first(tape, index);
  if (csj_type_at(tape, index) == CSJ_ARRAY) {
    lua_createtable(L, (int)csj_count(tape, index), 0);
    lua_pushvalue(L, b->arrays);
    lua_setmetatable(L, -2);
    for (lua_Integer position = 1; child < end; position++) {
      if (!is_omitted(b, child)) {
        push_value(b, tape, child);
        lua_rawseti(L, -2, position);
      }
      child = csj_after(tape, child);
    }
    return;
  }
  lua_createtable(L, 0, (int)csj_count(tape, index));
  lua_pushvalue(L, b->objects);
  lua_setmetatable(L, -2);
  while (child < end) {
    size_t length;
    const char *key = csj_string_at(tape, child, &length);
    push_string(L, b->keys, key, length);
    if (is_omitted(b, child + 1)) {
      note_omitted(b);
      lua_pushnil(L);
    } else {
      push_value(b, tape, child + 1);
    }
    // A later duplicate replaces the earlier one (JSN-13).
    lua_rawset(L, -3);
    child = csj_after(tape, child + 1);
  }
  if (b->orders) keep_order(b, index);
}

// The memory of tables relative to that of the document: usually less than twice as much; for
// arrays that contain only empty arrays, almost five times.
enum { LULL_USUAL_GROWTH = 2, LULL_LARGEST_GROWTH = 5 };

// [-0, +0] Reports that many kilobytes to the collector, which performs the work that is due
// immediately.
static void charge(lua_State *L, size_t kilobytes) {
  LULL_EFFECT(L, 0, 0);
  lua_gc(L, LUA_GCSTEP, (int)kilobytes);
}

// [-0, +0] Lets that many kilobytes be allocated before the collector does anything.
static void grant(lua_State *L, size_t kilobytes) {
  LULL_EFFECT(L, 0, 0);
  lua_gc(L, LUA_GCSTEP, -(int)kilobytes);
}

// [-0, +1] Pushes the large value at `index`. The collector pauses while it is built, because it
// would repeatedly mark the parts built so far. The work that it would have done is done before:
// the memory that will be needed is reported to it first.
static void push_uncollected(builder *b, size_t index, size_t kilobytes) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 1);
  charge(L, LULL_USUAL_GROWTH * kilobytes);
  grant(L, LULL_LARGEST_GROWTH * kilobytes);
  push_value(b, b->tape, index);
  // The memory of the building has been counted, so the amount granted beyond the charge is
  // returned.
  charge(L, (LULL_LARGEST_GROWTH - LULL_USUAL_GROWTH) * kilobytes);
}

// [-0, +1] Pushes the value at `index` with that many words.
static void push_large(builder *b, const csj_document *document, size_t index, size_t words) {
  lua_State *L = b->L;
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 2 * LULL_KNOWN_STRINGS + 8, "JSON nested too deeply");
  int top = lua_gettop(L);
  known_strings keys = {.first = top + 1}, values = {.first = top + 1 + LULL_KNOWN_STRINGS};
  b->keys = &keys;
  b->values = &values;
  lua_settop(L, top + 2 * LULL_KNOWN_STRINGS);
  // For a part of a document, its share of the memory.
  double share = (double)words / (double)b->tape.tape_length;
  size_t kilobytes = (size_t)((double)csj_bytes(document) * share / 1024);
  // Not if the script has stopped the collector, or in a finaliser.
  if (kilobytes > 0 && lua_gc(L, LUA_GCISRUNNING) == 1) {
    push_uncollected(b, index, kilobytes);
  } else {
    push_value(b, b->tape, index);
  }
  lua_replace(L, top + 1);
  lua_settop(L, top + 1);
}

// [-0, +1] Pushes the value at `index`, with or without the nulls inside it; may raise (memory).
static void push_json(
  lua_State *L, lull_runtime *runtime, const csj_document *document, size_t index, int omits_nulls,
  int keeps_orders) {
  LULL_EFFECT(L, 0, 1);
  luaL_checkstack(L, 16, "JSON nested too deeply");
  csj_view tape = csj_document_view(document);
  lull_registry_push(L, runtime->null);
  int null = lua_gettop(L);
  lull_push_array_metatable(L);
  lull_push_object_metatable(L);
  builder b = {
    .L = L, .tape = tape, .null = null, .arrays = null + 1, .objects = null + 2,
    .omits_nulls = omits_nulls};
  if (omits_nulls) {
    if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_omitted_key) != LUA_TTABLE) {
      lua_pop(L, 1);
      lua_newtable(L);
      lua_pushvalue(L, -1);
      lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_omitted_key);
    }
    b.omitted = lua_gettop(L);
  }
  if (keeps_orders) {
    lull_push_orders(L);
    b.orders = lua_gettop(L);
    lua_settop(L, b.orders + LULL_KNOWN_ORDERS);
  }
  size_t words = csj_after(tape, index) - index;
  if (words < LULL_LARGE_TAPE) {
    push_value(&b, tape, index);
  } else {
    push_large(&b, document, index, words);
  }
  lua_replace(L, null);
  lua_settop(L, null);
}

// [-0, +0] Returns whether the key order is kept for all tables.
static int keeps_all_orders(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  int keeps = lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_ordered_key) && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return keeps;
}

// [-0, +1] may raise (memory)
void lull_push_json(
  lua_State *L, lull_runtime *runtime, const csj_document *document, size_t index) {
  LULL_EFFECT(L, 0, 1);
  push_json(L, runtime, document, index, 0, keeps_all_orders(L));
}

// [-0, +1] may raise (memory)
void lull_push_json_copy(
  lua_State *L, lull_runtime *runtime, const csj_document *document, size_t index) {
  LULL_EFFECT(L, 0, 1);
  push_json(L, runtime, document, index, 0, 1);
}

// [-0, +1] Pushes the document's tables, which are built unless those built before still exist.
void lull_push_document(
  lull_runtime *runtime, lua_State *L, const struct csj_document *document, int64_t id) {
  LULL_EFFECT(L, 0, 1);
  if (id != 0) {
    lull_values_push(runtime, L, id);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
  }
  push_json(L, runtime, document, CSJ_ROOT, lull_id_omits_nulls(id), keeps_all_orders(L));
  if (id != 0) {
    // A finaliser that ran in the meantime may have created the tables: those are used.
    lull_values_push(runtime, L, id);
    if (!lua_isnil(L, -1)) {
      lua_replace(L, -2);
      return;
    }
    lua_pop(L, 1);
    lull_registry_push(L, runtime->values);
    lua_pushvalue(L, -2);
    lua_rawseti(L, -2, (lua_Integer)id);
    lua_pop(L, 1);
  }
}
