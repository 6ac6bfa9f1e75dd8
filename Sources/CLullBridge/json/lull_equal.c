// Compares JSON values by content, whether they are documents or tables, and finds where they
// differ.
#include "json/lull_equal.h"

#include <csj_compare.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"
#include "values/lull_document.h"
#include "values/lull_integer.h"
#include "values/lull_marks.h"

// [-0, +0] Returns the Lua value at that position, or the document value it is a view of.
lull_side lull_side_at(lua_State *L, int stack) {
  LULL_EFFECT(L, 0, 0);
  lull_side result = {.document = NULL, .index = 0, .stack = stack};
  const struct csj_document *document;
  if (lull_view_at(L, stack, &document, &result.index)) result.document = document;
  return result;
}

// [-0, +0] Returns whether it is an array, an object or, for an empty table, both.
void lull_side_shape(lua_State *L, lull_side of, int *is_array, int *is_object) {
  LULL_EFFECT(L, 0, 0);
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

// [-0, +1 or +0] Finds the element (counted from 1) or member of `of` under the key at `key`.
// Returns whether there is one. A Lua value is pushed.
int lull_side_child(lua_State *L, lull_side of, int key, lull_side *result) {
  LULL_EFFECT_EITHER(L, 0, 1, 0);
  if (of.document) {
    size_t found = lull_document_find(L, of.document, of.index, key);
    *result = (lull_side){.document = of.document, .index = found, .stack = 0};
    return found != 0;
  }
  lua_pushvalue(L, key);
  if (lua_rawget(L, of.stack) == LUA_TNIL) {
    lua_pop(L, 1);
    return 0;
  }
  *result = lull_side_at(L, lua_gettop(L));
  return 1;
}

// [-0, +0] Reads a JSON value that is neither array nor object. Returns whether it is one.
static int read_atom(lua_State *L, lull_runtime *runtime, lull_side of, csj_atom *atom) {
  LULL_EFFECT(L, 0, 0);
  if (of.document) {
    *atom = csj_atom_at(csj_document_view(of.document), of.index);
    return 1;
  }
  *atom = (csj_atom){.type = CSJ_NULL};
  switch (lua_type(L, of.stack)) {
    case LUA_TBOOLEAN: atom->type = lua_toboolean(L, of.stack) ? CSJ_TRUE : CSJ_FALSE; return 1;
    case LUA_TNUMBER:
      atom->type = lua_isinteger(L, of.stack) ? CSJ_INT : CSJ_DOUBLE;
      atom->integer = lua_tointeger(L, of.stack);
      atom->number = lua_tonumber(L, of.stack);
      return 1;
    case LUA_TSTRING:
      atom->type = CSJ_STRING;
      atom->text = lua_tolstring(L, of.stack, &atom->length);
      return 1;
    case LUA_TUSERDATA: {
      size_t length;
      const char *digits = lull_integer_at(L, of.stack, &length);
      if (digits) {
        *atom = (csj_atom){
          .type = CSJ_DOUBLE, .number = csj_double_of_digits(digits), .text = digits, .length = length};
        return 1;
      }
    }
    // fallthrough
    default: {
      lull_registry_push(L, runtime->null);
      int is_null = lua_rawequal(L, of.stack, -1);
      lua_pop(L, 1);
      return is_null;
    }
  }
}

// [-0, +0] Returns whether two values are equal, at least one of which is neither array nor
// object.
static int same_atoms(lua_State *L, lull_runtime *runtime, lull_side one, lull_side other) {
  LULL_EFFECT(L, 0, 0);
  csj_atom atom, other_atom;
  if (read_atom(L, runtime, one, &atom) && read_atom(L, runtime, other, &other_atom)) {
    return csj_same_atom(atom, other_atom);
  }
  // A value without a JSON form equals only itself.
  return !one.document && !other.document && lua_rawequal(L, one.stack, other.stack);
}

// [-0, +0] Returns the number of elements or members, with repeated keys counted once.
static size_t size_of(lua_State *L, lull_side of, int is_array) {
  LULL_EFFECT(L, 0, 0);
  if (of.document) {
    csj_view tape = csj_document_view(of.document);
    size_t count = csj_count(tape, of.index);
    if (is_array || count == 0) return count;
    csj_pair *members = lua_newuserdatauv(L, count * sizeof(csj_pair), 0);
    count = csj_pairs(tape, of.index, members);
    lua_pop(L, 1);
    return count;
  }
  // All keys, because an array may have other keys than its positions.
  size_t count = 0;
  lua_pushnil(L);
  while (lua_next(L, of.stack)) {
    lua_pop(L, 1);
    count++;
  }
  return count;
}

static int equal(
  lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, lull_place *place, int level);

// Moves one level down. Returns the length to restore.
static size_t descend(lull_place *place, const char *token, size_t length) {
  if (place == NULL) return 0;
  size_t before = place->length;
  place->length =
    csj_pointer_append(place->pointer, before, sizeof(place->pointer), token, length);
  return before;
}

static void ascend(lull_place *place, size_t before) {
  if (place == NULL) return;
  place->length = before;
  place->pointer[before] = 0;
}

// [-1, +0] Pops the key at the top and returns whether `other` has `value` under it. If not, the
// place remains at the token.
static int has_child(
  lua_State *L, lull_runtime *runtime, lull_side value, lull_side other, lull_place *place,
  const char *token, size_t length, int level) {
  LULL_EFFECT(L, 1, 0);
  int key = lua_gettop(L);
  size_t before = descend(place, token, length);
  lull_side found;
  int same = lull_side_child(L, other, key, &found)
    ? equal(L, runtime, value, found, place, level)
    : place && place->omits_nulls && value.document
      && csj_type_at(csj_document_view(value.document), value.index) == CSJ_NULL;
  if (same) ascend(place, before);
  lua_settop(L, key - 1);
  return same;
}

// [-0, +0] Returns whether `other` has the same values as the document's value under its keys.
static int has_children_of_document(
  lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, int is_array,
  lull_place *place, int level) {
  LULL_EFFECT(L, 0, 0);
  csj_view tape = csj_document_view(one.document);
  size_t count = csj_count(tape, one.index);
  lull_side child = {.document = one.document};
  int same = 1;
  if (is_array) {
    child.index = csj_first(tape, one.index);
    for (size_t i = 0; same && i < count; i++) {
      char token[24];
      int length = place ? snprintf(token, sizeof(token), "%zu", i) : 0;
      lua_pushinteger(L, (lua_Integer)i + 1);
      same = has_child(L, runtime, child, other, place, token, (size_t)length, level);
      child.index = csj_after(tape, child.index);
    }
    return same;
  }
  csj_pair *members = lua_newuserdatauv(L, (count + 1) * sizeof(csj_pair), 0);
  count = csj_pairs(tape, one.index, members);
  for (size_t i = 0; same && i < count; i++) {
    size_t length;
    const char *key = csj_string_at(tape, members[i].key, &length);
    child.index = members[i].value;
    lua_pushlstring(L, key, length);
    same = has_child(L, runtime, child, other, place, key, length, level);
  }
  lua_pop(L, 1);
  return same;
}

// [-0, +0] Returns whether `other` has the same values as the table under its keys.
static int has_children_of_table(
  lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, int level) {
  LULL_EFFECT(L, 0, 0);
  int same = 1;
  int top = lua_gettop(L);
  lua_pushnil(L);
  while (same && lua_next(L, one.stack)) {
    int value = lua_gettop(L);
    lua_pushvalue(L, value - 1);
    same = has_child(L, runtime, lull_side_at(L, value), other, NULL, "", 0, level);
    lua_settop(L, value - 1);
  }
  lua_settop(L, top);
  return same;
}

// [-0, +0] Returns whether the table has a key that the document's value lacks, and moves the
// place there.
static int has_other_keys(lua_State *L, lull_side document, lull_side table, lull_place *place) {
  LULL_EFFECT(L, 0, 0);
  int is_empty = csj_count(csj_document_view(document.document), document.index) == 0;
  lua_pushnil(L);
  while (lua_next(L, table.stack)) {
    lua_pop(L, 1);
    if (!is_empty && lull_document_find(L, document.document, document.index, lua_gettop(L))) continue;
    lua_pushvalue(L, -1);
    size_t length;
    const char *name = luaL_tolstring(L, -1, &length);
    descend(place, name, length);
    lua_pop(L, 3);
    return 1;
  }
  return 0;
}

// [-0, +0] Returns whether a table has exactly the contents of a document's value, ignoring its
// array mark.
static int is_unchanged(
  lua_State *L, lull_runtime *runtime, lull_side document, lull_side table, lull_place *place,
  int level) {
  LULL_EFFECT(L, 0, 0);
  csj_type type = csj_type_at(csj_document_view(document.document), document.index);
  if (type != CSJ_ARRAY && type != CSJ_OBJECT) return same_atoms(L, runtime, document, table);
  return !table.document && lua_istable(L, table.stack)
    && has_children_of_document(
      L, runtime, document, table, type == CSJ_ARRAY, place, level + 1)
    && !has_other_keys(L, document, table, place);
}

// [-0, +0]
static int equal(
  lua_State *L, lull_runtime *runtime, lull_side one, lull_side other, lull_place *place,
  int level) {
  LULL_EFFECT(L, 0, 0);
  luaL_checkstack(L, 12, "nested too deeply");
  // A table referenced in several places is compared each time.
  lull_interrupt_count(L, 8);
  if (level > CSJ_MAX_DEPTH) return luaL_error(L, "tables nest too deeply, or in a cycle");
  if (place) return is_unchanged(L, runtime, one, other, place, level);
  if (one.document && other.document) {
    return csj_same_value(one.document, one.index, other.document, other.index);
  }
  int array, object, other_array, other_object;
  lull_side_shape(L, one, &array, &object);
  lull_side_shape(L, other, &other_array, &other_object);
  if (!array && !object) {
    return !other_array && !other_object && same_atoms(L, runtime, one, other);
  }
  int is_array = array && other_array;
  if (!is_array && !(object && other_object)) return 0;
  if (size_of(L, one, is_array) != size_of(L, other, is_array)) return 0;
  if (one.document == NULL) return has_children_of_table(L, runtime, one, other, level + 1);
  return has_children_of_document(L, runtime, one, other, is_array, NULL, level + 1);
}

// [-0, +0]
int lull_json_differs(
  lua_State *L, lull_runtime *runtime, const csj_document *document, int stack, int omits_nulls,
  lull_place *place) {
  LULL_EFFECT(L, 0, 0);
  lull_side one = {.document = document, .index = CSJ_ROOT};
  *place = (lull_place){.length = 0, .omits_nulls = omits_nulls};
  return !equal(L, runtime, one, lull_side_at(L, stack), place, 0);
}

// [-n, +1] __eq, and lull.json.equal; upvalue: runtime
int lull_json_equal(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  luaL_checkany(L, 1);
  luaL_checkany(L, 2);
  lua_settop(L, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  lua_pushboolean(L, equal(L, runtime, lull_side_at(L, 1), lull_side_at(L, 2), NULL, 0));
  return 1;
}
