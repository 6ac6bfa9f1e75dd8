#ifndef LULL_DOCUMENT_H
#define LULL_DOCUMENT_H

#include <csimdjson.h>

#include "runtime/lull_runtime.h"

void lull_open_documents(lua_State *L, lua_CFunction equal);
// Pushes a view of the document, or its value if that is neither array nor object. The same ID has
// the same view.
void lull_push_view(lull_runtime *runtime, lua_State *L, struct csj_document *document, int64_t id);
// Returns whether the value at `index` is a view, and sets its document and place.
int lull_view_at(lua_State *L, int index, const struct csj_document **document, size_t *place);
// Returns the index of the value under the key at `key` in the value at `index`; 0 if there is
// none.
size_t lull_document_find(lua_State *L, const csj_document *document, size_t index, int key);
// Pushes the value at `index` of a document: a view for an array or object, otherwise a Lua value.
void lull_document_push(
  lua_State *L, lull_runtime *runtime, const csj_document *document, size_t index);

#endif
