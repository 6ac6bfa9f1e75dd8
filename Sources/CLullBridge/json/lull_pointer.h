#ifndef LULL_POINTER_H
#define LULL_POINTER_H

#include "base/lull_base.h"

int lull_json_at(lua_State *L);

#endif
