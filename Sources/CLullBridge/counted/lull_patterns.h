// string.find, match, gmatch and gsub, whose work counts.
#ifndef LULL_PATTERNS_H
#define LULL_PATTERNS_H

#include "runtime/lull_runtime.h"

// [-n, +m]
int lull_string_find(lua_State *L);
// [-n, +m]
int lull_string_match(lua_State *L);
// [-n, +1]
int lull_string_gmatch(lua_State *L);
// [-n, +2]
int lull_string_gsub(lua_State *L);

#endif
