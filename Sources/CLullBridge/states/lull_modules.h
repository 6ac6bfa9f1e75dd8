#ifndef LULL_MODULES_H
#define LULL_MODULES_H

#include "base/lull_base.h"

// Returns whether a global with this name exists outside of the sandbox only.
int lull_is_absent(const char *name);
int lull_sandbox_require(lua_State *L);
// `require "lull.test"` outside of test files: raises an error.
int luaopen_lull_test(lua_State *L);

#endif
