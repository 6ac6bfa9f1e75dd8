// The sandbox: a state in which a script has Lull, string, table, math, utf8, coroutine, print, the
// harmless functions of the base library and the modules beside it, and in which what is absent says so.
#define _DEFAULT_SOURCE
#include "lull_internal.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// What string functions may be given, and string.rep may make; and a pattern, whose cost grows with
// every part of it that backtracks.
enum { LULL_MAX_INPUT = 1024 * 1024, LULL_MAX_PATTERN = 256 };

// The largest module.
enum { LULL_MAX_MODULE = 16 * 1024 * 1024 };

static int is_absent(const char *name) {
  static const char *const names[] = {
    LUA_IOLIBNAME, LUA_OSLIBNAME, LUA_DBLIBNAME, LUA_LOADLIBNAME, "dofile", "loadfile", NULL};
  for (int i = 0; names[i]; i++) {
    if (strcmp(names[i], name) == 0) return 1;
  }
  return 0;
}

// [-2, +1] __index of the globals
static int global_index(lua_State *L) {
  if (lua_type(L, 2) == LUA_TSTRING && is_absent(lua_tostring(L, 2))) {
    return luaL_error(L, "%s is not available in the sandbox", lua_tostring(L, 2));
  }
  lua_pushnil(L);
  return 1;
}

// [-n, +0] instead of a function that is absent; upvalue: its name
static int absent_function(lua_State *L) {
  return luaL_error(
    L, "%s is not available in the sandbox", lua_tostring(L, lua_upvalueindex(1)));
}

// [-0, +0] raises if the string at `index` is too long
static void check_length(lua_State *L, int index, size_t limit, const char *problem) {
  size_t length;
  luaL_checklstring(L, index, &length);
  luaL_argcheck(L, length <= limit, index, problem);
}

// [-n, +m] string.find, match, gmatch and gsub; upvalue: the stock function, which is called in this
// very frame, so that its errors look the same
static int pattern_function(lua_State *L) {
  check_length(L, 1, LULL_MAX_INPUT, "longer than 1 MB, which the sandbox does not allow");
  check_length(
    L, 2, LULL_MAX_PATTERN, "longer than 256 characters, which the sandbox does not allow");
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

// [-n, +1] string.rep; upvalue: the stock function
static int rep_function(lua_State *L) {
  size_t length, separator = 0;
  luaL_checklstring(L, 1, &length);
  lua_Integer count = luaL_checkinteger(L, 2);
  luaL_optlstring(L, 3, "", &separator);
  if (length + separator == 0) {
    // However often: the stock function counts.
    lua_pushliteral(L, "");
    return 1;
  }
  luaL_argcheck(
    L, (double)count * (double)(length + separator) - (double)separator <= LULL_MAX_INPUT, 2,
    "the result would be longer than 1 MB, which the sandbox does not allow");
  return lua_tocfunction(L, lua_upvalueindex(1))(L);
}

// [-n, +1] collectgarbage("count") and ("collect")
static int collect_function(lua_State *L) {
  const char *option = luaL_optstring(L, 1, "collect");
  if (strcmp(option, "count") == 0) {
    lua_pushnumber(L, lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0);
  } else if (strcmp(option, "collect") == 0) {
    lua_pushinteger(L, lua_gc(L, LUA_GCCOLLECT));
  } else {
    return luaL_error(L, "collectgarbage \"%s\" is not available in the sandbox", option);
  }
  return 1;
}

// [-2, +1] setmetatable, for metatables without __gc
static int set_metatable(lua_State *L) {
  int type = lua_type(L, 2);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argexpected(L, type == LUA_TNIL || type == LUA_TTABLE, 2, "nil or table");
  if (luaL_getmetafield(L, 1, "__metatable") != LUA_TNIL) {
    return luaL_error(L, "cannot change a protected metatable");
  }
  if (type == LUA_TTABLE) {
    lua_pushliteral(L, "__gc");
    if (lua_rawget(L, 2) != LUA_TNIL) {
      return luaL_error(L, "__gc is not available in the sandbox");
    }
  }
  lua_settop(L, 2);
  lua_setmetatable(L, 1);
  return 1;
}

// --- require ---

// [-0, +0] whether `name` is made of words with dots between them
static int is_module_name(const char *name) {
  int in_word = 0;
  for (; *name; name++) {
    if (isalnum((unsigned char)*name) || *name == '_' || *name == '-') {
      in_word = 1;
    } else if (*name == '.' && in_word) {
      in_word = 0;
    } else {
      return 0;
    }
  }
  return in_word;
}

// [-0, +0] a descriptor of a regular file below the folder, wherever links may lead; -1 for anything else
static int open_below(const char *folder, const char *path) {
  char *root = realpath(folder, NULL);
  char *file = realpath(path, NULL);
  int descriptor = -1;
  if (root && file) {
    size_t length = strlen(root);
    while (length > 0 && root[length - 1] == '/') length--;
    if (strncmp(root, file, length) == 0 && file[length] == '/') {
      descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    }
  }
  free(root);
  free(file);
  struct stat status;
  if (descriptor >= 0 && (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
    close(descriptor);
    descriptor = -1;
  }
  return descriptor;
}

// [-0, +0] reads until the end, a signal notwithstanding; a negative number for an error
static ssize_t read_all(int descriptor, char *bytes, size_t room) {
  size_t length = 0;
  while (length < room) {
    ssize_t count = read(descriptor, bytes + length, room - length);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    length += (size_t)count;
  }
  return (ssize_t)length;
}

// [-0, +1] what the descriptor, which is closed, has; raises if it cannot be read, or is no module
static const char *push_contents(lua_State *L, int descriptor, const char *path, size_t *length) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size > LULL_MAX_MODULE) {
    close(descriptor);
    luaL_error(L, "cannot read '%s': it is larger than 16 MB", path);
    return NULL;
  }
  // Memory of the interpreter's own: raising below must not lose it. The descriptor is open only where
  // nothing raises, so the buffer comes first, by way of malloc.
  size_t room = (size_t)status.st_size;
  char *bytes = malloc(room + 1);
  ssize_t count = bytes ? read_all(descriptor, bytes, room) : -1;
  close(descriptor);
  if (count < 0) {
    free(bytes);
    luaL_error(L, "cannot read '%s'", path);
    return NULL;
  }
  char *copy = lua_newuserdatauv(L, (size_t)count + 1, 0);
  memcpy(copy, bytes, (size_t)count);
  free(bytes);
  *length = (size_t)count;
  return copy;
}

// [-0, +1] compiles a module; raises if there is something wrong with it
static void load_module(lua_State *L, int descriptor, const char *name, const char *path) {
  size_t length;
  const char *text = push_contents(L, descriptor, path, &length);
  // As the stock interpreter reads files: without a mark of byte order, and a first line for the shell.
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
  if (length > 0 && text[0] == '#') {
    const char *end = memchr(text, '\n', length);
    length = end ? length - (size_t)(end - text) : 0;
    if (end) text = end;
  }
  lua_pushfstring(L, "@%s", path);
  if (luaL_loadbufferx(L, text, length, lua_tostring(L, -1), "t") != LUA_OK) {
    const char *message = lull_reworded(lua_tostring(L, -1));
    luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, path, message);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

// [-0, +2] the loader and the path of a module below the folder; raises if there is none
static void find_module(lua_State *L, const char *name, const char *folder) {
  static const char *const templates[] = {"%s/%s.lua", "%s/%s/init.lua"};
  if (folder == NULL) {
    luaL_error(
      L, "module '%s' not found: code that does not come from a file has no modules beside it", name);
  }
  if (!is_module_name(name)) {
    luaL_error(L, "module '%s' not found: the sandbox has modules beside the script only", name);
  }
  const char *file = luaL_gsub(L, name, ".", "/");
  for (int i = 0; i < 2; i++) {
    const char *path = lua_pushfstring(L, templates[i], folder, file);
    int descriptor = open_below(folder, path);
    if (descriptor >= 0) {
      load_module(L, descriptor, name, path);
      lua_insert(L, -2);
      return;
    }
  }
  luaL_error(
    L, "module '%s' not found:\n\tno file '%s'\n\tno file '%s'", name, lua_tostring(L, -2),
    lua_tostring(L, -1));
}

// [-n, +2] require(name); upvalue: the folder of the script, or nil
static int require_function(lua_State *L) {
  const char *name = luaL_checkstring(L, 1);
  lua_settop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, 2, name);
  if (lua_toboolean(L, -1)) return 1;
  lua_pop(L, 1);
  if (is_absent(name)) return luaL_error(L, "%s is not available in the sandbox", name);
  find_module(L, name, lua_tostring(L, lua_upvalueindex(1)));
  int path = lua_gettop(L);
  lua_pushvalue(L, path - 1);
  lua_pushvalue(L, 1);
  lua_pushvalue(L, path);
  lua_call(L, 2, 1);
  if (!lua_isnil(L, -1)) {
    lua_setfield(L, 2, name);
  } else {
    lua_pop(L, 1);
  }
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushboolean(L, 1);
    lua_pushboolean(L, 1);
    lua_setfield(L, 2, name);
  }
  lua_pushvalue(L, path);
  return 2;
}

// --- Opening ---

// [-0, +0] puts a checked function in the place of table[name], the table at the top
static void wrap(lua_State *L, const char *name, lua_CFunction function) {
  lua_getfield(L, -1, name);
  lua_pushcclosure(L, function, 1);
  lua_setfield(L, -2, name);
}

// [-0, +0]
static void open_string(lua_State *L) {
  static const char *const names[] = {"find", "match", "gmatch", "gsub", NULL};
  luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 1);
  for (int i = 0; names[i]; i++) wrap(L, names[i], pattern_function);
  wrap(L, "rep", rep_function);
  lua_pushliteral(L, "string.dump");
  lua_pushcclosure(L, absent_function, 1);
  lua_setfield(L, -2, "dump");
  lua_pop(L, 1);
  // Every string has this metatable: not for scripts to change.
  lua_pushliteral(L, "");
  lua_getmetatable(L, -1);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "__metatable");
  lua_pop(L, 2);
}

// [-0, +0]
static void open_base(lua_State *L) {
  static const luaL_Reg functions[] = {
    {"collectgarbage", collect_function}, {"setmetatable", set_metatable}, {NULL, NULL}};
  luaL_requiref(L, LUA_GNAME, luaopen_base, 1);
  luaL_setfuncs(L, functions, 0);
  lua_pushnil(L);
  lua_setfield(L, -2, "dofile");
  lua_pushnil(L);
  lua_setfield(L, -2, "loadfile");
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, global_index);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
  lull_refuse_bytecode(L, 1);
}

// [-1, +0] the libraries; the folder as a light userdata, or NULL
static int open_sandbox(lua_State *L) {
  static const luaL_Reg libraries[] = {
    {LUA_TABLIBNAME, luaopen_table},
    {LUA_MATHLIBNAME, luaopen_math},
    {LUA_UTF8LIBNAME, luaopen_utf8},
    {LUA_COLIBNAME, luaopen_coroutine},
    {NULL, NULL}};
  const char *folder = lua_touserdata(L, 1);
  open_base(L);
  open_string(L);
  for (const luaL_Reg *library = libraries; library->func; library++) {
    luaL_requiref(L, library->name, library->func, 1);
    lua_pop(L, 1);
  }
  lua_pushstring(L, folder);
  lua_pushcclosure(L, require_function, 1);
  lua_setglobal(L, "require");
  return 0;
}

// The new state's stack is empty.
lua_State *lull_state_new_sandboxed(const char *folder) {
  lua_State *L = luaL_newstate();
  if (L == NULL) return NULL;
  if (!lull_memory_install(L)) {
    lua_close(L);
    return NULL;
  }
  lua_pushcfunction(L, open_sandbox);
  lua_pushlightuserdata(L, (void *)folder);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    lull_state_close(L);
    return NULL;
  }
  return L;
}
