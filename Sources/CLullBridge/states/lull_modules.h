#ifndef LULL_MODULES_H
#define LULL_MODULES_H

#include "base/lull_base.h"

// Whether the sandbox has no global of this name, which it has elsewhere.
int lull_is_absent(const char *name);
int lull_sandbox_require(lua_State *L);
// `require "lull.test"` where no file of tests is run: raises.
int luaopen_lull_test(lua_State *L);

#endif
