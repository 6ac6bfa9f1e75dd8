#ifndef LULL_READ_H
#define LULL_READ_H

#include "runtime/lull_runtime.h"

int lull_userdata_kind(lua_State *L, int index);

#endif
