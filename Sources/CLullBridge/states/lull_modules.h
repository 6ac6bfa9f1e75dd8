#ifndef LULL_MODULES_H
#define LULL_MODULES_H

#include "base/lull_base.h"

// Whether the sandbox has no global of this name, which it has elsewhere.
int lull_is_absent(const char *name);
int lull_sandbox_require(lua_State *L);

#endif
