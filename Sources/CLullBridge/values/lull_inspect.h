// lull.inspect and lull.copy.
#ifndef LULL_INSPECT_H
#define LULL_INSPECT_H

#include "base/lull_base.h"

int lull_inspect(lua_State *L);
int lull_copy(lua_State *L);

#endif
