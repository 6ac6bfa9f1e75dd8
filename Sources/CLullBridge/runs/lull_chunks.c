// Compiling text only. Precompiled chunks are not verified by the interpreter and could do
// anything to it. These functions replace the stock ones unless the command allows bytecode.
#include "runs/lull_chunks.h"

#include <string.h>

#include "base/lull_keys.h"
#include "base/lull_stack.h"
#include "ending/lull_interrupt.h"

static const char refusal_text[] =
  "attempt to load a precompiled chunk (only --allow-bytecode permits it)";
static const char sandbox_refusal_text[] =
  "attempt to load a precompiled chunk, which is not available in the sandbox";

// The stack position that keeps the last piece of a reader function alive: after the arguments.
enum { LULL_PIECE = 5 };

// [-0, +1] Pushes the message that precompiled chunks are refused; upvalue 1 selects it.
static void push_refusal(lua_State *L) {
  LULL_EFFECT(L, 0, 1);
  lua_pushstring(L, lua_toboolean(L, lua_upvalueindex(1)) ? sandbox_refusal_text : refusal_text);
}

// [-1, +1] Replaces a message of the compiler about a precompiled chunk with Lull's own message.
static void reword(lua_State *L) {
  LULL_EFFECT(L, 1, 1);
  const char *message = lua_tostring(L, -1);
  if (message == NULL || strncmp(message, "attempt to load a binary chunk", 30) != 0) return;
  lua_pop(L, 1);
  push_refusal(L);
}

// [-1, +m] Returns the results of load and loadfile for a compilation with that status;
// `environment` is the index of the value for the first upvalue, 0 for none.
static int loaded(lua_State *L, int status, int environment) {
  LULL_EFFECT(L, 1, LULL_M);
  if (status != LUA_OK) {
    reword(L);
    lua_pushnil(L);
    lua_insert(L, -2);
    return LULL_COUNT(L, 2);
  }
  if (environment) {
    lua_pushvalue(L, environment);
    if (lua_setupvalue(L, -2, 1) == NULL) lua_pop(L, 1);
  }
  return LULL_COUNT(L, 1);
}

// A text that is compiled in pieces, so that limits are checked in between: for some texts the
// compiler needs time proportional to the square of their length.
typedef struct pieces {
  const char *next;
  size_t left;
} pieces;

// The number of bytes compiled at once.
enum { LULL_COMPILED_AT_ONCE = 4096 };

// [-0, +0] A lua_Reader for a text.
static const char *next_piece(lua_State *L, void *data, size_t *size) {
  LULL_EFFECT(L, 0, 0);
  pieces *text = data;
  const char *piece = text->next;
  *size = text->left < LULL_COMPILED_AT_ONCE ? text->left : LULL_COMPILED_AT_ONCE;
  text->next += *size;
  text->left -= *size;
  lull_interrupt_count(L, (int64_t)*size / 4);
  return *size > 0 ? piece : NULL;
}

// [-0, +0] A lua_Reader that calls the function at 1.
static const char *read_piece(lua_State *L, void *unused, size_t *size) {
  LULL_EFFECT(L, 0, 0);
  (void)unused;
  // The function may be a C function.
  lull_interrupt_count(L, 10);
  luaL_checkstack(L, 2, "too many nested functions");
  lua_pushvalue(L, 1);
  lua_call(L, 0, 1);
  if (lua_isnil(L, -1)) {
    lua_pop(L, 1);
    *size = 0;
    return NULL;
  }
  if (!lua_isstring(L, -1)) luaL_error(L, "reader function must return a string");
  lua_replace(L, LULL_PIECE);
  const char *piece = lua_tolstring(L, LULL_PIECE, size);
  lull_interrupt_count(L, (int64_t)*size / 4);
  return piece;
}

// Returns the mode for compiling, which never allows a precompiled chunk: the interpreter accepts
// one if the mode contains a 'b' anywhere. NULL if only precompiled chunks are requested.
static const char *text_mode(const char *mode) {
  if (strchr(mode, 't')) return "t";
  return strchr(mode, 'b') ? NULL : mode;
}

// [-n, +m] load(chunk [, name [, mode [, environment]]]); upvalue: whether in the sandbox
static int load_text(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  const char *mode = text_mode(luaL_optstring(L, 3, "bt"));
  int environment = lua_isnone(L, 4) ? 0 : 4;
  size_t length;
  const char *text = lua_tolstring(L, 1, &length);
  const char *name = luaL_optstring(L, 2, text ? text : "=(load)");
  if (text == NULL) luaL_checktype(L, 1, LUA_TFUNCTION);
  if (mode == NULL) {
    lua_pushnil(L);
    push_refusal(L);
    return LULL_COUNT(L, 2);
  }
  if (text) {
    pieces all = {.next = text, .left = length};
    return LULL_COUNT(L, loaded(L, lua_load(L, next_piece, &all, name, mode), environment));
  }
  lua_settop(L, LULL_PIECE);
  return LULL_COUNT(L, loaded(L, lua_load(L, read_piece, NULL, name, mode), environment));
}

// [-n, +m] loadfile([name [, mode [, environment]]])
static int load_file(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  const char *name = luaL_optstring(L, 1, NULL);
  const char *mode = text_mode(luaL_optstring(L, 2, "bt"));
  int environment = lua_isnone(L, 3) ? 0 : 3;
  // Without a mode nothing is compiled, but the file is opened, which may fail.
  int status = luaL_loadfilex(L, name, mode ? mode : "");
  if (mode == NULL && status == LUA_ERRSYNTAX) {
    lua_pop(L, 1);
    push_refusal(L);
  }
  return LULL_COUNT(L, loaded(L, status, environment));
}

// [-n, +m] the continuation of do_file
static int done_file(lua_State *L, int status, lua_KContext context) {
  LULL_CALLED(L, LULL_N, LULL_M);
  (void)status;
  (void)context;
  return LULL_COUNT(L, lua_gettop(L) - 1);
}

// [-n, +m] dofile([name])
static int do_file(lua_State *L) {
  LULL_CALLED(L, LULL_N, LULL_M);
  const char *name = luaL_optstring(L, 1, NULL);
  lua_settop(L, 1);
  if (luaL_loadfilex(L, name, "t") != LUA_OK) {
    reword(L);
    return lua_error(L);
  }
  lua_callk(L, 0, LUA_MULTRET, 0, done_file);
  return LULL_COUNT(L, done_file(L, LUA_OK, 0));
}

// [-n, +2 or +1] The searcher of Lua modules: name; upvalues: whether in the sandbox, the package
// table
static int search_file(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 2, 1);
  const char *name = luaL_checkstring(L, 1);
  lua_getfield(L, lua_upvalueindex(2), "searchpath");
  lua_pushvalue(L, 1);
  if (lua_getfield(L, lua_upvalueindex(2), "path") != LUA_TSTRING) {
    return luaL_error(L, "'package.path' must be a string");
  }
  lua_call(L, 2, 2);
  // Not found: returns the searched places.
  if (lua_isnil(L, -2)) return 1;
  lua_pop(L, 1);
  const char *file = lua_tostring(L, -1);
  if (luaL_loadfilex(L, file, "t") != LUA_OK) {
    reword(L);
    return luaL_error(
      L, "error loading module '%s' from file '%s':\n\t%s", name, file, lua_tostring(L, -1));
  }
  lua_insert(L, -2);
  return 2;
}

// [-0, +0] Sets a function that knows whether it is in the sandbox in the table at the top.
static void set_function(lua_State *L, const char *name, lua_CFunction function, int sandboxed) {
  LULL_EFFECT(L, 0, 0);
  lua_pushboolean(L, sandboxed);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

// [-0, +0] Raises an error without memory.
void lull_refuse_bytecode(lua_State *L, int sandboxed) {
  LULL_EFFECT(L, 0, 0);
  lua_pushglobaltable(L);
  set_function(L, "load", load_text, sandboxed);
  if (sandboxed) {
    lua_pop(L, 1);
    return;
  }
  set_function(L, "loadfile", load_file, 0);
  set_function(L, "dofile", do_file, 0);
  lua_pop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, LUA_LOADLIBNAME) == LUA_TTABLE
    && lua_getfield(L, -1, "searchers") == LUA_TTABLE) {
    lua_pushboolean(L, 0);
    lua_pushvalue(L, -3);
    lua_pushcclosure(L, search_file, 2);
    // After preloaded modules, before C modules.
    lua_rawseti(L, -2, 2);
    lua_pop(L, 1);
  }
  lua_pop(L, 2);
}

// [-0, +0]
static int refuse(lua_State *L) {
  LULL_CALLED(L, 0, 0);
  lull_refuse_bytecode(L, 0);
  return 0;
}

// [-0, +0]
int32_t lull_state_refuse_bytecode(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  lua_pushcfunction(L, refuse);
  if (lua_pcall(L, 0, 0, 0) == LUA_OK) return 0;
  lua_pop(L, 1);
  return 1;
}

// For chunks that Swift loads.
void lull_allow_bytecode(lull_runtime *runtime) { runtime->allows_bytecode = 1; }

// [-0, +0] Like reword, for chunks that Swift loads, and for modules.
const char *lull_reworded(lua_State *L, const char *message) {
  LULL_EFFECT(L, 0, 0);
  if (message == NULL || strncmp(message, "attempt to load a binary chunk", 30) != 0) return message;
  int is_sandboxed = lua_rawgetp(L, LUA_REGISTRYINDEX, &lull_sandbox_key) != LUA_TNIL;
  lua_pop(L, 1);
  return is_sandboxed ? sandbox_refusal_text : refusal_text;
}
