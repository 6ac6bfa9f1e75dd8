#ifndef LULL_TABLES_H
#define LULL_TABLES_H

#include <csimdjson.h>

#include "runtime/lull_runtime.h"

void lull_push_array_metatable(lua_State *L);
void lull_push_object_metatable(lua_State *L);
// The value at `index` of a document as plain tables.
void lull_keep_orders(lua_State *L);
void lull_push_json(
  lua_State *L, lull_runtime *runtime, const struct csj_document *document, size_t index);
void lull_push_document(
  lull_runtime *runtime, lua_State *L, const struct csj_document *document, int64_t id);

#endif
