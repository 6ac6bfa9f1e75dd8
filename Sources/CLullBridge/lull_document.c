// Documents as Lua sees them: read-only views of parsed JSON that build nothing until they are looked
// at. A view owns a share of the document, which is plain memory of the C side: no call crosses into
// Swift to read it, nor when it is finalised.
#include "lull_internal.h"

#include <math.h>
#include <string.h>

const char lull_document_key = 0;  // in the registry: the metatable of views

// One value of a document, an array or an object: others are Lua values of their own.
typedef struct view {
  csj_document *document;  // NULL before it is filled and after it was finalised
  size_t index;
} view;

// [-0, +0] the view at `index`, NULL if it is something else
static view *test_view(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_document_key);
  int same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? lua_touserdata(L, index) : NULL;
}

// [-0, +0] the view at `index`; raises for anything else
static view *check_view(lua_State *L, int index) {
  view *of = test_view(L, index);
  if (of == NULL) luaL_typeerror(L, index, "Document");
  if (of->document == NULL) luaL_error(L, "this Document is closed");
  return of;
}

// [-0, +1] a view of the value at `index`, an array or object
static void push_view(lua_State *L, csj_document *document, size_t index) {
  view *made = lua_newuserdatauv(L, sizeof(view), 0);
  *made = (view){.document = NULL, .index = index};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_document_key);
  lua_setmetatable(L, -2);
  csj_retain(document);
  made->document = document;
}

// [-0, +1] the value at `index` of a document: a view, or the Lua value of anything else
static void push_value(lua_State *L, lull_runtime *runtime, csj_document *document, size_t index) {
  csj_view tape = csj_document_view(document);
  switch (csj_type_at(tape, index)) {
    case CSJ_ARRAY:
    case CSJ_OBJECT: push_view(L, document, index); return;
    case CSJ_NULL: lull_registry_push(L, runtime->null); return;
    case CSJ_FALSE: lua_pushboolean(L, 0); return;
    case CSJ_TRUE: lua_pushboolean(L, 1); return;
    case CSJ_INT: lua_pushinteger(L, csj_int_at(tape, index)); return;
    case CSJ_DOUBLE: lua_pushnumber(L, csj_double_at(tape, index)); return;
    case CSJ_STRING: {
      size_t length;
      const char *text = csj_string_at(tape, index, &length);
      lua_pushlstring(L, text, length);
      return;
    }
  }
}

// [-0, +1] may raise (memory)
void lull_push_view(
  lull_runtime *runtime, lua_State *L, struct csj_document *document, int64_t id) {
  if (id != 0) {
    lull_values_push(runtime, L, id);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
  }
  push_value(L, runtime, document, CSJ_ROOT);
  if (id == 0 || lua_type(L, -1) != LUA_TUSERDATA) return;
  lull_registry_push(L, runtime->values);
  lua_pushvalue(L, -2);
  lua_rawseti(L, -2, (lua_Integer)id);
  lua_pop(L, 1);
}

// [-0, +0]
int lull_view_at(lua_State *L, int index, const struct csj_document **document, size_t *place) {
  view *of = test_view(L, index);
  if (of == NULL || of->document == NULL) return 0;
  *document = of->document;
  *place = of->index;
  return 1;
}

// [-0, +0] where the key at `key` leads to from the value at `index`; 0 if nowhere
static size_t find(lua_State *L, const csj_document *document, size_t index, int key) {
  csj_view tape = csj_document_view(document);
  if (csj_type_at(tape, index) == CSJ_OBJECT) {
    if (lua_type(L, key) != LUA_TSTRING) return 0;
    size_t length;
    const char *name = lua_tolstring(L, key, &length);
    return csj_member(document, index, name, length);
  }
  int is_whole;
  lua_Integer position = lua_type(L, key) == LUA_TNUMBER ? lua_tointegerx(L, key, &is_whole) : 0;
  if (position < 1) return 0;
  return csj_element(document, index, (size_t)position - 1);
}

// [-2, +1] __index; upvalue: runtime
static int view_index(lua_State *L) {
  view *of = check_view(L, 1);
  size_t found = find(L, of->document, of->index, 2);
  if (found == 0) {
    lua_pushnil(L);
  } else {
    push_value(L, lua_touserdata(L, lua_upvalueindex(1)), of->document, found);
  }
  return 1;
}

// [-3, +0] __newindex: raises
static int view_newindex(lua_State *L) {
  return luaL_error(
    L, "a document is read-only ('%s'): lull.copy makes tables of it", luaL_tolstring(L, 2, NULL));
}

// [-1, +1] __len: the elements of an array; of an object 0, as of a table without a sequence
static int view_len(lua_State *L) {
  view *of = check_view(L, 1);
  csj_view tape = csj_document_view(of->document);
  int is_array = csj_type_at(tape, of->index) == CSJ_ARRAY;
  lua_pushinteger(L, is_array ? (lua_Integer)csj_count(tape, of->index) : 0);
  return 1;
}

// What a walk is at; for an object followed by its members.
typedef struct walk {
  size_t next;  // of an array the index of the next element, of an object the number of the next member
  size_t end;
  lua_Integer position;
  csj_pair members[];
} walk;

// [-2, +2 or +1] one step of a walk; upvalues: runtime, view, walk
static int step(lua_State *L) {
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  view *of = check_view(L, lua_upvalueindex(2));
  walk *at = lua_touserdata(L, lua_upvalueindex(3));
  csj_view tape = csj_document_view(of->document);
  if (at->next >= at->end) {
    lua_pushnil(L);
    return 1;
  }
  if (csj_type_at(tape, of->index) == CSJ_ARRAY) {
    lua_pushinteger(L, ++at->position);
    push_value(L, runtime, of->document, at->next);
    at->next = csj_after(tape, at->next);
    return 2;
  }
  csj_pair member = at->members[at->next++];
  size_t length;
  const char *key = csj_string_at(tape, member.key, &length);
  lua_pushlstring(L, key, length);
  push_value(L, runtime, of->document, member.value);
  return 2;
}

// [-1, +3] __pairs: an array's elements, or an object's members in the order of the text
static int view_pairs(lua_State *L) {
  view *of = check_view(L, 1);
  csj_view tape = csj_document_view(of->document);
  int is_object = csj_type_at(tape, of->index) == CSJ_OBJECT;
  size_t count = is_object ? csj_count(tape, of->index) : 0;
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, 1);
  walk *at = lua_newuserdatauv(L, sizeof(walk) + count * sizeof(csj_pair), 0);
  *at = (walk){.next = csj_first(tape, of->index), .end = csj_end(tape, of->index)};
  if (is_object) {
    at->next = 0;
    at->end = csj_pairs(tape, of->index, at->members);
  }
  lua_pushcclosure(L, step, 3);
  lua_pushvalue(L, 1);
  lua_pushnil(L);
  return 3;
}

// [-1, +1] __tostring
static int view_tostring(lua_State *L) {
  view *of = test_view(L, 1);
  if (of == NULL || of->document == NULL) {
    lua_pushliteral(L, "Document(closed)");
    return 1;
  }
  csj_view tape = csj_document_view(of->document);
  size_t count = csj_count(tape, of->index);
  const char *what = csj_type_at(tape, of->index) == CSJ_ARRAY ? "element" : "member";
  lua_pushfstring(L, "Document(%I %s%s)", (LUAI_UACINT)count, what, count == 1 ? "" : "s");
  return 1;
}

// [-1, +1] __copy: plain tables; upvalue: runtime
static int view_copy(lua_State *L) {
  view *of = check_view(L, 1);
  lull_push_json(
    L, lua_touserdata(L, lua_upvalueindex(1)), csj_document_view(of->document), of->index);
  return 1;
}

// [-1, +0] __gc
static int view_gc(lua_State *L) {
  view *of = test_view(L, 1);
  if (of == NULL) return 0;
  csj_free(of->document);
  of->document = NULL;
  return 0;
}

// --- Comparing: JSON values of either form, as JSONElement's == does ---

// One side of a comparison: a value of a document, or the Lua value at `stack`.
typedef struct side {
  const csj_document *document;  // NULL: a Lua value
  size_t index;
  int stack;
} side;

static int equal(lua_State *L, lull_runtime *runtime, side one, side other, int level);

// [-0, +0] the Lua value at that position, or what it is a view of
static side lua_side(lua_State *L, int stack) {
  side result = {.document = NULL, .index = 0, .stack = stack};
  const struct csj_document *document;
  if (lull_view_at(L, stack, &document, &result.index)) result.document = document;
  return result;
}

// [-0, +0] whether it is an array, an object or, as an empty table, either of them
static void shape(lua_State *L, side of, int *is_array, int *is_object) {
  *is_array = *is_object = 0;
  if (of.document) {
    csj_type type = csj_type_at(csj_document_view(of.document), of.index);
    *is_array = type == CSJ_ARRAY;
    *is_object = type == CSJ_OBJECT;
  } else if (lua_istable(L, of.stack)) {
    lua_pushnil(L);
    int is_empty = !lua_next(L, of.stack);
    if (!is_empty) lua_pop(L, 2);
    *is_array = lull_is_array(L, of.stack) || is_empty || lua_rawlen(L, of.stack) > 0;
    *is_object = !lull_is_array(L, of.stack) && (is_empty || lua_rawlen(L, of.stack) == 0);
  }
}

// [-0, +1] the Lua value of a side that is neither array nor object
static void push_atom(lua_State *L, lull_runtime *runtime, side of) {
  if (of.document) {
    push_value(L, runtime, (csj_document *)of.document, of.index);
  } else {
    lua_pushvalue(L, of.stack);
  }
}

// [-0, +0] how many elements or members, each key once
static size_t size_of(lua_State *L, side of, int is_array) {
  if (of.document) {
    csj_view tape = csj_document_view(of.document);
    size_t count = csj_count(tape, of.index);
    if (is_array || count == 0) return count;
    csj_pair *members = lua_newuserdatauv(L, count * sizeof(csj_pair), 0);
    count = csj_pairs(tape, of.index, members);
    lua_pop(L, 1);
    return count;
  }
  if (is_array) return lua_rawlen(L, of.stack);
  size_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, of.stack)) {
    lua_pop(L, 1);
    count++;
  }
  return count;
}

// [-0, +1 or +0] the element or member of `of` under the key at `key` (an element's counted from 1);
// whether there is one. A Lua value is pushed.
static int child(lua_State *L, side of, int key, side *result) {
  if (of.document) {
    size_t found = find(L, of.document, of.index, key);
    *result = (side){.document = of.document, .index = found, .stack = 0};
    return found != 0;
  }
  lua_pushvalue(L, key);
  if (lua_rawget(L, of.stack) == LUA_TNIL) return 0;
  *result = lua_side(L, lua_gettop(L));
  return 1;
}

// [-0, +0] whether `other` has what the walk over `one` gives, under the same keys
static int has_children_of(
  lua_State *L, lull_runtime *runtime, side one, side other, int is_array, int level) {
  int top = lua_gettop(L);
  int same = 1;
  if (one.document) {
    csj_view tape = csj_document_view(one.document);
    size_t count = csj_count(tape, one.index);
    csj_pair *members = NULL;
    if (!is_array) {
      members = lua_newuserdatauv(L, (count + 1) * sizeof(csj_pair), 0);
      count = csj_pairs(tape, one.index, members);
    }
    int base = lua_gettop(L);
    size_t element = csj_first(tape, one.index);
    for (size_t i = 0; same && i < count; i++) {
      size_t value = is_array ? element : members[i].value;
      if (is_array) {
        lua_pushinteger(L, (lua_Integer)i + 1);
        element = csj_after(tape, element);
      } else {
        size_t length;
        const char *key = csj_string_at(tape, members[i].key, &length);
        lua_pushlstring(L, key, length);
      }
      side found;
      same = child(L, other, base + 1, &found)
        && equal(L, runtime, (side){.document = one.document, .index = value}, found, level);
      lua_settop(L, base);
    }
  } else {
    lua_pushnil(L);
    while (same && lua_next(L, one.stack)) {
      int value = lua_gettop(L);
      side found;
      same = child(L, other, value - 1, &found)
        && equal(L, runtime, lua_side(L, value), found, level);
      lua_settop(L, value - 1);
    }
  }
  lua_settop(L, top);
  return same;
}

// [-0, +0]
static int equal(lua_State *L, lull_runtime *runtime, side one, side other, int level) {
  luaL_checkstack(L, 12, "nested too deeply");
  if (level > CSJ_MAX_DEPTH) return luaL_error(L, "tables nest too deeply, or in a cycle");
  int array, object, other_array, other_object;
  shape(L, one, &array, &object);
  shape(L, other, &other_array, &other_object);
  if (!array && !object) {
    push_atom(L, runtime, one);
    push_atom(L, runtime, other);
    int same = !other_array && !other_object && lua_rawequal(L, -1, -2);
    lua_pop(L, 2);
    return same;
  }
  int is_array = array && other_array;
  if (!is_array && !(object && other_object)) return 0;
  if (size_of(L, one, is_array) != size_of(L, other, is_array)) return 0;
  return has_children_of(L, runtime, one, other, is_array, level + 1);
}

// [-2, +1] __eq, and lull.json.equal; upvalue: runtime
static int json_equal(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_pushboolean(L, equal(L, runtime, lua_side(L, 1), lua_side(L, 2), 0));
  return 1;
}

// --- Where tables differ from the document they were built from ---

enum { LULL_POINTER_SIZE = 512 };

typedef struct difference {
  lull_runtime *runtime;
  const csj_document *document;
  int64_t id;
  int found;
  char pointer[LULL_POINTER_SIZE];
  size_t length;
} difference;

// Goes one level down, in the pointer; returns the length to go back to. What does not fit is cut off.
static size_t descend(difference *at, const char *token, size_t length) {
  size_t before = at->length;
  for (size_t i = 0; i <= length; i++) {
    // RFC 6901, section 3.
    char c = i == 0 ? '/' : token[i - 1];
    const char *escaped = i == 0 ? "/" : c == '~' ? "~0" : c == '/' ? "~1" : NULL;
    size_t size = escaped ? strlen(escaped) : 1;
    if (at->length + size >= sizeof(at->pointer)) break;
    memcpy(at->pointer + at->length, escaped ? escaped : &c, size);
    at->length += size;
  }
  at->pointer[at->length] = 0;
  return before;
}

static void ascend(difference *at, size_t before) {
  if (at->found) return;
  at->length = before;
  at->pointer[before] = 0;
}

static void compare(lua_State *L, difference *at, size_t index, int stack);

// [-0, +0] compares what the table holds under the key at the top, which is popped, with the value at
// `index`
static void compare_member(
  lua_State *L, difference *at, const char *token, size_t length, size_t index, int table) {
  size_t before = descend(at, token, length);
  lua_rawget(L, table);
  compare(L, at, index, lua_gettop(L));
  lua_pop(L, 1);
  ascend(at, before);
}

// [-0, +0] a key of the table that the container has not, if there are more than `count`
static void find_extra(lua_State *L, difference *at, size_t index, int table, size_t count) {
  if (at->found) return;
  lua_pushnil(L);
  while (lua_next(L, table)) {
    lua_pop(L, 1);
    if (count > 0 && find(L, at->document, index, lua_gettop(L)) != 0) continue;
    lua_pushvalue(L, -1);
    size_t length;
    const char *name = luaL_tolstring(L, -1, &length);
    descend(at, name, length);
    at->found = 1;
    lua_pop(L, 3);
    return;
  }
}

// [-0, +0]
static void compare(lua_State *L, difference *at, size_t index, int stack) {
  luaL_checkstack(L, 12, "nested too deeply");
  csj_view tape = csj_document_view(at->document);
  csj_type type = csj_type_at(tape, index);
  if (type != CSJ_ARRAY && type != CSJ_OBJECT) {
    push_value(L, at->runtime, (csj_document *)at->document, index);
    at->found = !lua_rawequal(L, -1, stack);
    lua_pop(L, 1);
    return;
  }
  if (!lua_istable(L, stack)) {
    at->found = 1;
    return;
  }
  size_t count = csj_count(tape, index);
  if (type == CSJ_ARRAY) {
    size_t element = csj_first(tape, index);
    for (size_t i = 0; !at->found && i < count; i++, element = csj_after(tape, element)) {
      lua_pushinteger(L, (lua_Integer)i);
      lua_tostring(L, -1);
      size_t length;
      const char *token = lua_tolstring(L, -1, &length);
      lua_pushinteger(L, (lua_Integer)i + 1);
      compare_member(L, at, token, length, element, stack);
      lua_pop(L, 1);
    }
  } else if (count > 0) {
    csj_pair *members = lua_newuserdatauv(L, count * sizeof(csj_pair), 0);
    count = csj_pairs(tape, index, members);
    for (size_t i = 0; !at->found && i < count; i++) {
      size_t length;
      const char *key = csj_string_at(tape, members[i].key, &length);
      lua_pushlstring(L, key, length);
      compare_member(L, at, key, length, members[i].value, stack);
    }
    lua_pop(L, 1);
  }
  find_extra(L, at, index, stack, count);
}

// [-1, +0] protected part of lull_document_difference
static int find_difference(lua_State *L) {
  difference *at = lua_touserdata(L, 1);
  lull_values_push(at->runtime, L, at->id);
  if (!lua_isnil(L, -1)) compare(L, at, CSJ_ROOT, lua_gettop(L));
  return 0;
}

// [-0, +0]
const char *lull_document_difference(lull_runtime *runtime, const void *document, int64_t id) {
  difference at = {.runtime = runtime, .document = document, .id = id};
  lull_protect(runtime, find_difference, &at);
  char *copy = at.found ? lull_arena_allocate(runtime, at.length + 1) : NULL;
  return copy ? strcpy(copy, at.pointer) : NULL;
}

// --- JSON Pointer ---

// [-0, +1] the next token of a pointer (RFC 6901, section 4), unescaped; where it ends, NULL if a `~`
// is followed by neither 0 nor 1
static const char *push_token(lua_State *L, const char *from, const char *end) {
  luaL_Buffer buffer;
  luaL_buffinit(L, &buffer);
  while (from < end && *from != '/') {
    char c = *from++;
    if (c == '~') {
      if (from == end || (*from != '0' && *from != '1')) {
        luaL_pushresult(&buffer);
        return NULL;
      }
      c = *from++ == '0' ? '~' : '/';
    }
    luaL_addchar(&buffer, c);
  }
  luaL_pushresult(&buffer);
  return from;
}

// [-0, +1] or [-0, +0]: the position a token names in an array, counted from 1
static int push_position(lua_State *L, int token) {
  size_t length;
  const char *text = lua_tolstring(L, token, &length);
  if (length == 0 || length > 18 || (length > 1 && text[0] == '0')) return 0;
  lua_Integer position = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return 0;
    position = position * 10 + (text[i] - '0');
  }
  lua_pushinteger(L, position + 1);
  return 1;
}

// [-2, +1] lull.json.at(document or table, pointer); upvalue: runtime
static int json_at(lua_State *L) {
  size_t length;
  const char *pointer = luaL_checklstring(L, 2, &length);
  const char *end = pointer + length;
  if (!lua_istable(L, 1) && test_view(L, 1) == NULL) luaL_typeerror(L, 1, "Document or table");
  luaL_argcheck(
    L, length == 0 || *pointer == '/', 2, "a JSON Pointer is empty or begins with '/'");
  lua_settop(L, 2);
  lua_pushvalue(L, 1);
  while (pointer < end) {
    pointer = push_token(L, pointer + 1, end);
    luaL_argcheck(L, pointer != NULL, 2, "in a JSON Pointer '~' is followed by 0 or 1");
    int is_array, is_object;
    side here = lua_side(L, 3);
    shape(L, here, &is_array, &is_object);
    int key = 4;
    if (is_array && push_position(L, 4)) key = 5;
    side found;
    if (!(is_array || is_object) || !child(L, here, key, &found)) {
      // An empty table, or one with both: a member may be called like a number.
      if (!is_object || !child(L, here, 4, &found)) {
        lua_pushnil(L);
        return 1;
      }
    }
    if (found.document && found.stack == 0) {
      push_value(
        L, lua_touserdata(L, lua_upvalueindex(1)), (csj_document *)found.document, found.index);
    } else {
      lua_pushvalue(L, found.stack);
    }
    lua_replace(L, 3);
    lua_settop(L, 3);
  }
  return 1;
}

// [-0, +0] makes the metatable of views, and fills `json`, the table at the top
void lull_open_documents(lua_State *L) {
  static const luaL_Reg metamethods[] = {
    {"__index", view_index}, {"__newindex", view_newindex}, {"__len", view_len},
    {"__pairs", view_pairs}, {"__eq", json_equal},          {"__tostring", view_tostring},
    {"__copy", view_copy},   {"__gc", view_gc},             {NULL, NULL}};
  static const luaL_Reg functions[] = {{"at", json_at}, {"equal", json_equal}, {NULL, NULL}};
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  luaL_setfuncs(L, metamethods, 1);
  lua_pushliteral(L, "Document");
  lua_setfield(L, -2, "__name");
  // Not for scripts to change.
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &lull_document_key);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  luaL_setfuncs(L, functions, 1);
}
