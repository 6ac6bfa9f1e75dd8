// Comparing JSON values of either form, documents and tables, as JSONElement's == does: by content.
#include "json/lull_equal.h"

#include "values/lull_document.h"
#include "values/lull_marks.h"

// [-0, +0] the Lua value at that position, or what it is a view of
lull_side lull_side_at(lua_State *L, int stack) {
  lull_side result = {.document = NULL, .index = 0, .stack = stack};
  const struct csj_document *document;
  if (lull_view_at(L, stack, &document, &result.index)) result.document = document;
  return result;
}

// [-0, +0] whether it is an array, an object or, as an empty table, either of them
void lull_side_shape(lua_State *L, lull_side of, int *is_array, int *is_object) {
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

// [-0, +1 or +0] the element or member of `of` under the key at `key` (an element's counted from 1);
// whether there is one. A Lua value is pushed.
int lull_side_child(lua_State *L, lull_side of, int key, lull_side *result) {
  if (of.document) {
    size_t found = lull_document_find(L, of.document, of.index, key);
    *result = (lull_side){.document = of.document, .index = found, .stack = 0};
    return found != 0;
  }
  lua_pushvalue(L, key);
  if (lua_rawget(L, of.stack) == LUA_TNIL) return 0;
  *result = lull_side_at(L, lua_gettop(L));
  return 1;
}

static int equal(lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, int level);

// [-0, +1] the Lua value of a side that is neither array nor object
static void push_atom(lua_State *L, lull_runtime *runtime, lull_side of) {
  if (of.document) {
    lull_document_push(L, runtime, of.document, of.index);
  } else {
    lua_pushvalue(L, of.stack);
  }
}

// [-0, +0] how many elements or members, each key once
static size_t size_of(lua_State *L, lull_side of, int is_array) {
  if (of.document) {
    csj_view tape = csj_document_view(of.document);
    size_t count = csj_count(tape, of.index);
    if (is_array || count == 0) return count;
    csj_pair *members = lua_newuserdatauv(L, count * sizeof(csj_pair), 0);
    count = csj_pairs(tape, of.index, members);
    lua_pop(L, 1);
    return count;
  }
  // All keys, since an array may have others besides its positions.
  size_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, of.stack)) {
    lua_pop(L, 1);
    count++;
  }
  return count;
}

// [-0, +0] whether `other` has what the walk over `one` gives, under the same keys
static int has_children_of(
  lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, int is_array, int level) {
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
      lull_side found;
      same = lull_side_child(L, other, base + 1, &found)
        && equal(L, runtime, (lull_side){.document = one.document, .index = value}, found, level);
      lua_settop(L, base);
    }
  } else {
    lua_pushnil(L);
    while (same && lua_next(L, one.stack)) {
      int value = lua_gettop(L);
      lull_side found;
      same = lull_side_child(L, other, value - 1, &found)
        && equal(L, runtime, lull_side_at(L, value), found, level);
      lua_settop(L, value - 1);
    }
  }
  lua_settop(L, top);
  return same;
}

// [-0, +0]
static int equal(lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, int level) {
  luaL_checkstack(L, 12, "nested too deeply");
  if (level > CSJ_MAX_DEPTH) return luaL_error(L, "tables nest too deeply, or in a cycle");
  int array, object, other_array, other_object;
  lull_side_shape(L, one, &array, &object);
  lull_side_shape(L, other, &other_array, &other_object);
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
int lull_json_equal(lua_State *L) {
  luaL_checkany(L, 1);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_pushboolean(L, equal(L, runtime, lull_side_at(L, 1), lull_side_at(L, 2), 0));
  return 1;
}
