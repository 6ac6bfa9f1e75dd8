// The sandbox's require: text modules in the folder of the script and below, after resolving
// links.
#define _DEFAULT_SOURCE
#include "states/lull_modules.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lull_stack.h"
#include "runs/lull_chunks.h"

int lull_is_absent(const char *name) {
  static const char *const names[] = {
    LUA_IOLIBNAME, LUA_OSLIBNAME, LUA_DBLIBNAME, LUA_LOADLIBNAME, "dofile", "loadfile", NULL};
  for (int i = 0; names[i]; i++) {
    if (strcmp(names[i], name) == 0) return 1;
  }
  return 0;
}

// The maximum size of a module.
enum { LULL_MAX_MODULE = 16 * 1024 * 1024 };

// Returns whether `name` consists of words separated by dots.
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

// Returns whether a path is a regular file below the folder after resolving links, and sets the
// resolved path.
static int is_below(const char *folder, const char *path, char resolved[PATH_MAX]) {
  char root[PATH_MAX];
  struct stat status;
  if (!realpath(folder, root) || !realpath(path, resolved) || stat(resolved, &status) != 0) return 0;
  size_t length = strlen(root);
  while (length > 0 && root[length - 1] == '/') length--;
  return strncmp(root, resolved, length) == 0 && resolved[length] == '/' && S_ISREG(status.st_mode);
}

// Reads to the end, even if interrupted by a signal; a negative number for an error.
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

// [-0, +1] Pushes the contents of the file. Raises an error if it can't be read, or is not a
// module.
static const char *push_contents(lua_State *L, const char *resolved, const char *path, size_t *length) {
  LULL_EFFECT(L, 0, 1);
  struct stat status;
  if (stat(resolved, &status) != 0 || status.st_size > LULL_MAX_MODULE) {
    luaL_error(L, "cannot read '%s': it is larger than 16 MB", path);
    return NULL;
  }
  // Allocated before the file is opened, because an error would leave the descriptor open.
  char *bytes = lua_newuserdatauv(L, (size_t)status.st_size + 1, 0);
  int descriptor = open(resolved, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  ssize_t count = descriptor >= 0 ? read_all(descriptor, bytes, (size_t)status.st_size) : -1;
  if (descriptor >= 0) close(descriptor);
  if (count < 0) luaL_error(L, "cannot read '%s'", path);
  *length = (size_t)count;
  return bytes;
}

// [-0, +1] Compiles a module. Raises an error if that fails.
static void load_module(
  lua_State *L, const char *resolved, const char *name, const char *path) {
  LULL_EFFECT(L, 0, 1);
  size_t length;
  const char *text = push_contents(L, resolved, path, &length);
  // As the stock interpreter reads files: without a byte order mark, and without a `#` line.
  if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3, length -= 3;
  if (length > 0 && text[0] == '#') {
    const char *end = memchr(text, '\n', length);
    length = end ? length - (size_t)(end - text) : 0;
    if (end) text = end;
    // The line break is kept for line numbers. A precompiled chunk begins after it.
    if (length > 1 && text[1] == LUA_SIGNATURE[0]) text++, length--;
  }
  lua_pushfstring(L, "@%s", path);
  if (luaL_loadbufferx(L, text, length, lua_tostring(L, -1), "t") != LUA_OK) {
    const char *message = lull_reworded(L, lua_tostring(L, -1));
    luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", name, path, message);
  }
  lua_replace(L, -3);
  lua_pop(L, 1);
}

// [-n, +0] the loader of `lull.test` outside of test files
int luaopen_lull_test(lua_State *L) {
  LULL_CALLED(L, LULL_N, 0);
  return luaL_error(
    L, "lull.test is only available in lull test: lull test FILE (or a folder of *_test.lua)");
}

// [-0, +2] Pushes the loader and the path of a module below the folder. Raises an error if there
// is none.
static void find_module(lua_State *L, const char *name, const char *folder) {
  LULL_EFFECT(L, 0, 2);
  if (strcmp(name, "lull.test") == 0) luaopen_lull_test(L);
  static const char *const templates[] = {"%s/%s.lua", "%s/%s/init.lua"};
  if (folder == NULL) {
    luaL_error(
      L, "module '%s' not found: code that does not come from a file has no modules beside it", name);
  }
  if (!is_module_name(name)) {
    luaL_error(L, "module '%s' not found: the sandbox has modules beside the script only", name);
  }
  int below = lua_gettop(L);
  const char *file = luaL_gsub(L, name, ".", "/");
  for (int i = 0; i < 2; i++) {
    const char *path = lua_pushfstring(L, templates[i], folder, file);
    char resolved[PATH_MAX];
    if (is_below(folder, path, resolved)) {
      load_module(L, resolved, name, path);
      lua_insert(L, -2);
      // Removes the list of searched places.
      lua_rotate(L, below + 1, 2);
      lua_settop(L, below + 2);
      return;
    }
  }
  luaL_error(
    L, "module '%s' not found:\n\tno file '%s'\n\tno file '%s'", name, lua_tostring(L, -2),
    lua_tostring(L, -1));
}

// [-n, +2 or +1] require(name); upvalue: the folder of the script, or nil
int lull_sandbox_require(lua_State *L) {
  LULL_CALLED_EITHER(L, LULL_N, 2, 1);
  size_t length;
  const char *name = luaL_checklstring(L, 1, &length);
  if (strlen(name) != length) return luaL_error(L, "module '%s' not found: a name has no zeros", name);
  lua_settop(L, 1);
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  lua_getfield(L, 2, name);
  if (lua_toboolean(L, -1)) return 1;
  lua_pop(L, 1);
  if (lull_is_absent(name)) return luaL_error(L, "%s is not available in the sandbox", name);
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
