// The parts of luaL_newstate other than memory: the output of warnings and of uncaught errors.
#include "base/lull_warnings.h"

#include <string.h>

#include "base/lull_stack.h"

// [-0, +0] Handles an uncaught error: the process is about to be aborted.
static int panic(lua_State *L) {
  LULL_EFFECT(L, 0, 0);
  const char *message = lua_tostring(L, -1);
  lull_host_write_error("lull: error outside of any protected call: ");
  lull_host_write_error(message ? message : "no string");
  lull_host_write_error("\n");
  return 0;
}

// A lua_WarnFunction like that of the stock interpreter. (Lua 5.4 manual, section 6.1, warn)
static void warn(void *context, const char *message, int is_continued) {
  lull_warnings *warnings = context;
  if (!warnings->is_continued && !is_continued && message[0] == '@') {
    if (strcmp(message, "@on") == 0) warnings->are_shown = 1;
    if (strcmp(message, "@off") == 0) warnings->are_shown = 0;
    return;
  }
  if (warnings->are_shown) {
    if (!warnings->is_continued) lull_host_write_error("Lua warning: ");
    lull_host_write_error(message);
    if (!is_continued) lull_host_write_error("\n");
  }
  warnings->is_continued = is_continued;
}

// [-0, +0] `warnings` must live as long as the state.
void lull_warnings_open(lua_State *L, lull_warnings *warnings) {
  LULL_EFFECT(L, 0, 0);
  lua_atpanic(L, panic);
  lua_setwarnf(L, warn, warnings);
}
