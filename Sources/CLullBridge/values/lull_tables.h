#ifndef LULL_TABLES_H
#define LULL_TABLES_H

#include <csimdjson.h>

#include "runtime/lull_runtime.h"

// Returns whether the tables with that ID are made without nulls.
static inline int lull_id_omits_nulls(int64_t id) {
  return (id & LULL_TABLES_MARK) != 0 && (id & LULL_VIEW_MARK) != 0;
}

void lull_push_array_metatable(lua_State *L);
void lull_push_object_metatable(lua_State *L);
// Pushes the value at `index` of a document as plain tables.
void lull_push_json(
  lua_State *L, lull_runtime *runtime, const struct csj_document *document, size_t index);
// Pushes a copy of the value as plain tables, with the order of its keys.
void lull_push_json_copy(
  lua_State *L, lull_runtime *runtime, const struct csj_document *document, size_t index);
void lull_push_document(
  lull_runtime *runtime, lua_State *L, const struct csj_document *document, int64_t id);

#endif
