// One JSON value of either form, and walking into it.
#ifndef LULL_EQUAL_H
#define LULL_EQUAL_H

#include <csimdjson.h>

#include "runtime/lull_runtime.h"

// A value of a document, or the Lua value at `stack`.
typedef struct lull_side {
  const csj_document *document;  // NULL: a Lua value
  size_t index;
  int stack;
} lull_side;

// The Lua value at that position, or what it is a view of.
lull_side lull_side_at(lua_State *L, int stack);
// Whether it is an array, an object or, as an empty table, either of them.
void lull_side_shape(lua_State *L, lull_side of, int *is_array, int *is_object);
// The element or member under the key at `key` (an element's counted from 1); whether there is one.
// One of a table is pushed.
int lull_side_child(lua_State *L, lull_side of, int key, lull_side *result);

// A JSON Pointer; what does not fit is cut off.
typedef struct lull_place {
  char pointer[512];
  size_t length;
  int omits_nulls;  // the tables that are compared were made without nulls
} lull_place;

// Whether the Lua value at a stack position has not just what the document has, or without its nulls, and
// where first.
int lull_json_differs(
  lua_State *L, lull_runtime *runtime, const csj_document *document, int stack, int omits_nulls,
  lull_place *place);

int lull_json_equal(lua_State *L);

#endif
