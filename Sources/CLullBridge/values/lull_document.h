#ifndef LULL_DOCUMENT_H
#define LULL_DOCUMENT_H

#include <csimdjson.h>

#include "runtime/lull_runtime.h"

void lull_open_documents(lua_State *L, lua_CFunction equal);
// A view of the document, or its value if that is neither array nor object; the same under the same id.
void lull_push_view(lull_runtime *runtime, lua_State *L, struct csj_document *document, int64_t id);
// Whether the value at `index` is a view, and of what.
int lull_view_at(lua_State *L, int index, const struct csj_document **document, size_t *place);
// Where the key at `key` leads to from the value at `index`; 0 if nowhere.
size_t lull_document_find(lua_State *L, const csj_document *document, size_t index, int key);
// The value at `index` of a document: a view, or the Lua value of anything else.
void lull_document_push(
  lua_State *L, lull_runtime *runtime, const csj_document *document, size_t index);

#endif
