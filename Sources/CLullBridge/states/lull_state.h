#ifndef LULL_STATE_H
#define LULL_STATE_H

#include "base/lull_base.h"

int luaopen_lull(lua_State *L);

#endif
