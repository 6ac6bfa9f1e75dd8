// Documents in Lua: read-only views of parsed JSON that build no tables until they are read. A
// view owns a share of the document, which is plain memory of the C side. So no call into Swift is
// needed to read or finalise it.
#include "values/lull_document.h"

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "values/lull_integer.h"
#include "values/lull_stored.h"
#include "values/lull_tables.h"

static const char document_key = 0;  // in the registry: the metatable of views

// An array or object in a document. Other values are ordinary Lua values.
typedef struct view {
  csj_document *document;  // NULL until it is set and after it was finalised
  size_t index;
} view;

// [-0, +0] Returns the view at `index`, or NULL for any other value.
static view *test_view(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  if (lua_type(L, index) != LUA_TUSERDATA || !lua_getmetatable(L, index)) return NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &document_key);
  int same = lua_rawequal(L, -1, -2);
  lua_pop(L, 2);
  return same ? lua_touserdata(L, index) : NULL;
}

// [-0, +0] Returns the view at `index`. Raises an error for any other value.
static view *check_view(lua_State *L, int index) {
  LULL_EFFECT(L, 0, 0);
  view *of = test_view(L, index);
  if (of == NULL) luaL_typeerror(L, index, "Document");
  if (of->document == NULL) luaL_error(L, "this Document is closed");
  return of;
}

// [-0, +1] Pushes a view of the value at `index`, an array or object.
static void push_view(lua_State *L, csj_document *document, size_t index) {
  LULL_EFFECT(L, 0, 1);
  view *made = lua_newuserdatauv(L, sizeof(view), 0);
  *made = (view){.document = NULL, .index = index};
  lua_rawgetp(L, LUA_REGISTRYINDEX, &document_key);
  lua_setmetatable(L, -2);
  csj_retain(document);
  made->document = document;
}

void lull_reads_watch(lull_runtime *runtime, const struct csj_document *document) {
  runtime->reads.watched = document;
  runtime->reads.has_list_read_as_object = 0;
  if (document == NULL) lull_queue_free(&runtime->reads.places);
}

size_t lull_reads_noted(const lull_runtime *runtime, const uint64_t **places) {
  *places = runtime->reads.places.items;
  return runtime->reads.places.count;
}

int32_t lull_reads_took_list_for_object(const lull_runtime *runtime) {
  return runtime->reads.has_list_read_as_object;
}

// [-0, +1] Pushes the value at `index` of a document: a view for an array or object, otherwise a
// Lua value.
void lull_document_push(
  lua_State *L, lull_runtime *runtime, const csj_document *document, size_t index) {
  LULL_EFFECT(L, 0, 1);
  csj_view tape = csj_document_view(document);
  switch (csj_type_at(tape, index)) {
    case CSJ_ARRAY:
    case CSJ_OBJECT: push_view(L, (csj_document *)document, index); return;
    case CSJ_NULL: lull_registry_push(L, runtime->null); return;
    case CSJ_FALSE: lua_pushboolean(L, 0); return;
    case CSJ_TRUE: lua_pushboolean(L, 1); return;
    case CSJ_INT: lua_pushinteger(L, csj_int_at(tape, index)); return;
    case CSJ_DOUBLE:
      if (runtime->reads.watched == document && !csj_is_large(tape, index)) {
        lull_queue_add(&runtime->reads.places, index);
      }
      lull_push_double(L, tape, index);
      return;
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
  LULL_EFFECT(L, 0, 1);
  if (id != 0) {
    lull_values_push(runtime, L, id);
    if (!lua_isnil(L, -1)) return;
    lua_pop(L, 1);
  }
  lull_document_push(L, runtime, document, CSJ_ROOT);
  if (id == 0 || lua_type(L, -1) != LUA_TUSERDATA) return;
  // A finaliser that ran in the meantime may have created the view: that one is used.
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

// [-0, +0]
int lull_view_at(lua_State *L, int index, const struct csj_document **document, size_t *place) {
  LULL_EFFECT(L, 0, 0);
  view *of = test_view(L, index);
  if (of == NULL || of->document == NULL) return 0;
  *document = of->document;
  *place = of->index;
  return 1;
}

// [-0, +0] Returns the index of the value under the key at `key` in the value at `index`; 0 if
// there is none.
size_t lull_document_find(lua_State *L, const csj_document *document, size_t index, int key) {
  LULL_EFFECT(L, 0, 0);
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

// [-n, +1] __index; upvalue: runtime
static int view_index(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  view *of = check_view(L, 1);
  size_t found = lull_document_find(L, of->document, of->index, 2);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  if (found == 0) {
    if (
      runtime->reads.watched == of->document && of->index == CSJ_ROOT && lua_type(L, 2) == LUA_TSTRING
      && csj_type_at(csj_document_view(of->document), CSJ_ROOT) == CSJ_ARRAY)
      runtime->reads.has_list_read_as_object = 1;
    lua_pushnil(L);
  } else {
    lull_document_push(L, runtime, of->document, found);
  }
  return 1;
}

// [-n, +0] __newindex: raises an error
static int view_newindex(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  return luaL_error(
    L, "a document is read-only ('%s'): lull.copy makes tables of it", luaL_tolstring(L, 2, NULL));
}

// [-n, +1] __len: the number of elements of an array; 0 for an object, as for a table without a
// sequence
static int view_len(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  view *of = check_view(L, 1);
  csj_view tape = csj_document_view(of->document);
  int is_array = csj_type_at(tape, of->index) == CSJ_ARRAY;
  lua_pushinteger(L, is_array ? (lua_Integer)csj_count(tape, of->index) : 0);
  return 1;
}

// The position of a traversal; for an object followed by its members.
typedef struct walk {
  size_t next;  // the index of the next array element, or number of the next member
  size_t end;
  lua_Integer position;
  csj_pair members[];
} walk;

// [-n, +2 or +1] Performs one step of a traversal; upvalues: runtime, view, walk
static int step(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 2, 1);
  lull_runtime *runtime = lua_touserdata(L, lua_upvalueindex(1));
  view *of = check_view(L, lua_upvalueindex(2));
  walk *at = lua_touserdata(L, lua_upvalueindex(3));
  csj_view tape = csj_document_view(of->document);
  if (at->next >= at->end) {
    lua_pushnil(L);
    return 1;
  }
  if (csj_type_at(tape, of->index) == CSJ_ARRAY) {
    // Advanced before anything is pushed, because a finaliser may advance this traversal too.
    size_t index = at->next;
    at->next = csj_after(tape, index);
    lua_pushinteger(L, ++at->position);
    lull_document_push(L, runtime, of->document, index);
    return 2;
  }
  csj_pair member = at->members[at->next++];
  size_t length;
  const char *key = csj_string_at(tape, member.key, &length);
  lua_pushlstring(L, key, length);
  lull_document_push(L, runtime, of->document, member.value);
  return 2;
}

// [-n, +3] __pairs: the elements of an array, or the members of an object in text order
static int view_pairs(lua_State *L) {
  LULL_CALLED(L, LULL_N, 3);
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

// [-n, +1] __tostring
static int view_tostring(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
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

// [-n, +1] __copy: plain tables; upvalue: runtime
static int view_copy(lua_State *L) {
  LULL_CALLED(L, LULL_N, 1);
  view *of = check_view(L, 1);
  lull_push_json_copy(L, lua_touserdata(L, lua_upvalueindex(1)), of->document, of->index);
  return 1;
}

// [-n, +0] __gc
static int view_gc(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  view *of = test_view(L, 1);
  if (of == NULL) return 0;
  csj_free(of->document);
  of->document = NULL;
  return 0;
}

// [-0, +0] Creates the metatable of views; `equal`, with the runtime as its upvalue, compares
// them.
void lull_open_documents(lua_State *L, lua_CFunction equal) {
  LULL_EFFECT(L, 0, 0);
  static const luaL_Reg metamethods[] = {
    {"__index", view_index}, {"__newindex", view_newindex}, {"__len", view_len},
    {"__pairs", view_pairs}, {"__tostring", view_tostring},     {"__copy", view_copy},
    {"__gc", view_gc},       {NULL, NULL}};
  lua_newtable(L);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  luaL_setfuncs(L, metamethods, 1);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_runtime_key);
  lua_pushcclosure(L, equal, 1);
  lua_setfield(L, -2, "__eq");
  lua_pushliteral(L, "Document");
  lua_setfield(L, -2, "__name");
  // Protected from changes by scripts.
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &document_key);
}
