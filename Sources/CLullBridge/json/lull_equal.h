// Access to a JSON value, whether it is a document or a table.
#ifndef LULL_EQUAL_H
#define LULL_EQUAL_H

#include <csimdjson.h>

#include "runtime/lull_runtime.h"

// A value of a document, or the Lua value at `stack`.
typedef struct lull_side {
  const csj_document *document;  // NULL for a Lua value
  size_t index;
  int stack;
} lull_side;

// Returns the Lua value at that position, or the document value it is a view of.
lull_side lull_side_at(lua_State *L, int stack);
// Returns whether it is an array, an object or, for an empty table, both.
void lull_side_shape(lua_State *L, lull_side of, int *is_array, int *is_object);
// Finds the element (counted from 1) or member under the key at `key`. Returns whether there is
// one. A value of a table is pushed.
int lull_side_child(lua_State *L, lull_side of, int key, lull_side *result);

// A JSON Pointer, cut off if it is too long.
typedef struct lull_place {
  char pointer[512];
  size_t length;
  int omits_nulls;  // whether the compared tables were made without nulls
} lull_place;

// Returns whether the Lua value at a stack position differs from the document, with or without its
// nulls, and sets the first place where it does.
int lull_json_differs(
  lua_State *L, lull_runtime *runtime, const csj_document *document, int stack, int omits_nulls,
  lull_place *place);

int lull_json_equal(lua_State *L);

#endif
