#ifndef LULL_READONLY_H
#define LULL_READONLY_H

#include "base/lull_base.h"

void lull_wrap_read_only(lua_State *L);

#endif
